"""Emulated bonds: what the kernel is told, where it has no bonding driver. Pure functions.

One end of an aggregated link is a device that stands for the bond (``master``) and its NICs (``members``). What leaves
the master is redirected to a member, by tc filters with the hash policy as classic BPF, or in turn by nftables, whose
counter is the only state there is; what comes in by a member comes in by the master. The switch's end is made alike: a
static group or LACP partner with a hash of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.bonding.classic_bpf import EVERYTHING, program, text
from fairlead.bonding.hashing import POLICIES
from fairlead.lab.topology import Link

WAY = "emulated"
"""How labs come by bonds; results name it."""
ROUND_ROBIN, ACTIVE, ALL = "round-robin", "active", "all"
TABLE = "netdev lab"
FLOWS = "flows"
_SPREADING = {"balance-rr": ROUND_ROBIN, "active-backup": ACTIVE, "broadcast": ALL}


@dataclass(frozen=True)
class End:
    """One end of an aggregated link. ``spreading`` is a hash policy, or one of `ROUND_ROBIN`, `ACTIVE`, `ALL`."""

    node: str
    master: str
    members: tuple[str, ...]
    spreading: str

    @property
    def stub(self) -> str:
        """The master's other half: it is one of a pair, as the kernel may lack devices that are nothing else."""
        return f"{self.master}.x"

    def without(self, down: Sequence[int]) -> End:
        """With the members that are left when those of these numbers are down."""
        members = tuple(member for number, member in enumerate(self.members) if number not in down)
        return End(self.node, self.master, members, self.spreading)


def ends(link: Link, master_a: str, master_b: str, members_of_a: str) -> tuple[End, End]:
    """Both ends of an aggregated link: the bond, and the switch's group.

    Args:
        members_of_a: prefix of the names of the bond's members.
    """
    assert link.bond is not None
    numbers = range(link.nics)
    own = _SPREADING.get(link.bond.mode, link.bond.hash)
    return (
        End(link.a, master_a, tuple(f"{members_of_a}{k}" for k in numbers), own),
        End(link.b, master_b, tuple(f"{master_b}.{k}" for k in numbers), link.bond.switch or ACTIVE),
    )


def collecting(end: End) -> list[str]:
    """``tc -batch`` lines: what comes in by a member comes in by the master."""
    lines = [f"qdisc add dev {device} clsact" for device in (end.master, *end.members)]
    lines += [
        f"filter add dev {member} ingress protocol all {_bytecode(EVERYTHING)} "
        f"action mirred ingress redirect dev {end.master}"
        for member in end.members
    ]
    return lines


def spreading(end: End) -> list[str]:
    """``tc -batch`` lines: what leaves the master leaves by its members. None where `forwarding` does it."""
    if not end.members or end.spreading == ROUND_ROBIN:
        return []
    if end.spreading in POLICIES:
        n = len(end.members)
        matches = [text(program(end.spreading, n, k)) for k in range(n)]
        return [
            _out(end, number, matched, f"action mirred egress redirect dev {member}")
            for number, (matched, member) in enumerate(zip(matches, end.members, strict=True), start=1)
        ]
    *others, last = end.members if end.spreading == ALL else end.members[:1]
    copies = [f"action mirred egress mirror dev {member}" for member in others]
    return [_out(end, 1, EVERYTHING, " ".join([*copies, f"action mirred egress redirect dev {last}"]))]


def no_spreading(end: End) -> list[str]:
    """``tc -batch`` line that takes `spreading` back."""
    return [f"filter del dev {end.master} egress"]


def forwarding(master: str, end: End | None, count_flows: bool) -> list[str]:
    """Lines of ``nft -f``: a chain for what leaves ``master``: counts bytes by TCP connection, forwards in turn.

    Args:
        end: of which `master` is the device; None: of a link that is not aggregated.
    """
    rules = []
    if count_flows:
        rules.append(f"ip protocol tcp update @{FLOWS} {{ ip saddr . tcp sport . ip daddr . tcp dport }}")
    if end is not None and end.spreading == ROUND_ROBIN:
        rules.append(_in_turn(end.members))
    if not rules:
        return []
    lines = [f"add table {TABLE}"]
    if count_flows:
        kind = "type ipv4_addr . inet_service . ipv4_addr . inet_service; size 65535; flags dynamic; counter;"
        lines.append(f"add set {TABLE} {FLOWS} {{ {kind} }}")
    hook = f'type filter hook egress device "{master}" priority 0;'
    lines += [f"add chain {TABLE} {master} {{ {hook} }}", f"flush chain {TABLE} {master}"]
    return lines + [f"add rule {TABLE} {master} {rule}" for rule in rules]


def _bytecode(matched: str) -> str:
    return f'bpf bytecode "{matched}"'


def _out(end: End, preference: int, matched: str, actions: str) -> str:
    return f"filter add dev {end.master} egress pref {preference} protocol all {_bytecode(matched)} {actions}"


def _in_turn(members: Sequence[str]) -> str:
    if not members:
        return "drop"
    if len(members) == 1:
        return f'fwd to "{members[0]}"'
    places = ", ".join(f'{number} : "{member}"' for number, member in enumerate(members))
    return f"fwd to numgen inc mod {len(members)} map {{ {places} }}"
