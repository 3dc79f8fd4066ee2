"""Which hosts lie behind one switch: those whose paths always wait for the same queues.

Nothing is asked of the network but what injections show. While some links are full, two hosts behind one switch see
the same queues on their ways to and from all others, two hosts behind different ones do not. So some windows in which
about half of the links are full tell all groups apart, as group testing does. On a network whose only bottlenecks are
the hosts' own links all hosts are one group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fairlead.characterize.quiet_network import Quiet, least_s, level_s, limit_s
from fairlead.characterize.samples import Bools, Floats, Ints, Samples, Window
from fairlead.characterize.tournament import Pair

SATURATED_SHARE = 0.8
"""So much of what leaves (or enters) a host waits: its own link may be the bottleneck, which tells no groups apart."""

CLEAR_CELLS = 3
"""Paths that differ; fewer must differ in two windows."""

DIFFERENT_SHARE = 0.4
"""Of what waits at either of two hosts, the share that does not wait at the other: more tells them apart. Where
processors are busy, queues come and go, and what is behind one switch seems to differ now and then."""

KINDS = 3
"""Of evidence: see `_differences`."""

Counts = npt.NDArray[np.float32]


@dataclass(frozen=True)
class HostGroups:
    """A partition of the hosts.

    Attributes:
        of: (hosts) the number of each host's group.
    """

    of: Ints

    def __len__(self) -> int:
        return int(self.of.max()) + 1

    @cached_property
    def sizes(self) -> Ints:
        """(groups) how many hosts each has."""
        return np.bincount(self.of).astype(np.int64)

    @cached_property
    def members(self) -> list[list[int]]:
        """The hosts of each group."""
        return [[int(host) for host in np.flatnonzero(self.of == group)] for group in range(len(self))]

    def spread(self, cells: Bools) -> Bools:
        """(hosts, hosts) what is said of pairs of groups, said of the hosts in them; nothing of a group's own pairs."""
        spread: Bools = cells[self.of][:, self.of]
        spread &= self._between
        return spread

    def tests_own_link(self, test: tuple[Pair, ...]) -> bool:
        """Whether two pairs end at one host of a group with others: that host's own link is tested, none of groups."""
        ends = {destination for _, destination in test}
        return len(test) == 2 and len(ends) == 1 and bool(self.sizes[self.of[list(ends)]] > 1)

    @cached_property
    def _between(self) -> Bools:
        """(hosts, hosts) whether the two are in different groups."""
        return np.asarray(self.of[:, None] != self.of[None, :])


def apart(hosts: int) -> HostGroups:
    """Each host for itself."""
    return HostGroups(np.arange(hosts, dtype=np.int64))


def own_s(window: Window, levels: Floats, network: Quiet) -> Floats:
    """(pairs) the queueing delay that each injected pair's own probes saw; NaN where no queue was built."""
    least = least_s(network)
    found = []
    for pair in window.pairs:
        own = levels[(window.paths[:, 0] == pair[0]) & (window.paths[:, 1] == pair[1])]
        found.append(own[0] if own.size and own[0] > least[pair] else np.nan)
    return np.array(found, dtype=np.float64)


def steady(window: Window, network: Quiet) -> Bools:
    """(pairs) whether each injected pair's own probes met a queue all the time."""
    found: Bools = np.isfinite(own_s(window, level_s(network.excess_s(window), 0.25), network))
    return found


def partition(samples: Samples, network: Quiet) -> HostGroups:
    """The groups that all windows with injected traffic tell apart.

    Each kind of evidence is judged by itself: the paths to a machine that is alone on its server and those to a pair on
    another one wait together whenever a third server sends, which must not hide that the paths from them do not.
    """
    count = samples.count
    differ, either = np.zeros((2, KINDS, count, count), dtype=np.float32)
    windows = np.zeros((KINDS, count, count), dtype=np.int64)
    for window in samples.windows:
        for kind, (differing, waiting) in enumerate(_differences(window, network, count)):
            differ[kind] += differing
            either[kind] += waiting
            windows[kind] += differing > 0
    told = differ > DIFFERENT_SHARE * either
    return _groups((windows.sum(axis=0, where=told) > 1) | (differ.sum(axis=0, where=told) >= CLEAR_CELLS))


def _differences(window: Window, network: Quiet, count: int) -> Iterator[tuple[Counts, Counts]]:
    """(hosts, hosts) for each kind of evidence, how many paths tell two hosts apart, and of how many: of paths from
    them, of paths to them, and of those that an injection from one to the other would hurt."""
    if not window.tests:
        return
    waits, free = _decided(window, network, count)
    if not waits.any():
        return
    senders, receivers = (np.array(ends) for ends in zip(*window.pairs, strict=True))
    for wait, rest, own, other in ((waits, free, senders, receivers), (waits.T, free.T, receivers, senders)):
        wait, rest = wait.copy(), rest.copy()
        full, full_there = _saturated(wait, rest, own), _saturated(wait.T, rest.T, other)
        wait[full] = rest[full] = False
        wait[:, full_there] = rest[:, full_there] = False  # all hosts wait for that, whatever they are behind
        asked = (wait | rest).any(axis=0)
        a, b = wait[:, asked].astype(np.float32), rest[:, asked].astype(np.float32)
        one_waits = a @ b.T
        differ = one_waits + one_waits.T
        yield differ, a @ a.T + differ
    yield _between_switches(window, waits, free)


def _between_switches(window: Window, waits: Bools, free: Bools) -> tuple[Counts, Counts]:
    """(hosts, hosts) paths that do not wait although they have a host in common with an injection between the two, and
    all such: behind one switch either all from the sender or all to the receiver would wait."""
    differ, either = np.zeros((2, *waits.shape), dtype=np.float32)
    for source, destination in window.pairs:
        own = int(waits[source, destination])  # it waits for itself
        rests, others = min(
            (int(rest.sum()), int(rest.sum() + wait.sum()) - own)
            for wait, rest in ((waits[source], free[source]), (waits[:, destination], free[:, destination]))
        )
        for pair in ((source, destination), (destination, source)):
            differ[pair], either[pair] = rests, others
    return differ, either


def _saturated(wait: Bools, rest: Bools, hosts: Ints) -> Ints:
    """Those of some hosts whose own link may be full: so many of the paths from them wait."""
    waiting = wait[hosts].sum(axis=1)
    known = waiting + rest[hosts].sum(axis=1)
    saturated: Ints = hosts[waiting >= SATURATED_SHARE * np.maximum(known, 1)]
    return saturated


def _decided(window: Window, network: Quiet, count: int) -> tuple[Bools, Bools]:
    """(hosts, hosts) paths that clearly wait for a queue, and those that clearly do not."""
    waits, free = np.zeros((count, count), dtype=bool), np.zeros((count, count), dtype=bool)
    excess = network.excess_s(window)
    if steady(window, network).all():  # a queue that comes and goes tells alike hosts apart
        own = own_s(window, level_s(excess), network)
        source, destination = window.paths.T
        limit = limit_s(network, float(np.nanmin(own)))[source, destination]
        waits[source, destination] = level_s(excess, 0.25) > limit
        free[source, destination] = level_s(excess, 0.75) <= limit
    return waits, free


def _groups(different: Bools) -> HostGroups:
    """Each host goes to the group that it differs least from, of those that it differs from in less than half."""
    members: list[list[int]] = []
    for host in range(len(different)):
        shares = [float(different[host, group].mean()) for group in members]
        best = min(range(len(members)), key=shares.__getitem__, default=None)
        if best is None or shares[best] >= 0.5:
            members.append([host])
        else:
            members[best].append(host)
    of = np.empty(len(different), dtype=np.int64)
    for number, group in enumerate(members):
        of[group] = number
    return HostGroups(of)
