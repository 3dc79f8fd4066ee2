"""What to inject and to probe next, by what was seen so far. It measures nothing and knows no clock.

Few windows tell much where pairs that cannot meet are tested at the same time, and where one pair stands for all pairs
of two groups of hosts. In order: each host sends and receives once, some at a time, which shows who lies behind one
switch; one pair for each two groups; each host's own link, out and in; links at which paths meet behind their first
bottlenecks. What is not clear is repeated, by itself. Where a later window tells hosts of one group apart, the groups
are made anew, and only what is new of them is measured.

Where time is short, `first_rounds` and those after it have the same in the order of what it is worth. What ``samples``
holds from before, of a measurement that is continued, is not measured again.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairlead.characterize import grouping, host_links, sensitivity
from fairlead.characterize.downstream_bottlenecks import SATURATING_SHARE, Search
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.host_links import HostLinks, Seen
from fairlead.characterize.quiet_network import Quiet, quiet
from fairlead.characterize.samples import Samples
from fairlead.characterize.shared_bottlenecks import between_groups
from fairlead.characterize.tournament import Pair, disjoint, each_once, tournament_rounds

QUIET = "probing the quiet network"
EVERYWHERE = "injecting traffic, some pairs at a time"
BETWEEN = "injecting traffic between groups of hosts"
REPEATS = "repeating unclear injections"
WITHIN = "injecting traffic within groups of hosts"
INTO = "two hosts send to a third"
MEETING = "testing which paths meet (at most)"

ALL_PATHS = 24
"""Of so many hosts every path is probed in every window; of more a selection."""

MOST_AT_A_TIME = 32
HOSTS_A_PAIR = 8
"""One pair of so many hosts is injected at a time at first, and no more than so many: about half of the links between
groups are full then, or fewer. Where all are full, all hosts seem alike."""

LEAST_ROUNDS, ROUNDS_FACTOR = 8, 3
"""At most so many rounds, and so many times those that all hosts would take at best."""

GROUPS_A_PAIR = 4
PASSES = 3
"""What was seen between groups, or of their hosts' own links, may tell them apart further; so often they are made
anew."""

ATTEMPTS_OUT = 3
PATHS_A_CELL = 2
"""Probed host pairs for each two groups, where not every path is probed."""

HOST_PATHS = 6
LANDMARKS = 16


@dataclass(frozen=True)
class MeasurementRound:
    """A window to be measured.

    Attributes:
        tests: see `Window`.
        probed: unordered pairs of hosts whose paths are probed in both directions; None: all.
        what, done, total: for progress.
    """

    tests: tuple[tuple[Pair, ...], ...]
    probed: frozenset[Pair] | None
    what: str
    done: int
    total: int


class MeasurementPlan:
    """The rounds of a measurement; between two of them the window of the first has been added to ``samples``."""

    def __init__(self, samples: Samples, *, idle_windows: int, repeats: int, seed: int) -> None:
        self._samples = samples
        self._idle_windows = idle_windows
        self._repeats = repeats
        self._random = random.Random(seed)
        self._groups = HostGroups(np.full(samples.count, -1))  # of no host yet
        self._network: Quiet
        self._tests: GroupSamples
        self._seen: list[Seen]  # of the first windows, as many as were taken in, as in `_tests`
        self._taken: int
        self._one_way = False
        self._continued = False  # whether ``samples`` held injections before

    @property
    def _count(self) -> int:
        return self._samples.count

    def rounds(self) -> Iterator[MeasurementRound]:
        """All rounds; when they have ended, ``samples.group_of`` is set."""
        yield from self.quiet_rounds()
        yield from self.rounds_after_quiet()

    def quiet_rounds(self) -> Iterator[MeasurementRound]:
        """The first ones, without injected traffic."""
        for number in range(self._idle_windows):
            yield MeasurementRound((), self._idle_paths(number), QUIET, number, self._idle_windows)

    def rounds_after_quiet(self) -> Iterator[MeasurementRound]:
        """All others."""
        yield from self._everywhere()
        yield from self._passes()
        yield from self.meeting_rounds()

    def first_rounds(self) -> Iterator[MeasurementRound]:
        """Who lies behind one switch, and one direction of each two groups. Sets ``samples.group_of``, as do the
        other methods after it that are in the order of worth."""
        yield from self._everywhere()
        self._one_way = True
        yield from self._between_new_groups()
        self.settle()

    def refining_rounds(self) -> Iterator[MeasurementRound]:
        """What was unclear, and the hosts' own links."""
        yield from self._repeat_unclear()
        yield from self._own_links()
        yield from self._passes()
        self.settle()

    def reverse_rounds(self) -> Iterator[MeasurementRound]:
        """The other direction of each two groups."""
        self._one_way = False
        yield from self._each_pair_of_groups()
        yield from self._repeat_unclear()
        yield from self._passes()
        self.settle()

    def meeting_rounds(self) -> Iterator[MeasurementRound]:
        """Links behind the first bottlenecks."""
        self.settle()
        yield from self._meetings()

    def settle(self) -> None:
        """Put the groups as they are known by now into ``samples``, if they are."""
        if self._groups.of[0] >= 0:
            self._samples.group_of = self._groups.of

    def _passes(self) -> Iterator[MeasurementRound]:
        """As often as the groups are made anew."""
        for _ in range(PASSES):
            before = self._groups
            yield from self._between()
            if self._groups is before:
                break
            yield from self._own_links()

    def _own_links(self) -> Iterator[MeasurementRound]:
        yield from self._within()
        yield from self._into()
        yield from self._from_faster()

    # ---------------------------------------------------------------- what is probed

    def _idle_paths(self, number: int) -> frozenset[Pair] | None:
        if self._count <= ALL_PATHS:
            return None
        every = [(i, j) for i in range(self._count) for j in range(i + 1, self._count)]
        share = max(self._idle_windows // 2, 1)  # each path in two of the windows
        if self._count <= 128:
            return frozenset(every[number % share :: share])
        return frozenset(self._random.sample(every, self._count * LANDMARKS // 2))

    def _landmark_paths(self, tests: tuple[tuple[Pair, ...], ...]) -> frozenset[Pair] | None:
        """From and to the hosts that are injected, and some others."""
        if self._count <= ALL_PATHS:
            return None
        ends = {host for test in tests for pair in test for host in pair}
        marks = ends | set(self._random.sample(range(self._count), min(LANDMARKS, self._count)))
        return frozenset(_unordered(host, mark) for host in range(self._count) for mark in marks if host != mark)

    def _group_paths(self, tests: tuple[tuple[Pair, ...], ...]) -> frozenset[Pair] | None:
        """Some of each two groups, hosts that are injected left out as far as there are others; and the tests' own."""
        if self._count <= ALL_PATHS:
            return None
        pairs = [pair for test in tests for pair in test]
        senders, receivers = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        idle = [[host for host in group if host not in senders | receivers] or group for group in self._groups.members]
        probed = {_unordered(*pair) for pair in pairs}
        for a, b in combinations(range(len(idle)), 2):
            probed |= {
                _unordered(self._random.choice(idle[a]), self._random.choice(idle[b])) for _ in range(PATHS_A_CELL)
            }
        for source, destination in pairs:
            probed |= self._host_paths(source) | self._host_paths(destination)
        return frozenset(probed)

    def _host_paths(self, host: int) -> set[Pair]:
        others = self._random.sample(
            [each for each in range(self._count) if each != host], min(HOST_PATHS, self._count - 1)
        )
        return {_unordered(host, each) for each in others}

    def _own_paths(self, tests: tuple[tuple[Pair, ...], ...]) -> frozenset[Pair] | None:
        """The tests' own, and some of their hosts."""
        if self._count <= ALL_PATHS:
            return None
        pairs = [pair for test in tests for pair in test]
        probed = {_unordered(*pair) for pair in pairs}
        return frozenset(probed.union(*(self._host_paths(host) for pair in pairs for host in pair)))

    # ---------------------------------------------------------------- who lies behind one switch

    def _everywhere(self) -> Iterator[MeasurementRound]:
        """Each host sends once, and receives once; on busy processors some do not, for groups show early."""
        left = each_once(self._count, self._random)
        most, total, attempts = 1, len(left), self._attempts_out(left)
        left = [pair for pair in left if attempts[pair] < ATTEMPTS_OUT]
        best = _most_at_first(self._count)
        for _ in range(LEAST_ROUNDS + ROUNDS_FACTOR * self._count // best):
            if not left:
                return
            taken = disjoint(left, most, lambda pair: set(pair))
            tests = tuple((pair,) for pair in taken)
            yield MeasurementRound(tests, self._landmark_paths(tests), EVERYWHERE, total - len(left), total)
            steady = grouping.steady(self._samples.windows[-1], quiet(self._samples))
            if steady.all():
                left = [pair for pair in left if pair not in taken]
                most = min(2 * most, best)
                continue
            # Hosts that share processors carry less than their links: fewer at a time, once more.
            most = max(most // 2, 1)
            for pair in taken:
                attempts[pair] += 1
            done = {pair for pair in taken if attempts[pair] >= ATTEMPTS_OUT}
            left = [pair for pair in left if pair not in taken] + [pair for pair in taken if pair not in done]

    def _attempts_out(self, pairs: list[Pair]) -> dict[Pair, int]:
        """How often each pair was injected before this plan began; one that built a steady queue needs no more."""
        attempts = dict.fromkeys(pairs, 0)
        injecting = [window for window in self._samples.windows if window.tests]
        self._continued = bool(injecting)
        network = quiet(self._samples) if injecting else None
        for window in injecting:
            assert network is not None
            more = ATTEMPTS_OUT if grouping.steady(window, network).all() else 1
            for pair in attempts.keys() & {test[0] for test in window.tests if len(test) == 1}:
                attempts[pair] += more
        return attempts

    # ---------------------------------------------------------------- between groups

    def _between(self) -> Iterator[MeasurementRound]:
        before = self._groups
        yield from self._between_new_groups()
        if self._groups is not before:  # between wrong groups nearly everything is unclear
            yield from self._repeat_unclear()

    def _between_new_groups(self) -> Iterator[MeasurementRound]:
        for _ in range(PASSES):
            network = quiet(self._samples)
            groups = grouping.partition(self._samples, network)
            if np.array_equal(groups.of, self._groups.of):
                break
            self._groups, self._network = groups, network
            self._tests, self._seen, self._taken = GroupSamples(groups, network), [], 0
            yield from self._each_pair_of_groups()

    def _grouped(self) -> GroupSamples:
        """All tests between groups so far."""
        for window in self._samples.windows[self._taken :]:
            self._tests.take(window)
            self._seen += host_links.seen(window, self._network)
        self._taken = len(self._samples.windows)
        return self._tests

    def _links(self) -> HostLinks:
        found = self._grouped()
        return HostLinks.of(self._seen, found)

    def _each_pair_of_groups(self) -> Iterator[MeasurementRound]:
        done = self._grouped().tests.injected()
        count = len(self._groups)
        every = [(a, b) for a in range(count) for b in range(count) if a != b]
        left = [pair for pair in every if (pair,) not in done]
        if self._one_way:
            left = [(a, b) for a, b in left if a < b and ((b, a),) not in done]
        self._random.shuffle(left)
        most = max(count // GROUPS_A_PAIR, 1) if count >= 2 * GROUPS_A_PAIR else 1
        while left:
            taken = disjoint(left, most, lambda pair: set(pair))
            tests = tuple(self._hosts_of(pair) for pair in taken)
            yield MeasurementRound(tests, self._group_paths(tests), BETWEEN, len(every) - len(left), len(every))
            left = [pair for pair in left if pair not in taken]

    def _hosts_of(self, *pairs: Pair) -> tuple[Pair, ...]:
        """Pairs of hosts that stand for pairs of groups: as far as the groups have so many, each host once."""
        used: set[int] = set()

        def some(group: int) -> int:
            members = self._groups.members[group]
            host = self._random.choice([each for each in members if each not in used] or members)
            used.add(host)
            return host

        return tuple((some(source), some(destination)) for source, destination in pairs)

    def _repeat_unclear(self) -> Iterator[MeasurementRound]:
        for _ in range(self._repeats):
            found = self._grouped()
            unclear = self._unclear(found)
            for number, (pair, cells) in enumerate(unclear.items()):
                (hosts,) = self._hosts_of(pair)
                # The injected pair's own probes are the yardstick, in every attempt.
                probed = {_unordered(*hosts)}
                for cell in cells:
                    probed |= self._paths_of(cell, hosts)
                probed |= self._paths_of(pair, hosts)
                yield MeasurementRound(((hosts,),), frozenset(probed), REPEATS, number, len(unclear))

    def _unclear(self, found: GroupSamples) -> dict[Pair, list[Pair]]:
        """By injected pair of groups, the pairs of groups of which it is not clear whether it hurts them."""
        relation = between_groups(found)
        unclear: dict[Pair, list[Pair]] = {}
        for pairs in found.tests.injected():
            if len(pairs) == 1 and (cells := sensitivity.undecided(found.tests, pairs[0], found.network)):
                unclear[pairs[0]] = cells
        for first, second in sensitivity.one_sided(relation, found.tests.rates_bps()):
            for pair, other in ((first, second), (second, first)):
                if len(found.tests.of(pair)) <= self._repeats and other not in unclear.setdefault(pair, []):
                    unclear[pair].append(other)
        return {pair: cells for pair, cells in unclear.items() if cells}

    def _paths_of(self, cell: Pair, injected: Pair) -> set[Pair]:
        """Some paths of two groups, or all where there are few hosts; without those injected if there are others."""
        ends = [[host for host in self._groups.members[group] if host not in injected] for group in cell]
        ends = [some or self._groups.members[group] for some, group in zip(ends, cell, strict=True)]
        every = [_unordered(a, b) for a in ends[0] for b in ends[1]]
        return set(every if self._count <= ALL_PATHS else self._random.sample(every, min(PATHS_A_CELL, len(every))))

    # ---------------------------------------------------------------- the hosts' own links

    def _within(self) -> Iterator[MeasurementRound]:
        """Each host sends to one behind the same switch, until its own link is seen to be full."""
        most, total = 1, sum(len(group) for group in self._groups.members if len(group) > 1)
        while True:
            links = self._links()
            left = [
                (host, group[(place + 1 + int(links.tests_out[host])) % len(group)])
                for group in self._groups.members
                for place, host in enumerate(group)
                if len(group) > 1 and (host in links.unclear_out or self._is_open(links, host))
            ]
            left = [(a, b) if a != b else (a, self._neighbour(a)) for a, b in left]
            if not left:
                return
            taken = disjoint(left, most, lambda pair: set(pair))
            tests = tuple((pair,) for pair in taken)
            yield MeasurementRound(tests, self._own_paths(tests), WITHIN, total - len(left), total)
            links = self._links()
            full = not any(source in links.unclear_out or self._is_open(links, source) for source, _ in taken)
            most = self._next(most, full)

    @staticmethod
    def _is_open(links: HostLinks, host: int) -> bool:
        return bool(np.isnan(links.out_bps[host]) and links.tests_out[host] < ATTEMPTS_OUT)

    def _neighbour(self, host: int) -> int:
        group = self._groups.members[int(self._groups.of[host])]
        return group[(group.index(host) + 1) % len(group)]

    def _next(self, most: int, well: bool) -> int:
        """More at a time while that goes well: hosts may share processors, which carry less than their links."""
        return min(2 * most, max(self._count // GROUPS_A_PAIR, 1), MOST_AT_A_TIME) if well else max(most // 2, 1)

    def _into(self) -> Iterator[MeasurementRound]:
        """Two hosts send to each that lies behind a switch with others."""
        if self._count < 3:
            return
        hosts = [host for group in self._groups.members if len(group) > 1 for host in group]
        most, total = 1, len(hosts)
        while True:
            links = self._links()
            left = [host for host in hosts if not links.tests_in[host] or host in links.unclear_in]
            if not left:
                return
            every = [self._senders_to(host, links) for host in left]
            taken = disjoint(every, most, lambda test: {host for pair in test for host in pair})
            tests = tuple(taken)
            yield MeasurementRound(tests, self._own_paths(tests), INTO, total - len(left), total)
            links = self._links()
            most = self._next(most, not any(test[0][1] in links.unclear_in for test in taken))

    def _senders_to(self, host: int, links: HostLinks) -> tuple[Pair, Pair]:
        """The two that carry most towards a host: of its own group, if that has so many."""
        found = self._grouped()
        group = [each for each in self._groups.members[int(self._groups.of[host])] if each != host]
        first = self._random.sample(group, min(2, len(group)))
        if len(first) < 2:
            others = [each for each in range(self._count) if each != host and each not in group]
            carried = np.where(found.between, found.tests.rates_bps(), np.nan)
            alone = [links.alone_bps((each, host), self._groups, carried) for each in others]
            first.append(others[int(np.argmax(np.nan_to_num(alone)))])
        return (first[0], host), (first[1], host)

    def _from_faster(self) -> Iterator[MeasurementRound]:
        """Once more between groups for which a host stood whose own link is slower than others' of its group."""
        found, links = self._grouped(), self._links()
        carried_bps, sent_bps = found.tests.rates_bps(), np.nan_to_num(links.sent_bps)
        tests = []
        for source, destination in np.argwhere(found.own_links).tolist():
            fastest = max(self._groups.members[source], key=sent_bps.__getitem__)
            if carried_bps[source, destination] < SATURATING_SHARE * sent_bps[fastest]:
                tests.append((fastest, self._random.choice(self._groups.members[destination])))
        for number, pair in enumerate(tests):
            yield MeasurementRound(((pair,),), self._group_paths(((pair,),)), BETWEEN, number, len(tests))

    # ---------------------------------------------------------------- links behind the first bottleneck

    def _meetings(self) -> Iterator[MeasurementRound]:
        tests = self._grouped().tests
        search = meeting_search(self._grouped())
        tried: set[int] = set()
        if self._continued:
            search.learn_all(tests)
            tried = {end for pairs in tests.injected() if len(pairs) > 2 for _, end in pairs}
        most = max(len(self._groups) // (2 * GROUPS_A_PAIR), 1)

        def crowd() -> list[tuple[Pair, ...]]:
            found = search.open_crowd(tried)
            tried.update(end for _, end in found)
            return [found] if found else []

        for choose in (
            lambda: self._next_meetings(search, most, likely=True),
            crowd,
            lambda: self._next_meetings(search, most),
        ):
            while search.tests < search.limit and (meetings := choose()):
                yield from self._together(search, meetings)

    def _together(self, search: Search, meetings: list[tuple[Pair, ...]]) -> Iterator[MeasurementRound]:
        attempts = meetings
        while attempts:
            tests = tuple(self._hosts_of(*meeting) for meeting in attempts)
            yield MeasurementRound(tests, self._group_paths(tests), MEETING, search.tests, search.limit)
            found = self._grouped()
            attempts = [each for each in attempts if len(each) == 2 and search.doubtful(found.tests, each)]
        for meeting in meetings:
            search.learn(self._grouped().tests, meeting)

    def _next_meetings(self, search: Search, most: int, *, likely: bool = False) -> list[tuple[Pair, ...]]:
        meetings: list[tuple[Pair, ...]] = []
        busy: set[int] = set()
        while len(meetings) < most and (meeting := search.open_pairs(busy, likely=likely)) is not None:
            meetings.append(meeting)
            busy |= {end for pair in meeting for end in pair}
        return meetings


def grouping_rounds(count: int, draw: random.Random) -> int:
    """The fewest rounds that show which of ``count`` hosts lie behind one switch."""
    left, most, rounds = each_once(count, draw), 1, 0
    while left:
        taken = disjoint(left, most, lambda pair: set(pair))
        left = [pair for pair in left if pair not in taken]
        most, rounds = min(2 * most, _most_at_first(count)), rounds + 1
    return rounds


def _most_at_first(count: int) -> int:
    return min(max(count // HOSTS_A_PAIR, 1), HOSTS_A_PAIR)


def meeting_search(found: GroupSamples) -> Search:
    """The search for links at which paths meet behind their first bottlenecks, by single injections."""
    two = found.groups.sizes > 1
    rates_bps = found.tests.rates_bps()
    return Search(between_groups(found), found.network, rates_bps, found.own_links, two[:, None] & two[None, :])


def representatives(groups: HostGroups, seed: int) -> list[Pair]:
    """Unordered pairs of hosts that stand for all: one of each two groups, and each host with the next of its group."""
    draw = random.Random(seed)
    between = [
        _unordered(draw.choice(groups.members[a]), draw.choice(groups.members[b]))
        for round_ in tournament_rounds(len(groups))
        for a, b in round_
    ]
    within = {
        _unordered(host, group[(place + 1) % len(group)])
        for group in groups.members
        for place, host in enumerate(group)
        if len(group) > 1
    }
    return between + sorted(within)


def _unordered(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)
