#!/usr/bin/env bash
# The long suites. Each prints its figures. One that fails ends it; but the fault matrix follows the long tests in any case.
#   FUZZ_SECONDS  time for each fuzz target (default 180)
set -euo pipefail
cd "$(dirname "$0")/.."
FUZZ_SECONDS=${FUZZ_SECONDS:-180}
jobs=$(nproc)

say() { printf 'verify: %3d min: %s\n' $((SECONDS / 60)) "$*"; }

build() { # DIRECTORY[:TARGET] OPTIONS...
    local directory=${1%%:*} target=${1#*:}
    [ "$target" != "$1" ] || target=all
    shift
    mkdir -p build
    # Several sources at once (unity) halve the time of the build; the ordinary one compiles each by itself.
    cmake -S . -B "$directory" -G Ninja -DCMAKE_UNITY_BUILD=ON "$@" >"$directory.log"
    cmake --build "$directory" --target "$target" -j "$jobs" >>"$directory.log" || { tail -40 "$directory.log" >&2; exit 1; }
}

scripts/install-packages.sh scripts/packages.verify.txt
scripts/install-packages.sh scripts/packages.lxc.txt
scripts/install-mpi.sh scripts/mpi/verify/*.lock

say "C++ unit tests under the thread sanitizer"
build build/thread -DFAIRLEAD_TESTS=ON -DFAIRLEAD_MPI_PROGRAMS=OFF -DFAIRLEAD_THREAD_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
ctest --test-dir build/thread --output-on-failure -j "$jobs" --timeout 300 | tail -5

say "decisions: long simulated runs; relay plane: every order of steps, and a million messages at random (at the same time)"
for target in fairlead_core_simulation fairlead_relay_long; do
    build build/long:$target -DFAIRLEAD_TESTS=ON -DFAIRLEAD_MPI_PROGRAMS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo
done
FAIRLEAD_SIM_SECONDS=120 build/long/native/core/tests/fairlead_core_simulation --gtest_brief=1 >build/simulation.log 2>&1 &
simulation=$!
trap 'kill "$simulation" 2>/dev/null' EXIT
build/long/native/relay/tests/fairlead_relay_long
wait "$simulation" || { cat build/simulation.log; exit 1; }
trap - EXIT
tail -3 build/simulation.log

say "fuzz targets, $FUZZ_SECONDS s each, beside the long unit tests and those of MPI, which often wait"
build build/fuzz -DFAIRLEAD_FUZZ=ON -DFAIRLEAD_MPI_PROGRAMS=OFF -DFAIRLEAD_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++
fuzz() { # TARGET
    local corpus
    corpus=build/corpus/$(basename "$1")
    mkdir -p "$corpus"
    nice -n 19 "$1" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -artifact_prefix=build/ -print_final_stats=1 \
        "$corpus" >"$corpus.log" 2>&1 || { tail -30 "$corpus.log" >&2; return 1; }
    echo "$(basename "$1"): $(sed -n 's/^stat::number_of_executed_units: */executions /p' "$corpus.log")"
}
export -f fuzz
export FUZZ_SECONDS
targets=$(find build/fuzz/native -type f -executable \( -name '*_fuzz' -o -name 'fuzz_*' -o -name '*_fuzz_*' \))
[ -n "$targets" ] || { say "no fuzz target was built" >&2; exit 1; }
failed=0
long_tests=(.venv/bin/python -m pytest -q -m slow --timeout 1800 --durations=25)
"${long_tests[@]}" tests/unit tests/mpi >build/slow.log 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null' EXIT
xargs -P "$jobs" -I TARGET bash -c 'fuzz TARGET' <<<"$targets"
wait "$beside" || failed=1
trap - EXIT
cat build/slow.log

say "long tests in labs and on this machine's kernel"
"${long_tests[@]}" --ignore tests/unit --ignore tests/mpi || failed=1

if [ "$(id -u)" = 0 ]; then
    seed=$(date -u +%F)
    say "a tenth of the fault matrix, drawn by the seed $seed; it has the machine to itself, for it measures times"
    .venv/bin/python -m bench.faults --share 0.1 --seed "$seed" --results build/faults || failed=1
else
    say "the fault matrix is left out: it needs root"
fi
[ "$failed" = 0 ] || { say "something failed" >&2; exit 1; }
say "done"
