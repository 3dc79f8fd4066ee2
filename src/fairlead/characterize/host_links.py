"""What each host's own link carries: where it, and no link between groups of hosts, is the bottleneck.

A host that sends alone to another one behind the same switch fills its own link, and all that leaves the host waits.
The link towards a host is as full, but has no queue until a second sender comes. So two hosts send to it together:
where they get less than alone, or others' probes to that host wait, the two's rates together are the link's.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from fairlead.characterize.downstream_bottlenecks import ATTEMPTS, SATURATING_SHARE, SLOWED_SHARE
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import HostGroups, own_s
from fairlead.characterize.quiet_network import Quiet, level_s, limit_s
from fairlead.characterize.samples import Bools, Floats, Ints, Window
from fairlead.characterize.tournament import Pair

MOST_SHARE = 0.5
"""A host's link has the queue if so much of what leaves (or reaches) the host waits."""


@dataclass
class HostLinks:
    """What is known of the hosts' own links.

    Attributes:
        out_bps, in_bps: (hosts) what the link carries; NaN where it was not seen to be the bottleneck.
        sent_bps: (hosts) the most that the host sent while its pair was tested by itself.
        no_queue: (hosts) injections from the host that built no queue, though no link between groups limits them.
        tests_out, tests_in: (hosts) how often each was tested.
        unclear_out, unclear_in: hosts whose link is to be tested again: it seems slower than most of the group's, or
            two seem to meet there though no other's probes waited, or do not seem to as at most of the group.
    """

    out_bps: Floats
    in_bps: Floats
    sent_bps: Floats
    no_queue: Ints
    tests_out: Ints
    tests_in: Ints
    unclear_out: set[int] = field(default_factory=set)
    unclear_in: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, seen: Iterable["Seen"], groups: GroupSamples) -> "HostLinks":
        """From the tests of all windows, by hosts and by groups."""
        count = len(groups.groups.of)
        rates, numbers = np.full((3, count), np.nan), np.zeros((3, count), dtype=np.int64)
        links = cls(rates[0], rates[1], rates[2], numbers[0], numbers[1], numbers[2])
        between, alone_bps = groups.between, groups.tests.rates_bps()
        meetings: dict[int, list[Seen]] = {}
        for test in seen:
            if len(test.pairs) == 1:
                links._take_single(test, groups.groups, between)
            elif len(test.pairs) == 2 and test.pairs[0][1] == test.pairs[1][1]:
                meetings.setdefault(test.pairs[0][1], []).append(test)
        carried = np.where(between, alone_bps, np.nan)
        for host, together in meetings.items():
            if groups.groups.sizes[groups.groups.of[host]] > 1:  # else links towards its switch may be what is full
                links._take_meeting(host, together, groups.groups, carried)
        links._find_unlike(groups.groups)
        return links

    def alone_bps(self, pair: Pair, groups: HostGroups, carried_bps: Floats) -> float:
        """What a pair carries as long as the link towards its destination does not limit it; NaN: not known.

        Args:
            carried_bps: (groups, groups) what links between groups let through; NaN where none is the limit.
        """
        link_bps = carried_bps[groups.of[pair[0]], groups.of[pair[1]]]
        if np.isfinite(link_bps):
            return float(np.fmin(link_bps, self.out_bps[pair[0]]))
        return float(np.fmax(self.out_bps[pair[0]], self.sent_bps[pair[0]]))

    def _take_single(self, test: "Seen", groups: HostGroups, between_: Bools) -> None:
        (source, destination), rate = test.pairs[0], test.rates_bps[0]
        between = (groups.of[source], groups.of[destination])
        if between[0] != between[1] and between_[between]:
            return
        self.tests_out[source] += 1
        self.sent_bps[source] = np.fmax(self.sent_bps[source], rate)
        if not np.isfinite(test.own_s[0]):
            self.no_queue[source] += 1
        elif test.from_share >= MOST_SHARE:
            self.out_bps[source] = np.fmax(self.out_bps[source], rate)
        elif test.to_share >= MOST_SHARE:
            self.in_bps[destination] = np.fmax(self.in_bps[destination], rate)

    def _take_meeting(self, host: int, attempts: list["Seen"], groups: HostGroups, carried_bps: Floats) -> None:
        self.tests_in[host] = len(attempts)
        # No link ever carries more than its rate, while busy hosts may carry less: the best attempt counts.
        best = max(attempts, key=lambda each: sum(each.rates_bps))
        alone = sum(self.alone_bps(pair, groups, carried_bps) for pair in best.pairs)
        slowed = sum(best.rates_bps) < SLOWED_SHARE * alone
        shown = any(each.to_share >= MOST_SHARE for each in attempts)
        if slowed or shown:
            self.in_bps[host] = np.fmax(self.in_bps[host], sum(best.rates_bps))
        if slowed and not shown and np.isfinite(best.to_share) and len(attempts) < ATTEMPTS:
            self.unclear_in.add(host)

    def _find_unlike(self, groups: HostGroups) -> None:
        """Hosts that differ from most of their group may have been busy, which a second look tells."""
        for members in groups.members:
            out = self.out_bps[members]
            if np.isfinite(out).any():
                slow = ~(out >= SATURATING_SHARE * np.nanmedian(out)) & (self.tests_out[members] < ATTEMPTS)
                self.unclear_out.update(np.array(members)[slow].tolist())
            tested = self.tests_in[members] > 0
            met = np.isfinite(self.in_bps[members])
            if tested.any() and met[tested].mean() > MOST_SHARE:
                unlike = tested & ~met & (self.tests_in[members] < ATTEMPTS)
                self.unclear_in.update(np.array(members)[unlike].tolist())


@dataclass(frozen=True)
class Seen:
    """One test of a window: shares of the other paths from the first source and to the first destination that waited
    for its queue; NaN where none was probed."""

    pairs: tuple[Pair, ...]
    rates_bps: tuple[float, ...]
    own_s: Floats
    from_share: float
    to_share: float


def seen(window: Window, network: Quiet) -> Iterator[Seen]:
    """The tests of a window."""
    levels, (source, destination) = level_s(network.excess_s(window)), window.paths.T
    own = own_s(window, levels, network)
    senders, receivers = np.zeros((2, len(network.base_s)), dtype=bool)
    for pair in window.pairs:
        senders[pair[0]], receivers[pair[1]] = True, True
    first = 0
    for test in window.tests:
        mine = own[first : first + len(test)]
        known = np.isfinite(levels)
        waits = np.zeros(len(levels), dtype=bool)
        if np.isfinite(mine).any():
            waits = levels > limit_s(network, float(np.nanmin(mine)))[source, destination]
        leaving: Bools = (source == test[0][0]) & ~receivers[destination] & known
        entering: Bools = (destination == test[0][1]) & ~senders[source] & known
        shares = [float(waits[which].mean()) if which.any() else np.nan for which in (leaving, entering)]
        yield Seen(test, window.rates_bps[first : first + len(test)], mine, *shares)
        first += len(test)
