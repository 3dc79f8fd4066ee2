"""The sensitivity matrix: which paths suffer when traffic is injected on which (DMCBM section 3.3.2).

A saturated link grows a queue, and every probe that crosses the link waits in it. So the paths that cross the link
that an injection saturates see about the same queueing delay as the injected pair's own probes do, and other paths
see none. That gives each injection its own yardstick, which separates better than a fixed limit: scheduling noise
of a busy machine is of the order of a millisecond, a full queue of tens of them.

An injection that builds no queue at all, repeated, is limited by its two hosts (processor, network card, or a limit on
what a virtual machine may send), not by a link. What limits a host is shared by all its paths, so it is taken to hurt
the paths with the same source or the same destination, and is not counted in weights.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.characterize.quiet_network import Quiet, least_s, level_s, limit_s
from fairlead.characterize.samples import Bools, Floats, Injection, Injections, pooled
from fairlead.characterize.tournament import Pair

UNSTEADY_ATTEMPTS = 2
"""So many injections without a steady queue on their own path show that no link limits the pair."""

SAME_RATE_SHARE = 0.2
"""Rates that differ by no more than this share of the larger count as equal."""

UNDECIDED = (0.25, 0.75)
"""When these quantiles of a path's delays lie on both sides of the limit, the injection is made again."""


@dataclass(frozen=True)
class Sensitivity:
    """The relation by [injected source, injected destination, source, destination], of groups of hosts or of hosts.

    Attributes:
        hurts: whether the injection hurts that other path.
        effective: whether an injection on that pair was made and built a queue. Where not, ``hurts`` is what its
            being limited by its hosts implies.
        limit_s: for each injection, what it had to exceed at least on its own path; NaN: not made.
    """

    hurts: Bools
    effective: Bools
    limit_s: Floats

    @classmethod
    def unknown(cls, count: int) -> "Sensitivity":
        """Nothing was measured."""
        pairs = (count,) * 2
        return cls(np.zeros((count,) * 4, dtype=bool), np.zeros(pairs, dtype=bool), np.full(pairs, np.nan))

    @property
    def count(self) -> int:
        return int(self.hurts.shape[0])


def evaluate(samples: Injections, network: Quiet) -> Sensitivity:
    """The relation from all single injections so far; each as good as its attempts put together."""
    relation = Sensitivity.unknown(samples.count)
    for pairs in samples.injected():
        if len(pairs) == 1:
            pair = pairs[0]
            excess = level_s(pooled(good_attempts(samples, pair, network))) - network.base_s
            relation.limit_s[pair] = least_s(network)[pair]
            relation.effective[pair] = bool(excess[pair] > relation.limit_s[pair])
            if relation.effective[pair]:
                relation.hurts[pair] = excess > limit_s(network, float(excess[pair]))
            else:
                relation.hurts[pair] = _same_end(samples.count, pair)
            relation.hurts[pair + pair] = False
    return relation


def steady(attempt: Injection, pair: Pair, network: Quiet) -> bool:
    """Whether the injected pair's own probes met a queue all the time: a sender that had to wait for its processor in
    the middle leaves gaps, in which other paths seem free."""
    low, own = (level_s(attempt.delays_s, share)[pair] - network.base_s[pair] for share in (UNDECIDED[0], 0.5))
    return bool(low > limit_s(network, float(own))[pair])


def good_attempts(samples: Injections, pair: Pair, network: Quiet) -> list[Injection]:
    """The steady attempts at an injection, or all where none was."""
    attempts = samples.of(pair)
    return [each for each in attempts if steady(each, pair, network)] or attempts


def _same_end(hosts: int, pair: Pair) -> Bools:
    """(hosts, hosts) paths with the same source or the same destination."""
    same = np.zeros((hosts, hosts), dtype=bool)
    same[pair[0], :] = same[:, pair[1]] = True
    np.fill_diagonal(same, False)
    return same


def undecided(samples: Injections, pair: Pair, network: Quiet) -> list[Pair]:
    """Paths of which the attempts at one injection do not say clearly whether it hurts them.

    The injected pair itself is among them when it saw no steady queue; then everything about it is open.
    """
    attempts = good_attempts(samples, pair, network)
    off = ~np.eye(samples.count, dtype=bool)
    if not steady(attempts[0], pair, network) and len(attempts) < UNSTEADY_ATTEMPTS:
        return [(int(i), int(j)) for i, j in np.argwhere(off)]
    delays = pooled(attempts)
    low, own, high = (level_s(delays, share) - network.base_s for share in (UNDECIDED[0], 0.5, UNDECIDED[1]))
    if not own[pair] > least_s(network)[pair]:
        return []
    limit = limit_s(network, float(own[pair]))
    clear = (low > limit) | (high <= limit)
    return [(int(i), int(j)) for i, j in np.argwhere(off & ~clear) if (i, j) != pair]


def one_sided(relation: Sensitivity, rates_bps: Floats) -> list[tuple[Pair, Pair]]:
    """Two pairs that carry the same, of which the first hurts the second, but not the other way round.

    Two that fill the same link hurt each other. So one of the two was seen wrong (others' traffic, a busy host), or the
    second fills an equally slow link before the one that they share.
    """
    usable = relation.effective[:, :, None, None] & relation.effective[None, None, :, :]
    cells = np.argwhere(relation.hurts & ~relation.hurts.transpose(2, 3, 0, 1) & usable)
    found = [((int(i), int(j)), (int(k), int(m))) for i, j, k, m in cells]
    return [
        (first, second)
        for first, second in found
        if abs(rates_bps[first] - rates_bps[second]) <= SAME_RATE_SHARE * max(rates_bps[first], rates_bps[second])
    ]
