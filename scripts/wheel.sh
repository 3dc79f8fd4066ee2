#!/usr/bin/env bash
# Builds build/dist/fairlead-*.whl: the package with native programs for every Linux with glibc 2.28 or newer, a wheel for
# each kind of processor.
#   wheel.sh [PROCESSOR...]    x86_64, aarch64 (default: both)
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/build/dist
# From fairlead/_native/mpi/FLAVOUR/bin to the lib of the Python environment, where MPI libraries from PyPI are.
beside='$ORIGIN/../../../../../../..'

say() { printf 'wheel: %s\n' "$*"; }
. scripts/wheel/toolchain.sh

# Licences of what the programs hold of others.
stage_notices() {
    local package
    rm -rf "$work/notices"
    mkdir "$work/notices"
    for package in libsodium-dev nlohmann-json3-dev libcli11-dev; do
        cp "/usr/share/doc/$package/copyright" "$work/notices/$package"
    done
    cp "$work/zig/ziglang/lib/libcxx/LICENSE.TXT" "$work/notices/libcxx"
}

build() { # PROCESSOR
    local platform=manylinux_${glibc/./_}_$1
    defined+=(
        CMAKE_BUILD_WITH_INSTALL_RPATH=ON "FAIRLEAD_MPI_RPATH=$beside"
        CMAKE_EXE_LINKER_FLAGS="-pie -s -Wl,--gc-sections" CMAKE_SHARED_LINKER_FLAGS="-s -Wl,--gc-sections"
        FAIRLEAD_NOTICES="$work/notices"
    )
    rm -rf "$dist"/fairlead-*_"$1".whl "$own/cmake/CMakeCache.txt"  # objects stay, options do not
    _PYTHON_HOST_PLATFORM=$platform scripts/with-progress.sh "wheel: $1" "build/wheel-$1.log" \
        .venv/bin/python -m pip wheel -v --disable-pip-version-check --no-deps --no-build-isolation -w "$dist" \
        --config-settings build-dir="$own/cmake" --config-settings wheel.py-api=py3 \
        "${defined[@]/#/--config-settings=cmake.define.}" .
    .venv/bin/python -m scripts.wheel.check "$glibc" "$1" "$dist"/fairlead-*-"$platform".whl
}

[ $# -gt 0 ] || set -- x86_64 aarch64
for processor; do debian_name "$processor" >/dev/null; done
for processor; do
    toolchain_for "$processor"
    stage_notices
    say "building for $processor (log in build/wheel-$processor.log)"
    build "$processor"
done
