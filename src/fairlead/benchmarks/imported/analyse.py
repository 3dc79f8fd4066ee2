"""What files of other programs say: statistics over message size, or raw samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring import records as imported
from fairlead.benchmarks.page.system import System
from fairlead.readers.reading import SAMPLES
from fairlead.store import Label, Run, Series, Store

VALUES = ("time_s", "rate_bps", "overlap_share", "impact_ratio")
PREFERRED = ("median", "mean", "least")  # which of a program's statistics is drawn, where there are several
OF_SAMPLES = ("netgauge", "perftest", "samples")
"""Formats whose least and greatest are of samples. Those of osu and imb are of ranks, those of gpcnet of tests."""
STATISTICS: dict[str, Callable[[Floats], Any]] = {
    "median": np.median,
    "mean": np.mean,
    "least": np.min,
    "greatest": np.max,
}
"""What is computed of raw samples."""


@dataclass(frozen=True)
class Curve:
    """A column of a table: what every file says at each size.

    Attributes:
        name: of the series; its unit follows from it.
        statistic: what the program says it is of its repetitions.
        values: (repetitions,) by size in B; the size is None where the test has none.
    """

    name: str
    statistic: str
    values: dict[int | None, Floats]


Columns = dict[tuple[str, str], dict[int | None, list[float]]]


def curves(store: Store, run: int) -> list[Curve]:
    """The columns of a run's tables, and statistics of its raw samples; empty where it has neither (a profile)."""
    found: Columns = {}
    series = store.series(run)
    _of_tables(series, found)
    _of_samples(series, found)
    return [
        Curve(name, statistic, {size_B: np.array(values) for size_B, values in column.items()})
        for (name, statistic), column in found.items()
        if column
    ]


def _of_tables(series: Sequence[Series], found: Columns) -> None:
    sizes: dict[Label, list[int | None]] = {}
    for each in series:
        if each.name == "size_B":
            sizes[each.labels["round"]] = [int(size_B) for size_B in each.values]
    for each in series:
        if each.name in VALUES and "statistic" in each.labels:
            column = found.setdefault((each.name, str(each.labels["statistic"])), {})
            for size_B, value in zip(sizes.get(each.labels["round"], [None]), each.values, strict=True):
                if not np.isnan(value):  # the program says that there is none
                    column.setdefault(size_B, []).append(float(value))


def _of_samples(series: Sequence[Series], found: Columns) -> None:
    quantities = {name: quantity for quantity, name in SAMPLES.items()}
    for each in series:
        if each.name in quantities:
            size_B = int(each.labels["size_B"]) if "size_B" in each.labels else None
            for statistic, of in STATISTICS.items():
                column = found.setdefault((quantities[each.name], statistic), {})
                column.setdefault(size_B, []).append(float(of(each.values)))


@dataclass(frozen=True)
class ImportedBenchmark:
    """One benchmark of one system, read from files.

    Attributes:
        samples: how many raw samples there are; none where the files hold statistics.
    """

    system: str
    run: Run
    curves: tuple[Curve, ...]
    samples: int = 0

    @property
    def name(self) -> str:
        """What the program is called, and its test."""
        return str(self.run.labels["benchmark"])

    def column(self, quantity: str, statistic: str) -> Curve | None:
        """One column; None where the files do not have it."""
        return next((c for c in self.curves if (c.name, c.statistic) == (quantity, statistic)), None)

    def drawn(self, quantity: str) -> Curve | None:
        """The column that stands for a quantity in figures and comparisons; None where there is none with sizes."""
        of = {curve.statistic: curve for curve in self.curves if curve.name == quantity and None not in curve.values}
        return next((of[each] for each in PREFERRED if each in of), None)

    def extremes(self, quantity: str) -> dict[int | None, tuple[float, float]]:
        """The least and greatest sample by size; empty where the files do not tell them."""
        least, greatest = self.column(quantity, "least"), self.column(quantity, "greatest")
        if self.run.labels[imported.SOURCE] not in OF_SAMPLES or least is None or greatest is None:
            return {}
        return {
            size_B: (float(values.min()), float(greatest.values[size_B].max()))
            for size_B, values in least.values.items()
            if size_B in greatest.values
        }

    def repetitions(self) -> int:
        """How many tables there are."""
        return max(len(values) for curve in self.curves for values in curve.values.values())


def load_imported(system: System) -> tuple[ImportedBenchmark, ...]:
    """Everything that was read for a system and has tables or samples."""
    runs = [run for run in system.runs.values() if imported.is_read(run)]
    found = []
    with Store.read(system.directory) as store:
        for run in runs:
            count = sum(each.values.size for name in SAMPLES.values() for each in store.series(run.id, name))
            found.append(ImportedBenchmark(system.name, run, tuple(curves(store, run.id)), count))
    return tuple(each for each in found if each.curves)
