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
    resolution,
    standard_error,
    t_quantile,
    welch_degrees,
    without_scatter,
)


def ratio_of_means(numerator: Samples, denominator: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Ratio of the means of two independent samples, its interval after Fieller; at least two samples of each.

    Degrees of freedom after Welch and Satterthwaite. Where the denominator cannot be told from zero the interval is
    unbounded (Fieller, "Some Problems in Interval Estimation", 1954). Samples without scatter are as sure as their
    difference (`estimates.difference`): the interval is that of the logarithm, and holds 1 where that one holds 0.

    Raises:
        StatisticsError: too few samples, or the denominator's mean is not positive.
    """
    top, bottom = checked(numerator, 2, "a ratio of means"), checked(denominator, 2, "a ratio of means")
    a, b = float(top.mean()), float(bottom.mean())
    if b <= 0:
        raise StatisticsError(f"a ratio of means needs a positive denominator, its mean is {b}")
    va, vb = float(top.var(ddof=1)) / len(top), float(bottom.var(ddof=1)) / len(bottom)
    ratio = a / b
    if a > 0 and without_scatter(math.sqrt(va + vb), a - b):
        # With a variance so guessed Fieller's is soon unbounded: ten runs of 20 s and of 3 s would tell no gain.
        error = resolution(math.log(ratio), 1 / len(top) + 1 / len(bottom))
        degrees = welch_degrees(((va, len(top)), (vb, len(bottom))))
        n = min(len(top), len(bottom))
        return _of_logarithm(ratio, math.log(ratio), error, degrees, level, n, "Student t of the logarithm")
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
    centre, error, n = _logarithm_by_blocks([(numerator, denominator)])
    value = float(np.mean(numerator) / np.mean(denominator))
    return _of_logarithm(value, centre, error, n - 1, level, n, "Student t of blocks")


def mean_ratio_by_blocks(pairs: Sequence[tuple[Samples, Samples]], level: float = DEFAULT_LEVEL) -> Estimate:
    """Mean of several such ratios, which may depend on each other within a block: a block's mean of them is a sample.

    Args:
        pairs: numerator and denominator of each, position k of all in the same block.

    Raises:
        StatisticsError: as `ratio_by_blocks`.
    """
    centre, error, n = _logarithm_by_blocks(pairs)
    value = float(np.mean([np.divide(*pair) for pair in pairs]))
    return _of_logarithm(value, centre, error, n - 1, level, n, "Student t of blocks")


def _logarithm_by_blocks(pairs: Sequence[tuple[Samples, Samples]]) -> tuple[float, float, int]:
    """Mean over the blocks of the logarithm of their mean ratio, its standard error, and how many blocks there are.

    Of ratios without scatter, or of differences without (`estimates.paired_difference`), the blocks' own scatter tells
    nothing but by how much the blocks differ: the error is at least that of a clock as coarse as the difference. Such a
    block counts as one reading of it, for samples that are alike are rounded alike.
    """
    of_blocks, errors = [], []
    for numerator, denominator in pairs:
        top, bottom = checked(numerator, 2, "a ratio by blocks"), checked(denominator, 2, "a ratio by blocks")
        if len(top) != len(bottom):
            raise StatisticsError(f"a ratio by blocks needs pairs, there are {len(top)} and {len(bottom)}")
        if (bottom <= 0).any() or (top <= 0).any():
            raise StatisticsError("a ratio by blocks needs positive samples")
        ratio, logs = top / bottom, np.log(top / bottom)
        of_blocks.append(ratio)
        if any(without_scatter(standard_error(each), float(each.mean())) for each in (top - bottom, logs)):
            errors.append(float(ratio.mean()) * resolution(float(logs.mean()), 2 / len(top)))
    means = np.mean(of_blocks, axis=0)
    least = math.hypot(*errors) / len(pairs) / float(means.mean())
    of_means = np.log(means)
    return float(of_means.mean()), max(standard_error(of_means), least), len(means)


def median_by_order(samples: Samples, level: float = DEFAULT_LEVEL) -> Estimate:
    """Median with the interval between two order statistics, which covers at least ``level`` whatever the distribution.

    Below `least_for_bootstrap` samples no two reach ``level``: Student's t is used, as for the mean.
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


def _of_logarithm(
    value: float, centre: float, error: float, degrees: float, level: float, n: int, method: str
) -> Estimate:
    """A ratio with Student's t interval of its logarithm, widened to the value where that was found in another way."""
    half = t_quantile(level, degrees) * error
    low, high = min(_exp(centre - half), value), max(_exp(centre + half), value)
    return Estimate(value, low, high, level, n, method)


def _exp(value: float) -> float:
    """Infinite where it is too large for a number."""
    return math.exp(value) if value < 700 else math.inf


@cache
def _left_out(tail: float, n: int) -> int:
    return int(stats.binom.ppf(tail, n, 0.5))
