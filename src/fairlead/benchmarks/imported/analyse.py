"""What files of other programs say: tables of statistics over message size."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairlead.benchmarks.measuring import records as imported
from fairlead.benchmarks.page.systems import System
from fairlead.store import Label, Run, Store

Floats = npt.NDArray[np.float64]
VALUES = ("time_s", "rate_bps", "overlap_share")
PREFERRED = ("median", "mean", "least")  # which of a program's statistics is drawn, where there are several


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


def curves(store: Store, run: int) -> list[Curve]:
    """The columns of a run's tables; empty where it has none (raw samples, a profile)."""
    sizes: dict[Label, list[int | None]] = {}
    found: dict[tuple[str, str], dict[int | None, list[float]]] = {}
    series = store.series(run)
    for each in series:
        if each.name == "size_B":
            sizes[each.labels["round"]] = [int(size_B) for size_B in each.values]
    for each in series:
        if each.name in VALUES and "statistic" in each.labels:
            column = found.setdefault((each.name, str(each.labels["statistic"])), {})
            for size_B, value in zip(sizes.get(each.labels["round"], [None]), each.values, strict=True):
                column.setdefault(size_B, []).append(float(value))
    return [
        Curve(name, statistic, {size_B: np.array(values) for size_B, values in column.items()})
        for (name, statistic), column in found.items()
    ]


@dataclass(frozen=True)
class Imported:
    """One benchmark of one system, read from files."""

    system: str
    run: Run
    curves: tuple[Curve, ...]

    @property
    def name(self) -> str:
        """What the program is called, and its test."""
        return str(self.run.labels["benchmark"])

    def drawn(self, quantity: str) -> Curve | None:
        """The column that stands for a quantity in figures and comparisons; None where there is none with sizes."""
        of = {curve.statistic: curve for curve in self.curves if curve.name == quantity and None not in curve.values}
        return next((of[each] for each in PREFERRED if each in of), None)

    def repetitions(self) -> int:
        """How many tables there are."""
        return max(len(values) for curve in self.curves for values in curve.values.values())


def load(system: System) -> tuple[Imported, ...]:
    """Everything that was read for a system and has tables."""
    runs = [run for run in system.runs.values() if imported.is_read(run)]
    with Store.read(system.directory) as store:
        found = [Imported(system.name, run, tuple(curves(store, run.id))) for run in runs]
    return tuple(each for each in found if each.curves)
