"""What the samples say of the impact of congestion: factors over being alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.impact import measure
from fairlead.benchmarks.impact.measure import ALONE, SERIES, VICTIMS, Congestor, ImpactCell
from fairlead.benchmarks.page.system import System
from fairlead.statistics import estimates, tails
from fairlead.statistics.estimates import Estimate
from fairlead.store import Run, Store

TAIL = 99.0


@dataclass(frozen=True)
class Factor:
    """How many times longer exchanges take beside a congestor than alone: of their means, and of their tails.

    Attributes:
        alone_s, beside_s: (rounds,) means, of the rounds in which both were measured.
        mean_interval: over rounds, in each of which hosts were drawn anew; None of a single round.
        tail: of the `TAIL`th percentiles of all rounds together, as many samples of each alone as beside; None where
            too few lie beyond.
        tail_interval: over rounds; None of few rounds.
    """

    cell: ImpactCell
    alone_s: Floats
    beside_s: Floats
    mean_interval: Estimate | None
    tail: float | None
    tail_interval: Estimate | None

    @property
    def ratios(self) -> Floats:
        """(rounds,) of the means."""
        return self.beside_s / self.alone_s

    @property
    def mean(self) -> float:
        """The median ratio of means."""
        return float(np.median(self.ratios))


def blocks(store: Store, run: int) -> dict[ImpactCell, dict[int, Floats]]:
    """(victims, samples) of each block by cell and round."""
    found: dict[ImpactCell, dict[int, Floats]] = {}
    for series in store.series(run, SERIES):
        cell = ImpactCell(str(series.labels["victim"]), str(series.labels["congestor"]))
        found.setdefault(cell, {})[int(series.labels["round"])] = series.values
    return found


def factors(found: dict[ImpactCell, dict[int, Floats]]) -> list[Factor]:
    """Impact of every congestor on every victim, over the rounds in which both were measured."""
    result = []
    for cell, beside in found.items():
        alone = found.get(ImpactCell(cell.victim, ALONE), {})
        rounds = sorted(beside.keys() & alone.keys())
        if cell.congestor == ALONE or not rounds:
            continue
        result.append(_factor(cell, [alone[number] for number in rounds], [beside[number] for number in rounds]))
    order = list(VICTIMS)
    return sorted(
        result, key=lambda each: (order.index(each.cell.victim), Congestor.parse(each.cell.congestor).order())
    )


def _factor(cell: ImpactCell, alone: Sequence[Floats], beside: Sequence[Floats]) -> Factor:
    alone_s, beside_s = (np.array([float(block.mean()) for block in blocks]) for blocks in (alone, beside))
    counts = [min(one.shape[1], other.shape[1]) for one, other in zip(alone, beside, strict=True)]
    free, loaded = (
        [_evenly(block, count) for block, count in zip(blocks, counts, strict=True)] for blocks in (alone, beside)
    )
    return Factor(
        cell,
        alone_s,
        beside_s,
        estimates.paired_ratio(beside_s, alone_s) if len(alone_s) > 1 else None,
        tails.tail_ratio(loaded, free, TAIL),
        tails.tail_ratio_interval(loaded, free, TAIL),
    )


def _evenly(block: Floats, count: int) -> Floats:
    """So many samples of each victim, from all of the block's time."""
    found: Floats = block[:, np.linspace(0, block.shape[1] - 1, count).astype(np.int64)].ravel()
    return found


@dataclass(frozen=True)
class Impact:
    """One system's newest run."""

    system: str
    run: Run
    factors: list[Factor]


def load_impact(system: System) -> Impact | None:
    """None where there is no such run, or no congestor was measured in it."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        found = factors(blocks(store, run.id))
    return Impact(system.name, run, found) if found else None
