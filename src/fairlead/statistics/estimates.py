"""Statistics of few, noisy samples: small pure functions, a stated minimum of samples each, no rounding.

Centres are medians unless a name says mean. An interval comes from the bootstrap when there are at least
`least_for_bootstrap` samples and from Student's t below that; the returned `Estimate` says which. With fewer (six at
95 %) no resampling reaches the level for a median (its widest interval, from the least to the greatest sample, covers
1 - 2 * 0.5**n), so the only way to an honest interval is to assume roughly normal scatter.

Functions of scipy are imported when they are needed: `fairlead run` would take twice as long to start, and seldom needs
them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.errors import StatisticsError
from fairlead.statistics.bootstrap import FloatArray, bootstrap_interval, check_level

Samples = Sequence[float] | FloatArray

MIN_BOOTSTRAP = 6  # at 95 % and below; see `least_for_bootstrap`
DEFAULT_LEVEL = 0.95
_NORMAL_MAD = 0.6744897501960817  # median absolute deviation of the standard normal distribution
NO_SCATTER = 1e-9  # of the difference itself: below that only the rounding of sums is left


@dataclass(frozen=True)
class Estimate:
    """A number and how sure it is.

    Attributes:
        low, high: confidence interval at ``level`` (0.95: 95 %).
        n: samples it rests on; of several groups, the smallest.
        method: how the interval was found.
    """

    value: float
    low: float
    high: float
    level: float
    n: int
    method: str

    def contains(self, value: float) -> bool:
        """Whether ``value`` lies within the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Spread:
    """Scatter of samples: standard deviation, median absolute deviation (scaled to estimate it), extremes."""

    sd: float
    mad: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Difference:
    """Difference of two means (second less first) after Welch, or of pairs, with its two-sided p-value."""

    estimate: Estimate
    degrees_of_freedom: float
    p: float

    @property
    def told_apart(self) -> bool:
        """False: the interval contains zero, the samples cannot be told apart at this level.

        Of one comparison alone: where there are many, some are told apart by chance; see `holm`.
        """
        return not self.estimate.contains(0.0)


def checked(samples: Samples, minimum: int, what: str) -> FloatArray:
    """The samples as an array of shape (n,).

    Raises:
        StatisticsError: fewer than ``minimum``, not one-dimensional, NaN or infinite.
    """
    array = np.asarray(samples, dtype=np.float64)
    if array.ndim != 1:
        raise StatisticsError(f"{what}: samples must be one row, their shape is {array.shape}")
    if len(array) < minimum:
        raise StatisticsError(f"{what} needs {minimum} samples, there are {len(array)}", hint="add replications")
    if not np.isfinite(array).all():
        raise StatisticsError(f"{what}: a sample is not a finite number")
    return array


def median(samples: Samples) -> float:
    """Median of at least one sample."""
    return float(np.median(checked(samples, 1, "a median")))


def mean_interval(samples: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Mean with Student's t interval; at least two samples."""
    array = checked(samples, 2, "an interval of the mean")
    centre = float(array.mean())
    half = t_quantile(level, len(array) - 1) * standard_error(array)
    return Estimate(centre, centre - half, centre + half, level, len(array), "Student t")


def least_for_bootstrap(level: float) -> int:
    """Samples from which on the least and the greatest enclose a median at ``level``: 6 at 95 %, 8 at 99 %.

    Raises:
        StatisticsError: ``level`` is not between 0 and 1.
    """
    check_level(level)
    return max(MIN_BOOTSTRAP, math.ceil(1 - math.log2(1 - level)))


def median_interval(samples: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Median with its interval: bootstrap, or Student's t below `least_for_bootstrap` samples; at least two."""
    array = checked(samples, 2, "an interval of the median")
    centre = float(np.median(array))
    if len(array) < least_for_bootstrap(level):
        of_mean = mean_interval(array, level)
        return _around(centre, of_mean.low, of_mean.high, level, len(array), "Student t")
    low, high = bootstrap_interval(lambda x: np.median(x, axis=-1), [array], level)
    return _around(centre, low, high, level, len(array), "bootstrap")


def spread(samples: Samples) -> Spread:
    """Scatter of at least two samples."""
    array = checked(samples, 2, "a spread")
    mad = float(np.median(np.abs(array - np.median(array)))) / _NORMAL_MAD
    return Spread(float(array.std(ddof=1)), mad, float(array.min()), float(array.max()), len(array))


def time_saved(base_s: float, time_s: float) -> float:
    """Gain as the share of the base's time that is saved, (base - t) / base: 0.5 is half the time."""
    return (_positive(base_s, "base") - time_s) / base_s


def speed_gained(base_s: float, time_s: float) -> float:
    """Gain in speed over the base, base / t - 1: 1.0 is twice as fast."""
    return base_s / _positive(time_s, "time") - 1.0


def paired_ratio(numerator: Samples, denominator: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Median ratio of runs taken in pairs, its interval found on the logarithm; at least two pairs.

    Raises:
        StatisticsError: not the same number in both, or a sample that is not positive.
    """
    top, bottom = checked(numerator, 2, "a paired ratio"), checked(denominator, 2, "a paired ratio")
    if len(top) != len(bottom):
        raise StatisticsError(f"a paired ratio needs pairs, there are {len(top)} and {len(bottom)} samples")
    if (top <= 0).any() or (bottom <= 0).any():
        raise StatisticsError("a paired ratio needs positive samples")
    logs = median_interval(np.log(top / bottom), level)
    return Estimate(
        math.exp(logs.value), math.exp(logs.low), math.exp(logs.high), level, len(top), f"paired, {logs.method}"
    )


def recovered_share(
    clean_s: Samples, congested_s: Samples, managed_s: Samples, level: float = DEFAULT_LEVEL
) -> Estimate:
    """Share of the time lost to congestion that management gives back, (T_ic - T_managed) / (T_ic - T_nc), of medians.

    Runs are matched: position k of each is replication k. Runs of one replication face the same congestion, which
    differs from replication to replication: below `least_for_bootstrap` the interval is Student's t of the
    replications' own shares, above it replications are resampled as a whole.

    Args:
        clean_s: run times T_nc without congestion; congested_s: T_ic; managed_s: congested and managed. Shape (n,).

    Raises:
        StatisticsError: fewer than two replications, not the same number of each kind, a time that is not positive,
            or congestion cost nothing that can be told from zero: below `least_for_bootstrap` every replication
            must have lost more than two clean runs differ by, above it the paired ratio must exceed 1.
    """
    clean, congested, managed = (checked(x, 2, "a recovered share") for x in (clean_s, congested_s, managed_s))
    if not len(clean) == len(congested) == len(managed):
        raise StatisticsError(
            f"a recovered share needs matched runs, there are {len(clean)}, {len(congested)} and {len(managed)}"
        )
    n = len(clean)
    few = n < least_for_bootstrap(level)
    scatter_s = t_quantile(level, n - 1) * math.sqrt(2) * float(clean.std(ddof=1))
    if not ((congested - clean).min() > scatter_s if few else paired_ratio(congested, clean, level).low > 1):
        raise StatisticsError("congested and clean runs overlap")
    runs = np.stack([clean, congested, managed])
    value = float(_recovered_of_medians(runs))
    if few:
        shares = mean_interval((congested - managed) / (congested - clean), level)
        return _around(value, shares.low, shares.high, level, n, "Student t")
    low, high = bootstrap_interval(_recovered_of_medians, [runs], level)
    return _around(value, low, high, level, n, "bootstrap")


def difference(first: Samples, second: Samples, level: float = DEFAULT_LEVEL) -> Difference:
    """Mean of ``second`` less mean of ``first`` after Welch; at least two samples of each.

    Samples without any scatter tell no more than the clock does: its resolution may be as coarse as their difference
    (`at_least_resolution`).
    """
    a, b = checked(first, 2, "a difference"), checked(second, 2, "a difference")
    centre = float(b.mean() - a.mean())
    parts = [(standard_error(a) ** 2, len(a)), (standard_error(b) ** 2, len(b))]
    error = at_least_resolution(math.sqrt(sum(variance for variance, _ in parts)), centre, 1 / len(a) + 1 / len(b))
    degrees = welch_degrees(parts)
    return difference_of(centre, error, degrees, level, min(len(a), len(b)), "Welch")


def at_least_resolution(error: float, centre: float, weight: float) -> float:
    """A difference's standard error; without scatter that of rounding to a clock as coarse as the difference.

    Args:
        weight: by which the variance of one sample comes into that of the difference.
    """
    return resolution(centre, weight) if without_scatter(error, centre) else error


def without_scatter(error: float, centre: float) -> bool:
    """Whether nothing but the rounding of sums is left of a difference's standard error."""
    return error <= NO_SCATTER * abs(centre)


def resolution(centre: float, weight: float) -> float:
    """Standard error of a difference by rounding to a clock as coarse as it is, with the weight of one sample's.

    On a logarithm it is the same share of the value as of the difference, so that an interval holds 0 on both or none.
    """
    return abs(centre) * math.sqrt(weight / 12)


def difference_of(centre: float, error: float, degrees: float, level: float, n: int, method: str) -> Difference:
    """A difference from its standard error and the degrees of freedom of that."""
    from scipy import special

    half = t_quantile(level, degrees) * error
    p = 2 * float(special.stdtr(degrees, -abs(centre) / error)) if error > 0 else float(centre == 0)
    return Difference(Estimate(centre, centre - half, centre + half, level, n, method), degrees, p)


def paired_difference(first: Samples, second: Samples, level: float = DEFAULT_LEVEL) -> Difference:
    """Mean of the differences of pairs, second less first, after Student; at least two pairs.

    What the two of a pair share (a replication's congestion, a block) is no scatter of their difference. Differences
    that are all the same tell no more than the clock does, as in `difference`.

    Raises:
        StatisticsError: fewer than two, or not the same number of both.
    """
    a, b = checked(first, 2, "a paired difference"), checked(second, 2, "a paired difference")
    if len(a) != len(b):
        raise StatisticsError(f"a paired difference needs pairs, there are {len(a)} and {len(b)} samples")
    apart = b - a
    centre = float(apart.mean())
    error = at_least_resolution(standard_error(apart), centre, 2 / len(a))
    return difference_of(centre, error, float(len(a) - 1), level, len(a), "paired, Student t")


def cliffs_delta(first: Samples, second: Samples) -> float:
    """Effect size without assumptions: P(second > first) - P(second < first), from -1 to 1."""
    a, b = checked(first, 1, "Cliff's delta"), checked(second, 1, "Cliff's delta")
    ordered = np.sort(a)  # all pairs side by side would need gigabytes of imported samples
    greater = int(np.searchsorted(ordered, b, side="left").sum())
    less = len(a) * len(b) - int(np.searchsorted(ordered, b, side="right").sum())
    return (greater - less) / (len(a) * len(b))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of a family of tests, adjusted after Holm; in the order given."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise StatisticsError("a p-value lies outside 0 to 1")
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def t_quantile(level: float, degrees: float) -> float:
    """Two-sided quantile of Student's t: half the width of an interval in standard errors.

    Raises:
        StatisticsError: ``level`` is not between 0 and 1.
    """
    from scipy import special

    check_level(level)
    return float(special.stdtrit(degrees, (1 + level) / 2))  # scipy.stats checks its arguments for 100 us


def standard_error(array: FloatArray) -> float:
    """Of the mean, sd / sqrt(n), of at least two samples."""
    return float(array.std(ddof=1)) / math.sqrt(len(array))


def _around(value: float, low: float, high: float, level: float, n: int, method: str) -> Estimate:
    """The interval, widened to its own centre where the two were found in different ways."""
    return Estimate(value, min(low, value), max(high, value), level, n, method)


def _positive(value: float, what: str) -> float:
    if value <= 0:
        raise StatisticsError(f"a gain needs a positive {what}, it is {value}")
    return value


def _recovered_of_medians(runs: FloatArray) -> FloatArray:
    """Of runs of shape (3, ..., n): clean, congested, managed."""
    t_nc, t_ic, t_managed = np.median(runs, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # a resample may have lost nothing: that is infinite
        return np.asarray((t_ic - t_managed) / (t_ic - t_nc))


def welch_degrees(parts: Sequence[tuple[float, int]]) -> float:
    """Welch-Satterthwaite degrees of freedom of a sum of variances, each (variance of its mean, n)."""
    total = sum(variance for variance, _ in parts)
    if total == 0:
        return float(min(n for _, n in parts) - 1)
    return float(total**2 / sum(variance**2 / (n - 1) for variance, n in parts))
