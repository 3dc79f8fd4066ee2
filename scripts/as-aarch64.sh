#!/usr/bin/env bash
# Runs a command where the kernel gives programs for aarch64 to QEMU: each is emulated, and others run as always.
#   as-aarch64.sh ROOT COMMAND [ARGUMENT...]    ROOT: directory with the C library that such programs are run with
# This is so for the command and what it starts alone: a user namespace has a list of such formats of its own.
set -euo pipefail
root=$1
shift
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
formats=/proc/sys/fs/binfmt_misc
enter='mount -t binfmt_misc binfmt_misc "$1" && printf %s "$2" >"$1/register" || {
    echo "as-aarch64: formats of a namespace need Linux 6.7 or newer" >&2
    exit 1
}
shift 2
exec "$@"'
QEMU_LD_PREFIX=$root exec unshare --user --map-root-user --mount \
    sh -c "$enter" sh "$formats" ":aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):FP" "$@"
