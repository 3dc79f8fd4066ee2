"""Bottlenecks that a single injection cannot show: links behind one that is equally slow.

An injection over two equally slow links in a row grows a queue at the first only, since nothing arrives at the second
faster than it leaves. Yet the second is just as full: a star's switch port to a host, behind that of the sender. It
shows when two injections meet there. So pairs that may meet behind their first bottlenecks are injected together. Where
they do meet, each gets less than alone, its first bottleneck is no longer full, and the paths that now see a queue are
those that cross the meeting point. Its rate is the two's together, and whoever alone carries that much saturates it.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Injection, Samples, pooled
from fairlead.characterize.sensitivity import Quiet, Sensitivity, level_s, limit_s
from fairlead.characterize.tournament import Pair

SLOWED_SHARE = 0.7
"""A pair that carries less than this share of what it carries alone no longer fills its own first bottleneck."""

ATTEMPTS = 3
"""Two that are slowed without any other path seeing it are tried so often: busy hosts are slow, too."""

SATURATING_SHARE = 0.8
"""A pair that alone carries at least this share of a link's rate saturates it."""

TESTS_PER_HOST = 6
"""Limit of tests, for networks too noisy to be told apart; reaching it is recorded."""


@dataclass(frozen=True)
class Link:
    """A link known by who crosses it.

    Attributes:
        users: (hosts, hosts) ordered pairs that cross it.
        rate_bps: what it carries.
    """

    users: Bools
    rate_bps: float


def meeting_point(attempts: list[Injection], relation: Sensitivity, network: Quiet, alone_bps: Floats) -> Link | None:
    """The link at which two pairs injected together met, or None where they did not.

    Args:
        attempts: windows in which exactly these two pairs were injected.
        relation: from single injections.
        alone_bps: (hosts, hosts) what each pair carries alone.
    """
    pairs = attempts[0].pairs
    excess = level_s(pooled(attempts)) - network.base_s
    # No link ever carries more than its rate, while busy hosts may carry less: the best attempt counts.
    carried = max((each.rates_bps for each in attempts), key=sum)
    hidden = np.zeros_like(relation.effective)  # paths that see a queue anyway
    for pair, rate in zip(pairs, carried, strict=True):
        if rate >= SLOWED_SHARE * alone_bps[pair]:
            hidden |= relation.hurts[pair]
    users = (excess > limit_s(network, min(excess[pair] for pair in pairs))) & ~hidden
    for pair in pairs:
        users[pair] = False
    slowed = sum(carried) < SLOWED_SHARE * sum(alone_bps[pair] for pair in pairs)
    if not (slowed or users.any()):
        return None
    for pair in pairs:
        users[pair] = True
    return Link(users, sum(carried))


class Search:
    """Which pairs to inject together next, and what that added to the relation. Pure: it measures nothing."""

    def __init__(self, relation: Sensitivity, network: Quiet, alone_bps: Floats) -> None:
        self._relation = relation
        self._network = network
        self._shares = relation.hurts | relation.hurts.transpose(2, 3, 0, 1)
        self._known = self._shares.copy()
        itself = np.eye(relation.hosts**2, dtype=bool).reshape(relation.hurts.shape)
        self._alike = relation.hurts & relation.hurts.transpose(2, 3, 0, 1) | itself
        # Pairs with the same bottleneck carry the same; a lower rate was a sender that waited for its processor.
        self._alone_bps = np.where(self._alike, alone_bps, 0.0).max(
            axis=(2, 3), where=np.isfinite(alone_bps), initial=0
        )
        self.hurts: Bools = relation.hurts.copy()
        self.tests = 0

    @property
    def limit(self) -> int:
        """How many tests there may be."""
        return TESTS_PER_HOST * self._relation.hosts

    def open_pairs(self) -> tuple[Pair, Pair] | None:
        """Two pairs that may meet, of which that is not known; those that carry most come first. None: all is known.

        Two may meet that have the same destination, or whose reverse paths share a bottleneck (links are mostly alike
        in both directions).
        """
        hosts = self._relation.hosts
        same_end = np.eye(hosts, dtype=bool)[None, :, None, :]
        usable = self._relation.effective
        candidates = (same_end | self._shares.transpose(1, 0, 3, 2)) & ~self._known
        candidates &= usable[:, :, None, None] & usable[None, None, :, :]
        candidates &= ~np.eye(hosts * hosts, dtype=bool).reshape((hosts,) * 4)
        if not candidates.any():
            return None
        smaller = np.minimum(self._alone_bps[:, :, None, None], self._alone_bps[None, None, :, :])
        best = np.unravel_index(np.argmax(np.where(candidates, smaller, -1.0)), candidates.shape)
        i, j, k, m = (int(index) for index in best)
        return (i, j), (k, m)

    def doubtful(self, samples: Samples, pairs: tuple[Pair, ...]) -> bool:
        """Whether two pairs seem to meet, but no path sees a queue that one of them alone does not cause."""
        attempts = samples.of(*pairs)
        link = meeting_point(attempts, self._relation, self._network, self._alone_bps)
        if link is None or len(attempts) >= ATTEMPTS:
            return False
        alone = self._relation.hurts[pairs[0]] | self._relation.hurts[pairs[1]]
        for pair in pairs:
            alone[pair] = True
        return not bool((link.users & ~alone).any())

    def learn(self, samples: Samples, pairs: tuple[Pair, ...]) -> Link | None:
        """Take in what was measured while two pairs were injected; returns the link where they met."""
        first, second = pairs
        self.tests += 1
        self._know(first, second)
        link = meeting_point(samples.of(*pairs), self._relation, self._network, self._alone_bps)
        if link is None:
            self._extend(first, second)
            return None
        saturating = link.users & (self._alone_bps >= SATURATING_SHARE * link.rate_bps)
        for i, j in np.argwhere(saturating):
            self.hurts[i, j] |= link.users
            self.hurts[i, j, i, j] = False
        self._known |= link.users[:, :, None, None] & link.users[None, None, :, :]
        return link

    def _know(self, first: Pair, second: Pair) -> None:
        self._known[first + second] = self._known[second + first] = True

    def _extend(self, first: Pair, second: Pair) -> None:
        """Pairs with the same bottlenecks in both directions as two that do not meet do not meet either."""
        alike = [self._alike[pair] & self._alike[pair[::-1]].T for pair in (first, second)]
        cells = alike[0][:, :, None, None] & alike[1][None, None, :, :]
        self._known |= cells | cells.transpose(2, 3, 0, 1)


def complete(relation: Sensitivity, samples: Samples, network: Quiet) -> Sensitivity:
    """The relation from single injections with what injections of two pairs add."""
    search = Search(relation, network, samples.rates_bps())
    for pairs in samples.injected():
        if len(pairs) == 2:
            search.learn(samples, pairs)
    return Sensitivity(search.hurts, relation.excess_s, relation.effective, relation.limit_s)
