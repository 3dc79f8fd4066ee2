"""Latency and throughput between all compute hosts, one pair after the other, a rank on each host."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from fairlead.benchmarks.all_pairs import LEAST_HOSTS
from fairlead.benchmarks.measuring import probe, records, repeat, session
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT, WARM_UP, WINDOW_S
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK = "all-pairs"
BLOCK_S = 0.05
LATENCY_SHARE = 1 / 4  # of the budget
PILOTS = 8  # hosts that the first one tries, to see what a slow pair carries


@dataclass(frozen=True)
class PairCell:
    """An ordered pair of hosts, by their places in the cluster file; a latency is measured one way round only."""

    benchmark: str
    first: int
    second: int


@dataclass(frozen=True)
class AllPairsSettings:
    """What was asked for.

    Attributes:
        size_B: of the latency's messages; bulk_B: of the throughput's.
    """

    size_B: int = 8
    bulk_B: int = 256 * 1024
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most; infinite without a budget: how many pairs there are depends on the cluster."""
        return math.inf if self.until.budget_s is None else self.until.budget_s


SETTINGS = AllPairsSettings


def measure(cluster: Cluster, store: Store, settings: AllPairsSettings, progress: Progress) -> int:
    """Measure all pairs; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: too few compute hosts; else as `point_to_point.measure`.
    """
    hosts = cluster.compute_names()
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


def _cells(benchmark: str, hosts: int) -> list[PairCell]:
    pairs = [(i, j) for i in range(hosts) for j in range(hosts) if i < j or (i > j and benchmark == THROUGHPUT)]
    return [PairCell(benchmark, *pair) for pair in pairs]


def _window(started: probe.RunningProbe, settings: AllPairsSettings, benchmark: str, hosts: int) -> int:
    if benchmark == LATENCY:
        return 1
    # Windows that suit a fast pair may take seconds on a slow one: then the budget would be over in the first round.
    others = range(1, hosts, -(-(hosts - 1) // PILOTS))
    pilot_bps = min(point_to_point.pilot(started, (0, other)) for other in others)
    return min(point_to_point.WINDOW, max(2, int(pilot_bps * WINDOW_S / 8 / 4 / settings.bulk_B)))


def _block(
    store: Store, run: int, started: probe.RunningProbe, hosts: list[str], settings: AllPairsSettings, window: int
) -> Callable[[PairCell, int], float]:
    def block(cell: PairCell, number: int) -> float:
        latency = cell.benchmark == LATENCY
        size_B = settings.size_B if latency else settings.bulk_B
        request: dict[str, Any] = {"pairs": [[cell.first, cell.second]], "size_B": size_B, "window": window}
        request |= {"least": 3, "most": 1000, "limit_s": BLOCK_S, "warmup": WARM_UP[cell.benchmark]}
        first, second = hosts[cell.first], hosts[cell.second]
        samples_s = started.ask(request, settings.timeout_s, f"{first} and {second}")
        labels: dict[str, Label] = {"first": first, "second": second, "size_B": size_B, "window": window}
        name = point_to_point.SERIES[cell.benchmark]
        store.add_series(run, name, samples_s, "s", {**labels, "round": number})
        return point_to_point.value(
            cell.benchmark, MessageCell(size_B, 1, window), np.asarray(samples_s, dtype=np.float64)
        )

    return block
