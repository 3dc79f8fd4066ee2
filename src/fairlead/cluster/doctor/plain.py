"""What a host without Python says of itself: fewer facts, by a POSIX shell. Nothing is tried between hosts then."""

import json
from collections.abc import Sequence
from typing import Any

from fairlead.cluster.doctor.answers import Facts, Interface, Settings, Tool
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote.execute import run_on
from fairlead.ip import family_of

TIMEOUT_S = 40.0
IFF_UP, IFF_LOOPBACK = 0x1, 0x8  # linux/if.h

# Arguments: the version of IP, tools, --, the agent, --, the guardian's words. Prints lines "KIND REST".
_SCRIPT = r"""
LC_ALL=C; export LC_ALL
echo "hostname $(uname -n)"
echo "machine $(uname -m)"
echo "release $(uname -r)"
echo "cores $(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)"
echo "load $(cut -d' ' -f1 /proc/loadavg)"
for base in /sys/class/net/*; do
  [ -e "$base/mtu" ] || continue
  echo "interface ${base##*/} $(cat "$base/mtu") $(cat "$base/flags") $(cat "$base/carrier" 2>/dev/null || echo 0)"
done
PATH=$PATH:/usr/sbin:/sbin ip -o "-$1" address show 2>/dev/null | while read -r number name family address rest; do
  case $address in fe80:*) continue ;; esac
  echo "address $name $address"
done
shift
while [ "$1" != -- ]; do
  if path=$(command -v "$1"); then
    echo "tool $1 $path"
    "$path" --version 2>&1 </dev/null | sed "s|^|said $1 |"
  fi
  shift
done
shift
if [ "$1" != -- ]; then
  said=$("$1" --version 2>&1 </dev/null) && echo "agent $said" || echo "agent_error $1 does not run: $said"
  shift
fi
shift
if [ $# -gt 0 ]; then "$@" --check 2>&1 </dev/null | sed 's/^/guardian /'; fi
true
"""


def facts(executor: Executor, host: str, settings: Settings) -> Facts:
    """Facts of a host, in the probe's form; what the shell cannot tell counts as in order.

    Raises:
        HostError: not reached, or too slow.
    """
    agent, guardian = settings.get("agent") or [], settings.get("guardian") or []
    question = [
        "sh",
        "-c",
        _SCRIPT,
        "sh",
        str(family_of(settings["address"])),
        *settings["tools"],
        "--",
        *agent,
        "--",
        *guardian,
    ]
    return parse(run_on(executor, host, question, timeout_s=TIMEOUT_S), settings["tools"])


def parse(text: str, tools: Sequence[str]) -> Facts:
    """From what the script prints."""
    lines = [(kind, rest) for kind, _, rest in (line.partition(" ") for line in text.splitlines())]
    one = dict(lines)
    cores = one.get("cores", "")
    return {
        "hostname": one.get("hostname", ""),
        "python": None,
        "cores": int(cores) if cores.isdigit() else 1,
        "load": float(one.get("load") or 0),
        "interfaces": _interfaces(lines),
        "tools": {name: _tool(lines, name) for name in tools},
        "infiniband": [],
        "clock": None,
        "firewall": {"input": None, "forward": None},
        "connection_ports": [],
        "reserved_ports": [],
        "shm_free_B": None,
        "tmp_free_B": None,
        "sees_note": None,
        "running_jobs": [],
        "agent": _agent(one),
        "guardian": _guardian([rest for kind, rest in lines if kind == "guardian"]),
        "system": {"release": one.get("release"), "machine": one.get("machine")},
    }


def _interfaces(lines: list[tuple[str, str]]) -> list[Interface]:
    addresses: dict[str, list[str]] = {}
    for kind, rest in lines:
        if kind == "address":
            name, address = rest.split()[:2]
            addresses.setdefault(name, []).append(address)
    found: list[Interface] = []
    for kind, rest in lines:
        if kind == "interface":
            name, mtu_B, flags, carrier = rest.split()[:4]
            found.append(
                {
                    "name": name,
                    "addresses": addresses.get(name, []),
                    "mtu_B": int(mtu_B),
                    "up": bool(int(flags, 16) & IFF_UP),
                    "carrier": carrier == "1",
                    "loopback": bool(int(flags, 16) & IFF_LOOPBACK),
                }
            )
    return found


def _tool(lines: list[tuple[str, str]], name: str) -> Tool | None:
    paths = [rest.partition(" ")[2] for kind, rest in lines if kind == "tool" and rest.split(" ")[0] == name]
    said = [rest.partition(" ")[2] for kind, rest in lines if kind == "said" and rest.split(" ")[0] == name]
    return {"path": paths[0], "real": paths[0], "output": "\n".join(said)} if paths else None


def _agent(one: dict[str, str]) -> dict[str, str] | None:
    if "agent_error" in one:
        return {"error": one["agent_error"]}
    return {"version": one["agent"]} if "agent" in one else None


def _guardian(lines: list[str]) -> dict[str, Any] | None:
    if not lines:
        return None
    try:
        said = json.loads("\n".join(lines))
    except ValueError:
        said = None
    return said if isinstance(said, dict) else {"error": f"the guardian's --check does not work: {' '.join(lines)}"}
