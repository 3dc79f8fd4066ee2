#!/usr/bin/env bash
# Installs the Debian packages of lists that are missing: as root, or through password-less sudo; otherwise it prints the
# command for your administrator. No daemon is started by it, nor by the next boot.
#   scripts/install-packages.sh LIST...    files with one package a line, then why; # begins a comment
set -euo pipefail
cd "$(dirname "$0")/.."
lists=("$@")

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

missing_packages() {
    local package
    while read -r package _; do
        case $package in '' | '#'*) continue ;; esac
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done < <(cat "${lists[@]}")
}

command -v dpkg-query >/dev/null || { say "no apt here: install what ${lists[*]} list by your own means"; exit 0; }
missing=$(missing_packages)
[ -n "$missing" ] || exit 0
become=()
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || fail "system packages are missing; ask an administrator for: apt-get install --no-install-recommends $missing"
    become=(sudo -n)
fi
policy=/usr/sbin/policy-rc.d
forbid_daemons() { # a policy that is there already stays; ours forbids nothing any more when this script is gone
    if [ -e "$policy" ] && ! grep -q 'made by fairlead' "$policy"; then return; fi
    trap '"${become[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\n# made by fairlead for one installation\nkill -0 %s 2>/dev/null && exit 101\nexit 0\n' $$ |
        "${become[@]}" sh -c "cat >$policy && chmod 755 $policy"
}

installed() { dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' | sed -n 's/^installed //p' | sort; }

daemons_of_new_packages() { # BEFORE: what was installed then, as `installed` prints it; prints units that the next boot would start
    local unit
    comm -13 <(printf '%s\n' "$1") <(installed) | xargs -r dpkg -L |
        sed -nE 's,.*/lib/systemd/system/([^/@]+\.(service|socket|timer))$,\1,p' | sort -u |
        while read -r unit; do
            [ "$(systemctl is-enabled "$unit" 2>/dev/null)" != enabled ] || printf '%s ' "$unit"
        done
}

say "installing system packages: $missing"
mkdir -p build
forbid_daemons
"${become[@]}" apt-get update -qq
before=$(installed)
complete=true
# shellcheck disable=SC2086  # a list of words
"${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >build/apt.log 2>&1 ||
    complete=false
units=
if command -v systemctl >/dev/null; then units=$(daemons_of_new_packages "$before"); fi
if [ -n "$units" ]; then
    say "keeping daemons of these packages off, which the next boot would start: $units"
    # shellcheck disable=SC2086  # a list of words
    "${become[@]}" systemctl --quiet disable $units >>build/apt.log 2>&1 || fail "systemctl failed; see build/apt.log"
fi
$complete || { tail -20 build/apt.log >&2; fail "apt-get failed; the whole output is in build/apt.log"; }
