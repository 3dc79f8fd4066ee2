"""What readers give: the tables and samples of a file, as the store takes them; and how they refuse a line."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairlead.errors import MeasurementError
from fairlead.store import Label, Series

US = 1e-6
NS = 1e-9
MB_BPS = 8e6  # 10^6 bytes a second
MIB_BPS = 8 * 2.0**20


@dataclass(frozen=True)
class Reading:
    """One test of a file.

    Attributes:
        benchmark: the name under which it is stored; tests of the same name in several files are repetitions.
        series: its numbers, in the store's units.
        plan: how it was made, as far as the file says so.
        facts: about where it was made.
    """

    benchmark: str
    series: tuple[Series, ...]
    plan: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ImportOptions:
    """What the user says of files that do not say it themselves.

    Attributes:
        test: the name of the test.
        unit: of raw samples, one of `UNITS`.
        size_B: of the messages.
        tick_rate_hz: of the clock in whose ticks a file counts.
    """

    test: str = ""
    unit: str = ""
    size_B: int | None = None
    tick_rate_hz: float | None = None


SAMPLES = {"time_s": "sample_s", "rate_bps": "sample_bps"}
"""By quantity, the series that raw samples are: label ``size_B``, where the file has one."""


@dataclass(frozen=True)
class Column:
    """A column of a table over message size.

    Attributes:
        name: of the series: ``time_s``, ``rate_bps``, ``overlap_share``, ``impact_ratio``.
        statistic: what it is of the test's repetitions or ranks: ``mean``, ``least``, ``median``, ``p99`` ..
        scale: from the file's unit to that of the series.
    """

    name: str
    statistic: str
    scale: float

    @property
    def unit(self) -> str:
        """The series' unit."""
        return {"time_s": "s", "rate_bps": "bit/s", "overlap_share": "1", "impact_ratio": "1"}[self.name]


def refused(source: str, line: int, reason: str, *, hint: str = "") -> MeasurementError:
    """What cannot be understood is no measurement: the error to raise."""
    return MeasurementError(f"{source}:{line}: {reason}", hint=hint)


def whole_lines(text: str, source: str) -> list[str]:
    """The lines of a file.

    Raises:
        MeasurementError: it is empty, or its last line has no end: a number there may have lost its last digits.
    """
    lines = text.splitlines()
    if not lines:
        raise refused(source, 1, "the file is empty")
    if not text.endswith("\n"):
        raise refused(source, len(lines), "the file ends within a line; it is not complete")
    return lines


def number(word: str, source: str, line: int, *, pattern: str = r"\d+(\.\d+)?([eE][-+]?\d+)?") -> float:
    """A number that is not negative.

    Raises:
        MeasurementError: it is written otherwise, or too large.
    """
    value = float(word) if re.fullmatch(pattern, word, re.ASCII) else math.inf
    if not math.isfinite(value):
        raise refused(source, line, f"{word!r} is not a number of this format")
    return value


def by_size(
    benchmark: str,
    sizes_B: Sequence[int],
    columns: Sequence[tuple[Column, Sequence[float]]],
    *,
    labels: Mapping[str, Label] | None = None,
    plan: Mapping[str, Any] | None = None,
) -> Reading:
    """A table over message size as a reading.

    Args:
        sizes_B: of its rows; none where the test has a single row and no size, as a barrier.
        columns: with the values as they stand in the file.
    """
    common = dict(labels or {})
    series = [Series("size_B", "B", common, np.array(sizes_B, dtype=np.int64))] if len(sizes_B) else []
    for column, values in columns:
        scaled = np.array(values, dtype=np.float64) * column.scale
        series.append(Series(column.name, column.unit, {**common, "statistic": column.statistic}, scaled))
    return Reading(benchmark, tuple(series), plan or {})


def rising(sizes_B: Sequence[int], source: str, line: int) -> None:
    """Check the last of the sizes.

    Raises:
        MeasurementError: it is not above the one before.
    """
    if len(sizes_B) > 1 and sizes_B[-1] <= sizes_B[-2]:
        raise refused(source, line, f"size {sizes_B[-1]} comes after {sizes_B[-2]}; two tables ran into each other")
