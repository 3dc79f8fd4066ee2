#!/usr/bin/env bash
# Builds build/dist/fairlead-*.whl: the package with native programs for every x86-64 Linux with glibc 2.28 or newer.
# They are compiled by zig, which brings that glibc's headers and symbols, and its C++ library to be linked statically.
set -euo pipefail
cd "$(dirname "$0")/.."
glibc=2.28
platform=manylinux_${glibc/./_}_x86_64
work=$PWD/build/wheel
dist=$PWD/build/dist
# From fairlead/_native/mpi/FLAVOUR/bin to the lib of the Python environment, where MPI libraries from PyPI are.
beside='$ORIGIN/../../../../../../..'

say() { printf 'wheel: %s\n' "$*"; }

install_zig() {
    cmp -s scripts/wheel/zig.lock "$work/zig/lock" && return
    say "installing the compiler ($(cut -d ' ' -f 1 scripts/wheel/zig.lock | head -1)) into build/wheel/zig"
    rm -rf "$work/zig"
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --target "$work/zig" \
        -r scripts/wheel/zig.lock
    cp scripts/wheel/zig.lock "$work/zig/lock"
}

script() { # NAME LINE
    local text
    text=$(printf '#!/bin/sh\n%s\n' "$2")
    [ "$text" = "$(cat "$work/bin/$1" 2>/dev/null)" ] && return  # a compiler cache looks at its time
    echo "$text" >"$work/bin/$1"
    chmod 755 "$work/bin/$1"
}

# Libraries and headers that are the same for every glibc, apart from those of this machine's.
stage_libraries() {
    local include
    rm -rf "$work/prefix"
    mkdir -p "$work/prefix/lib/pkgconfig" "$work/prefix/include" "$work/prefix/share/cmake"
    include=$(pkg-config --variable=includedir libsodium)
    # With their times: what was compiled with them stays as it is.
    cp -rp "$include/sodium" "$include/sodium.h" "$include/CLI" "$include/nlohmann" "$work/prefix/include"
    cp -rp /usr/share/cmake/CLI11 /usr/share/cmake/nlohmann_json "$work/prefix/share/cmake"
    cp "$(pkg-config --variable=libdir libsodium)/libsodium.a" "$work/prefix/lib"
    sed -e "s|^prefix=.*|prefix=$work/prefix|" -e "s|^libdir=.*|libdir=$work/prefix/lib|" \
        "$(pkg-config --variable=pcfiledir libsodium)/libsodium.pc" >"$work/prefix/lib/pkgconfig/libsodium.pc"
}

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

# What CMake runs: the compilers, and what answers -show for MPICH: with its library's usual name, libmpi.so.12, in place
# of Debian's, libmpich.so.12.
make_wrappers() {
    local tool mpich_flags
    mkdir -p "$work/bin"
    for tool in cc c++; do
        script "zig-$tool" "exec '$work/zig/ziglang/zig' $tool -target x86_64-linux-gnu.$glibc -g0 \"\$@\""
    done
    for tool in ar ranlib; do script "zig-$tool" "exec '$work/zig/ziglang/zig' $tool \"\$@\""; done
    mpich_flags=$(mpicxx.mpich -show | grep -oE -e '-I\S+')
    script mpicxx-mpich "echo c++ $mpich_flags -L$PWD/build/mpi/mpich5/lib -lmpi"
}

build() {
    export CC=$work/bin/zig-cc CXX=$work/bin/zig-c++ ASM=$work/bin/zig-cc
    export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache
    export PKG_CONFIG_LIBDIR=$work/prefix/lib/pkgconfig
    local defined=(
        CMAKE_AR="$work/bin/zig-ar" CMAKE_RANLIB="$work/bin/zig-ranlib" CMAKE_PREFIX_PATH="$work/prefix"
        CMAKE_POSITION_INDEPENDENT_CODE=ON CMAKE_BUILD_WITH_INSTALL_RPATH=ON FAIRLEAD_MPI_RPATH="$beside"
        CMAKE_EXE_LINKER_FLAGS="-pie -s -Wl,--gc-sections" CMAKE_SHARED_LINKER_FLAGS="-s -Wl,--gc-sections"
        FAIRLEAD_NOTICES="$work/notices"
        CMAKE_UNITY_BUILD=ON  # several sources at once halve the time of the build
        FAIRLEAD_MPICXX_mpich="$work/bin/mpicxx-mpich"
    )
    rm -rf "$dist" "$work/cmake/CMakeCache.txt"  # objects stay, options do not
    _PYTHON_HOST_PLATFORM=$platform scripts/with-progress.sh wheel build/wheel.log \
        .venv/bin/python -m pip wheel -v --disable-pip-version-check --no-deps --no-build-isolation -w "$dist" \
        --config-settings build-dir="$work/cmake" --config-settings wheel.py-api=py3 \
        "${defined[@]/#/--config-settings=cmake.define.}" .
}

mkdir -p "$work"
install_zig
scripts/install-mpi.sh scripts/mpi/mpich5.lock
stage_libraries
stage_notices
make_wrappers
say "building (log in build/wheel.log)"
build
.venv/bin/python -m scripts.wheel.check "$glibc" "$dist"/fairlead-*.whl
