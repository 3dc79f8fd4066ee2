"""Facts of a host and its software that a result depends on: what is needed to judge or repeat it, and no more.

No environment variables, user names, addresses or command lines are collected. The facts of a host come from one shell
script, so that any executor can ask any host in one round trip: run ``["sh", "-c", SCRIPT]`` there, `parse` what it
prints.
"""

import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlead import __version__
from fairlead.errors import StoreError

COMPUTE_HOSTS = "compute_hosts"
"""Number of the cluster's hosts that take ranks, among the facts of a run: these are paid for."""
SCRIPT = r"""
fact() { [ -n "$2" ] && printf '%s\t%s\n' "$1" "$2"; }
fact kernel "$(uname -r)"
fact machine "$(uname -m)"
fact operating_system "$(. /etc/os-release 2>/dev/null && printf %s "$PRETTY_NAME")"
fact cpu "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)"
fact cpus "$(getconf _NPROCESSORS_ONLN)"
fact memory_B "$(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)"
fact cpu_governor "$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null)"
fact clock_source "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null)"
fact congestion_control "$(cat /proc/sys/net/ipv4/tcp_congestion_control 2>/dev/null)"
fact default_qdisc "$(cat /proc/sys/net/core/default_qdisc 2>/dev/null)"
for dev in /sys/class/net/*; do
  name=${dev##*/}
  [ "$name" = lo ] && continue
  driver=$(readlink "$dev/device/driver" 2>/dev/null)
  speed=$(cat "$dev/speed" 2>/dev/null)
  fact "nic.$name.mtu_B" "$(cat "$dev/mtu" 2>/dev/null)"
  fact "nic.$name.driver" "${driver##*/}"
  [ "${speed:--1}" -gt 0 ] 2>/dev/null && fact "nic.$name.rate_Mbps" "$speed"
  fact "nic.$name.bond_mode" "$(cat "$dev/bonding/mode" 2>/dev/null)"
  fact "nic.$name.bond_slaves" "$(cat "$dev/bonding/slaves" 2>/dev/null)"
  fact "nic.$name.bond_hash" "$(cat "$dev/bonding/xmit_hash_policy" 2>/dev/null)"
done
exit 0
"""
"""Prints one ``name<TAB>value`` a line; what a host does not have is left out."""


def parse(output: str) -> dict[str, str]:
    """The facts that `SCRIPT` printed.

    Raises:
        StoreError: a line is not ``name<TAB>value``.
    """
    facts = {}
    for line in output.splitlines():
        name, tab, value = line.partition("\t")
        if not tab:
            raise StoreError(f"facts of a host: line {line!r} is not name, tab, value")
        facts[name] = value
    return facts


def host_facts() -> dict[str, str]:
    """Facts of the machine that this runs on."""
    return parse(_output(["sh", "-c", SCRIPT]))


def software_facts(mpi_version: str | None = None) -> dict[str, str]:
    """Versions of fairlead (with its git revision where it runs from a checkout), Python and, if given, the MPI.

    Args:
        mpi_version: what ``mpirun --version`` of the launching host printed.
    """
    facts = {"fairlead": __version__, "python": platform.python_version()}
    revision = _git_revision(Path(__file__).parent)
    if revision:
        facts["fairlead_revision"] = revision
    if mpi_version is not None and mpi_version.strip():
        lines = mpi_version.strip().splitlines()
        # MPICH's first line is "HYDRA build details:"; its version is on the next.
        facts["mpi"] = " ".join(" ".join(lines[:2] if lines[0].startswith("HYDRA") else lines[:1]).split())
    return facts


def collect(
    mpi_version: str | None = None,
    hosts: Mapping[str, Mapping[str, str]] | None = None,
    compute_hosts: int | None = None,
) -> dict[str, Any]:
    """What `Store.begin_run` takes as ``facts``: ``{"software": .., "here": .., "hosts": {name: ..}, ..}``.

    Args:
        mpi_version: what ``mpirun --version`` printed.
        hosts: parsed facts of the cluster's hosts, by name.
        compute_hosts: how many of its hosts take ranks; None: there is no cluster.
    """
    return {
        "software": software_facts(mpi_version),
        "here": host_facts(),
        "hosts": {name: dict(facts) for name, facts in (hosts or {}).items()},
        **({} if compute_hosts is None else {COMPUTE_HOSTS: compute_hosts}),
    }


def _git_revision(directory: Path) -> str:
    """Revision of the checkout, with ``+changes`` if it differs from it; empty outside of one or without git."""
    git = ["git", "-C", str(directory)]
    try:
        # An installed copy may lie inside somebody else's repository: only a tracked file says that this one is ours.
        tracked = subprocess.run([*git, "ls-files", "--error-unmatch", Path(__file__).name], capture_output=True)
        if tracked.returncode != 0:
            return ""
        describe = ["describe", "--always", "--abbrev=40", "--dirty=+changes", "--exclude=*"]
        return subprocess.run([*git, *describe], capture_output=True, text=True, check=True).stdout.strip()
    except FileNotFoundError:
        return ""
    except subprocess.CalledProcessError as error:
        raise StoreError(f"facts: git describe failed in {directory}: {error.stderr.strip()}") from error


def _output(command: list[str]) -> str:
    try:
        # The C locale keeps messages parseable whatever the user's language is.
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True, env=environment)
        return done.stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise StoreError(f"facts: {' '.join(command[:2])} failed: {error}") from error
