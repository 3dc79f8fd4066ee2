"""What perftest measured when fairlead ran it: latency and throughput of each verb."""

from collections.abc import Sequence

import numpy as np

from fairlead.measure.benchmarks import infiniband as measured
from fairlead.measure.benchmarks.infiniband import LATENCY
from fairlead.measure.benchmarks.point_to_point import Cell, Floats
from fairlead.report.benchmarks import bands, point_to_point
from fairlead.report.benchmarks.point_to_point import Measured, Numbers
from fairlead.report.benchmarks.systems import System
from fairlead.report.figures import Drawing
from fairlead.store import Store

CAPTIONS = {
    "latency": "By perftest: half the round trip of a message over one queue pair. A block is one run of it.",
    "throughput": "By perftest: how fast messages are completed, over all queue pairs and both directions together. A "
    "block is one run of it.",
}


def load(system: System) -> tuple[Measured, ...]:
    """Latency and throughput of each verb; empty where there is no such run."""
    run = system.runs.get(measured.BENCHMARK)
    if run is None:
        return ()
    with Store.read(system.directory) as store:
        blocks = measured.blocks(store, run.id)
    plan = run.plan
    found = []
    for test, verb in sorted({(cell.test, cell.verb) for cell in blocks}):
        latency = test == LATENCY
        cells = {
            Cell(cell.size_B, cell.queue_pairs, 1, cell.both): _numbers(taken, latency=latency)
            for cell, taken in blocks.items()
            if (cell.verb, cell.test) == (verb, test)
        }
        asked = len(plan["sizes_B"]) * (1 if latency else len(plan["queue_pairs"]) * len(plan["directions"]))
        name = f"{measured.BENCHMARK} {test}"
        of = (f"InfiniBand {verb}", "queue pair", "InfiniBand")
        found.append(Measured(system.name, run, cells, name, latency, asked, *of))
    return tuple(found)


def _numbers(taken: Sequence[Floats], *, latency: bool) -> Numbers:
    if latency:
        return point_to_point.of_latencies(taken, sum(len(each) for each in taken))
    return point_to_point.of_rates(np.concatenate(taken), len(taken))


def drawings(found: Sequence[Measured], systems: Sequence[str]) -> list[Drawing]:
    """Bands of latency and of throughput."""
    drawn = []
    for what, latency in (("latency", True), ("throughput", False)):
        chosen = [each for each in found if each.is_latency == latency]
        if chosen:
            drawn.append(bands.draw(chosen, systems, f"infiniband-{what}", f"InfiniBand {what}", CAPTIONS[what]))
    return drawn


def alike(found: Sequence[Measured]) -> list[list[Measured]]:
    """Groups whose members can be held against each other: the same verb and test of different systems."""
    groups: dict[tuple[str, bool], list[Measured]] = {}
    for each in found:
        groups.setdefault((each.transport, each.is_latency), []).append(each)
    return list(groups.values())
