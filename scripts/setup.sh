#!/usr/bin/env bash
# Installs what fairlead needs to be built and run, and builds it. Safe to run again: does only what is missing.
#   system packages  by apt, as root or through password-less sudo; otherwise it prints the command for your administrator
#   Python packages  the locked set of requirements.lock, into .venv
#   native programs  by CMake, into .venv beside the Python package
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
    local python
    # One that was interrupted while it was made has no pip.
    if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        say "making the virtual environment .venv"
        python=$(newest_python)
        "$python" -m venv --clear .venv
    fi
    if ! cmp -s requirements.lock .venv/requirements.lock; then
        say "installing the locked Python packages into .venv (about a minute)"
        .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
        cp requirements.lock .venv/requirements.lock
    fi
}

build_native() {
    say "building the native programs (the first time 3 to 6 minutes on 2 cores; log in build/native.log)"
    # -v: pip passes on what the build says. Several sources at once (unity) save a quarter of the time.
    scripts/with-progress.sh setup build/native.log \
        .venv/bin/python -m pip install -v --disable-pip-version-check --no-deps --no-build-isolation \
        --config-settings=cmake.define.CMAKE_UNITY_BUILD=ON -e .
}

mkdir -p build
scripts/install-packages.sh scripts/packages.txt
install_python
build_native
say "done: .venv/bin/fairlead --help"
