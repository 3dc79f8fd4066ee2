"""What the blocks of MPI latency and throughput say: numbers of each cell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.measure.benchmarks import point_to_point as measured
from fairlead.measure.benchmarks.point_to_point import LATENCY, Cell, Floats
from fairlead.report.benchmarks.systems import System
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate
from fairlead.store import Run, Store

PERCENTILES = (5, 25, 50, 75, 95, 99)


@dataclass(frozen=True)
class Numbers:
    """Of one cell. Latencies in s; throughput in bit/s.

    Attributes:
        blocks: the value of each block: median latency, or rate.
        median: of the blocks, with its interval; None of a single block.
        percentiles: `PERCENTILES` of all samples (latency), of the blocks (throughput).
        means: mean of each block.
        samples: how many raw samples there are.
    """

    blocks: Floats
    median: Estimate | None
    percentiles: Floats
    means: Floats
    samples: int

    @property
    def value(self) -> float:
        """The median of the blocks."""
        return float(np.median(self.blocks))

    def percentile(self, percent: int) -> float:
        """One of `PERCENTILES`."""
        return float(self.percentiles[PERCENTILES.index(percent)])


Configuration = tuple[int, bool]
"""Pairs of ranks for each pair of hosts, both directions: one line of a figure."""


@dataclass(frozen=True)
class Measured:
    """One benchmark of one system."""

    system: str
    run: Run
    cells: dict[Cell, Numbers]

    def configurations(self) -> list[Configuration]:
        """Those measured, single streams first."""
        return sorted({(cell.pairs, cell.both) for cell in self.cells}, key=lambda each: (each[1], each[0]))

    def line(self, configuration: Configuration) -> dict[int, Numbers]:
        """Numbers by size, in rising order."""
        chosen = [cell for cell in self.cells if (cell.pairs, cell.both) == configuration]
        return {cell.size_B: self.cells[cell] for cell in sorted(chosen, key=lambda cell: cell.size_B)}

    def missing(self) -> int:
        """How many cells were asked for and have no block."""
        plan = self.run.plan
        directions = 1 if self.run.labels["benchmark"] == LATENCY else len(plan["directions"])
        return len(plan["sizes_B"]) * len(plan["pairs"]) * directions - len(self.cells)


def words_of(configuration: Configuration, benchmark: str) -> str:
    """For legends and tables: "1 pair", "16 pairs, both directions"."""
    pairs, both = configuration
    direction = "" if benchmark == LATENCY else ", both directions" if both else ", one direction"
    return f"{pairs} pair{'s' if pairs > 1 else ''}{direction}"


def load(system: System, benchmark: str) -> Measured | None:
    """The numbers of a system's newest run of a benchmark; None where there is none."""
    run = system.runs.get(benchmark)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        blocks = measured.blocks(store, run.id, benchmark)
    cells = {cell: _numbers(benchmark, cell, found) for cell, found in blocks.items()}
    return Measured(system.name, run, cells)


def _numbers(benchmark: str, cell: Cell, blocks: Sequence[Floats]) -> Numbers:
    values = np.array([measured.value(benchmark, cell, block) for block in blocks])
    median = estimates.median_interval(values) if len(values) > 1 else None
    if benchmark == LATENCY:
        samples = [measured.latencies_s(block) for block in blocks]
        pooled, means = np.concatenate(samples), np.array([each.mean() for each in samples])
    else:
        pooled, means = values, values
    count = sum(int(np.isfinite(block).sum()) for block in blocks)
    return Numbers(values, median, np.percentile(pooled, PERCENTILES), means, count)
