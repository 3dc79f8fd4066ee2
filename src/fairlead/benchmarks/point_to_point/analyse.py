"""What the blocks of MPI latency and throughput say."""

from collections.abc import Sequence

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.records import is_native
from fairlead.benchmarks.page import transports
from fairlead.benchmarks.page.curves import CellStatistics, Measured, of_latencies, of_rates
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.point_to_point import measure, one_way
from fairlead.benchmarks.point_to_point.measure import FORWARD_SERIES, LATENCY, SERIES
from fairlead.benchmarks.point_to_point.one_way import ClockedBlock, MeasuredLatency
from fairlead.store import Series, Store


def cell_of(series: Series) -> MessageCell:
    """The cell that a stored block belongs to."""
    labels = series.labels
    return MessageCell(int(labels["size_B"]), int(labels["pairs"]), int(labels["window"]), bool(labels["both"]))


def blocks(store: Store, run: int, benchmark: str) -> dict[MessageCell, list[Floats]]:
    """The raw blocks of a run by cell, in the order taken."""
    found: dict[MessageCell, list[Floats]] = {}
    for series in store.series(run, SERIES[benchmark]):
        found.setdefault(cell_of(series), []).append(series.values)
    return found


def clocked_blocks(store: Store, run: int) -> dict[MessageCell, list[ClockedBlock]]:
    """The raw blocks of latency with one-way times by the clocks; none where the run has no such times."""
    found: dict[MessageCell, list[ClockedBlock]] = {}
    # Times there are stored before the round trips, so the last of them may be alone.
    for forward, whole in zip(store.series(run, FORWARD_SERIES), store.series(run, SERIES[LATENCY]), strict=False):
        block = ClockedBlock(float(forward.labels["clock_error_s"]), whole.values, forward.values)
        found.setdefault(cell_of(whole), []).append(block)
    return found


def load_messages(system: System, benchmark: str) -> Measured | None:
    """The numbers of a system's newest run of a benchmark; None where there is none."""
    run = system.runs.get(benchmark)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        by_cell = blocks(store, run.id, benchmark)
        clocked = clocked_blocks(store, run.id) if benchmark == LATENCY else {}
    cells = {cell: _numbers(benchmark, cell, found) for cell, found in by_cell.items()}
    latency, plan = benchmark == LATENCY, run.plan
    asked = len(plan["sizes_B"]) * len(plan["pairs"]) * (1 if latency else len(plan["directions"]))
    transport = transports.NATIVE if is_native(run) else ""
    if latency:
        found = {cell: one_way.of(of_cell) for cell, of_cell in clocked.items()}
        return MeasuredLatency(system.name, run, cells, benchmark, latency, asked, transport, one_way=found)
    return Measured(system.name, run, cells, benchmark, latency, asked, transport)


def _numbers(benchmark: str, cell: MessageCell, blocks: Sequence[Floats]) -> CellStatistics:
    count = sum(int(np.isfinite(block).sum()) for block in blocks)
    if benchmark == LATENCY:
        return of_latencies([measure.latencies_s(block) for block in blocks], count)
    return of_rates(np.array([measure.rate_bps(cell, block) for block in blocks]), count)
