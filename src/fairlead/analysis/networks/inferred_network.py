"""The network that a characterization lets one infer: groups of hosts, links that their paths share, where links meet.

Measured are what single paths carried and how long messages took. Inferred is the rest: which hosts lie behind one
switch, that there is a link, and where links meet. A switch is what several links lead to; two that no path tells apart
are one here.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from fairlead.analysis.networks import shared_links
from fairlead.analysis.networks.shared_links import SharedLink
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.samples import Floats
from fairlead.characterize.tournament import Pair

MIRROR_SHARE = 0.5
"""Two links are the directions of one if so many of the paths over either have their way back over the other."""


@dataclass(frozen=True, order=True)
class Node:
    """An end of a link: a group of hosts, or a place where links meet, by its number."""

    kind: Literal["group", "meeting"]
    number: int


@dataclass(frozen=True)
class Group:
    """Hosts that the measurement cannot tell apart but by their own links.

    Attributes:
        hosts: their indices, ascending.
        latency_s: (sizes) median between two of them; NaN where none was measured.
    """

    hosts: tuple[int, ...]
    latency_s: Floats


@dataclass(frozen=True)
class Link:
    """An inferred link in one direction.

    Attributes:
        tail, head: where it leads from and to.
        shared: the pairs of groups whose paths cross it.
        rate_bps: what a path that fills it carries (measured; median); NaN: not known.
        lowest_bps, highest_bps: least and most of them.
        latency_s: (sizes) median time between hosts whose path crosses it, from end to end.
        measured: how many ordered host pairs these medians are of.
    """

    tail: Node
    head: Node
    shared: SharedLink
    rate_bps: float
    lowest_bps: float
    highest_bps: float
    latency_s: Floats
    measured: int


@dataclass(frozen=True)
class InferredNetwork:
    """Groups of hosts and the links between them.

    Attributes:
        groups: by their numbers.
        links: in both directions, each by itself.
        meetings: places where links meet.
        joined: groups and meetings that paths connect without a link of its own being seen.
        out_bps, in_bps: (hosts) what each host's own link carries where that was the bottleneck; else NaN.
        sizes_B: message sizes of the latencies.
    """

    groups: tuple[Group, ...]
    links: tuple[Link, ...]
    meetings: int
    joined: tuple[tuple[Node, Node], ...]
    out_bps: Floats
    in_bps: Floats
    sizes_B: tuple[int, ...]


def infer(found: Characterization) -> InferredNetwork:
    """The network behind a characterization, complete or not."""
    used, of = np.unique(found.sensitivity.groups.of, return_inverse=True)
    groups = HostGroups(of.astype(np.int64))
    four = np.ix_(used, used, used, used)
    relation = found.sensitivity.relation
    shared = shared_links.find(relation.hurts[four], relation.effective[np.ix_(used, used)])
    ends, meetings, joined = _ends(shared, len(groups))
    out_bps, in_bps = _own_links(found)
    paths = _Paths(found, groups)
    return InferredNetwork(
        tuple(Group(tuple(hosts), paths.latency_s([(k, k)])[0]) for k, hosts in enumerate(groups.members)),
        tuple(paths.link(each, *end) for each, end in zip(shared, ends, strict=True)),
        meetings,
        joined,
        out_bps,
        in_bps,
        found.latency.sizes_B,
    )


def between_groups(values: Floats, groups: HostGroups) -> Iterator[tuple[Pair, Floats]]:
    """For each ordered pair of groups, also a group with itself, what is known of its host pairs."""
    of = groups.of
    source, destination = np.nonzero(np.isfinite(values))
    if not source.size:
        return
    cells = of[source] * len(groups) + of[destination]
    order = np.argsort(cells, kind="stable")
    known = values[source[order], destination[order]]
    numbers, first = np.unique(cells[order], return_index=True)
    for number, part in zip(numbers, np.split(known, first[1:]), strict=True):
        yield (int(number) // len(groups), int(number) % len(groups)), part


class _Paths:
    """What was measured between groups: latencies of host pairs by size, and rates of those that fill links."""

    def __init__(self, found: Characterization, groups: HostGroups) -> None:
        latency = found.latency
        measured = np.where(latency.count > 0, latency.median_s, np.nan)
        self._latency_s = [dict(between_groups(times, groups)) for times in measured]
        over = np.where(found.sensitivity.over_link, found.rates_bps, np.nan)
        self._rates_bps = {cell: float(np.median(rates)) for cell, rates in between_groups(over, groups)}

    def latency_s(self, cells: list[Pair]) -> tuple[Floats, int]:
        """(sizes) medians of the host pairs measured between these groups, and how many host pairs those are."""
        medians, most = np.full(len(self._latency_s), np.nan), 0
        for k, by_cell in enumerate(self._latency_s):
            known = [by_cell[cell] for cell in cells if cell in by_cell]
            if known:
                together = np.concatenate(known)
                medians[k], most = np.median(together), max(most, together.size)
        return medians, most

    def link(self, shared: SharedLink, tail: Node, head: Node) -> Link:
        latency_s, measured = self.latency_s(sorted(shared.crossed_by))
        rates = np.array([self._rates_bps[pair] for pair in shared.filled_by if pair in self._rates_bps])
        low, middle, high = np.percentile(rates, (0, 50, 100)).tolist() if rates.size else [np.nan] * 3
        return Link(tail, head, shared, middle, low, high, latency_s, measured)


def _own_links(found: Characterization) -> tuple[Floats, Floats]:
    """(hosts) what leaves and what reaches each host where an injection filled its own link."""
    relation = found.sensitivity
    rates = np.where(relation.effective & np.isfinite(found.rates_bps), found.rates_bps, -np.inf)
    most = [
        np.where(fills, rates, -np.inf).max(axis=axis)
        for fills, axis in ((relation.by_source, 1), (relation.by_destination, 0))
    ]
    out_bps, in_bps = (np.where(np.isfinite(each), each, np.nan) for each in most)
    return out_bps, in_bps


def _ends(shared: list[SharedLink], groups: int) -> tuple[list[tuple[Node, Node]], int, tuple[tuple[Node, Node], ...]]:
    """Of each link its tail and head; the number of meetings; and what is joined without a link.

    Where a path crosses one link after another, the first ends where the second begins; both directions of a link have
    the same ends.
    """
    place = _Places(len(shared))
    ways: dict[Pair, list[int]] = defaultdict(list)
    for number, each in enumerate(shared):
        for pair in each.crossed_by:
            ways[pair].append(number)
    for way in ways.values():
        way.sort(key=lambda number: (len(shared[number].sources), -len(shared[number].destinations)))
        for first, second in pairwise(way):
            place.join((first, 1), (second, 0))
    for first, second in _mirrored(shared, ways):
        place.join((first, 1), (second, 0))
        place.join((first, 0), (second, 1))
    numbers: dict[tuple[int, int], int] = {}

    def node(number: int, end: int) -> Node:
        own = (shared[number].sources, shared[number].destinations)[end]
        if len(own) == 1:
            return Node("group", next(iter(own)))
        return Node("meeting", numbers.setdefault(place.of((number, end)), len(numbers)))

    ends = [(node(number, 0), node(number, 1)) for number in range(len(shared))]
    joined = _joined(ends, ways)
    without = {Node("group", k) for k in range(groups)} - {end for each in (*ends, *joined) for end in each}
    if groups > 1:
        joined |= {(each, Node("meeting", len(numbers))) for each in without}
    meetings = {end.number for each in (*ends, *joined) for end in each if end.kind == "meeting"}
    return ends, len(meetings), tuple(sorted(joined))


def _joined(ends: list[tuple[Node, Node]], ways: dict[Pair, list[int]]) -> set[tuple[Node, Node]]:
    """Groups whose paths begin or end at a meeting that no link of their own leads to."""
    linked = {frozenset(each) for each in ends}
    joined = set()
    for (source, destination), way in ways.items():
        for group, meeting in ((source, ends[way[0]][0]), (destination, ends[way[-1]][1])):
            own = Node("group", group)
            if meeting.kind == "meeting" and frozenset((own, meeting)) not in linked:
                joined.add((own, meeting))
    return joined


def _mirrored(shared: list[SharedLink], ways: dict[Pair, list[int]]) -> Iterator[Pair]:
    """Links that are the two directions of one."""
    for first, each in enumerate(shared):
        back = {(destination, source) for source, destination in each.crossed_by}
        for second in {number for pair in back for number in ways.get(pair, ())}:
            other = shared[second].crossed_by
            if first < second and len(back & other) > MIRROR_SHARE * len(back | other):
                yield first, second


class _Places:
    """Ends of links that are known to be the same place."""

    def __init__(self, links: int) -> None:
        self._parent = {(link, end): (link, end) for link in range(links) for end in (0, 1)}

    def of(self, end: tuple[int, int]) -> tuple[int, int]:
        while self._parent[end] != end:
            end = self._parent[end]
        return end

    def join(self, first: tuple[int, int], second: tuple[int, int]) -> None:
        first, second = sorted((self.of(first), self.of(second)))
        self._parent[second] = first
