"""What is known of single paths between a cluster's hosts where no characterization has all of them.

Each path's latency is taken from what there is: characterizations of some of the hosts, and what agents learnt in
earlier runs. Agents learn the rest (docs/explanation/detection.md).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np

from fairlead.characterize import characterization, coverage, json_form, sample_store
from fairlead.characterize.characterization import duration_words
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Floats
from fairlead.characterize.tournament import Pair
from fairlead.cluster.description import Cluster
from fairlead.errors import StoreError
from fairlead.protocol import reading
from fairlead.protocol.events import BaseLearnt
from fairlead.protocol.objects import Base, Learn, Manage
from fairlead.store import Run, Store

FORGOTTEN_AFTER_S = 30 * 24 * 3600.0
MOST_CHARACTERIZATIONS, MOST_RUNS = 10, 20
"""How many, from the newest on, are looked at."""

MOST_WHOLE = 64
"""Hosts up to which each agent is told of all paths: n^3 numbers in all."""

PROBE_B = 64
"""Size of a message that agents' probes stand for."""


@dataclass(frozen=True)
class KnownPaths:
    """Of the managed hosts, by their index in the cluster; NaN where nothing is known.

    Attributes:
        latency_s: (hosts, hosts) one-way time of a small message.
        measured_s: (hosts, hosts) when it was measured, seconds since the epoch.
        link_bps: (hosts) the highest rate at which programs were seen to send from the host.
        runs: the runs of the store that this comes from, newest first.
    """

    latency_s: Floats
    measured_s: Floats
    link_bps: Floats
    runs: tuple[int, ...]

    def manage_tables(self, self_index: int) -> Manage:
        """What the agent on one host decides by; it learns what is missing."""
        link_bps = float(self.link_bps[self_index])
        ages_s = time.time() - self.measured_s[np.isfinite(self.measured_s)]
        age_s = max(float(ages_s.max(initial=0.0)), 0.0)
        base = self._whole(age_s) if len(self.latency_s) <= MOST_WHOLE else self._own(age_s, self_index)
        return Manage(base=base, shares=[], learn=Learn(link_bps=link_bps if np.isfinite(link_bps) else None))

    def _whole(self, age_s: float) -> Base:
        return Base(
            age_s=age_s,
            sizes_B=(PROBE_B,),
            latency_s=[json_form.nullable(self.latency_s)],
            rate_bps=json_form.nullable(np.full_like(self.latency_s, np.nan)),
        )

    def _own(self, age_s: float, host: int) -> Base:
        """The host's own paths: relays report what they know of others."""
        own_s = np.stack((self.latency_s[host, :], self.latency_s[:, host]))
        return Base(
            age_s=age_s,
            sizes_B=(PROBE_B,),
            latency_s=[[[None]]],
            rate_bps=[[None]],
            groups=(0,) * len(self.latency_s),
            own_latency_s=[json_form.nullable(own_s)],
            own_rate_bps=json_form.nullable(np.full_like(own_s, np.nan)),
        )

    def words(self, cluster: Cluster, now_s: float | None = None) -> str:
        """For people, in one line: that agents learn, and what they begin with."""
        count = len(cluster.managed_hosts())
        paths, found = count * (count - 1), int(np.isfinite(self.latency_s).sum())
        hint = f"`fairlead characterize {cluster.source}` measures them, and which paths share a bottleneck"
        if not found:
            return (
                f"{cluster.name} has no characterization: agents learn how long its paths take while the "
                f"program runs, and reroute a pair once they know its path; {hint}"
            )
        now_s = time.time() if now_s is None else now_s
        oldest, newest = (duration_words(max(now_s - float(when), 0.0)) for when in
                          (np.nanmin(self.measured_s), np.nanmax(self.measured_s)))  # fmt: skip
        age = newest if oldest == newest else f"{newest} to {oldest}"
        others = "" if found == paths else ", and agents learn the others while the program runs"
        return (
            f"{cluster.name} has no characterization: {found} of {paths} paths are known from earlier "
            f"runs ({age} ago){others}; {hint}"
        )


def paths(store: Store, cluster: Cluster) -> KnownPaths:
    """What is known of single paths of the cluster."""
    count = len(cluster.managed_hosts())
    latency, measured = (np.full((count, count), np.nan) for _ in range(2))
    links, learnt = np.full(count, np.nan), _Learnt.nothing(count)
    runs: list[int] = []
    for run in _characterizations(store, cluster):
        hosts = run.facts["hosts"]
        at, of = coverage.present(hosts, cluster)
        samples = sample_store.samples_of(store, run.id, len(hosts))
        times = LatencyMatrix.of_samples(samples).median_s[0]
        oldest = characterization.parts_of(store, run)[0]  # much may be of that one
        _fill(latency, measured, at, times[np.ix_(of, of)], oldest.ended_s)
        links[at] = np.fmax(links[at], np.fmax.reduce(samples.rates_bps()[of], axis=1))
        runs.append(run.id)
    for number, run in enumerate(_runs(store, cluster)):
        if number == MOST_RUNS or _old(run.started_s):
            break
        told = _told(store, run, cluster)
        for path, event in told:
            if event.link_bps is not None:
                links[path[0]] = np.fmax(links[path[0]], event.link_bps)
            if path[0] != path[1]:
                learnt.take(path, event)
        if told:
            runs.append(run.id)
    _forget(store, cluster, learnt)
    # Agents' probes are what agents compare with: they go before a characterization's messages.
    learnt_s, when_s = learnt.least()
    known = np.isfinite(learnt_s) & (learnt_s != latency)  # what was only taken over is as old as it was
    latency[known], measured[known] = learnt_s[known], when_s[known]
    return KnownPaths(latency, measured, links, tuple(sorted(runs, reverse=True)))


def _characterizations(store: Store, cluster: Cluster) -> list[Run]:
    """The complete characterizations that have two of the cluster's hosts or more, the least old first."""
    found = [
        run
        for run in reversed(characterization.runs(store))
        if run.status == "ok"
        and not _old(run.started_s)
        and coverage.of_its_network(run, run.facts["hosts"], cluster)
        and len(coverage.present(run.facts["hosts"], cluster)[0]) >= 2
    ]
    # One that was continued is as old as its oldest part: most of it may be of that.
    found.sort(key=lambda run: characterization.parts_of(store, run)[0].ended_s or 0.0, reverse=True)
    return found[:MOST_CHARACTERIZATIONS]


def _old(when_s: float) -> bool:
    return time.time() - when_s > FORGOTTEN_AFTER_S


def _fill(latency: Floats, measured: Floats, at: Sequence[int], times: Floats, when_s: float) -> None:
    """Put in what is not known yet."""
    cells = np.ix_(at, at)
    new = np.isnan(latency[cells]) & np.isfinite(times)
    latency[cells] = np.where(new, times, latency[cells])
    measured[cells] = np.where(new, when_s, measured[cells])


def _runs(store: Store, cluster: Cluster) -> Iterator[Run]:
    """Runs in which agents may have learnt paths between hosts of the cluster, newest first."""
    for run in reversed(store.runs("run")):
        hosts = run.facts.get("paths_between", [])
        if coverage.of_its_network(run, hosts, cluster) and len(coverage.present(hosts, cluster)[0]) >= 2:
            yield run


@dataclass
class _Learnt:
    """The least baselines that agents told of each path; NaN where none did.

    An agent whose probes are all slower than the baseline that it began with tells that one again: it was not measured
    then, and would never be forgotten if it counted as young.

    Attributes:
        own_s: of those that probes on the path showed; ``when_s``: when.
        again_s: of those that all of the path's probes exceeded; ``since_s``: when it was told first.
    """

    own_s: Floats
    when_s: Floats
    again_s: Floats
    since_s: Floats

    @classmethod
    def nothing(cls, count: int) -> Self:
        """Of hosts of which nothing is known."""
        return cls(*(np.full((count, count), np.nan) for _ in range(4)))

    def take(self, path: Pair, event: BaseLearnt[str]) -> None:
        """What was told in a run, after what was told in younger ones."""
        t_s = event.t_s or 0.0
        if not event.hidden_s > 0.0:
            if not event.latency_s >= self.own_s[path]:
                self.own_s[path], self.when_s[path] = event.latency_s, t_s
        elif not event.latency_s >= self.again_s[path]:
            self.again_s[path], self.since_s[path] = event.latency_s, t_s
        elif event.latency_s == self.again_s[path]:
            self.since_s[path] = min(self.since_s[path], t_s)

    def least(self) -> tuple[Floats, Floats]:
        """Of both, and since when it is known."""
        again = ~(self.again_s >= self.own_s) & np.isfinite(self.again_s)
        return np.where(again, self.again_s, self.own_s), np.where(again, self.since_s, self.when_s)


def _forget(store: Store, cluster: Cluster, learnt: _Learnt) -> None:
    """Leave out what was only told again, and was known before the time that counts already."""
    if not np.isfinite(learnt.again_s).any():
        return
    for run in islice((run for run in _runs(store, cluster) if _old(run.started_s)), MOST_RUNS):
        for path, event in _told(store, run, cluster):
            if event.latency_s == learnt.again_s[path]:
                learnt.again_s[path] = np.nan


def _told(store: Store, run: Run, cluster: Cluster) -> list[tuple[Pair, BaseLearnt[str]]]:
    """What agents learnt in a run, with the source's and the destination's index; a destination that the cluster does
    not have is the source itself."""
    at, of = coverage.present(run.facts["paths_between"], cluster)
    names = [run.facts["paths_between"][j]["name"] for j in of]
    index: dict[str, int] = dict(zip(names, at, strict=True))
    found = []
    for event in store.events(run.id, BaseLearnt.TYPE):
        try:
            told = reading.stored_event(BaseLearnt, event.t_s, event.data)
        except ValueError as error:
            raise StoreError(f"run {run.id}: {error}") from error
        if (source := index.get(told.source)) is not None:
            found.append(((source, index.get(told.destination, source)), told))
    return found
