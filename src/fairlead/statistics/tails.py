"""Ratios of tails: a percentile of many groups of samples together, over that of the groups that belong to them."""

from collections.abc import Sequence

import numpy as np

from fairlead.errors import StatisticsError
from fairlead.statistics.bootstrap import FloatArray, bootstrap_interval
from fairlead.statistics.estimates import DEFAULT_LEVEL, MIN_BOOTSTRAP, Estimate

BEYOND = 10  # samples that must lie beyond a percentile that is told
_STEPS = 200  # of a tail's curve, from which resampled percentiles are read


def is_told(samples: int, percent: float) -> bool:
    """Whether enough samples lie beyond a percentile."""
    return samples * _beyond(percent) >= BEYOND


def tail_ratio(numerator: Sequence[FloatArray], denominator: Sequence[FloatArray], percent: float) -> float | None:
    """A percentile of all groups of the numerator together over that of the denominator.

    A percentile of few samples lies below that of many from the same distribution, so both must have as many.

    Returns:
        None where fewer than `BEYOND` samples lie beyond it.

    Raises:
        StatisticsError: not the same number of groups, or of samples in each.
    """
    if [len(each) for each in numerator] != [len(each) for each in denominator]:
        raise StatisticsError("a ratio of tails needs as many samples in both")
    top, bottom = np.concatenate(numerator), np.concatenate(denominator)
    if not is_told(len(top), percent):
        return None
    return float(np.percentile(top, percent) / np.percentile(bottom, percent))


def tail_ratio_interval(
    numerator: Sequence[FloatArray], denominator: Sequence[FloatArray], percent: float
) -> Estimate | None:
    """`tail_ratio` with its interval: groups are resampled as a whole, together with those that belong to them.

    Returns:
        None where the ratio is not told, or there are fewer than `MIN_BOOTSTRAP` groups.

    Raises:
        StatisticsError: as `tail_ratio`.
    """
    value = tail_ratio(numerator, denominator, percent)
    count = len(numerator)
    if value is None or count < MIN_BOOTSTRAP:
        return None
    tails = [_Tail(groups, percent) for groups in (numerator, denominator)]

    def ratios(drawn: FloatArray) -> FloatArray:
        places = drawn.astype(np.int64) + count * np.arange(len(drawn))[:, None]
        times = np.bincount(places.ravel(), minlength=count * len(drawn)).reshape(-1, count)
        return tails[0].of(times.astype(np.float64)) / tails[1].of(times.astype(np.float64))

    low, high = bootstrap_interval(ratios, [np.arange(count, dtype=np.float64)], DEFAULT_LEVEL)
    return Estimate(value, min(low, value), max(high, value), DEFAULT_LEVEL, count, "bootstrap")


def _beyond(percent: float) -> float:
    """Share of samples beyond a percentile: of the 99.9th 0.001, and not 0.00099999999999994."""
    return round((100 - percent) / 100, 12)


class _Tail:
    """How many samples of each group lie above each of `_STEPS` values, closer together the rarer they are."""

    def __init__(self, groups: Sequence[FloatArray], percent: float) -> None:
        pooled = np.concatenate(groups)
        self._beyond = _beyond(percent)
        self._values = np.quantile(pooled, 1 - np.geomspace(1, 1 / len(pooled), _STEPS))
        above = [len(each) - np.searchsorted(np.sort(each), self._values, side="right") for each in groups]
        self._above = np.stack(above).astype(np.float64)  # matrices of floats are multiplied much faster
        self._sizes = np.array([float(len(each)) for each in groups])

    def of(self, times: FloatArray) -> FloatArray:
        """(resamples,) percentiles where the groups are taken so many times: (resamples, groups)."""
        too_many = times @ self._above > self._beyond * (times @ self._sizes)[:, None]
        found: FloatArray = self._values[np.minimum(too_many.sum(axis=1), _STEPS - 1)]
        return found
