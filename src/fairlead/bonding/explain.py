"""What a bonding mode and policy do with flows, and what throughput theory gives; in words. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.bonding.hashing import ENCAP34, Flow, LinkChoice, link_of
from fairlead.errors import ConfigError

MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")
"""By number; mode k of the driver is the k-th."""
_OVERTAKING = (
    "Packets overtake each other; TCP treats that as loss and retransmits. A switch that hashes what goes out to the "
    "receiver sends it over one link: then a flow gets no more than one link's rate."
)
HASHING = ("balance-xor", "802.3ad")


@dataclass(frozen=True)
class Bond:
    """A bond of a sending host: ``links`` that work, each of ``rate_bps``; ``policy`` is used by hashing modes only."""

    mode: str
    policy: str
    links: int
    rate_bps: float
    kernel: tuple[int, int]


@dataclass(frozen=True)
class Explained:
    """What becomes of flows.

    Attributes:
        choices: the link of each flow, in the order given.
        total_bps: the most that the host sends, as (least, greatest) where it depends on what cannot be told.
        flow_bps: what each flow gets if all of them send as much as they can, as (least, greatest).
        remarks: what else is to be known.
    """

    choices: tuple[LinkChoice, ...]
    total_bps: tuple[float, float]
    flow_bps: tuple[tuple[float, float], ...]
    remarks: tuple[str, ...]


def parse_mode(text: str) -> str:
    """The name of a mode given by name or number.

    Raises:
        ConfigError: there is none.
    """
    if text in MODES:
        return text
    if text.isdecimal() and int(text) < len(MODES):
        return MODES[int(text)]
    raise ConfigError(f"there is no bonding mode {text!r}", hint=f"use one of {', '.join(MODES)}, or 0 to 6")


def explain(bond: Bond, flows: Sequence[Flow]) -> Explained:
    """What becomes of one host's flows.

    Raises:
        ConfigError: no flow, or no link.
    """
    if not flows or bond.links < 1:
        raise ConfigError("there is nothing to explain: give flows and at least one link")
    if bond.mode in HASHING:
        return _hashed(bond, flows)
    rate = bond.rate_bps
    if bond.mode == "balance-rr":
        return _alike(flows, "every packet takes the next link", bond.links * rate, _OVERTAKING)
    if bond.mode == "broadcast":
        return _alike(flows, "every packet takes all links", rate, "Receivers get every packet several times.")
    if bond.mode == "active-backup":
        return _alike(flows, "the active link", rate)
    peers = len({flow.destination.address for flow in flows})
    by_load = LinkChoice(None, "the link is chosen by load, for each peer and again from time to time")
    incoming = "takes one link" if bond.mode == "balance-tlb" else "is spread over peers"
    return Explained(
        (by_load,) * len(flows),
        (rate, min(bond.links, peers) * rate),
        ((rate / len(flows), rate),) * len(flows),
        (f"What comes in {incoming}.",),
    )


def _alike(flows: Sequence[Flow], link: str, total_bps: float, *remarks: str) -> Explained:
    """All flows share all that there is."""
    n = len(flows)
    return Explained((LinkChoice(None, link),) * n, (total_bps,) * 2, ((total_bps / n,) * 2,) * n, remarks)


def _hashed(bond: Bond, flows: Sequence[Flow]) -> Explained:
    choices = tuple(link_of(flow, bond.policy, bond.links, bond.kernel) for flow in flows)
    on = Counter(choice.link for choice in choices if choice.link is not None)
    unknown = sum(choice.link is None for choice in choices)
    rate = bond.rate_bps
    shares = []
    for choice in choices:
        if choice.link is None:  # alone on a link, or on one with all others that may be there
            crowd = unknown + max(on.values(), default=0)
            shares.append((rate / crowd, rate))
        else:
            shares.append((rate / (on[choice.link] + unknown), rate / on[choice.link]))
    least = max(len(on), 1)
    most = min(bond.links, len(on) + unknown)
    remarks = ["What comes in takes the link that the other side of each wire chooses by a hash of its own."]
    if bond.policy == ENCAP34:
        remarks.append("Which link a flow takes differs from one connection to the next between the same two ports.")
    return Explained(choices, (least * rate, most * rate), tuple(shares), tuple(remarks))
