#!/usr/bin/env bash
# Installs MPI libraries from PyPI for tests and benchmarks, each into a directory of its own under build/mpi, which is named after its list.
#   scripts/install-mpi.sh [--for PROCESSOR] LIST...    files with one locked package a line
#   --for PROCESSOR    those for another processor than this machine's, under build/mpi-PROCESSOR
set -euo pipefail
cd "$(dirname "$0")/.."
pip=(.venv/bin/python -m pip -q --disable-pip-version-check)
of_list=(--no-deps --require-hashes -r)
under=build/mpi
processor=
if [ "${1-}" = --for ]; then
    processor=$2
    under=build/mpi-$processor
    shift 2
fi

unpack() { # LIST PREFIX: pip installs for this machine only
    "${pip[@]}" download --only-binary :all: --platform "manylinux_2_28_$processor" -d "$2.wheel" "${of_list[@]}" "$1"
    .venv/bin/python -m zipfile -e "$2.wheel"/*.whl "$2.wheel"
    mv "$2.wheel"/*.data/data "$2"
    chmod +x "$2"/bin/*
}

for lock in "$@"; do
    # Apart from .venv: an mpirun in its bin would take the place of the user's own.
    prefix=$under/$(basename "$lock" .lock)
    cmp -s "$lock" "$prefix/lock" && continue
    printf 'setup: installing %s into %s, for tests and benchmarks\n' "$(cut -d ' ' -f 1 "$lock" | head -1)" "$prefix"
    rm -rf "$prefix" "$prefix.wheel"
    if [ -n "$processor" ]; then
        unpack "$lock" "$prefix"
        rm -rf "$prefix.wheel"
    else
        "${pip[@]}" install --ignore-installed --no-warn-script-location --prefix "$prefix" "${of_list[@]}" "$lock"
    fi
    # Intel's compiler wrappers have a word where their directory belongs.
    { grep -rlI I_MPI_SUBSTITUTE_INSTALLDIR "$prefix/bin" || true; } | xargs -r sed -i "s|I_MPI_SUBSTITUTE_INSTALLDIR|$PWD/$prefix|g"
    cp "$lock" "$prefix/lock"
done
