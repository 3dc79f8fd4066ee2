"""Multipath TCP over detours, the same that fairlead may take: what each host of a lab is set up with.

Every host gets a device ``detour0`` (VXLAN over the underlay), a second address on it, and an MPTCP endpoint there, so
that every connection opens a second subflow from that address. Packets from and to second addresses take one relay:
a host of a third leaf, fixed for each two hosts.
"""

from collections.abc import Iterator

from fairlead.lab import Lab
from fairlead.lab.congestion.base import run_on
from fairlead.lab.topology import LabHost

DEVICE = "detour0"
NETWORK = "10.66.0."
_ID, _PORT = 4242, 4790
_FROM_HERE, _LAST_HOP = 7001, 7002  # routing tables
_SYSCTLS = {"rp_filter": "0", "send_redirects": "0"}


def set_up(lab: Lab) -> None:
    """Make the detours and tell the kernel's path manager of them. They last as long as the lab.

    Raises:
        LabError: the kernel refused something.
    """
    hosts = [host for host in lab.plan.hosts if host.role == "compute"]
    for index, host in enumerate(hosts):
        run_on(lab, host.name, ["sh", "-ec", "\n".join(commands(hosts, index))])


def relay_of(hosts: list[LabHost], source: int, destination: int) -> int | None:
    """The host on a third leaf that packets between two hosts take, both ways; None if they are on one leaf."""
    leafs = {hosts[source].leaf, hosts[destination].leaf}
    others = [index for index, host in enumerate(hosts) if host.leaf not in leafs]
    return others[(source + destination) % len(others)] if len(leafs) == 2 and others else None


def second_address(index: int) -> str:
    """The address that a host has on its detour device."""
    return f"{NETWORK}{index + 1}"


def commands(hosts: list[LabHost], index: int) -> Iterator[str]:
    """Shell commands for one host, in order."""
    own, device = second_address(index), f"dev {DEVICE}"
    yield (
        f"ip link add {DEVICE} address {_mac(index)} type vxlan id {_ID} dstport {_PORT} "
        f"local {hosts[index].address} dev eth0 nolearning"
    )
    for name, value in {**_SYSCTLS, "forwarding": "1"}.items():
        yield f"echo {value} > /proc/sys/net/ipv4/conf/{DEVICE}/{name}"
    for name, value in _SYSCTLS.items():
        yield f"echo {value} > /proc/sys/net/ipv4/conf/all/{name}"
    yield f"ip link set {DEVICE} up"
    yield f"ip address add {own}/32 {device}"
    yield f"ip rule add iif {DEVICE} lookup {_LAST_HOP} priority 99"
    yield f"ip rule add from {own} lookup {_FROM_HERE} priority 100"
    for other, host in enumerate(hosts):
        if other == index:
            continue
        address = second_address(other)
        relay = relay_of(hosts, index, other)
        over = second_address(other if relay is None else relay)
        yield f"bridge fdb append {_mac(other)} {device} dst {host.address}"
        yield f"ip neighbour add {address} lladdr {_mac(other)} {device} nud permanent"
        yield f"ip route add {address} via {over} {device} onlink"
        yield f"ip route add {host.address} via {over} {device} onlink table {_FROM_HERE}"
        yield f"ip route add {address} via {over} {device} onlink table {_FROM_HERE}"
        yield f"ip route add {host.address} via {address} {device} onlink table {_LAST_HOP}"
        yield f"ip route add {address} via {address} {device} onlink table {_LAST_HOP}"
    yield "ip mptcp limits set subflow 2 add_addr_accepted 2"
    yield f"ip mptcp endpoint add {own} {device} subflow"


def _mac(index: int) -> str:
    return f"02:db:00:00:{index // 256:02x}:{index % 256:02x}"
