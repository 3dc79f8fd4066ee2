"""What is judged of the paths of machines that moved, said by groups of hosts again.

A machine that moved is a group by itself, and so is what is left on the servers that it left and came to. Groups stay
together as far as one answer holds for all their hosts. Of few hosts those for which none does become groups by
themselves, so that nothing is lost; of many, what holds for most of their paths is said of all.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import DESTINATION, LINK, SOURCE, Ends, Fills, GroupedSharing, Hosts, two_paths
from fairlead.manage.migration.stand_ins import StandIns
from fairlead.manage.migration.threes import Threes


@dataclass(frozen=True)
class Judged:
    """Pairs of paths k → m and i → j with one end that moved.

    Attributes:
        threes: the three other ends.
        host: the one that moved.
        place: which of k, m, i and j it is.
        found: (threes) whether an injection on k → m hurts i → j.
    """

    threes: Threes
    host: int
    place: int
    found: Bools

    @property
    def ends(self) -> Ends:
        return self.threes.ends(self.host, self.place)


def regrouped(before: GroupedSharing, some: StandIns, moved: Bools, judged: list[Judged]) -> GroupedSharing:
    """The relation as it was, but with what was judged."""
    of = some.alike
    while True:
        attempt = _Attempt(before, some, moved, judged, of)
        unlike = attempt.unlike()
        if not unlike.any():
            return attempt.sharing()
        alone = unlike[of]
        of = np.unique(np.where(alone, len(of) + np.arange(len(of)), of), return_inverse=True)[1]


@dataclass
class _Votes:
    """How many pairs of paths there are by the groups of their ends, and how many of them hurt."""

    every: Floats
    hurt: Floats

    @classmethod
    def none(cls, *shape: int) -> "_Votes":
        return cls(np.zeros(shape), np.zeros(shape))

    @property
    def asked(self) -> Bools:
        return np.asarray(self.every > 0)

    @property
    def most(self) -> Bools:
        return np.asarray(self.hurt > self.every / 2)

    @property
    def mixed(self) -> Bools:
        return np.asarray((self.hurt > 0) & (self.hurt < self.every))


class _Attempt:
    """The relation by certain groups of hosts.

    Attributes:
        apart: of paths without a common source or destination, by the place and group of an end that moved; each by
            the groups of the three others. ``sources``: of those with a common source, by [k, m, j];
            ``destinations``: with a common destination, by [k, m, i].
        pair_moved: (groups, groups) whether one of the two is a machine that moved.
        lifted: (groups, groups) whether all injections between them are said to fill a link there, so that cells say
            what they hurt.
        cells: see `GroupedSharing`.
        folded_source, folded_end: (groups, groups) whether cells say what an injection hurts by the link of its source
            (destination), which is a group by itself.
    """

    def __init__(self, before: GroupedSharing, some: StandIns, moved: Bools, judged: list[Judged], of: Ints) -> None:
        self.before, self.some, self.of = before, some, of
        self.sizes = np.bincount(of).astype(np.int64)
        count = len(self.sizes)
        self.one = np.eye(count)[of]
        self.apart: dict[tuple[int, int], _Votes] = {}
        self.sources, self.destinations = _Votes.none(*(count,) * 3), _Votes.none(*(count,) * 3)
        for each in judged:
            self._take(each)
        first = np.unique(of, return_index=True)[1]
        self.pair_moved = moved[first][:, None] | moved[first][None, :]
        some_link, all_link = self._filled(LINK)
        self.lifted = (some_link == all_link) | self.pair_moved
        groups = before.of[first]
        self.cells = before.cells[np.ix_(groups, groups, groups, groups)]
        self.cells &= (some_link | ~self.lifted)[:, :, None, None]
        self._fold()
        for at, votes in self._apart():
            self.cells[at][votes.asked] = votes.most[votes.asked]

    # ---------------------------------------------------------------- what was judged, by groups

    def _take(self, each: Judged) -> None:
        k, m, i, j = each.ends
        number, there, weight = each.threes.number, two_paths(*each.ends), self.some.weight
        place, end = each.place, int(self.of[each.host])
        votes = self.apart.setdefault((place, end), _Votes.none(*(len(self.sizes),) * 3))
        self._add(votes, each, number, there & (k != i) & (m != j), each.threes.hosts)
        # Those with a common source whose source moved are seen as k, and as i once more; likewise destinations. A host
        # that is both counts once.
        if place != 2:
            self._add(self.sources, each, number / weight[i], there & (k == i), (k, m, j))
        if place != 3:
            self._add(self.destinations, each, number / weight[j], there & (m == j), (k, m, i))

    def _apart(self) -> Iterator[tuple[tuple[int | slice, ...], _Votes]]:
        """Where in `cells` each of ``apart`` belongs."""
        for (place, end), votes in self.apart.items():
            yield tuple(end if number == place else slice(None) for number in range(4)), votes

    def _add(self, votes: _Votes, each: Judged, number: Floats, which: Bools, ends: tuple[Hosts, Hosts, Hosts]) -> None:
        """Count those pairs of paths, by the groups of some ends."""
        chosen, count = np.flatnonzero(which), len(self.sizes)
        cell: Ints = np.zeros(len(chosen), dtype=np.int64)
        for end in ends:
            cell = cell * count + self.of[np.broadcast_to(end, which.shape)[chosen]]
        for total, counted in ((votes.every, number[chosen]), (votes.hurt, number[chosen] * each.found[chosen])):
            total += np.bincount(cell, counted, count**3).reshape(total.shape)

    # ---------------------------------------------------------------- as it was, and as was judged

    def _filled(self, what: int) -> tuple[Bools, Bools]:
        """(groups, groups) whether some, and whether all, injections between two groups fill it."""
        off = ~np.eye(len(self.of), dtype=bool)
        filled = (self.before.fills & what > 0) & off
        number, every = self.one.T @ filled @ self.one, self.one.T @ off @ self.one
        return np.asarray(number > 0.5), np.asarray((number > every - 0.5) & (every > 0.5))

    def _fold(self) -> None:
        """What an injection hurts by the link of a host that is a group is said by cells, too."""
        single = self.sizes == 1
        some_source, all_source = self._filled(SOURCE)
        some_end, all_end = self._filled(DESTINATION)
        self.folded_source = single[:, None] & self.lifted & ((some_source == all_source) | self.pair_moved)
        self.folded_end = single[None, :] & self.lifted & ((some_end == all_end) | self.pair_moved)
        a, b = np.nonzero(self.folded_source)
        said = self.cells[a, b, a, :] | some_source[a, b, None] & ~self.pair_moved[a, b, None]
        self.cells[a, b, a, :] = np.where(self.sources.asked[a, b], self.sources.most[a, b], said)
        a, b = np.nonzero(self.folded_end)
        said = self.cells[a, b, :, b] | some_end[a, b, None] & ~self.pair_moved[a, b, None]
        self.cells[a, b, :, b] = np.where(self.destinations.asked[a, b], self.destinations.most[a, b], said)

    def _whole_ends(self) -> tuple[Bools, Bools]:
        """(groups, groups) of injections that begin or end at a host that moved: whether one hurts all paths with its
        source, and all with its destination."""

        def whole(votes: _Votes) -> Bools:
            return np.asarray((~votes.asked | votes.most).all(axis=2) & votes.asked.any(axis=2))

        return whole(self.sources), whole(self.destinations)

    def sharing(self) -> GroupedSharing:
        """All of it."""
        fills: Fills = self.before.fills.copy()
        at = np.ix_(self.of, self.of)
        source, end = self._whole_ends()
        for what, folded, whole in ((SOURCE, self.folded_source, source), (DESTINATION, self.folded_end, end)):
            decided = self.pair_moved | folded
            fills = np.where(decided[at], fills & ~np.uint8(what) | np.uint8(what) * (whole & ~folded)[at], fills)
        fills = np.where(self.lifted[at], fills | np.uint8(LINK), fills).astype(np.uint8)
        np.fill_diagonal(fills, 0)
        return GroupedSharing(self.of, self.cells, fills)

    # ---------------------------------------------------------------- where no answer holds for all

    def unlike(self) -> Bools:
        """(groups) those of several hosts for which no single answer holds, and that can be taken apart: of each of
        their hosts it is known."""
        found = np.zeros(len(self.sizes), dtype=bool)
        for what in (LINK, SOURCE, DESTINATION):
            some_fill, all_fill = self._filled(what)
            pairs = np.argwhere((some_fill != all_fill) & ~self.pair_moved)
            found[pairs] = True
        for groups in self._contradictions():
            found[groups] = True
        return found & (self.sizes > 1) & self.some.each_looked_at(self.of)

    def _contradictions(self) -> Iterator[Ints]:
        for _, votes in self._apart():
            yield np.argwhere(votes.mixed)
        source, end = self._whole_ends()
        some_source, some_end = self._filled(SOURCE)[0], self._filled(DESTINATION)[0]
        each = np.arange(len(self.sizes))
        by_source = np.where(self.pair_moved, source, some_source)
        said = by_source[:, :, None] | self.cells[each, :, each, :]
        wrong = self.sources.mixed | (self.sources.asked & (self.sources.most != said))
        yield np.argwhere(wrong & ~self.folded_source[:, :, None])[:, :2]
        by_end = np.where(self.pair_moved, end, some_end)
        said = by_end[:, :, None] | np.moveaxis(self.cells[:, each, :, each], 0, 1)
        wrong = self.destinations.mixed | (self.destinations.asked & (self.destinations.most != said))
        yield np.argwhere(wrong & ~self.folded_end[:, :, None])[:, :2]
