#!/usr/bin/env bash
# C++ unit tests and MPI programs for aarch64, on this machine: QEMU emulates the programs, not the kernel.
#   test-arm.sh [STAGE...]   some of: unit mpi (default: both)
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
build=$PWD/build/arm
# QEMU passes no netlink of NETLINK_SOCK_DIAG on to the kernel: what the agent sees of sockets is left out. It knows no
# SO_TIMESTAMPNS either: so is what has an agent's datagrams.
left_out='^(SockDiag|Monitor|Manager|ManualTest|Prober|RoutePlane|EchoSender)\.'
# Profiles, the relay plane in ranks, and ranks beside agents: these are joined, and carry frames over a third host.
# Not in Fortran, which MPI libraries from PyPI have no bindings for.
relay=tests/mpi/relay
mpi_tests=(
    tests/mpi/profile/test_counts.py
    "$relay/test_semantics.py::test_every_case"
    "$relay/test_programs.py::test_results_are_verified"
    "$relay/test_joining.py::test_an_agent_that_comes_after_its_ranks_is_joined"
    tests/root/test_agent_relay.py
    -k '((openmpi5 or mpich5) and not verified) or cg-openmpi5 or cg-mpich5 or test_agent_relay'
)

say() { printf 'test-arm: %s\n' "$*"; }
. scripts/wheel/toolchain.sh

emulated() { scripts/as-aarch64.sh "$root" "$@"; }

configure() { # SOURCES DIRECTORY OPTION...
    local sources=$1 directory=$2
    shift 2
    cmake --no-warn-unused-cli -S "$sources" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        "${defined[@]/#/-D}" "$@" >"$directory.log"
}

# GoogleTest for the C++ library that comes with zig.
build_googletest() {
    [ -e "$own/googletest/lib/libgtest.a" ] && return
    say "building GoogleTest"
    configure /usr/src/googletest "$build/googletest" -DCMAKE_INSTALL_PREFIX="$own/googletest" -DBUILD_GMOCK=OFF
    cmake --build "$build/googletest" --target install -j "$jobs" >>"$build/googletest.log"
}

unit() {
    say "C++ unit tests"
    build_googletest
    # Tests are asked for their names when they run: only then they are emulated.
    configure . "$build/native" -DFAIRLEAD_TESTS=ON -DFAIRLEAD_MPI_PROGRAMS=OFF \
        -DGTest_DIR="$own/googletest/lib/cmake/GTest" -DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST
    scripts/with-progress.sh test-arm build/arm/native.log cmake --build "$build/native" -j "$jobs"
    emulated ctest --test-dir "$build/native" --output-on-failure -j "$jobs" --timeout 300 -E "$left_out" | tail -15
}

# The wheel's programs and libraries, in the ranks of MPI libraries from PyPI. mpirun is emulated, too; pytest is not.
mpi() {
    local mpi=$PWD/build/mpi-aarch64
    scripts/wheel.sh aarch64
    say "MPI programs"
    scripts/install-mpi.sh --for aarch64 scripts/mpi/*.lock
    rm -rf "$build/wheel"
    .venv/bin/python -m zipfile -e build/dist/fairlead-*_aarch64.whl "$build/wheel"
    chmod -R +x "$build/wheel/fairlead/_native"
    # QEMU knows no SO_TIMESTAMPNS, by which agents see when probes came: they are this machine's, the ranks are not.
    cp -f "$(.venv/bin/python -c 'from fairlead import native; print(native.program("fairlead-agent"))')" \
        "$build/wheel/fairlead/_native/bin"
    # The tests' own programs need not run with an old C library. zig adds checks by itself.
    script zig-test-cc "exec '$work/zig/ziglang/zig' cc -target aarch64-linux-gnu.2.36 -fno-sanitize=undefined \"\$@\""
    # QEMU has no process_vm_readv, which MPICH copies with, whether it works or not.
    export MPIR_CVAR_CH4_CMA_ENABLE=0
    # The bundled programs look for their MPI library beside themselves, where pip would have put it.
    export LD_LIBRARY_PATH=$mpi/openmpi5/lib:$mpi/mpich5/lib
    FAIRLEAD_NATIVE_DIR=$build/wheel/fairlead/_native FAIRLEAD_TEST_MPI=$mpi \
        OMPI_CC=$own/bin/zig-test-cc MPICH_CC=$own/bin/zig-test-cc \
        emulated .venv/bin/python -m pytest -q "${mpi_tests[@]}"
}

[ $# -gt 0 ] || set -- unit mpi
scripts/install-packages.sh scripts/packages.arm.txt
mkdir -p "$build"
toolchain_for aarch64
for stage; do "$stage"; done
