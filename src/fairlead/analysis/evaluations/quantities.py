"""Numbers that statements give: of one cell, or of one cell over another; and the units that they are printed in."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fairlead.analysis.evaluations import cost
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell
from fairlead.analysis.evaluations.settings import HourlyCost
from fairlead.errors import StatisticsError

_OF_SPEED = re.compile(r" in speed| of speed| of time")
SHARE = "%"
"""Unit of shares, where the document prints percent; "1" where it prints them as they are."""


@dataclass(frozen=True)
class OfCell:
    """A number of one cell. ``unit``: that of the data where it is None."""

    what: str
    compute: Callable[[Dataset, DesignCell], float]
    unit: str | None = None


@dataclass(frozen=True)
class OfPair:
    """A number from how many times faster one cell is than another (of times: base / t; of rates: rate / base)."""

    what: str
    of_rate_words: str
    compute: Callable[[float], float]
    unit: str | None = SHARE

    def words(self, data: Dataset) -> str:
        """The definition, for these data."""
        value = "value" if not data.is_speed else "t" if data.lower_is_better else "rate"
        definition = self.of_rate_words.replace("rate", value)
        if data.lower_is_better:
            turned = (f"base / {value}", f"{value} / base")
            definition = self.of_rate_words.replace("rate / base", turned[0]).replace("base / rate", turned[1])
        if data.is_speed:
            return f"{self.what} ({definition})"
        return f"{_OF_SPEED.sub('', self.what).replace('as fast', 'as good')} ({definition}, {data.direction})"


def _sd(_: Dataset, cell: DesignCell) -> float:
    if cell.n < 2:
        raise StatisticsError(f"a standard deviation needs at least 2 samples, there are {cell.n}")
    return float(cell.values.std(ddof=1))


def _median(_: Dataset, cell: DesignCell) -> float:
    ordered, middle = sorted(cell.values.tolist()), cell.n // 2
    return float(ordered[middle] if cell.n % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def _variation(data: Dataset, cell: DesignCell) -> float:
    if cell.mean <= 0:
        raise StatisticsError("a coefficient of variation needs a positive mean")
    return _sd(data, cell) / cell.mean


def _priced(data: Dataset, cell: DesignCell) -> cost.Priced:
    source = cost.source_of(data.record)
    if source is None:
        raise StatisticsError(f"{data.name} has no prices: state them in [report.cost] of the map of columns")
    found = [each for each in cost.priced(data, source) if each.cell is cell]
    if not found:
        where = "[report.cost]" if isinstance(source, HourlyCost) else str(source.path)
        raise StatisticsError(f"{data.name}: {', '.join(map(str, cell.levels))} has no price in {where}")
    return found[0]


CELL_QUANTITIES: dict[str, OfCell] = {
    "mean": OfCell("mean", lambda _, cell: cell.mean),
    "median": OfCell("median", _median),
    "standard deviation": OfCell("sample standard deviation (n - 1)", _sd),
    "coefficient of variation": OfCell("standard deviation / mean", _variation, SHARE),
    "shortest run": OfCell("least sample", lambda _, cell: float(cell.values.min())),
    "longest run": OfCell("greatest sample", lambda _, cell: float(cell.values.max())),
    "runs": OfCell("number of samples", lambda _, cell: float(cell.n), "1"),
    "price of a run": OfCell("price of a run", lambda data, cell: _priced(data, cell).per_run, "1"),
    "cost efficiency": OfCell(
        "runs an hour per price of an hour", lambda data, cell: _priced(data, cell).efficiency, "1"
    ),
}
PAIR_QUANTITIES: dict[str, OfPair] = {
    "gain": OfPair("gain in speed, ratio of means", "rate / base - 1", lambda speed: speed - 1),
    "time saved": OfPair("share of time saved", "1 - base / rate", lambda speed: 1 - 1 / speed),
    "time added": OfPair("share of time added", "base / rate - 1", lambda speed: 1 / speed - 1),
    "loss": OfPair("loss of speed", "1 - rate / base", lambda speed: 1 - speed),
    "speedup": OfPair("times as fast", "rate / base", lambda speed: speed, "1"),
    "slowdown": OfPair("times as long", "base / rate", lambda speed: 1 / speed, "1"),
    "difference": OfPair("difference of means", "of - against", lambda _: 0.0, None),
}
OTHER_DEFINITIONS = {
    "gain": ("time saved", "time added", "loss"),
    "time saved": ("gain", "time added", "loss"),
    "time added": ("gain", "time saved", "loss"),
    "loss": ("gain", "time saved", "time added"),
    "speedup": ("slowdown",),
    "slowdown": ("speedup",),
    "mean": ("median",),
    "median": ("mean",),
}
"""What a document may have meant instead. A statement that fails is tried with these, and told if one fits."""

_UNITS: dict[str, dict[str, float]] = {
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0},
    "B/s": {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "MiB/s": 2.0**20, "GiB/s": 2.0**30, "bit/s": 0.125,
            "kbit/s": 125.0, "Mbit/s": 1.25e5, "Gbit/s": 1.25e8},
    "bit/s": {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "B/s": 8.0, "MB/s": 8e6, "GB/s": 8e9},
    "B": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    SHARE: {SHARE: 0.01, "1": 1.0},
}  # fmt: skip


def units(unit: str) -> dict[str, float]:
    """Units that a number in ``unit`` may be printed in, with the size of each; of shares "%" is printed usually."""
    return _UNITS.get(unit, {unit: 1.0})


def speed(data: Dataset, of: DesignCell, against: DesignCell) -> float:
    """How many times faster ``of`` is by its mean.

    Raises:
        StatisticsError: a mean is 0 or less.
    """
    if min(of.mean, against.mean) <= 0:
        raise StatisticsError("a gain needs positive means")
    return against.mean / of.mean if data.lower_is_better else of.mean / against.mean


def of_pair(name: str, data: Dataset, of: DesignCell, against: DesignCell) -> float:
    """A number of a pair; shares as they are, differences in the unit of the data."""
    if name == "difference":
        return of.mean - against.mean
    return PAIR_QUANTITIES[name].compute(speed(data, of, against))
