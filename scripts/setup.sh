#!/usr/bin/env bash
# Installs what fairlead needs to be built and run, and builds it. Safe to run again: does only what is missing.
#   system packages  by apt, as root or through password-less sudo; otherwise it prints the command for your administrator
#   Python packages  the locked set of requirements.lock, into .venv
#   native programs  by CMake, into .venv beside the Python package
#   setup.sh [--demo]    --demo: only what `make demo` needs of each; without it, later, the rest
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

newest_python() {
    local candidate
    for candidate in /usr/bin/python3 python3.13 python3.12 python3.11 python3; do
        if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer with venv is needed"
}

install_python() {
    local python lock=requirements.lock
    # One that was interrupted while it was made has no pip.
    if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        say "making the virtual environment .venv"
        python=$(newest_python)
        "$python" -m venv --clear .venv
    fi
    cmp -s requirements.lock .venv/requirements.lock && return
    if [ -n "$demo" ]; then
        lock=build/demo.lock
        .venv/bin/python -m scripts.runtime_lock --build >$lock
        cmp -s $lock .venv/demo.lock && return
    fi
    say "installing the locked Python packages into .venv (about a minute)"
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r $lock
    cp $lock .venv/
}

build_native() {
    say "building the native programs (the first time $1 minutes on 2 cores; log in build/native.log)"
    # Several sources at once (unity) save a quarter of the time.
    scripts/with-progress.sh setup build/native.log sh -c '
        cmake -S . -B build/python -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DFAIRLEAD_SIMULATIONS=OFF &&
            cmake --build build/python "$@"' sh "${@:2}"
}

install_native() { # finds all that it installs built
    scripts/with-progress.sh setup build/install.log \
        .venv/bin/python -m pip install -v --disable-pip-version-check --no-deps --no-build-isolation \
        --config-settings=cmake.define.CMAKE_UNITY_BUILD=ON "$@" -e .
}

demo=
case "$*" in '') ;; --demo) demo=demo ;; *) fail "unknown: $*; there is --demo" ;; esac
packages=(scripts/packages.demo.txt) building=(2) installing=()
if [ -n "$demo" ]; then
    building+=(--target fairlead_demo)
    installing+=(--config-settings=build.targets=fairlead_demo --config-settings=install.components=demo)
else
    packages+=(scripts/packages.txt)
    building=(3\ to\ 6)
fi

mkdir -p build
rm -f build/.setup # make goes by it, and all is there at the end only
scripts/install-packages.sh "${packages[@]}"
# The build does not wait for downloads. It is a process group of its own, which ends with this script.
set -m
build_native "${building[@]}" &
build=$!
set +m
end_build() { # while it runs: once its end was taken note of, its number may come to mean another process
    if jobs -pr | grep -qx "$build"; then kill -- "-$build" 2>/dev/null || true; fi
}
trap end_build EXIT
install_python
wait "$build"
trap - EXIT
install_native ${installing[@]+"${installing[@]}"}
touch "build/.${demo:-setup}"
say "done${demo:+: what \`make demo\` needs; \`make setup\` builds the rest}: .venv/bin/fairlead --help"
