"""Latency and throughput between all compute hosts, one pair after the other, a rank on each host."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.measure.benchmarks import point_to_point, probe, records, repeat, session
from fairlead.measure.benchmarks.point_to_point import LATENCY, THROUGHPUT, WARM_UP, WINDOW_S
from fairlead.measure.benchmarks.repeat import Until
from fairlead.measure.benchmarks.slow_pairs import Verdict, judge
from fairlead.progress import Progress
from fairlead.store import Label, Store

Floats = npt.NDArray[np.float64]

BENCHMARK = "all-pairs"
BLOCK_S = 0.05
LEAST_HOSTS = 4  # with fewer, a slow host and a slow pair cannot be told apart
LEAST_BLOCKS = 3  # of a pair that is judged
LATENCY_SHARE = 1 / 4  # of the budget
PILOTS = 8  # hosts that the first one tries, to see what a slow pair carries


@dataclass(frozen=True)
class Cell:
    """An ordered pair of hosts, by their places in the cluster file; a latency is measured one way round only."""

    benchmark: str
    first: int
    second: int


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        size_B: of the latency's messages; train_B: of the throughput's.
    """

    size_B: int = 8
    train_B: int = 256 * 1024
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most; infinite without a budget: how many pairs there are depends on the cluster."""
        return math.inf if self.until.budget_s is None else self.until.budget_s


@dataclass(frozen=True)
class Matrix:
    """Values of blocks of each ordered pair: (hosts, hosts) lists; a latency in s stands on both sides."""

    hosts: tuple[str, ...]
    latency_s: dict[tuple[int, int], list[float]]
    rate_bps: dict[tuple[int, int], list[float]]

    def quantile(self, values: dict[tuple[int, int], list[float]], share: float = 0.5, least: int = 1) -> Floats:
        """(hosts, hosts) quantiles of the blocks, medians by default; NaN where there are fewer than ``least``."""
        table = np.full((len(self.hosts), len(self.hosts)), np.nan)
        for pair, found in values.items():
            if len(found) >= least:
                table[pair] = float(np.quantile(found, share))
        return table

    def slow_by_latency(self) -> Verdict:
        """Hosts and pairs that are slow by latency."""
        return self._slow(self.latency_s, larger_is_slower=True)

    def slow_by_rate(self) -> Verdict:
        """Hosts and ordered pairs that are slow by throughput."""
        return self._slow(self.rate_bps, larger_is_slower=False)

    def _slow(self, values: dict[tuple[int, int], list[float]], *, larger_is_slower: bool) -> Verdict:
        """Slow by the median of the blocks and by the quartile of the faster ones: one bad block is no verdict."""
        medians, faster = (
            judge(
                self.quantile(values, share, LEAST_BLOCKS),
                larger_is_slower=larger_is_slower,
                symmetric=larger_is_slower,
            )
            for share in (0.5, 0.25 if larger_is_slower else 0.75)
        )
        return medians.confirmed_by(faster)


def measure(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> int:
    """Measure all pairs; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: too few compute hosts; else as `point_to_point.measure`.
    """
    hosts = [host.name for host in cluster.compute_hosts()]
    if len(hosts) < LEAST_HOSTS:
        raise ConfigError(f"{cluster.source}: slow pairs are found among at least {LEAST_HOSTS} compute hosts")
    plan = {**asdict(settings), "hosts": hosts}
    with records.recorded(store, cluster, BENCHMARK, plan, settings.seed) as run:
        for benchmark in (LATENCY, THROUGHPUT):
            share = LATENCY_SHARE if benchmark == LATENCY else 1 - LATENCY_SHARE
            budget_s = settings.until.budget_s
            until = replace(settings.until, budget_s=None if budget_s is None else budget_s * share)
            with probe.running(cluster, benchmark, hosts, settings.mpirun) as started:
                session.introduce(cluster, store, run, started.introduction(), hosts)
                cells = _cells(benchmark, len(hosts))
                block = _block(store, run, started, hosts, settings, _window(started, settings, benchmark, len(hosts)))
                repeat.repeat(cells, block, until, seed=settings.seed, progress=progress)
    return run


def _cells(benchmark: str, hosts: int) -> list[Cell]:
    pairs = [(i, j) for i in range(hosts) for j in range(hosts) if i < j or (i > j and benchmark == THROUGHPUT)]
    return [Cell(benchmark, *pair) for pair in pairs]


def _window(started: probe.Probe, settings: Settings, benchmark: str, hosts: int) -> int:
    if benchmark == LATENCY:
        return 1
    # Windows that suit a fast pair may take seconds on a slow one: then the budget would be over in the first round.
    others = range(1, hosts, -(-(hosts - 1) // PILOTS))
    pilot_bps = min(point_to_point.pilot(started, (0, other)) for other in others)
    return min(point_to_point.WINDOW, max(2, int(pilot_bps * WINDOW_S / 8 / 4 / settings.train_B)))


def _block(
    store: Store, run: int, started: probe.Probe, hosts: list[str], settings: Settings, window: int
) -> Callable[[Cell, int], float]:
    def block(cell: Cell, number: int) -> float:
        latency = cell.benchmark == LATENCY
        size_B = settings.size_B if latency else settings.train_B
        request: dict[str, Any] = {"pairs": [[cell.first, cell.second]], "size_B": size_B, "window": window}
        request |= {"least": 3, "most": 1000, "limit_s": BLOCK_S, "warmup": WARM_UP[cell.benchmark]}
        first, second = hosts[cell.first], hosts[cell.second]
        samples_s = started.ask(request, settings.timeout_s, f"{first} and {second}")
        labels: dict[str, Label] = {"first": first, "second": second, "size_B": size_B, "window": window}
        name = point_to_point.SERIES[cell.benchmark]
        store.add_series(run, name, samples_s, "s", {**labels, "round": number})
        return point_to_point.value(
            cell.benchmark, point_to_point.Cell(size_B, 1, window), np.asarray(samples_s, dtype=np.float64)
        )

    return block


def matrix(store: Store, run: int) -> Matrix:
    """What a run measured."""
    hosts = tuple(str(name) for name in store.run(run).plan["hosts"])
    found = Matrix(hosts, {}, {})
    for benchmark, values in ((LATENCY, found.latency_s), (THROUGHPUT, found.rate_bps)):
        for series in store.series(run, point_to_point.SERIES[benchmark]):
            labels = series.labels
            pair = (hosts.index(str(labels["first"])), hosts.index(str(labels["second"])))
            cell = point_to_point.Cell(int(labels["size_B"]), 1, int(labels["window"]))
            value = point_to_point.value(benchmark, cell, series.values)
            values.setdefault(pair, []).append(value)
            if benchmark == LATENCY:
                values.setdefault((pair[1], pair[0]), []).append(value)
    return found
