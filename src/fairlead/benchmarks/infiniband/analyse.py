"""What the samples say of perftest: blocks of each verb."""

from collections.abc import Sequence

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.infiniband import measure
from fairlead.benchmarks.infiniband.measure import LATENCY, SERIES, VerbCell
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import curves
from fairlead.benchmarks.page.curves import CellStatistics, Measured
from fairlead.benchmarks.page.system import System
from fairlead.store import Store


def blocks(store: Store, run: int) -> dict[VerbCell, list[Floats]]:
    """The blocks of a run by cell, in the order taken: latencies in s, or one rate in bit/s."""
    found: dict[VerbCell, list[Floats]] = {}
    for series in store.series(run):
        labels = series.labels
        if series.name in SERIES.values():
            cell = VerbCell(
                str(labels["verb"]),
                str(labels["test"]),
                int(labels["size_B"]),
                int(labels["queue_pairs"]),
                bool(labels["both"]),
            )
            found.setdefault(cell, []).append(series.values)
    return found


def load_infiniband(system: System) -> tuple[Measured, ...]:
    """Latency and throughput of each verb; empty where there is no such run."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return ()
    with Store.read(system.directory) as store:
        by_cell = blocks(store, run.id)
    plan = run.plan
    found = []
    for test, verb in sorted({(cell.test, cell.verb) for cell in by_cell}):
        latency = test == LATENCY
        cells = {
            MessageCell(cell.size_B, cell.queue_pairs, 1, cell.both): _numbers(taken, latency=latency)
            for cell, taken in by_cell.items()
            if (cell.verb, cell.test) == (verb, test)
        }
        asked = len(plan["sizes_B"]) * (1 if latency else len(plan["queue_pairs"]) * len(plan["directions"]))
        name = f"{measure.BENCHMARK} {test}"
        of = (f"InfiniBand {verb}", "queue pair", "InfiniBand")
        found.append(Measured(system.name, run, cells, name, latency, asked, *of))
    return tuple(found)


def _numbers(taken: Sequence[Floats], *, latency: bool) -> CellStatistics:
    if latency:
        return curves.of_latencies(taken, sum(len(each) for each in taken))
    return curves.of_rates(np.concatenate(taken), len(taken))
