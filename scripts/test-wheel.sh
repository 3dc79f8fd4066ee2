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

make_tree() { # NAME SUITE [PACKAGE...]; without packages: those of bare_tree.py
    local tree=build/trees/$1
    [ -d "$tree" ] && return
    say "Debian $2, in $tree"
    rm -rf "$tree.new"  # of one that was interrupted
    .venv/bin/python tests/wheel/bare_tree.py "$tree.new" "${@:2}"
    mv "$tree.new" "$tree"
}

scripts/install-packages.sh scripts/packages.wheel.txt
mkdir -p build/trees build/wheelhouse
# What bare_tree.py has by itself, and Slurm.
slurm=(python3 python3-venv iproute2 openssh-client openssh-server munge slurmctld slurmd slurm-client)
for suite; do
    python=$(python_of "$suite")
    say "packages from PyPI for Python $python, in build/wheelhouse/$suite"
    .venv/bin/python -m pip download -q --disable-pip-version-check --only-binary :all: --python-version "$python" \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        -d "build/wheelhouse/$suite" "$(ls build/dist/fairlead-*_x86_64.whl)[demo]"
    rm -f build/wheelhouse/"$suite"/fairlead-*.whl
    make_tree "$suite" "$suite"
    make_tree "$suite-slurm" "$suite" "${slurm[@]}"
done
FAIRLEAD_WHEEL_SUITES="$*" .venv/bin/python -m pytest -q -m wheel --durations=8 tests/wheel
