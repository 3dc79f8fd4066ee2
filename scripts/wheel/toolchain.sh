# shellcheck shell=bash
# What compiles for every Linux with glibc 2.28 or newer on one kind of processor: zig, which brings that glibc's headers
# and symbols, and its C++ library to be linked statically. To be sourced in the source tree's directory, by what has a
# function `say`.
#   work       build/wheel; a processor's own things are in build/wheel/PROCESSOR
glibc=2.28
work=$PWD/build/wheel

install_zig() {
    cmp -s scripts/wheel/zig.lock "$work/zig/lock" && return
    say "installing the compiler ($(cut -d ' ' -f 1 scripts/wheel/zig.lock | head -1)) into build/wheel/zig"
    rm -rf "$work/zig"
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --target "$work/zig" \
        -r scripts/wheel/zig.lock
    cp scripts/wheel/zig.lock "$work/zig/lock"
}

# Debian's packages for another processor, unpacked below $root. apt has lists of its own for them, so that those of this
# machine stay as they are, and this needs no root.
unpack_debian() { # PROCESSOR NAME-THAT-DEBIAN-HAS-FOR-IT
    local lists=$work/$1/apt packages=scripts/packages.$2.txt apt package
    cmp -s "$packages" "$root/lock" && return
    say "unpacking Debian's packages of $packages below build/wheel/$1/debian"
    apt=(apt-get -qq -o "APT::Architecture=$2" -o "APT::Architectures=$2" -o "APT::Sandbox::User=$(id -un)"
        -o "Dir::State=$lists" -o "Dir::State::status=$lists/status" -o "Dir::Cache=$lists" -o Acquire::Languages=none)
    rm -rf "$lists" "$root"
    mkdir -p "$lists/lists/partial" "$lists/archives/partial" "$root"
    touch "$lists/status"
    "${apt[@]}" update
    # shellcheck disable=SC2046  # a list of words
    (cd "$lists/archives" && "${apt[@]}" download $(sed -E '/^#/d; s/ .*//' "$OLDPWD/$packages"))
    for package in "$lists"/archives/*.deb; do dpkg -x "$package" "$root"; done
    rm -rf "$lists"
    cp "$packages" "$root/lock"
}

script() { # NAME LINE
    local text
    text=$(printf '#!/bin/sh\n%s\n' "$2")
    [ "$text" = "$(cat "$own/bin/$1" 2>/dev/null)" ] && return  # a compiler cache looks at its time
    echo "$text" >"$own/bin/$1"
    chmod 755 "$own/bin/$1"
}

# Libraries and headers that are the same for every glibc, apart from those of this machine's.
stage_libraries() {
    rm -rf "$own/prefix"
    mkdir -p "$own/prefix/lib/pkgconfig" "$own/prefix/include" "$own/prefix/share/cmake"
    # With their times: what was compiled with them stays as it is.
    cp -rp "$root/usr/include/sodium" "$root/usr/include/sodium.h" "$own/prefix/include"
    cp -rp /usr/include/CLI /usr/include/nlohmann "$own/prefix/include"
    cp -rp /usr/share/cmake/CLI11 /usr/share/cmake/nlohmann_json "$own/prefix/share/cmake"
    cp "$libraries/libsodium.a" "$own/prefix/lib"
    sed -e "s|^prefix=.*|prefix=$own/prefix|" -e "s|^libdir=.*|libdir=$own/prefix/lib|" \
        "$libraries/pkgconfig/libsodium.pc" >"$own/prefix/lib/pkgconfig/libsodium.pc"
}

# What CMake runs: the compilers, and what answers -show for an MPI library. MPICH's has its usual name, libmpi.so.12, in
# place of Debian's, libmpich.so.12.
make_wrappers() { # PROCESSOR DIRECTORY-OF-MPICH
    local tool line flavour
    mkdir -p "$own/bin"
    for tool in cc c++; do
        script "zig-$tool" "exec '$work/zig/ziglang/zig' $tool -target $1-linux-gnu.$glibc -g0 \"\$@\""
    done
    for tool in ar ranlib; do script "zig-$tool" "exec '$work/zig/ziglang/zig' $tool \"\$@\""; done
    for flavour in openmpi mpich; do
        line=$("mpicxx.$flavour" -show | sed -e "s|/usr/|$root/usr/|g" -e "s|x86_64-linux-gnu|$1-linux-gnu|g")
        [ "$flavour" = openmpi ] || line="c++ $(grep -oE -e '-I\S+' <<<"$line") -L$2/lib -lmpi"
        script "mpicxx-$flavour" "echo ${line@Q}"
    done
}

# Everything for one processor, and in `defined` what CMake is to be told of it.
toolchain_for() { # PROCESSOR
    local mpich=build/mpi
    own=$work/$1
    root=
    mkdir -p "$own"
    defined=()
    install_zig
    if [ "$1" = "$(uname -m)" ]; then
        scripts/install-mpi.sh scripts/mpi/mpich5.lock
    else
        root=$own/debian
        mpich=build/mpi-$1
        unpack_debian "$1" "$(debian_name "$1")"
        scripts/install-mpi.sh --for "$1" scripts/mpi/mpich5.lock
        defined+=(CMAKE_SYSTEM_NAME=Linux "CMAKE_SYSTEM_PROCESSOR=$1")
    fi
    libraries=$root/usr/lib/$1-linux-gnu
    stage_libraries
    make_wrappers "$1" "$PWD/$mpich/mpich5"
    export CC=$own/bin/zig-cc CXX=$own/bin/zig-c++ ASM=$own/bin/zig-cc
    export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache
    export PKG_CONFIG_LIBDIR=$own/prefix/lib/pkgconfig
    defined+=(
        "CMAKE_AR=$own/bin/zig-ar" "CMAKE_RANLIB=$own/bin/zig-ranlib" "CMAKE_PREFIX_PATH=$own/prefix"
        CMAKE_POSITION_INDEPENDENT_CODE=ON
        CMAKE_UNITY_BUILD=ON  # several sources at once halve the time of the build
        "FAIRLEAD_MPICXX_openmpi=$own/bin/mpicxx-openmpi" "FAIRLEAD_MPICXX_mpich=$own/bin/mpicxx-mpich"
    )
}

debian_name() { # PROCESSOR
    case $1 in
        x86_64) echo amd64 ;;
        aarch64) echo arm64 ;;
        *) say "there is no wheel for $1, only for x86_64 and aarch64" >&2; exit 2 ;;
    esac
}
