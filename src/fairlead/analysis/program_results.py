"""Whether programs computed the same beside neighbours, under congestion and under management as undisturbed.

Runs of one command on one number of ranks repeat the numbers that they print as their result
(`fairlead.programs.Verdict`). One that does not was given wrong data, or computes differently each time: then
undisturbed runs differ among themselves, and only what lies outside of their range is told.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.display import words
from fairlead.store import Series, Store
from fairlead.store.records import Label

RESULT = "result"
"""Series of one number that a program printed as its result, a run; `fairlead.experiment.running.trial` writes it."""
TOLERANCE = 1e-6
"""Relative: results are printed with seven digits or more."""
ABOUT_ZERO = 1e-12
"""What is smaller than this is what rounding left of zero."""
MOST_NAMED = 4


@dataclass(frozen=True)
class Deviation:
    """A run whose result differs from that of undisturbed runs.

    Attributes:
        number: which of the numbers differs most, relative to what is expected.
        low, high: of undisturbed runs.
    """

    run: int
    command: str
    number: str
    value: float
    low: float
    high: float


def deviations(store: Store, parent: int) -> list[Deviation]:
    """Of all runs of an experiment, in the order in which they were made; commands of which no run was undisturbed are
    left out.
    """
    found = store.series_of_children(parent, RESULT)
    ranges = _ranges(series for each in found.values() for series in each if not series.labels["disturbed"])
    worst = (_worst(run, each, ranges) for run, each in sorted(found.items()))
    return [each for each in worst if each is not None]


Key = tuple[Label | None, ...]


def _key(series: Series) -> Key:
    """What libraries choose by the transport, such as the order of a sum, changes results, too."""
    named = tuple(series.labels[name] for name in ("command", "environment", "mpirun", "ranks", "number"))
    return (*named, series.labels.get("transport"))


def _ranges(undisturbed: Iterator[Series]) -> dict[Key, tuple[float, float]]:
    values: dict[Key, list[float]] = {}
    for series in undisturbed:
        values.setdefault(_key(series), []).append(series.scalar())
    return {key: (min(each), max(each)) for key, each in values.items()}


def _worst(run: int, results: Sequence[Series], ranges: Mapping[Key, tuple[float, float]]) -> Deviation | None:
    """The number that is farthest off; None: all are as expected."""
    worst, most = None, TOLERANCE
    for series in results:
        low, high = ranges.get(_key(series), (math.nan, math.nan))
        off = _off(series.scalar(), low, high)
        if off > most:
            command, number = str(series.labels["command"]), str(series.labels["number"])
            worst, most = Deviation(run, command, number, series.scalar(), low, high), off
    return worst


def _off(value: float, low: float, high: float) -> float:
    """How far a value is out of a range, relative to it; 0 where nothing is expected."""
    if math.isnan(low):
        return 0.0
    outside = max(low - value, value - high)
    return outside / max(abs(low), abs(high), ABOUT_ZERO) if outside > ABOUT_ZERO else 0.0


def describe(found: Sequence[Deviation]) -> str:
    """One sentence for a report; empty: there is nothing to tell."""
    if not found:
        return ""
    named = [f"run {each.run} ({each.number} {each.value:.10g} instead of {_expected(each)})" for each in found]
    shown = words.first_of(named, MOST_NAMED)
    return (
        f"{words.count(len(found), 'run')} computed another result than undisturbed runs of the same command: {shown}. "
        "Do not use these figures before you know why."
    )


def _expected(each: Deviation) -> str:
    return f"{each.low:.10g}" if each.low == each.high else f"{each.low:.10g} to {each.high:.10g}"
