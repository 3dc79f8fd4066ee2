"""What the blocks of MPI latency and throughput say, and those of InfiniBand: numbers of each cell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.display import words
from fairlead.measure.benchmarks import point_to_point as measured
from fairlead.measure.benchmarks.point_to_point import LATENCY, Cell, Floats
from fairlead.measure.benchmarks.records import is_native
from fairlead.report.benchmarks import transports
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
"""How many at once (pairs of ranks for each pair of hosts, queue pairs), both directions: one line of a figure."""


@dataclass(frozen=True)
class Measured:
    """One benchmark of one system: latency or throughput.

    Attributes:
        benchmark: what tables call it.
        asked: cells that were asked for.
        transport: what is named before a configuration; nothing of MPI over TCP.
        layer: MPI, InfiniBand.
        unit: what a configuration has one or several of.
    """

    system: str
    run: Run
    cells: dict[Cell, Numbers]
    benchmark: str
    is_latency: bool
    asked: int
    transport: str = ""
    unit: str = "pair"
    layer: str = "MPI"

    def configurations(self) -> list[Configuration]:
        """Those measured, single streams first."""
        return sorted({(cell.pairs, cell.both) for cell in self.cells}, key=lambda each: (each[1], each[0]))

    def line(self, configuration: Configuration) -> dict[int, Numbers]:
        """Numbers by size, in rising order."""
        chosen = [cell for cell in self.cells if (cell.pairs, cell.both) == configuration]
        return {cell.size_B: self.cells[cell] for cell in sorted(chosen, key=lambda cell: cell.size_B)}

    def missing(self) -> int:
        """How many cells were asked for and have no block."""
        return self.asked - len(self.cells)

    def words(self, configuration: Configuration) -> str:
        """For legends and tables: "1 pair", "16 pairs, both directions", "InfiniBand send, 1 queue pair"."""
        count, both = configuration
        direction = "" if self.is_latency else "both directions" if both else "one direction"
        return ", ".join(part for part in (self.transport, words.count(count, self.unit), direction) if part)


def load(system: System, benchmark: str) -> Measured | None:
    """The numbers of a system's newest run of a benchmark; None where there is none."""
    run = system.runs.get(benchmark)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        blocks = measured.blocks(store, run.id, benchmark)
    cells = {cell: _numbers(benchmark, cell, found) for cell, found in blocks.items()}
    latency, plan = benchmark == LATENCY, run.plan
    asked = len(plan["sizes_B"]) * len(plan["pairs"]) * (1 if latency else len(plan["directions"]))
    transport = transports.NATIVE if is_native(run) else ""
    return Measured(system.name, run, cells, benchmark, latency, asked, transport)


def _numbers(benchmark: str, cell: Cell, blocks: Sequence[Floats]) -> Numbers:
    count = sum(int(np.isfinite(block).sum()) for block in blocks)
    if benchmark == LATENCY:
        return of_latencies([measured.latencies_s(block) for block in blocks], count)
    return of_rates(np.array([measured.rate_bps(cell, block) for block in blocks]), count)


def of_latencies(blocks: Sequence[Floats], samples: int) -> Numbers:
    """Of blocks of latencies in s."""
    values, means = (np.array([float(f(block)) for block in blocks]) for f in (np.median, np.mean))
    return Numbers(values, _median(values), np.percentile(np.concatenate(blocks), PERCENTILES), means, samples)


def of_rates(values: Floats, samples: int) -> Numbers:
    """Of the rates of blocks in bit/s."""
    return Numbers(values, _median(values), np.percentile(values, PERCENTILES), values, samples)


def _median(values: Floats) -> Estimate | None:
    return estimates.median_interval(values) if len(values) > 1 else None
