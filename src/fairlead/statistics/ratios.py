"""Ratios of means with intervals, medians by order statistics, effect sizes, many tests: all in closed form."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy import stats

from fairlead.errors import StatisticsError
from fairlead.statistics.estimates import (
    DEFAULT_LEVEL,
    MIN_BOOTSTRAP,
    Estimate,
    Samples,
    checked,
    mean_interval,
    t_quantile,
    welch_degrees,
)


def ratio_of_means(numerator: Samples, denominator: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Ratio of the means of two independent samples, its interval after Fieller; at least two samples of each.

    Degrees of freedom after Welch and Satterthwaite. Where the denominator cannot be told from zero the interval is
    unbounded (Fieller, "Some Problems in Interval Estimation", 1954).

    Raises:
        StatisticsError: too few samples, or the denominator's mean is not positive.
    """
    top, bottom = checked(numerator, 2, "a ratio of means"), checked(denominator, 2, "a ratio of means")
    a, b = float(top.mean()), float(bottom.mean())
    if b <= 0:
        raise StatisticsError(f"a ratio of means needs a positive denominator, its mean is {b}")
    va, vb = float(top.var(ddof=1)) / len(top), float(bottom.var(ddof=1)) / len(bottom)
    ratio = a / b
    parts = ((va, len(top)), (ratio**2 * vb, len(bottom)))
    t = t_quantile(level, welch_degrees(parts))
    g = t * t * vb / (b * b)
    n = min(len(top), len(bottom))
    if g >= 1:
        return Estimate(ratio, -math.inf, math.inf, level, n, "Fieller")
    half = t / b * math.sqrt(max(0.0, va + ratio**2 * vb - g * va))
    return Estimate(ratio, (ratio - half) / (1 - g), (ratio + half) / (1 - g), level, n, "Fieller")


def ratio_by_blocks(numerator: Samples, denominator: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Ratio of means of block means, position k of both in the same block; Student t of the logarithm of their ratios.

    What is set up once a block varies from block to block: blocks, not rows, are the samples.

    Raises:
        StatisticsError: fewer than two blocks, not the same number of both, or one that is not positive.
    """
    top, bottom = checked(numerator, 2, "a ratio by blocks"), checked(denominator, 2, "a ratio by blocks")
    if len(top) != len(bottom):
        raise StatisticsError(f"a ratio by blocks needs pairs, there are {len(top)} and {len(bottom)}")
    if (bottom <= 0).any() or (top <= 0).any():
        raise StatisticsError("a ratio by blocks needs positive samples")
    logs = mean_interval(np.log(top / bottom), level)
    value = float(top.mean() / bottom.mean())
    low, high = min(_exp(logs.low), value), max(_exp(logs.high), value)
    return Estimate(value, low, high, level, len(top), "Student t of blocks")


def median_by_order(samples: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Median with the interval between two order statistics, which covers at least ``level`` whatever the distribution.

    Below `MIN_BOOTSTRAP` samples no two reach 95 %: Student's t is used, as for the mean.
    """
    array = np.sort(checked(samples, 2, "an interval of the median"))
    n, centre = len(array), float(np.median(array))
    # The widest count k of samples left out at either end with P(B < k) <= (1 - level) / 2, B binomial(n, 1/2).
    left_out = _left_out((1 - level) / 2, n)
    if n < MIN_BOOTSTRAP or left_out < 1:
        of_mean = mean_interval(array, level)
        return Estimate(centre, min(of_mean.low, centre), max(of_mean.high, centre), level, n, "Student t")
    return Estimate(centre, float(array[left_out - 1]), float(array[n - left_out]), level, n, "order statistics")


def hedges_g(first: Samples, second: Samples) -> float:
    """Standardised difference of means, second less first, corrected for few samples (Hedges 1981).

    Raises:
        StatisticsError: fewer than two samples of one, or no scatter at all.
    """
    a, b = checked(first, 2, "Hedges' g"), checked(second, 2, "Hedges' g")
    degrees = len(a) + len(b) - 2
    pooled = ((len(a) - 1) * float(a.var(ddof=1)) + (len(b) - 1) * float(b.var(ddof=1))) / degrees
    if pooled == 0:
        raise StatisticsError("Hedges' g needs scatter, all samples of both are the same")
    return float(b.mean() - a.mean()) / math.sqrt(pooled) * (1 - 3 / (4 * degrees - 1))


def false_discovery_rate(p_values: Sequence[float]) -> list[float]:
    """p-values of a family of tests, adjusted after Benjamini and Hochberg (1995); in the order given."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise StatisticsError("a p-value lies outside 0 to 1")
    adjusted = [0.0] * len(p_values)
    running = 1.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i], reverse=True)
    for place, index in enumerate(order):
        running = min(running, p_values[index] * len(p_values) / (len(p_values) - place))
        adjusted[index] = running
    return adjusted


def _exp(value: float) -> float:
    """Infinite where it is too large for a number."""
    return math.exp(value) if value < 700 else math.inf


@cache
def _left_out(tail: float, n: int) -> int:
    return int(stats.binom.ppf(tail, n, 0.5))
