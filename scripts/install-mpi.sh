#!/usr/bin/env bash
# Installs MPI libraries from PyPI for tests and benchmarks, each into a directory of its own under build/mpi, which is named after its list.
#   scripts/install-mpi.sh LIST...    files with one locked package a line
set -euo pipefail
cd "$(dirname "$0")/.."

for lock in "$@"; do
    # Apart from .venv: an mpirun in its bin would take the place of the user's own.
    prefix=build/mpi/$(basename "$lock" .lock)
    cmp -s "$lock" "$prefix/lock" && continue
    printf 'setup: installing %s into %s, for tests and benchmarks\n' "$(cut -d ' ' -f 1 "$lock" | head -1)" "$prefix"
    rm -rf "$prefix"
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes --ignore-installed \
        --no-warn-script-location --prefix "$prefix" -r "$lock"
    # Intel's compiler wrappers have a word where their directory belongs.
    { grep -rlI I_MPI_SUBSTITUTE_INSTALLDIR "$prefix/bin" || true; } | xargs -r sed -i "s|I_MPI_SUBSTITUTE_INSTALLDIR|$PWD/$prefix|g"
    cp "$lock" "$prefix/lock"
done
