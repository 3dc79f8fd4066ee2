"""A characterization: what is known of a cluster's network, since when, and how it is stored and found again.

Only raw samples are stored; everything else is computed from them when it is read.
"""

import time
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from fairlead.characterize import coverage, downstream_bottlenecks, json_form, left_out, path_table, sample_store
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.left_out import Part
from fairlead.characterize.path_table import DetourCandidate
from fairlead.characterize.samples import Bools, Floats, Samples
from fairlead.characterize.shared_bottlenecks import CONFIDENCE, MOST_KEPT, SharedBottlenecks
from fairlead.characterize.survey import SurveySettings
from fairlead.characterize.tournament import Pair
from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError, NoSuchResultsError
from fairlead.protocol.objects import Manage
from fairlead.store import Run, Store

KIND = "characterization"
STALE_AFTER_S = 24 * 3600.0
"""Networks drift and providers move virtual machines: after a day a measurement is called stale."""

MOST_DESCRIBED = 24
"""Hosts up to which each pair's detours are told."""

_REASONS = {"ok": "", "running": "it is still being measured", "interrupted": "its measurement was killed"}


@dataclass(frozen=True)
class MeasuredPart:
    """What one run of the store adds: ``started_s``, ``ended_s`` in seconds since the epoch."""

    run: int
    started_s: float
    ended_s: float

    @classmethod
    def of(cls, run: Run) -> Self:
        """One that was killed ended when it started, as far as is known."""
        return cls(run.id, run.started_s, run.started_s if run.ended_s is None else run.ended_s)


@dataclass(frozen=True)
class Characterization:
    """One cluster's network at one time. All arrays are indexed by the hosts' numbers.

    Attributes:
        cluster: the cluster's name.
        hosts: names of the measured hosts (ranks and relays, in the cluster file's order); ``addresses`` alike.
        parts: those that it was measured in, oldest first; each but the last was continued.
        latency, sensitivity: the matrices.
        rates_bps: (hosts, hosts) what each ordered pair carries alone; NaN where not known.
        reason: why it says too little to be used; empty for one that may be.
        left_out: what there was no time for; of that nothing is said, neither that it shares nor that it does not.
        notes: what a reader must know of how the figures came about.
        run: number of the run in the results store.
    """

    cluster: str
    hosts: tuple[str, ...]
    addresses: tuple[str, ...]
    parts: tuple[MeasuredPart, ...]
    latency: LatencyMatrix
    sensitivity: SharedBottlenecks
    rates_bps: Floats
    reason: str = ""
    notes: tuple[str, ...] = ()
    run: int | None = None
    left_out: tuple[Part, ...] = ()

    @classmethod
    def read(cls, store: Store, run: Run) -> Self:
        """The characterization that a run holds, complete or not, with what the run continued.

        Sizes that not all pairs were measured at are left out where there was no time for them.

        Raises:
            NoSuchResultsError: the run holds something else.
            MeasurementError: a pair of hosts in a complete one never answered.
        """
        if run.kind != KIND:
            raise NoSuchResultsError(f"run {run.id} of {store.directory} is a {run.kind}, not a characterization")
        hosts = run.facts["hosts"]
        samples = sample_store.samples_of(store, run.id, len(hosts))
        reason = _REASONS.get(run.status, run.error or run.status)
        missing = left_out_of(store, run)
        latency, relation = LatencyMatrix.of_samples(samples), _relation(samples, usable=not reason)
        names = tuple(str(host["name"]) for host in hosts)
        return cls(
            cluster=str(run.labels["cluster"]),
            hosts=names,
            addresses=tuple(str(host["address"]) for host in hosts),
            parts=parts_of(store, run),
            latency=latency.of_sizes(latency.whole_sizes()) if missing and not reason else latency,
            sensitivity=relation,
            rates_bps=relation.rates_bps,
            reason=reason,
            left_out=missing,
            notes=tuple(_notes(samples, relation, names)),
            run=run.id,
        )

    @classmethod
    def latest(cls, store: Store, cluster: Cluster, *, whole: bool = False) -> Self | None:
        """The youngest usable characterization of a cluster's hosts (same names and addresses), or of more; or None.

        It may have been made under another cluster's name, as a Slurm job's is.

        Args:
            whole: one that says of all pairs what they share.
        """
        for run in reversed(runs(store)):
            if run.status != "ok" or not coverage.covers(run, run.facts["hosts"], cluster):
                continue
            found = cls.read(store, run).selected(cluster)
            if not whole or found.sensitivity.whole:
                return found
        return None

    def selected(self, cluster: Cluster) -> Self:
        """The part of it that is of a cluster's managed hosts, in their order; all of them were measured."""
        hosts = [{"name": name, "address": address} for name, address in zip(self.hosts, self.addresses, strict=True)]
        _, of = coverage.present(hosts, cluster)
        if of == list(range(len(self.hosts))):
            return replace(self, cluster=cluster.name)
        two = np.ix_(of, of)
        sized = np.ix_(range(len(self.latency.sizes_B)), of, of)
        latency, relation = self.latency, self.sensitivity
        return replace(
            self,
            cluster=cluster.name,
            hosts=tuple(self.hosts[j] for j in of),
            addresses=tuple(self.addresses[j] for j in of),
            latency=LatencyMatrix(
                latency.sizes_B,
                latency.count[sized],
                latency.median_s[sized],
                latency.p5_s[sized],
                latency.p95_s[sized],
                latency.one_way[sized],
                latency.clock_error_s[two],
                latency.by_clock_s[sized],
                latency.round_trip_s[sized],
            ),
            sensitivity=relation.selected(of),
            rates_bps=self.rates_bps[two],
        )

    @property
    def complete(self) -> bool:
        """Whether everything was measured that was to be."""
        return not self.reason and not self.left_out

    @property
    def usable(self) -> bool:
        """Whether runs may rely on it: all latencies are known; of shared bottlenecks some may not be."""
        return not self.reason

    @property
    def incomplete_because(self) -> str:
        """For people; empty for a complete one."""
        if self.reason or not self.left_out:
            return self.reason
        return left_out.no_time_for(self.left_out)

    def left_out_warning(self) -> str:
        """For people: a warning if there is something that is not known, else empty."""
        if self.complete:
            return ""
        return (
            f"the characterization of {self.cluster} is incomplete: {self.incomplete_because}; "
            "`fairlead characterize` measures that, too"
        )

    @property
    def started_s(self) -> float:
        """When its first part began, seconds since the epoch."""
        return self.parts[0].started_s

    @property
    def ended_s(self) -> float:
        """When its last part ended, seconds since the epoch."""
        return self.parts[-1].ended_s

    @property
    def took_s(self) -> float:
        """How long it was measured, in all parts together."""
        return sum(part.ended_s - part.started_s for part in self.parts)

    def age_s(self, now_s: float | None = None) -> float:
        """Seconds since the measurement of its oldest part ended: much of it is as old."""
        return max((time.time() if now_s is None else now_s) - self.parts[0].ended_s, 0.0)

    def age_words(self, now_s: float | None = None) -> str:
        """For people: "measured 3 minutes ago", of several parts "measured in 2 parts, 3 minutes to 5 hours ago"."""
        now_s = time.time() if now_s is None else now_s
        newest, oldest = (duration_words(max(now_s - part.ended_s, 0.0)) for part in (self.parts[-1], self.parts[0]))
        if len(self.parts) == 1:
            return f"measured {oldest} ago"
        return f"measured in {len(self.parts)} parts, {newest if newest == oldest else f'{newest} to {oldest}'} ago"

    def stale_warning(self, now_s: float | None = None) -> str:
        """For people: a warning if it is too old to be relied on, else empty."""
        if self.age_s(now_s) <= STALE_AFTER_S:
            return ""
        return (
            f"the characterization of {self.cluster} is old ({self.age_words(now_s)}): networks drift and hosts are "
            "moved; run `fairlead characterize` again"
        )

    def reference_size_B(self) -> int:
        """The size that candidates are ordered for unless another is asked for: the largest up to 64 KiB."""
        return max((size for size in self.latency.sizes_B if size <= 65536), default=self.latency.sizes_B[0])

    def candidates(self, pair: Pair, size_B: int | None = None) -> tuple[DetourCandidate, ...]:
        """The path table's entry for an ordered pair: detours in the order in which they are to be tried."""
        key = pair, size_B or self.reference_size_B()
        if key not in self._candidates:
            self._candidates[key] = path_table.candidates(pair, self.latency, self.sensitivity, key[1])
        return self._candidates[key]

    @cached_property
    def _candidates(self) -> dict[tuple[Pair, int], tuple[DetourCandidate, ...]]:
        return {}

    def has_detour(self) -> bool:
        """Whether any host pair has a detour around its own bottleneck, or may have one, because its bottleneck is not
        known. On a single switch none has."""
        relation = self.sensitivity
        return not relation.whole or any(relation.avoiding(pair).any() for pair in relation.kinds_of_pairs())

    def _both_ways_words(self) -> list[str]:
        """One-way times of the smallest messages by the clocks beside round trips; none where nothing was measured."""
        if not self.latency.sizes_B or not np.isfinite(self.latency.round_trip_s[0]).any():
            return []
        one_way_s = float(np.nanmedian(self.latency.by_clock_s[0]))
        round_trip_s = float(np.nanmedian(self.latency.round_trip_s[0]))
        error_s = float(np.nanmedian(self.latency.clock_error_s))
        return [
            f"  by the clocks {one_way_s * 1e3:.3f} ms one way (their error: {error_s * 1e3:.3f} ms at most), "
            f"{round_trip_s * 1e3:.3f} ms there and back (median pair, {self.latency.sizes_B[0]} B)"
        ]

    def summary_words(self) -> list[str]:
        """What was found, for people, in a few lines."""
        pairs = len(self.hosts) * (len(self.hosts) - 1)
        lines = [f"{self.cluster}: {len(self.hosts)} hosts, {pairs} ordered pairs, {self.age_words()}"]
        if not self.complete:
            lines.append(f"INCOMPLETE: {self.incomplete_because}")
        if self.stale_warning():
            lines.append(self.stale_warning())
        latency = self.latency
        for size_B, times, one_way in zip(latency.sizes_B, latency.median_s, latency.one_way, strict=True):
            if np.isfinite(times).any():
                low, middle, high = np.nanmin(times), np.nanmedian(times), np.nanmax(times)
                kind = _kind_of_times(one_way[np.isfinite(times)])
                lines.append(
                    f"  latency of {size_B:>8} B: {low * 1e3:.3f} / {middle * 1e3:.3f} / {high * 1e3:.3f} ms "
                    f"(fastest, median, slowest pair; {kind})"
                )
        lines += self._both_ways_words()
        if np.isfinite(self.rates_bps).any():
            rates = self.rates_bps / 1e6
            lines.append(
                f"  throughput of a pair alone: {np.nanmin(rates):.0f} / {np.nanmedian(rates):.0f} / "
                f"{np.nanmax(rates):.0f} Mbit/s"
            )
        if self.sensitivity.effective.any():
            weights, hurt = self.sensitivity.weights, self.sensitivity.mean_hurt
            lines.append(
                f"  shared bottlenecks: traffic on a pair slows down {hurt:.1f} other pairs on average; "
                f"each pair is slowed down by {np.nanmin(weights):.0%} to {np.nanmax(weights):.0%} of the others"
            )
        return lines + self._confidence_words() + [f"  note: {note}" for note in self.notes]

    def _confidence_words(self) -> list[str]:
        """How many relations are known; none where all are."""
        if self.sensitivity.whole:
            return []
        off = ~np.eye(len(self.hosts), dtype=bool)
        number = np.bincount(self.sensitivity.confidence[off], minlength=len(CONFIDENCE))
        return [
            f"  what traffic on a pair slows down: measured for {number[2]} of {off.sum()} pairs, assumed for "
            f"{number[1]} (as of the pair that stands for them), unknown for {number[0]}"
        ]

    def path_table_words(self) -> list[str]:
        """The path table, for people: of many hosts one pair for each two groups."""
        hosts = range(len(self.hosts))
        few = len(hosts) <= MOST_DESCRIBED
        pairs = [(i, j) for i in hosts for j in hosts if i != j] if few else self.pairs_by_groups()
        return path_table.describe(self.hosts, self.latency, self.candidates, self.reference_size_B(), pairs)

    def manage_tables(self) -> dict[int, Manage]:
        """By host index, what its agent decides by (docs/guides/characterize.md).

        An agent judges its own paths, the second legs of its detours, and as a destination or relay the paths that
        lead to it. It is told of the paths from and to its own host, and of others by groups of hosts
        (docs/explanation/scale.md).
        """
        return json_form.manage_tables(self.latency, self.rates_bps, self.sensitivity, self.age_s())

    def base_s(self) -> dict[tuple[str, str], float]:
        """Latency of the smallest messages by (source, destination), in seconds; pairs not measured are missing."""
        times = self.latency.median_s[0]
        every = [(i, j) for i in range(len(self.hosts)) for j in range(len(self.hosts))]
        return {(self.hosts[i], self.hosts[j]): float(times[i, j]) for i, j in every if np.isfinite(times[i, j])}

    def to_json(self) -> dict[str, Any]:
        """Everything but the raw samples (docs/reference/results.md)."""
        return {
            "format": json_form.FORMAT,
            "cluster": self.cluster,
            "hosts": [{"name": n, "address": a} for n, a in zip(self.hosts, self.addresses, strict=True)],
            "started_s": self.started_s,
            "ended_s": self.ended_s,
            "parts": [asdict(part) for part in self.parts],
            "complete": self.complete,
            "reason": self.incomplete_because,
            "left_out": [part.to_json() for part in self.left_out],
            "notes": list(self.notes),
            "latency": json_form.latency(self.latency, self.sensitivity.groups),
            "rates_bps": json_form.rates_bps(self.rates_bps, self.sensitivity.groups),
            "sensitivity": json_form.sensitivity(self.sensitivity),
            "path_table": self._path_table_json() if self.usable else None,
        }

    def pairs_by_groups(self) -> list[Pair]:
        """The ordered pairs of hosts: all, or of grouped hosts one for each two groups, a measured one if there is."""
        pairs = np.argwhere(~np.eye(len(self.hosts), dtype=bool))
        if json_form.grouped(self.sensitivity.groups) and self.latency.sizes_B:
            source, destination = pairs.T
            measured_first = np.argsort(~(self.latency.count[0][source, destination] > 0), kind="stable")
            of = self.sensitivity.groups.of[pairs[measured_first]]
            pairs = pairs[measured_first][np.unique(of, axis=0, return_index=True)[1]]
        return [(source, destination) for source, destination in pairs.tolist()]

    def _path_table_json(self) -> dict[str, Any]:
        entries = [
            {"source": i, "destination": j, "candidates": [each.to_json() for each in self._best_of_groups((i, j))]}
            for i, j in self.pairs_by_groups()
        ]
        return {"size_B": self.reference_size_B(), "pairs": entries}

    def _best_of_groups(self, pair: Pair) -> list[DetourCandidate]:
        """The candidates of an ordered pair: the first over each group of hosts."""
        best: dict[int, DetourCandidate] = {}
        for each in self.candidates(pair):
            best.setdefault(int(self.sensitivity.groups.of[each.relay]), each)
        return list(best.values())


def begin(store: Store, cluster: Cluster, settings: SurveySettings, continued: int | None = None) -> int:
    """Begin a run of the store that will hold a characterization of the cluster's managed hosts.

    Args:
        continued: the run whose samples count as its own.
    """
    earlier = {} if continued is None else {sample_store.CONTINUES: continued}
    return store.begin_run(
        KIND,
        {"cluster": cluster.name},
        plan=settings.to_json(),
        seed=settings.seed,
        facts={"hosts": coverage.hosts_of(cluster), "executor": cluster.executor} | earlier,
    )


def runs(store: Store, cluster: str | None = None) -> list[Run]:
    """The store's characterizations, oldest first, optionally of one cluster."""
    return store.runs(KIND, cluster=cluster) if cluster is not None else store.runs(KIND)


def chosen_run(store: Store, number: int | None, before_run: Run | None = None) -> Run:
    """The run of that number, or the last complete one (before another one of the same cluster).

    Raises:
        NoSuchResultsError: there is none.
    """
    if number is not None:
        return store.run(number)
    candidates = [run for run in runs(store) if run.status == "ok"]
    if before_run is not None:
        candidates = [
            run
            for run in candidates
            if run.id < before_run.id and run.labels["cluster"] == before_run.labels["cluster"]
        ]
    if not candidates:
        raise NoSuchResultsError(
            f"{store.directory} holds no {'earlier ' if before_run else ''}complete characterization",
            hint="make one with `fairlead characterize CLUSTER`; `show --list` lists all, also incomplete ones",
        )
    return candidates[-1]


def left_out_of(store: Store, run: Run) -> tuple[Part, ...]:
    """What a characterization had no time for."""
    return tuple(Part.from_json(part) for event in store.events(run.id, left_out.EVENT) for part in event.data["parts"])


def parts_of(store: Store, run: Run) -> tuple[MeasuredPart, ...]:
    """The runs that hold what a characterization says, oldest first."""
    return tuple(MeasuredPart.of(store.run(number)) for number in sample_store.chain_of(store, run.id))


def unfinished(store: Store, cluster: Cluster, now_s: float | None = None, *, since_s: float = 0.0) -> Run | None:
    """The characterization that a new one of the cluster continues: the last one that said anything, if there was no
    time for all, and it began not long ago; or None.

    Args:
        since_s: the network is there since then; seconds since the epoch.
    """
    hosts = coverage.hosts_of(cluster)
    for run in reversed(runs(store)):
        if run.facts["hosts"] != hosts or not coverage.of_its_network(run, hosts, cluster):
            continue
        if left_out_of(store, run):
            oldest = store.run(sample_store.chain_of(store, run.id)[0])
            recent = (time.time() if now_s is None else now_s) - oldest.started_s <= STALE_AFTER_S
            return run if recent and oldest.started_s >= since_s else None
        if run.status == "ok":
            return None
    return None


def _relation(samples: Samples, usable: bool) -> SharedBottlenecks:
    ungrouped = samples.group_of is None and samples.count > MOST_KEPT  # n^4 cells
    if not usable and (ungrouped or not samples.idle() or len(samples.windows) == len(samples.idle())):
        return SharedBottlenecks.unknown(samples.count)
    try:
        return SharedBottlenecks.of(samples)
    except MeasurementError:  # a silent path, which is why it is incomplete; the rest is shown
        if usable:
            raise
        return SharedBottlenecks.unknown(samples.count)


def _notes(samples: Samples, relation: SharedBottlenecks, hosts: tuple[str, ...]) -> list[str]:
    notes = []
    off = ~np.eye(len(hosts), dtype=bool)
    idle = [f"{hosts[i]} → {hosts[j]}" for i, j in np.argwhere(off & relation.measured & ~relation.effective)]
    if idle:
        shown = ", ".join(idle[:4]) + (f" and {len(idle) - 4} more" if len(idle) > 4 else "")
        every = int((off & relation.measured).sum())
        notes.append(f"injections on {len(idle)} of {every} pairs build no queue: their hosts are the limit ({shown})")
    meetings = {test for window in samples.windows for test in window.tests if len(test) > 1}
    of_links = [test for test in meetings if relation.tells_of_links(test)]
    if len(of_links) >= downstream_bottlenecks.TESTS_PER_GROUP * relation.relation.count:
        notes.append(f"the search for shared links stopped after {len(of_links)} tests, its limit: some may be missing")
    few = sorted({each.size_B for each in samples.exchanges if each.round_trip_s.size < 30})
    if few:
        notes.append("fewer than 30 exchanges (time budget) at " + ", ".join(f"{size} B" for size in few))
    return notes


def _kind_of_times(one_way: Bools) -> str:
    """What latencies of one size are, for people."""
    if one_way.all():
        return "one way"
    return "one way, or half a round trip where the clocks do not tell" if one_way.any() else "half a round trip"


def duration_words(seconds: float) -> str:
    """For example "40 seconds", "3 minutes", "2 hours", "9 days"."""
    for unit, length_s in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length_s:
            return f"{int(seconds / length_s)} {unit}s"
    return f"{int(seconds)} second{'' if int(seconds) == 1 else 's'}"
