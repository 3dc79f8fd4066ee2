"""What the samples say of all pairs: matrices of medians, and which hosts and pairs are slow."""

from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.all_pairs import measure, slow_pairs
from fairlead.benchmarks.all_pairs.slow_pairs import SlowFindings, judge
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT
from fairlead.store import Run, Store

LEAST_BLOCKS = 3  # of a pair that is judged


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

    def slow_by_latency(self) -> SlowFindings:
        """Hosts and pairs that are slow by latency."""
        return self._slow(self.latency_s, larger_is_slower=True)

    def slow_by_rate(self) -> SlowFindings:
        """Hosts and ordered pairs that are slow by throughput."""
        return self._slow(self.rate_bps, larger_is_slower=False)

    def _slow(self, values: dict[tuple[int, int], list[float]], *, larger_is_slower: bool) -> SlowFindings:
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


def matrix(store: Store, run: int) -> Matrix:
    """What a run measured."""
    hosts = tuple(str(name) for name in store.run(run).plan["hosts"])
    found = Matrix(hosts, {}, {})
    for benchmark, values in ((LATENCY, found.latency_s), (THROUGHPUT, found.rate_bps)):
        for series in store.series(run, point_to_point.SERIES[benchmark]):
            labels = series.labels
            pair = (hosts.index(str(labels["first"])), hosts.index(str(labels["second"])))
            cell = MessageCell(int(labels["size_B"]), 1, int(labels["window"]))
            value = point_to_point.value(benchmark, cell, series.values)
            values.setdefault(pair, []).append(value)
            if benchmark == LATENCY:
                values.setdefault((pair[1], pair[0]), []).append(value)
    return found


@dataclass(frozen=True)
class Pairs:
    """One system's newest run, and what is slow in it."""

    system: str
    run: Run
    matrix: Matrix
    latency: slow_pairs.SlowFindings
    rate: slow_pairs.SlowFindings


def load_all_pairs(system: System) -> Pairs | None:
    """None where there is no such run."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        found = matrix(store, run.id)
    return Pairs(system.name, run, found, found.slow_by_latency(), found.slow_by_rate())
