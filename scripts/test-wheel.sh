#!/usr/bin/env bash
# Installs the wheel in bare Debian trees and tests it there, as an ordinary user without a network. As root.
#   test-wheel.sh [SUITE...]   Debian's releases by name (default: bookworm)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bookworm

say() { printf 'test-wheel: %s\n' "$*"; }

python_of() { # SUITE
    case $1 in
        bookworm) echo 3.11 ;;
        trixie) echo 3.13 ;;
        *) say "which Python $1 has is not known" >&2; exit 2 ;;
    esac
}

scripts/install-packages.sh scripts/packages.wheel.txt
mkdir -p build/trees build/wheelhouse
for suite; do
    python=$(python_of "$suite")
    say "packages from PyPI for Python $python, in build/wheelhouse/$suite"
    .venv/bin/python -m pip download -q --disable-pip-version-check --only-binary :all: --python-version "$python" \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        -d "build/wheelhouse/$suite" "$(ls build/dist/fairlead-*_x86_64.whl)[demo]"
    rm -f build/wheelhouse/"$suite"/fairlead-*.whl
    [ -d "build/trees/$suite" ] && continue
    say "Debian $suite, in build/trees/$suite"
    rm -rf "build/trees/$suite.new"  # of one that was interrupted
    .venv/bin/python tests/wheel/bare_tree.py "build/trees/$suite.new" "$suite"
    mv "build/trees/$suite.new" "build/trees/$suite"
done
FAIRLEAD_WHEEL_SUITES="$*" .venv/bin/python -m pytest -q -m wheel --durations=8 tests/wheel
