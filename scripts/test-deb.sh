#!/usr/bin/env bash
# Installs the Debian package in a bare tree of this machine's release, uses it there and removes it again. As root.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
tree=build/trees/$suite-deb
# What the package depends on and recommends, and ssh daemons for hosts of the managed run.
packages=(python3 iproute2 adduser libcap2-bin libsodium23 libstdc++6 zlib1g openmpi-bin openssh-client openssh-server)

scripts/install-packages.sh scripts/packages.wheel.txt
mkdir -p build/trees
if [ ! -d "$tree" ]; then
    printf 'test-deb: Debian %s, in %s\n' "$suite" "$tree"
    rm -rf "$tree.new"  # of one that was interrupted
    .venv/bin/python tests/wheel/bare_tree.py "$tree.new" "$suite" "${packages[@]}"
    mv "$tree.new" "$tree"
fi
FAIRLEAD_DEB_TREE=$tree .venv/bin/python -m pytest -q -m deb tests/deb
