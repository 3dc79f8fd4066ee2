"""Where transmission outweighs processing (DMCBM 3.4.4), and whether other hosts for the ranks would help. Pure.

Of a pair of ranks, t_t is the time that the receiver waited for transfers from the sender, t_p the time that it spent
between its waiting for messages, up to those of this sender. A pair with t_t > t_p points to ranks that are placed far
from each other, or to a decomposition into parts that are too small.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.placement.cost import TrafficMatrix, cost
from fairlead.placement.network import assumed
from fairlead.placement.search import best
from fairlead.profile.json_form import Summary

LEAST_SHARE = 0.01  # of the receiver's time: what is waited for less is not told
MOST_RANKS = 256
"""Ranks up to which others' hosts are tried: each exchange of two looks at all pairs of ranks, on each host."""


@dataclass(frozen=True)
class Pair:
    """A sending and a receiving rank, and their hosts.

    Attributes:
        transmission_s, processing_s: t_t and t_p, of the messages that were kept.
        messages, bytes_B: of the whole run.
    """

    source: int
    destination: int
    hosts: tuple[str, str]
    transmission_s: float
    processing_s: float
    messages: int
    bytes_B: int


def pairs(found: Summary) -> list[Pair]:
    """Pairs that spend more in transmission than in processing, the longest transmission first."""
    waited = found.waiting
    if waited is None or waited.receiving_between_s is None or waited.processing_between_s is None:
        return []
    time_s = np.zeros(found.ranks)
    for rank in found.per_rank:
        time_s[rank.rank] = rank.time_s
    chosen = [
        Pair(
            source=source,
            destination=destination,
            hosts=(found.host_of_rank[source], found.host_of_rank[destination]),
            transmission_s=transmissions_s[destination],
            processing_s=waited.processing_between_s[source][destination],
            messages=found.messages[source][destination],
            bytes_B=found.bytes_B[source][destination],
        )
        for source, transmissions_s in enumerate(waited.receiving_between_s)
        if any(transmissions_s)  # an array of all of many ranks would need much memory
        for destination in _outweighed(transmissions_s, waited.processing_between_s[source], time_s)
    ]
    return sorted(chosen, key=lambda pair: -pair.transmission_s)


def _outweighed(transmissions_s: list[float], processing_s: list[float], time_s: Floats) -> list[int]:
    """Receivers that wait longer for one sender's transfers than they compute, in s, of their ``time_s``."""
    waited_s = np.array(transmissions_s)
    heavy = (waited_s > np.array(processing_s)) & (waited_s >= LEAST_SHARE * time_s) & (waited_s > 0)
    return [int(destination) for destination in np.flatnonzero(heavy)]


@dataclass(frozen=True)
class BetterHosts:
    """Other hosts for the ranks, as many on each as now.

    Attributes:
        host_of_rank: in rank order.
        before_B, after_B: bytes between hosts.
    """

    host_of_rank: tuple[str, ...]
    before_B: int
    after_B: int


def better(found: Summary) -> BetterHosts | None:
    """The same hosts, the ranks exchanged so that less goes between hosts; None where that is not found.

    Nothing is known of the network here: with one rank a host, none is better than another. Collective calls count,
    too, as they are estimated or were measured. With more than `MOST_RANKS` it is not looked for.
    """
    if found.ranks > MOST_RANKS:
        return None
    traffic = TrafficMatrix.of(found.all_messages, found.all_bytes_B)
    if len(found.hosts) == 1 or not traffic.messages.any():
        return None
    network = assumed(found.hosts, [found.host_of_rank.count(host) for host in found.hosts])
    present = np.array([found.hosts.index(host) for host in found.host_of_rank])
    where = best(traffic, network)
    before, after = cost(traffic, network, present), cost(traffic, network, where)
    if after.bytes_B >= before.bytes_B:
        return None
    return BetterHosts(tuple(found.hosts[index] for index in where), before.bytes_B, after.bytes_B)


def too_many(found: Summary) -> bool:
    """Whether others' hosts are not tried: for so many ranks that takes long."""
    return found.ranks > MOST_RANKS and 1 < len(found.hosts) < found.ranks


@dataclass(frozen=True)
class Mitigation:
    """All that is looked for here."""

    pairs: list[Pair]
    better: BetterHosts | None


def of(found: Summary) -> Mitigation:
    """Of a profile."""
    return Mitigation(pairs(found), better(found))
