"""What a benchmark gives: figures with a target, their intervals, and whether the target is met."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.statistics.estimates import Estimate, median_interval

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
        interval: of ``value`` at 95 %, in ``unit``, or None; an end is None where it is unbounded.
    """

    name: str
    value: float | None
    unit: str
    n: int
    target: float | None = None
    sense: str = AT_MOST
    interval: tuple[float | None, float | None] | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target. A figure that could not be measured meets nothing."""
        if self.target is None:
            return None
        if self.value is None:
            return False
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


def ends(estimate: Estimate) -> tuple[float | None, float | None]:
    """An estimate's interval; None stands for an end that is unbounded."""
    low, high = estimate.low, estimate.high
    return (low if math.isfinite(low) else None, high if math.isfinite(high) else None)


def median_figure(
    name: str,
    samples: Sequence[float],
    unit: str,
    *,
    target: float | None = None,
    sense: str = AT_MOST,
    note: str = "",
) -> Figure:
    """The median of independent samples, with its interval where there are two or more.

    An infinite sample (something that never came) counts in the median and leaves the interval out.
    """
    finite = [sample for sample in samples if math.isfinite(sample)]
    if len(finite) < len(samples) or len(samples) < 2:
        ordered = sorted(samples)
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2 if ordered else math.inf
        value = middle if math.isfinite(middle) else None
        return Figure(name, value, unit, len(samples), target, sense, None, note or "too few samples")
    estimate = median_interval(samples)
    return Figure(name, estimate.value, unit, len(samples), target, sense, ends(estimate), note)
