"""Bottlenecks that a single injection cannot show: links behind one that is equally slow.

An injection over two equally slow links in a row grows a queue at the first only, since nothing arrives at the second
faster than it leaves. Yet the second is just as full: a star's switch port to a host, behind that of the sender. It
shows when two injections meet there. So pairs that may meet behind their first bottlenecks are injected together. Where
they do meet, each gets less than alone, its first bottleneck is no longer full, and the paths that now see a queue are
those that cross the meeting point. Its rate is the two's together, and whoever alone carries that much saturates it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairlead.characterize.quiet_network import Quiet, level_s, limit_s
from fairlead.characterize.samples import Bools, Floats, Injection, Injections, Ints, pooled
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.tournament import Pair

SLOWED_SHARE = 0.7
"""A pair that carries less than this share of what it carries alone no longer fills its own first bottleneck."""

ATTEMPTS = 3
"""Two that are slowed without any other path seeing it are tried so often: busy hosts are slow, too. Likewise two of
which paths far from both see it: others' traffic makes queues, too."""

SATURATING_SHARE = 0.8
"""A pair that alone carries at least this share of a link's rate saturates it."""

TESTS_PER_GROUP = 6
"""Limit of tests, for networks too noisy to be told apart; reaching it is recorded."""


@dataclass(frozen=True)
class DownstreamLink:
    """A link known by who crosses it.

    Attributes:
        users: (hosts, hosts) ordered pairs that cross it.
        rate_bps: what it carries.
    """

    users: Bools
    rate_bps: float


def meeting_point(
    attempts: list[Injection], relation: Sensitivity, network: Quiet, alone_bps: Floats
) -> DownstreamLink | None:
    """The link at which pairs injected together met, or None where no two of them did.

    Args:
        attempts: tests in which exactly these pairs were injected.
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
    always = np.all([_waiting(each, network) for each in attempts], axis=0)
    alone = np.any([relation.hurts[pair] for pair in pairs], axis=0)
    users &= always | _near(pairs, relation.count) & ~alone  # the others may have waited for others' traffic
    for pair in pairs:
        users[pair] = False
    slowed = sum(carried) < SLOWED_SHARE * sum(alone_bps[pair] for pair in pairs)
    if len(pairs) > 2:  # most of them may be as fast as alone
        slowed = any(rate < SLOWED_SHARE * alone_bps[pair] for pair, rate in zip(pairs, carried, strict=True))
    if not (slowed or users.any()):
        return None
    for pair in pairs:
        users[pair] = True
    return DownstreamLink(users, sum(carried))


def _waiting(attempt: Injection, network: Quiet) -> Bools:
    excess = level_s(attempt.delays_s) - network.base_s
    waiting: Bools = excess > limit_s(network, min(float(excess[pair]) for pair in attempt.pairs))
    return waiting


def _near(pairs: tuple[Pair, ...], count: int) -> Bools:
    """(groups, groups) paths that start or end where one of the pairs does."""
    near = np.zeros((count, count), dtype=bool)
    for source, destination in pairs:
        near[source, :] = near[:, destination] = True
    return near


class Search:
    """Which pairs to inject together next, and what that added to the relation. Pure: it measures nothing.

    Two pairs may meet that have the same destination, or whose reverse paths share a bottleneck: links are mostly alike
    in both directions. Where both hold they most likely do. One test of many pairs with the same destination tells
    whether any of them meet.

    Args:
        own: (groups, groups) pairs that wait at their hosts' own links first: `GroupSamples.own_links`.
        two: (groups, groups) groups that both have a second host, so that two of ``own`` may meet.

    Attributes:
        filled: (groups, groups) pairs that saturate a link that was found.
    """

    def __init__(
        self,
        relation: Sensitivity,
        network: Quiet,
        alone_bps: Floats,
        own: Bools | None = None,
        two: Bools | None = None,
    ) -> None:
        self._relation = relation
        self._network = network
        count, cells = relation.count, (relation.count**2,) * 2
        self._shares = relation.hurts | relation.hurts.transpose(2, 3, 0, 1)
        itself = np.eye(count**2, dtype=bool).reshape(relation.hurts.shape)
        self._alike = relation.hurts & relation.hurts.transpose(2, 3, 0, 1) | itself
        # Pairs with the same bottleneck carry the same; a lower rate was a sender that waited for its processor.
        rates = np.nan_to_num(alone_bps)
        self._alone_bps = np.array([[np.max(rates, where=each, initial=0.0) for each in row] for row in self._alike])
        same_end = np.eye(count, dtype=bool)[None, :, None, :]
        reverse = self._shares.transpose(1, 0, 3, 2)
        none = np.zeros_like(relation.effective)
        own, two = (none if each is None else each for each in (own, two))
        usable = relation.effective | own
        usable = usable[:, :, None, None] & usable[None, None, :, :] & ~(itself & ~(own & two)[:, :, None, None])
        self._known: Bools = self._shares.reshape(cells).copy()  # by two pairs, each as one number
        self._may_meet: Bools = ((same_end | reverse) & usable).reshape(cells)
        self._likely: Bools = (same_end & reverse & usable).reshape(cells)
        self._links: list[Ints] = []  # the pairs over each link that was found
        self.hurts: Bools = relation.hurts.copy()
        self.filled: Bools = none.copy()
        self.tests = 0

    @property
    def limit(self) -> int:
        """How many tests there may be."""
        return TESTS_PER_GROUP * self._relation.count

    def open_pairs(self, busy: Collection[int] = (), *, likely: bool = False) -> tuple[Pair, Pair] | None:
        """Two pairs that may meet, of which that is not known; those that carry most come first. None: all is known.

        Args:
            busy: pairs that end at one of these are left for later.
            likely: only two that most likely do.
        """
        count = self._relation.count
        cells = np.argwhere((self._likely if likely else self._may_meet) & ~self._known)
        ends = np.stack([*np.divmod(cells[:, 0], count), *np.divmod(cells[:, 1], count)], axis=1)
        ends = ends[~np.isin(ends, list(busy)).any(axis=1)]
        if not ends.size:
            return None
        i, j, k, m = ends.T
        best = int(np.argmax(np.minimum(self._alone_bps[i, j], self._alone_bps[k, m])))
        return (int(i[best]), int(j[best])), (int(k[best]), int(m[best]))

    def open_crowd(self, tried: Collection[int] = ()) -> tuple[Pair, ...]:
        """Three pairs or more with the same destination, of no two of which it is known whether they meet; most of
        them. Empty: there are none.

        Args:
            tried: destinations that are left out.
        """
        count = self._relation.count
        open_ = self._may_meet & ~self._known
        best: list[int] = []
        for end in set(range(count)) - set(tried):
            crowd: list[int] = []
            for pair in range(end, count * count, count):
                if all(open_[pair, other] for other in crowd) and open_[pair].any():
                    crowd.append(pair)
            best = max(best, crowd, key=len)
        return tuple((pair // count, pair % count) for pair in best) if len(best) > 2 else ()

    def doubtful(self, samples: Injections, pairs: tuple[Pair, ...]) -> bool:
        """Whether two pairs seem to meet, but no path sees a queue that one of them alone does not cause, or some do
        that have no end in common with them."""
        attempts = samples.of(*pairs)
        link = meeting_point(attempts, self._relation, self._network, self._alone_bps)
        if link is None or len(attempts) >= ATTEMPTS:
            return False
        alone = self._relation.hurts[pairs[0]] | self._relation.hurts[pairs[1]]
        if (link.users & (alone | ~_near(pairs, self._relation.count))).any():
            return True
        for pair in pairs:
            alone[pair] = True
        return not bool((link.users & ~alone).any())

    def learn(self, samples: Injections, pairs: tuple[Pair, ...]) -> DownstreamLink | None:
        """Take in what was measured while pairs were injected together; returns the link where two of them met."""
        self.tests += 1
        link = meeting_point(samples.of(*pairs), self._relation, self._network, self._alone_bps)
        if link is None:
            for first, second in combinations(pairs, 2):
                self._know(self._like(first), self._like(second))
            return None
        if len(pairs) > 2:
            return None  # which of them met is not known
        self._know(*(np.array([self._number(pair)]) for pair in pairs))
        saturating = link.users & (self._alone_bps >= SATURATING_SHARE * link.rate_bps)
        self.filled |= saturating
        for i, j in np.argwhere(saturating):
            self.hurts[i, j] |= link.users
            self.hurts[i, j, i, j] = False
        users = np.flatnonzero(link.users)
        self._know(users, users)
        for other in self._links:
            if not np.intersect1d(users, other).size:  # neither's probes waited at the other link
                self._know(users, other)
        self._links.append(users)
        return link

    def learn_all(self, samples: Injections) -> None:
        """Take in all tests in which pairs were injected together."""
        for pairs in samples.injected():
            if len(pairs) > 1:
                self.learn(samples, pairs)

    def _number(self, pair: Pair) -> int:
        return pair[0] * self._relation.count + pair[1]

    def _know(self, some: Ints, others: Ints) -> None:
        self._known[np.ix_(some, others)] = self._known[np.ix_(others, some)] = True

    def _like(self, pair: Pair) -> Ints:
        """Pairs with the same bottlenecks in both directions, or over a link that was found: what does not meet one of
        them does not meet the others either."""
        alike = np.flatnonzero(self._alike[pair] & self._alike[pair[::-1]].T)
        number = self._number(pair)
        return np.unique(np.concatenate([alike, *(users for users in self._links if number in users)]))


def complete(relation: Sensitivity, samples: Injections, network: Quiet, own: Bools | None = None) -> Sensitivity:
    """The relation from single injections with what injections of several pairs add.

    Args:
        own: see `Search`. Those that fill a link further on are effective by that.
    """
    search = Search(relation, network, samples.rates_bps(), own)
    search.learn_all(samples)
    effective = relation.effective if own is None else relation.effective | search.filled & own
    return Sensitivity(search.hurts, effective, relation.limit_s)
