"""Curves over message size between two hosts: what the blocks of each size say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.display import words
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate, FloatArray
from fairlead.store import Run

T = TypeVar("T")
PERCENTILES = (5, 25, 50, 75, 95, 99)
Configuration = tuple[int, bool]
"""How many at once (pairs of ranks for each pair of hosts, queue pairs), both directions: one line of a figure."""


@dataclass(frozen=True)
class CellStatistics:
    """Of one cell. Latencies in s; throughput in bit/s.

    Attributes:
        blocks: the value of each block: median latency, or rate.
        median: of the blocks, with its interval; None of a single block.
        percentiles: `PERCENTILES` of all samples (latency), of the blocks (throughput).
        means: mean of each block.
        samples: how many raw samples there are.
        extremes: the least and greatest sample (latency) or block (throughput, of which a block is one).
    """

    blocks: FloatArray
    median: Estimate | None
    percentiles: FloatArray
    means: FloatArray
    samples: int
    extremes: tuple[float, float]

    @property
    def mean(self) -> float:
        """The mean of the blocks' means."""
        return float(np.mean(self.means))

    @property
    def value(self) -> float:
        """The median of the blocks."""
        return float(np.median(self.blocks))

    def percentile(self, percent: int) -> float:
        """One of `PERCENTILES`."""
        return float(self.percentiles[PERCENTILES.index(percent)])


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
    cells: dict[MessageCell, CellStatistics]
    benchmark: str
    is_latency: bool
    asked: int
    transport: str = ""
    unit: str = "pair"
    layer: str = "MPI"

    def configurations(self) -> list[Configuration]:
        """Those measured, single streams first."""
        return sorted({(cell.pairs, cell.both) for cell in self.cells}, key=lambda each: (each[1], each[0]))

    def line(self, configuration: Configuration) -> dict[int, CellStatistics]:
        """Numbers by size, in rising order."""
        return by_size(self.cells, configuration)

    def missing(self) -> int:
        """How many cells were asked for and have no block."""
        return self.asked - len(self.cells)

    def words(self, configuration: Configuration) -> str:
        """For legends and tables: "1 pair", "16 pairs, both directions", "InfiniBand send, 1 queue pair"."""
        count, both = configuration
        direction = "" if self.is_latency else "both directions" if both else "one direction"
        return ", ".join(part for part in (self.transport, words.count(count, self.unit), direction) if part)


def by_size(cells: Mapping[MessageCell, T], configuration: Configuration) -> dict[int, T]:
    """What the cells of a configuration have, by size in bytes, in rising order."""
    chosen = [cell for cell in cells if (cell.pairs, cell.both) == configuration]
    return {cell.size_B: cells[cell] for cell in sorted(chosen, key=lambda cell: cell.size_B)}


def of_latencies(blocks: Sequence[FloatArray], samples: int) -> CellStatistics:
    """Of blocks of latencies in s."""
    values, means = (np.array([float(f(block)) for block in blocks]) for f in (np.median, np.mean))
    every = np.concatenate(blocks)
    ends = float(every.min()), float(every.max())
    return CellStatistics(values, _median(values), np.percentile(every, PERCENTILES), means, samples, ends)


def of_rates(values: FloatArray, samples: int) -> CellStatistics:
    """Of the rates of blocks in bit/s."""
    ends = float(values.min()), float(values.max())
    return CellStatistics(values, _median(values), np.percentile(values, PERCENTILES), values, samples, ends)


def _median(values: FloatArray) -> Estimate | None:
    return estimates.median_interval(values) if len(values) > 1 else None
