"""What the samples say of collective operations: times of calls, and which rank is last."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.collectives import measure
from fairlead.benchmarks.collectives.measure import LATE_SERIES, OPERATIONS, SERIES, CollectiveCell, in_time
from fairlead.benchmarks.page.curves import CellStatistics, of_latencies
from fairlead.benchmarks.page.system import System
from fairlead.store import Run, Store

_SYMMETRIC = ("allreduce", "alltoall", "allgather", "reduce-scatter")


def blocks(store: Store, run: int) -> dict[CollectiveCell, list[Floats]]:
    """The raw blocks of a run by cell, in the order taken: (ranks, calls) each, of the calls that count."""
    late = store.series(run, LATE_SERIES)
    found: dict[CollectiveCell, list[Floats]] = {}
    for number, series in enumerate(store.series(run, SERIES)):
        labels = series.labels
        cell = CollectiveCell(str(labels["operation"]), int(labels["size_B"]), int(labels["ranks"]))
        taken = in_time(series.values, late[number].values) if late else series.values
        if taken.size:
            found.setdefault(cell, []).append(taken)
    return found


@dataclass(frozen=True)
class Begun:
    """How calls began that were to begin at agreed moments.

    Attributes:
        calls, counted: how many there were, and how many of them all ranks began in time.
        clock_error_s: the largest bound on what a clock was wrong by.
    """

    calls: int
    counted: int
    clock_error_s: float


def begun(store: Store, run: int) -> Begun | None:
    """None where calls came after barriers."""
    late = store.series(run, LATE_SERIES)
    if not late:
        return None
    calls = store.series(run, SERIES)
    counted = sum(in_time(one.values, other.values).shape[1] for one, other in zip(calls, late, strict=False))
    total = sum(one.values.shape[1] for one in calls)
    return Begun(total, counted, max(float(one.labels["clock_error_s"]) for one in late))


def last_rank_share(taken: Sequence[Floats]) -> Floats:
    """(ranks,) share of the calls in which each rank was the one that took longest."""
    last = np.concatenate([block.argmax(axis=0) for block in taken])
    found: Floats = np.bincount(last, minlength=len(taken[0])) / len(last)
    return found


@dataclass(frozen=True)
class Collectives:
    """One system's newest run.

    Attributes:
        begun: how calls began at agreed moments; None where they came after barriers.
        late: by cell, of operations that all ranks wait for: (ranks,) share of the calls in which a rank was the last.
    """

    system: str
    run: Run
    cells: dict[CollectiveCell, CellStatistics]
    late: dict[CollectiveCell, Floats]
    begun: Begun | None

    def line(self, operation: str, ranks: int) -> dict[int, CellStatistics]:
        """Numbers by size, in rising order."""
        chosen = [each for each in self.cells if (each.operation, each.ranks) == (operation, ranks)]
        return {each.size_B: self.cells[each] for each in sorted(chosen, key=lambda each: each.size_B)}

    def sizes_of_group(self) -> list[int]:
        """Numbers of ranks that were measured."""
        return sorted({each.ranks for each in self.cells})

    def operations(self) -> list[str]:
        """Those measured, in the usual order."""
        return [name for name in OPERATIONS if any(each.operation == name for each in self.cells)]


def load_collectives(system: System) -> Collectives | None:
    """None where there is no such run, or no call of it counts."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        by_cell, start = blocks(store, run.id), begun(store, run.id)
    if not by_cell:
        return None
    late = {one: last_rank_share(taken) for one, taken in by_cell.items() if one.operation in _SYMMETRIC}
    return Collectives(system.name, run, {one: _numbers(taken) for one, taken in by_cell.items()}, late, start)


def _numbers(taken: Sequence[Floats]) -> CellStatistics:
    times_s = [measure.call_times_s(block) for block in taken]
    return of_latencies(times_s, sum(map(len, times_s)))
