"""What a benchmark gives: figures with a target, their intervals, and whether the target is met."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

# The tests of a target: the figure must be at least, or at most, its target.
AT_LEAST = "at least"
AT_MOST = "at most"


@dataclass(frozen=True)
class Figure:
    """One row of results/bench/summary.json.

    Attributes:
        name: what was measured, dotted, for example ``recovered.cg``.
        value: in ``unit``; None if it could not be measured here (``note`` says why).
        target: in ``unit``, or None for a figure that only informs.
        sense: AT_LEAST or AT_MOST.
        n: number of independent measurements.
        interval: of ``value`` at 95 %, in ``unit``, or None.
    """

    name: str
    value: float | None
    unit: str
    n: int
    target: float | None = None
    sense: str = AT_MOST
    interval: tuple[float, float] | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target or a value."""
        if self.target is None or self.value is None:
            return None
        return self.value >= self.target if self.sense == AT_LEAST else self.value <= self.target

    def row(self) -> dict[str, object]:
        """The figure as written to the summary."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": self.target,
            "sense": self.sense if self.target is not None else None,
            "met": self.met,
            "n": self.n,
            "interval": list(self.interval) if self.interval else None,
            "note": self.note,
        }


def median_interval(samples: Sequence[float], *, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the median, (low, high) in the samples' unit."""
    values = np.asarray(samples, dtype=float)
    draws = np.random.default_rng(seed).choice(values, size=(4000, values.size), replace=True)
    low, high = np.quantile(np.median(draws, axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


Benchmark = Callable[[], list[Figure]]
