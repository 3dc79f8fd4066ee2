"""Emulated bonds: what the kernel is told, where it has no bonding driver. Pure functions.

Each end of an aggregated link is one device with a class of its HTB queueing discipline for every NIC: a rate and a
queue of its own. tc filters with the hash policy as classic BPF choose the class, or nftables does, in turn, whose
counter is the only state there is. A queue belongs to the device that sockets send on, so that TCP is held back by it
and is told of what it drops, as by a real NIC. The switch's end is made alike: a static group or LACP partner with a
hash of its own; what its class has sent is what the NIC has received.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairlead.bonding.classic_bpf import EVERYTHING, program, text
from fairlead.bonding.hashing import POLICIES
from fairlead.ip import Family
from fairlead.lab.topology import LabLink

WAY = "emulated"
"""How labs come by bonds; results name it."""
ROUND_ROBIN, ACTIVE, ALL = "round-robin", "active", "all"
TABLE = "netdev lab"
FLOWS = "flows"
_SPREADING = {"balance-rr": ROUND_ROBIN, "active-backup": ACTIVE, "broadcast": ALL}


@dataclass(frozen=True)
class AggregateEnd:
    """One end of an aggregated link.

    Attributes:
        nics: numbers of those in use.
        spreading: a hash policy, or one of `ROUND_ROBIN`, `ACTIVE`, `ALL`.
    """

    node: str
    device: str
    nics: tuple[int, ...]
    spreading: str

    def without(self, down: Sequence[int]) -> AggregateEnd:
        """With the NICs that are left when those of these numbers are down."""
        return replace(self, nics=tuple(nic for nic in self.nics if nic not in down))


def ends(link: LabLink, device_a: str, device_b: str) -> tuple[AggregateEnd, AggregateEnd]:
    """Both ends of an aggregated link: the bond, and the switch's group."""
    assert link.bond is not None
    numbers = tuple(range(link.nics))
    own = _SPREADING.get(link.bond.mode, link.bond.hash)
    return AggregateEnd(link.a, device_a, numbers, own), AggregateEnd(
        link.b, device_b, numbers, link.bond.switch or ACTIVE
    )


def class_of(nic: int) -> str:
    """The HTB class, as tc(8) and nft(8) write it."""
    return f"1:{nic + 1}"


def nics(device: str, link: LabLink, packet_B: int) -> list[str]:
    """``tc -batch`` lines that make a device's NICs.

    What no filter takes goes to the first NIC, never around all of them: nothing is left unshaped.
    Args:
        packet_B: the largest packet.
    """
    lines = [f"qdisc add dev {device} root handle 1: htb default 1"]
    for nic in range(link.nics):
        rate = f"rate {link.rate_bps}bit ceil {link.rate_bps}bit burst {link.burst_B} cburst {link.burst_B}"
        lines.append(f"class add dev {device} parent 1: classid {class_of(nic)} htb {rate} quantum {packet_B}")
        lines.append(queue("add", device, nic, link.queue_B))
    return lines


def queue(what: str, device: str, nic: int, limit_B: int) -> str:
    """``tc -batch`` line: adds or changes a NIC's queue. One that holds nothing drops everything: the NIC is down."""
    return f"qdisc {what} dev {device} parent {class_of(nic)} handle 1{nic + 1}: bfifo limit {limit_B}"


def spreading(end: AggregateEnd) -> list[str]:
    """``tc -batch`` lines: filters that choose the NIC. None where `choosing` does it."""
    if end.spreading in (ROUND_ROBIN, ALL) or not end.nics:
        return []
    if end.spreading == ACTIVE:
        return [_filter(end, 1, EVERYTHING, end.nics[0])]
    assert end.spreading in POLICIES
    n = len(end.nics)
    return [_filter(end, k + 1, text(program(end.spreading, n, k)), nic) for k, nic in enumerate(end.nics)]


def no_spreading(end: AggregateEnd) -> list[str]:
    """``tc -batch`` line that takes `spreading` back."""
    return [f"filter del dev {end.device} parent 1:"]


def choosing(device: str, end: AggregateEnd | None, count_flows: bool, family: Family = 4) -> list[str]:
    """Lines of ``nft -f``: a chain for what leaves ``device``: counts bytes by TCP connection, chooses NICs in turn.

    Args:
        end: of which `device` is; None: of a link that is not aggregated.
        family: version of IP of what is counted.
    """
    rules = []
    if end is not None and end.spreading == ALL:  # copies come here again
        rules.append(f"meta priority {{ {', '.join(map(class_of, range(8)))} }} accept")
    if count_flows:
        ip, is_tcp = ("ip", "ip protocol tcp") if family == 4 else ("ip6", "ip6 nexthdr tcp")
        rules.append(f"{is_tcp} update @{FLOWS} {{ {ip} saddr . tcp sport . {ip} daddr . tcp dport }}")
    if end is not None and end.nics and end.spreading in (ROUND_ROBIN, ALL):
        rules.append(_in_turn(end.nics) if end.spreading == ROUND_ROBIN else _on_all(end))
    if not rules:
        return []
    lines = [f"add table {TABLE}"]
    if count_flows:
        address = f"ipv{family}_addr"
        kind = f"type {address} . inet_service . {address} . inet_service; size 65535; flags dynamic; counter;"
        lines.append(f"add set {TABLE} {FLOWS} {{ {kind} }}")
    hook = f'type filter hook egress device "{device}" priority 0;'
    lines += [f"add chain {TABLE} {device} {{ {hook} }}", f"flush chain {TABLE} {device}"]
    return lines + [f"add rule {TABLE} {device} {rule}" for rule in rules]


def _filter(end: AggregateEnd, preference: int, matched: str, nic: int) -> str:
    where = f"filter add dev {end.device} parent 1: pref {preference} protocol all"
    return f'{where} bpf bytecode "{matched}" classid {class_of(nic)}'


def _in_turn(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"meta priority set {class_of(numbers[0])}"
    places = ", ".join(f"{place} : {class_of(nic)}" for place, nic in enumerate(numbers))
    return f"meta priority set numgen inc mod {len(numbers)} map {{ {places} }}"


def _on_all(end: AggregateEnd) -> str:
    first, *others = end.nics
    copies = "".join(f'meta priority set {class_of(nic)} dup to "{end.device}" ' for nic in others)
    return f"{copies}meta priority set {class_of(first)}"
