"""Which host pairs share a bottleneck, kept by groups of hosts: it grows with the groups and hosts, not with n^4."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from fairlead.characterize import downstream_bottlenecks, host_links, sensitivity
from fairlead.characterize.downstream_bottlenecks import SATURATING_SHARE
from fairlead.characterize.group_samples import GroupSamples
from fairlead.characterize.grouping import HostGroups, apart
from fairlead.characterize.host_links import HostLinks
from fairlead.characterize.quiet_network import Quiet, level_s, quiet
from fairlead.characterize.samples import Bools, Floats, Ints, Samples
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.tournament import Pair

CONFIDENCE = ("unknown", "assumed", "measured")
"""Of a pair of hosts: nothing was measured; another pair that was stands for it; it was injected itself."""

MOST_KEPT = 100
"""Hosts up to which `SharedBottlenecks.hurting` remembers what it told: n^4 bits are few then."""


@dataclass(frozen=True)
class SharedBottlenecks:
    """The relation between injected traffic and the paths that it hurts.

    Attributes:
        groups: of the hosts; each host for itself where each pair was measured.
        relation: between groups, as injections on pairs of groups showed it.
        over_link: (hosts, hosts) whether the pair is limited by what limits the pair of its groups.
        by_source: (hosts, hosts) whether an injection on the pair fills the link of its source: it hurts all paths
            from there. ``by_destination``: the link towards its destination.
        effective: (hosts, hosts) whether an injection on the pair builds a queue.
        measured: (hosts, hosts) whether the pair, or one that stands for it, was measured. Of others it is not known
            what an injection on them hurts.
        rates_bps: (hosts, hosts) what each pair carries alone; NaN where that is not known.
        probed_s: (hosts, hosts) half the round trip of probes on the quiet network; NaN where a path was not probed,
            or too few came back; empty where none was.
        injected: (hosts, hosts) whether the pair itself was injected; empty where that is not kept.
    """

    groups: HostGroups
    relation: Sensitivity
    over_link: Bools
    by_source: Bools
    by_destination: Bools
    effective: Bools
    measured: Bools
    rates_bps: Floats
    probed_s: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    injected: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))

    @classmethod
    def unknown(cls, hosts: int) -> Self:
        """Nothing was measured. All hosts are one group: of n groups there would be n^4 cells that say nothing."""

        def none() -> Bools:
            return np.zeros((hosts, hosts), dtype=bool)

        groups, nowhere = HostGroups(np.zeros(hosts, dtype=np.int64)), np.full((hosts, hosts), np.nan)
        unknown = Sensitivity.unknown(1)
        return cls(groups, unknown, none(), none(), none(), none(), none(), nowhere, injected=none())

    @classmethod
    def of_pairs(cls, relation: Sensitivity, rates_bps: Floats) -> Self:
        """From a relation in which each host stands for itself."""
        groups, none = apart(relation.count), np.zeros((relation.count,) * 2, dtype=bool)
        measured = np.isfinite(relation.limit_s)
        return cls(
            groups, relation, ~np.eye(len(none), dtype=bool), none, none, relation.effective, measured, rates_bps
        )

    @classmethod
    def of(cls, samples: Samples) -> Self:
        """What all windows of a characterization show.

        Raises:
            MeasurementError: some pair never answered a probe on the quiet network.
        """
        network = quiet(samples)
        groups = apart(samples.count) if samples.group_of is None else HostGroups(samples.group_of)
        tests = GroupSamples.of(samples.windows, groups, network)
        relation = between_groups(tests)
        relation = downstream_bottlenecks.complete(relation, tests.tests, tests.network, tests.own_links)
        probed_s, injected = _probed_s(samples, network), _injected(samples)
        if samples.group_of is None:
            found = cls.of_pairs(relation, samples.rates_bps())
            return replace(found, probed_s=probed_s, injected=injected)
        links = HostLinks.of((test for window in samples.windows for test in host_links.seen(window, network)), tests)
        found = cls._with_hosts(groups, relation, tests, links, samples.rates_bps())
        return replace(found, probed_s=probed_s, injected=injected)

    @classmethod
    def _with_hosts(
        cls, groups: HostGroups, relation: Sensitivity, tests: GroupSamples, links: HostLinks, measured_bps: Floats
    ) -> Self:
        apart_ = ~np.eye(len(groups.of), dtype=bool)
        within = apart_ & (groups.of[:, None] == groups.of[None, :])
        known = groups.spread(np.isfinite(relation.limit_s)) | within & (links.tests_out > 0)[:, None]
        out = np.where(np.isfinite(links.out_bps), links.out_bps, links.sent_bps)
        by_hosts = np.fmin(out[:, None], links.in_bps[None, :])
        link = tests.tests.rates_bps()[groups.of[:, None], groups.of[None, :]]
        limited = groups.spread(tests.between & np.isfinite(relation.limit_s))
        fill = ~(by_hosts < SATURATING_SHARE * link)
        wait_at_link = limited & fill
        rates = np.where(wait_at_link, link, np.fmin(by_hosts, np.where(limited | np.isnan(by_hosts), link, np.nan)))
        no_queue = (links.no_queue > 0) & ~np.isfinite(links.out_bps)
        rates[~known] = np.nan
        full = known & ~wait_at_link
        silent = full & no_queue[:, None]
        by_source = full & (rates >= SATURATING_SHARE * links.out_bps[:, None]) | silent
        by_destination = known & (rates >= SATURATING_SHARE * links.in_bps[None, :]) | silent
        sent = np.isfinite(links.sent_bps)[:, None]
        built = groups.spread(relation.effective) & wait_at_link | full & sent & ~silent
        beyond = groups.spread(relation.effective & tests.own_links) & fill  # they wait at the host, and fill both
        return cls(
            groups,
            relation,
            wait_at_link | beyond,
            by_source,
            by_destination,
            built,
            known,
            np.where(apart_, np.where(np.isfinite(measured_bps), np.fmax(measured_bps, rates), rates), np.nan),
        )

    @property
    def hosts(self) -> int:
        return len(self.groups.of)

    def hurts(self, injected: Pair, path: Pair) -> bool:
        """Whether an injection on one ordered pair hurts another path."""
        if injected == path:
            return False
        if (self.by_source[injected] and injected[0] == path[0]) or (
            self.by_destination[injected] and injected[1] == path[1]
        ):
            return True
        if not self.over_link[injected]:
            return False
        of = self.groups.of
        cells = (of[injected[0]], of[injected[1]]), (of[path[0]], of[path[1]])
        return bool(
            self.relation.effective[cells[0]] if cells[0] == cells[1] else self.relation.hurts[cells[0] + cells[1]]
        )

    def hurt_by(self, injected: Pair) -> Bools:
        """(hosts, hosts) the paths that an injection on an ordered pair hurts."""
        hurt = np.zeros((self.hosts,) * 2, dtype=bool)
        if self.over_link[injected]:
            between = int(self.groups.of[injected[0]]), int(self.groups.of[injected[1]])
            cells = self.relation.hurts[between].copy()
            cells[between] = self.relation.effective[between]
            hurt |= self.groups.spread(cells)
        if self.by_source[injected]:
            hurt[injected[0], :] = True
        if self.by_destination[injected]:
            hurt[:, injected[1]] = True
        np.fill_diagonal(hurt, False)
        hurt[injected] = False
        return hurt

    def hurting(self, path: Pair) -> Bools:
        """(hosts, hosts) the ordered pairs an injection on which hurts a path; not to be changed."""
        if path not in self._hurting:
            found = self._hurting_path(path)
            if self.hosts > MOST_KEPT:
                return found
            self._hurting[path] = found
        return self._hurting[path]

    @cached_property
    def _hurting(self) -> dict[Pair, Bools]:
        return {}

    def _hurting_path(self, path: Pair) -> Bools:
        between = int(self.groups.of[path[0]]), int(self.groups.of[path[1]])
        cells = self.relation.hurts[:, :, between[0], between[1]].copy()
        cells[between] = self.relation.effective[between]
        hurting: Bools = (
            self.groups.spread(cells) & self.over_link if between[0] != between[1] else self.over_link & False
        )
        hurting[path[0], :] |= self.by_source[path[0], :]
        hurting[:, path[1]] |= self.by_destination[:, path[1]]
        hurting[path] = False
        return hurting

    def kinds_of_pairs(self) -> list[Pair]:
        """Three ordered pairs of each kind at most: those of a kind have the same detours but over their own hosts, so
        a single one may have the only relay as an end.
        """
        sources, destinations = np.nonzero(~np.eye(self.hosts, dtype=bool))
        pairs, of = (sources, destinations), self.groups.of
        facts = self.over_link[pairs], self.by_source[pairs], self.by_destination[pairs]
        kind = np.unique(np.stack((of[sources], of[destinations], *facts)), axis=1, return_inverse=True)[1].ravel()
        order = np.argsort(kind, kind="stable")  # by source, within a kind
        kinds = np.arange(kind.max(initial=-1) + 1)
        first, last = np.searchsorted(kind[order], kinds), np.searchsorted(kind[order], kinds, side="right") - 1
        chosen = order[np.unique(np.concatenate((first, (first + last) // 2, last)))]
        return list(zip(sources[chosen].tolist(), destinations[chosen].tolist(), strict=True))

    def avoiding(self, path: Pair) -> Bools:
        """(hosts) over which third hosts a path's detour avoids its bottleneck: some injection hurts the path, and
        neither leg. A pair's own injection, if it was made, hurts it.

        Counted by kinds of injections, each of those between two groups that do or do not fill a link there. A kind
        says the same of all relays in a group, but for injections that end at the relay itself.
        """
        source, destination = path
        of = self.groups.of
        injected = self.hurting(path).copy()
        injected[path] = self.measured[path]
        injected[source] &= ~self.by_source[source]  # these hurt a leg whatever the relay
        injected[:, destination] &= ~self.by_destination[:, destination]
        senders, receivers = np.nonzero(injected)
        pairs = senders, receivers
        numbers = (of[senders] * len(self.groups) + of[receivers]) * 2 + self.over_link[pairs]
        kinds, kind, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        at_relay = np.zeros((len(kinds), self.hosts), dtype=np.int64)  # that hurt a leg, or are one, for its host alone
        ends = self.by_destination[pairs] | (senders == source)
        np.add.at(at_relay, (kind[ends], receivers[ends]), 1)
        begins = self.by_source[pairs] | (receivers == destination)
        np.add.at(at_relay, (kind[begins], senders[begins]), 1)
        avoids: Bools = ((sizes[:, None] > at_relay) & ~self._kinds_on_legs(kinds, path)[:, of]).any(axis=0)
        avoids[list(path)] = False
        return avoids

    def _kinds_on_legs(self, kinds: Ints, path: Pair) -> Bools:
        """(kinds, groups) whether injections of each kind hurt, by links between groups, a leg over a relay there."""
        over_link = kinds % 2 == 1
        by_sender, by_receiver = np.divmod(kinds // 2, len(self.groups))
        first, last = (int(self.groups.of[end]) for end in path)
        to_relay = self.relation.hurts[by_sender, by_receiver, first, :]
        own = np.flatnonzero(by_sender == first)
        to_relay[own, by_receiver[own]] = self.relation.effective[first, by_receiver[own]]
        from_relay = self.relation.hurts[by_sender, by_receiver, :, last]
        own = np.flatnonzero(by_receiver == last)
        from_relay[own, by_sender[own]] = self.relation.effective[by_sender[own], last]
        to_relay[:, first] = from_relay[:, last] = False
        hurt: Bools = (to_relay | from_relay) & over_link[:, None]
        return hurt

    @cached_property
    def weights(self) -> Floats:
        """(hosts, hosts) share of the effective injections on other pairs that hurt the path; NaN on the diagonal."""
        others = self.effective.sum() - self.effective
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = self._effective_hurting() / others
        np.fill_diagonal(weights, np.nan)
        return np.asarray(weights, dtype=np.float64)

    @property
    def mean_hurt(self) -> float:
        """How many other pairs an effective injection hurts, the mean; NaN where none is effective."""
        number = int(self.effective.sum())
        return float(self._effective_hurting()[~np.eye(self.hosts, dtype=bool)].sum()) / number if number else math.nan

    def _effective_hurting(self) -> Floats:
        """(hosts, hosts) how many effective injections on other pairs hurt each path: by links between groups, by
        the hosts' links, minus what does both."""
        of, count = self.groups.of, self.relation.count
        hurts = self.relation.hurts.copy()
        for a, b in np.argwhere(self.relation.effective):
            hurts[a, b, a, b] = True
        member = np.zeros((self.hosts, count), dtype=np.float64)
        member[np.arange(self.hosts), of] = 1.0
        over, source, end = (
            (each & self.effective).astype(np.float64) for each in (self.over_link, self.by_source, self.by_destination)
        )
        own = np.einsum("abab->ab", hurts)[of[:, None], of[None, :]]  # whether it is hurt by others of its groups
        by_link = np.einsum("ab,abcd->cd", member.T @ over @ member, hurts)[of[:, None], of[None, :]] - over * own
        by_source = source.sum(axis=1, keepdims=True) - source
        by_end = end.sum(axis=0, keepdims=True) - end
        # An injection from host i into group b that fills both a link between groups and the host's own.
        rows = np.einsum("abad->abd", hurts)[of]
        both = np.einsum("ib,ibd->id", (source * over) @ member, rows)[:, of] - source * over * own
        columns = np.einsum("adcd->adc", hurts)[:, of]
        both += np.einsum("aj,ajc->cj", member.T @ (end * over), columns)[of] - end * over * own
        return by_link + by_source + by_end - both

    @cached_property
    def confidence(self) -> Ints:
        """(hosts, hosts) how sure it is what an injection on each pair hurts: an index of `CONFIDENCE`."""
        itself = self.injected if self.injected.size else self.measured
        return np.asarray(self.measured + (self.measured & itself).astype(np.int64))

    @property
    def whole(self) -> bool:
        """Whether all pairs, or some that stand for them, were measured."""
        return bool((self.measured | np.eye(self.hosts, dtype=bool)).all())

    def cautious(self) -> Self:
        """As agents take it: whatever was not measured hurts all paths from its source and to its destination."""
        unknown = ~(self.measured | np.eye(self.hosts, dtype=bool))
        return replace(self, by_source=self.by_source | unknown, by_destination=self.by_destination | unknown)

    def shares(self, first: Pair, second: Pair) -> bool:
        """Whether an injection on one of two ordered pairs hurts the other."""
        return self.hurts(first, second) or self.hurts(second, first)

    def meets(self, first: Pair, second: Pair) -> bool:
        """Whether exchanges in both directions of two pairs disturb each other, or may because nothing is known
        of one of them: where only one direction was measured, it stands for the other."""
        unknown = any(not (self.measured[p] or self.measured[p[::-1]]) for p in (first, second))
        directed = [(p, q) for p in (first, first[::-1]) for q in (second, second[::-1])]
        return unknown or any(self.shares(p, q) for p, q in directed)

    def tells_of_links(self, test: tuple[Pair, ...]) -> bool:
        """Whether all pairs of a test are between groups, and not sent to one host for its own link."""
        of = self.groups.of
        between = all(of[source] != of[destination] for source, destination in test)
        return between and not self.groups.tests_own_link(test)

    def selected(self, of: list[int]) -> Self:
        """Of some hosts, by their indices."""
        two = np.ix_(of, of)
        return replace(
            self,
            groups=HostGroups(self.groups.of[of]),
            over_link=self.over_link[two],
            by_source=self.by_source[two],
            by_destination=self.by_destination[two],
            effective=self.effective[two],
            measured=self.measured[two],
            rates_bps=self.rates_bps[two],
            probed_s=self.probed_s[two] if self.probed_s.size else self.probed_s,
            injected=self.injected[two] if self.injected.size else self.injected,
        )

    def dense(self) -> Bools:
        """By [injected source, injected destination, source, destination]; for few hosts: it grows as n^4."""
        hosts = range(self.hosts)
        rows = [
            [self.hurt_by((k, m)) if k != m else np.zeros((self.hosts,) * 2, dtype=bool) for m in hosts] for k in hosts
        ]
        return np.array(rows, dtype=bool)


def between_groups(tests: GroupSamples) -> Sensitivity:
    """The relation between groups from single injections: nothing where the hosts' own links are the limit.

    An injection without a queue says something of its two hosts: of groups that are one host.
    """
    relation = sensitivity.evaluate(tests.tests, tests.network)
    between, single = tests.between, tests.groups.sizes == 1
    for a, b in np.argwhere(np.isfinite(relation.limit_s)):
        if not between[a, b]:
            relation.hurts[a, b] = False
            relation.effective[a, b] = False
        elif not relation.effective[a, b]:
            kept = np.zeros_like(relation.effective)
            kept[a, :] |= single[a]
            kept[:, b] |= single[b]
            relation.hurts[a, b] &= kept
    return relation


def _injected(samples: Samples) -> Bools:
    injected = np.zeros((samples.count, samples.count), dtype=bool)
    for window in samples.windows:
        for test in window.tests:
            if len(test) == 1:
                injected[test[0]] = True
    return injected


def _probed_s(samples: Samples, network: Quiet) -> Floats:
    """Where too few probes came back, the network's latency is other paths' median: of that path nothing is known."""
    probed = np.zeros(network.latency_s.shape, dtype=bool)
    for window in samples.windows:
        source, destination = window.paths[np.isfinite(level_s(window.delays_s))].T
        probed[source, destination] = True
    return np.where(probed & probed.T, network.latency_s, np.nan)
