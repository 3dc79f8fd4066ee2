"""What the samples say of bursts: round trips by pass and pause."""

from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.burst import measure
from fairlead.benchmarks.burst.measure import SERIES
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.page.systems import variant
from fairlead.store import Run, Store


def round_trips_s(store: Store, run: int) -> dict[int, Floats]:
    """By length of trains (passes, pauses, repetitions) mean round trips; half is what the thesis calls latency.

    Pauses end where the first pass did, if it was not whole; NaN where the last pass had not got to.
    """
    found: dict[int, dict[tuple[int, int], Floats]] = {}
    for series in store.series(run, SERIES):
        labels, passes = series.labels, found.setdefault(int(series.labels["train"]), {})
        if "step" in labels:
            passes[int(labels["pass"]), int(labels["step"])] = series.values / int(labels["train"])
        else:  # earlier versions stored a pass as one table
            number = len({taken for taken, _ in passes})
            passes |= {(number, step): row / int(labels["train"]) for step, row in enumerate(series.values)}
    return {train: _table(passes) for train, passes in found.items()}


def _table(passes: dict[tuple[int, int], Floats]) -> Floats:
    shape = (max(number for number, _ in passes) + 1, max(step for _, step in passes) + 1)
    table = np.full((*shape, len(next(iter(passes.values())))), np.nan)
    for place, values in passes.items():
        table[place] = values
    return table


@dataclass(frozen=True)
class Burst:
    """One system's newest burst test with trains of one length.

    Attributes:
        round_trips_s: (passes, pauses, repetitions). NaN: the last pass was not whole; no pause is without any.
        alone: nobody paused otherwise on this system.
    """

    system: str
    run: Run
    train: int
    round_trips_s: Floats
    alone: bool

    def words(self) -> str:
        """What there is between two pauses, and what kind of pauses where there are several."""
        what = "single messages" if self.train == 1 else f"trains of {self.train}"
        return what if self.alone else f"{what}, pauses {variant(self.run)}"

    def medians_s(self) -> Floats:
        """(pauses,) median round trip."""
        found: Floats = np.nanmedian(self.round_trips_s, axis=(0, 2))
        return found


def load_burst(system: System) -> tuple[Burst, ...]:
    """By kind of pauses and length of trains; empty where there is no such run."""
    runs = system.variants(measure.BENCHMARK)
    found = []
    with Store.read(system.directory) as store:
        for run in runs:
            of_trains = sorted(round_trips_s(store, run.id).items())
            found += [Burst(system.name, run, train, passes, len(runs) == 1) for train, passes in of_trains]
    return tuple(found)
