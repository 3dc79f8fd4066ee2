"""Runs as the first process inside User Mode Linux: `fairlead net apply` and `restore` with the kernel's own driver.

eth1 and eth2 lead to ports of a switch, which are a bond of the driver, too: a static group, or an LACP partner.
Tells a list of what `apply` found and what was there before, during and after, one a case.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.executors import executor_of
from fairlead.errors import FairleadError
from fairlead.net import apply as on_hosts
from fairlead.net.change import Wanted
from fairlead.net.journal import JOURNAL

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from inside_uml import run, tell

NICS, PORTS = ("eth1", "eth2"), ("port1", "port2")
CLUSTER = (
    '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "eth1"\n[[hosts]]\nname = "a"\naddress = "10.1.0.1"\n'
)


def network() -> None:
    """A host's two NICs, with an address and routes on the first of them."""
    for nic, port in zip(NICS, PORTS, strict=True):
        run("ip", "link", "add", nic, "type", "veth", "peer", "name", port)
    for nic in NICS:
        run("ip", "link", "set", nic, "up")
    Path("/proc/sys/net/ipv6/conf/eth1/disable_ipv6").write_text("0")
    run("ip", "address", "add", "10.1.0.1/24", "broadcast", "10.1.0.255", "dev", "eth1")
    run("ip", "route", "add", "10.9.0.0/16", "via", "10.1.0.254", "dev", "eth1")
    run("ip", "route", "add", "default", "via", "10.1.0.254", "dev", "eth1", "table", "100")
    run("ip", "-6", "route", "add", "fd02::/16", "via", "fe80::1", "dev", "eth1", "table", "100")
    run("ip", "neighbour", "add", "10.1.0.9", "lladdr", "02:00:00:00:00:09", "dev", "eth1", "nud", "permanent")


def switch(mode: str) -> None:
    """Its ports as one group."""
    run("ip", "link", "add", "lag", "type", "bond", "mode", mode, "miimon", "100")
    if mode == "802.3ad":
        Path("/sys/class/net/lag/bonding/lacp_rate").write_text("fast")
    for port in PORTS:
        run("ip", "link", "set", port, "down")
        run("ip", "link", "set", port, "master", "lag")
    run("ip", "link", "set", "lag", "up")


def state() -> Any:
    """What ip(8) says of the host's interfaces, without what changes by itself; and its routes and neighbours."""
    text = subprocess.run(["ip", "-json", "address"], capture_output=True, text=True, check=True).stdout
    kept = ("ifname", "address", "mtu", "master", "flags")
    links = [
        {key: each[key] for key in kept if key in each}
        | {
            "addresses": [
                (one["local"], one["prefixlen"], one.get("broadcast"))
                for one in each["addr_info"]
                if one["family"] == "inet"
            ]
        }
        for each in json.loads(text)
        if each["ifname"] in (*NICS, "bond7")
    ]
    told = (
        ["-4", "route"],
        ["-4", "route", "show", "table", "100"],
        ["-6", "route", "show", "table", "100"],
        ["neighbour", "show", "nud", "permanent"],
    )
    routes = "".join(subprocess.run(["ip", *each], capture_output=True, text=True, check=True).stdout for each in told)
    return [links, sorted(line.strip() for line in routes.splitlines())]


def case(mode: str, group: str) -> dict[str, Any]:
    """``mode`` on the host, ``group`` on the switch; what `apply` raised stands there as text."""
    executor = executor_of(parse_cluster(CLUSTER))
    switch(group)
    told: dict[str, Any] = {"before": state(), "error": None}
    wanted = Wanted("bond7", NICS, mode, "layer3+4", 100, "fast")
    try:
        told["bond"] = asdict(on_hosts.apply(executor, ["a"], wanted, within_s=60, settle_s=10)["a"].bonds["bond7"])
        told["during"] = state()
        told["driver"] = Path("/proc/net/bonding/bond7").read_text()
        on_hosts.restore(executor, ["a"])
    except FairleadError as error:
        told["error"] = str(error)
    told |= {
        "after": state(),
        "journal": Path(JOURNAL).exists(),
        "bond is there": Path("/sys/class/net/bond7").exists(),
    }
    run("ip", "link", "delete", "lag")
    return told


def work() -> list[dict[str, Any]]:
    network()
    return [case("802.3ad", "802.3ad"), case("balance-rr", "balance-rr"), case("802.3ad", "balance-xor")]


if __name__ == "__main__":
    tell(work)
