"""What windows say of groups of hosts: each test as if it had been alone, between groups instead of hosts.

All paths between two groups are one: their probes are put together, which makes them robust, too. Left out are paths
from hosts that send and to hosts that receive, as far as their groups have others: those have the host's own queue.
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
import numpy.typing as npt

from fairlead.characterize.grouping import HostGroups, own_s
from fairlead.characterize.quiet_network import Quiet, level_s, limit_s
from fairlead.characterize.samples import Bools, Floats, Injection, Injections, Ints, Window
from fairlead.characterize.tournament import Pair

VALUES = 5
"""Of more probes between two groups, so many quantiles are kept."""


class GroupSamples:
    """Tests between groups, of the windows that were given.

    Args:
        network: of the hosts.

    Attributes:
        groups: of the hosts.
        tests: with queueing delays, so that the base of each path is zero.
        network: of the groups.
    """

    def __init__(self, groups: HostGroups, network: Quiet) -> None:
        count = len(groups)
        self.groups = groups
        self.tests = Injections(count)
        self.network = Quiet(np.zeros((count, count)), _mean(network.latency_s, groups), network.noise_s)
        self._of_hosts = network
        self._votes = np.zeros((count, count), dtype=np.int64)

    @classmethod
    def of(cls, windows: Iterable[Window], groups: HostGroups, network: Quiet) -> Self:
        """Of these windows."""
        found = cls(groups, network)
        for window in windows:
            found.take(window)
        return found

    def take(self, window: Window) -> None:
        """Add what a window shows."""
        if window.tests:
            view = _View(window, self.groups, self._of_hosts, self.network)
            for injection in view.injections():
                self.tests.add(injection)
            for pair, vote in view.votes():
                self._votes[pair] += vote

    @property
    def between(self) -> Bools:
        """(groups, groups) whether a link between the groups limits the pairs; else their hosts' own links do."""
        between: Bools = self._votes >= 0
        return between

    @property
    def own_links(self) -> Bools:
        """(groups, groups) whether the hosts' own links are what limits the pairs, as tests showed."""
        own: Bools = self._votes < 0
        return own


class _View:
    """One window, by groups."""

    def __init__(self, window: Window, groups: HostGroups, network: Quiet, small: Quiet) -> None:
        self._window, self._groups, self._small = window, groups, small
        excess = network.excess_s(window)
        self._own = own_s(window, level_s(excess), network)
        self._own_excess = {
            pair: excess[(window.paths[:, 0] == pair[0]) & (window.paths[:, 1] == pair[1])] for pair in window.pairs
        }
        source, destination = window.paths.T
        of = groups.of
        used = ~_busy(window, groups, 0)[source] & ~_busy(window, groups, 1)[destination]
        used &= of[source] != of[destination]
        cells = of[source[used]] * len(groups) + of[destination[used]]
        self._pooled = _pooled(cells, excess[used], len(groups))
        limit = limit_s(small, float(np.nanmin(self._own))) if np.isfinite(self._own).any() else np.inf
        self._level = level_s(self._pooled)
        self._waits: Bools = self._level > limit

    def injections(self) -> list[Injection]:
        """The tests of which both ends are groups, and no other's the same."""
        found, first = [], 0
        tests = [[self._pair(pair) for pair in test] for test in self._window.tests]
        causes = self._causes(tests) if len(tests) > 1 else None
        for number, (test, pairs) in enumerate(zip(self._window.tests, tests, strict=True)):
            rates = self._window.rates_bps[first : first + len(test)]
            first += len(test)
            if any(a == b for a, b in pairs) or self._groups.tests_own_link(test) or not _disjoint(tests, number):
                continue
            delays = self._pooled.copy()
            if causes is not None:
                delays[self._waits & ~causes[number]] = 0.0
                delays[self._waits & causes[number] & (causes.sum(axis=0) > 1)] = np.nan
            for pair, hosts in zip(pairs, test, strict=True):
                delays[pair] = _fitted(self._own_excess[hosts])
            found.append(Injection(tuple(pairs), rates, delays))
        return found

    def votes(self) -> list[tuple[Pair, int]]:
        """For each single test of larger groups: 1 if others between them wait, too, -1 if not."""
        found = []
        for test in self._window.tests:
            pair = self._pair(test[0])
            if len(test) > 1 or pair[0] == pair[1] or max(self._groups.sizes[list(pair)]) == 1:
                continue
            own = float(self._own[self._window.pairs.index(test[0])])
            if not np.isfinite(own):
                found.append((pair, -1))
            elif np.isfinite(self._level[pair]):
                found.append((pair, 1 if self._level[pair] > limit_s(self._small, own)[pair] else -1))
        return found

    def _pair(self, hosts: Pair) -> Pair:
        return int(self._groups.of[hosts[0]]), int(self._groups.of[hosts[1]])

    def _causes(self, tests: list[list[Pair]]) -> Bools:
        """(tests, groups, groups) which tests a path may wait for: those that start or end where it does.

        Of two, one is left if its queue shows on paths that the other has no part in.
        """
        count = len(self._groups)
        rows, columns = np.zeros((2, len(tests), count), dtype=bool)
        for number, test in enumerate(tests):
            for source, destination in test:
                rows[number, source] = columns[number, destination] = True
        free = self._waits & ~np.eye(count, dtype=bool)
        at_source = np.array([(free[row] & ~columns.any(axis=0)).any() for row in rows])
        at_end = np.array([(free.T[column] & ~rows.any(axis=0)).any() for column in columns])
        by_row, by_column = rows[:, :, None], columns[:, None, :]
        own = by_row & by_column
        causes: Bools = by_row | by_column
        both = causes.sum(axis=0) > 1
        shown = by_row & at_source[:, None, None] | by_column & at_end[:, None, None]
        causes = np.where(both & shown.any(axis=0), causes & shown, causes)
        # A pair's own path waits for its own injection at any rate.
        causes = np.where(own.any(axis=0), own, causes)
        # A queue that starts and ends elsewhere may be anybody's.
        return causes | (self._waits & ~causes.any(axis=0))


def _busy(window: Window, groups: HostGroups, end: int) -> Bools:
    """(hosts) those that send (end 0) or receive (1) and whose group has others that do not."""
    busy = np.zeros(len(groups.of), dtype=bool)
    busy[[pair[end] for pair in window.pairs]] = True
    left = groups.sizes - np.bincount(groups.of[busy], minlength=len(groups))
    return busy & (left[groups.of] > 0)


def _disjoint(tests: list[list[Pair]], number: int) -> bool:
    """Whether no other test starts or ends in the groups in which this one does."""
    others = [pair for k, test in enumerate(tests) if k != number for pair in test]
    mine = tests[number]
    return not ({a for a, _ in mine} & {a for a, _ in others} or {b for _, b in mine} & {b for _, b in others})


def _pooled(cells: Ints, values: Floats, count: int) -> npt.NDArray[np.float32]:
    """(groups, groups, VALUES) all delays of each pair of groups, NaN where there are fewer; of many, quantiles."""
    every, delays = np.repeat(cells, values.shape[1]), values.ravel()
    known = np.isfinite(delays)
    every, delays = every[known], delays[known]
    order = np.lexsort((delays, every))
    delays = delays[order]
    found, first, number = np.unique(every[order], return_index=True, return_counts=True)
    pooled = np.full((count * count, VALUES), np.nan, dtype=np.float32)  # of many groups there are many
    for k in range(VALUES):
        at = np.where(number <= VALUES, k, np.rint((number - 1) * (k + 0.5) / VALUES)).astype(np.int64)
        there = at < number
        pooled[found[there], k] = delays[(first + at)[there]]
    return pooled.reshape(count, count, VALUES)


def _fitted(excess: Floats) -> npt.NDArray[np.float32]:
    return _pooled(np.zeros(len(excess), dtype=np.int64), excess, 1)[0, 0]


def _mean(values: Floats, groups: HostGroups) -> Floats:
    """(groups, groups) mean over the hosts' pairs; zero for a host's own."""
    of, count = groups.of, len(groups)
    cells = (of[:, None] * count + of[None, :]).ravel()
    known = np.isfinite(values.ravel())
    total = np.bincount(cells[known], values.ravel()[known], minlength=count * count)
    number = np.bincount(cells[known], minlength=count * count)
    mean: Floats = (total / np.maximum(number, 1)).reshape(count, count)
    return mean
