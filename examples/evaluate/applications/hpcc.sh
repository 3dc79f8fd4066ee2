#!/bin/sh
# HPC Challenge, started by mpirun on every rank: runs in a directory of its own, with the input beside this script. The
# first rank prints what HPC Challenge wrote.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here/hpccinf.txt" .
hpcc
if [ -e hpccoutf.txt ]; then cat hpccoutf.txt; fi
