"""Intervals where samples of one block depend on each other, because something was set up once for all of them.

What is set up varies from block to block: each block counts once, by its own mean or median, and blocks are the samples
(docs/explanation/statistics.md; Montgomery, "Design and Analysis of Experiments", chapter 14). Blocks may hold
different numbers of samples: the scatter of their means estimates the variance of their unweighted mean all the same.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fairlead.errors import StatisticsError
from fairlead.statistics import ratios
from fairlead.statistics.estimates import (
    DEFAULT_LEVEL,
    Difference,
    Estimate,
    FloatArray,
    Samples,
    at_least_resolution,
    checked,
    difference_of,
    mean_interval,
    resolution,
    without_scatter,
)

Blocks = npt.ArrayLike
"""Number of the block of each sample, shape (n,)."""


def of_each(samples: Samples, blocks: Blocks, centre: Callable[[FloatArray], np.float64] = np.mean) -> FloatArray:
    """The centre of each block's samples, in the order of the blocks' numbers; shape (blocks,).

    Raises:
        StatisticsError: not one block a sample.
    """
    array, numbers = checked(samples, 1, "means of blocks"), np.asarray(blocks)
    if array.shape != numbers.shape:
        raise StatisticsError(f"means of blocks: {len(array)} samples and {numbers.size} blocks of them")
    return np.array([centre(array[numbers == number]) for number in np.unique(numbers)])


def mean_of_blocks(samples: Samples, blocks: Blocks, level: float = DEFAULT_LEVEL) -> Estimate:
    """Mean of the blocks' means with Student's t interval; at least two blocks. ``n`` is their number."""
    return replace(mean_interval(of_each(samples, blocks), level), method="Student t of blocks")


def median_of_blocks(samples: Samples, blocks: Blocks, level: float = DEFAULT_LEVEL) -> Estimate:
    """Median of the blocks' medians with its interval (`ratios.median_by_order`); at least two blocks."""
    found = ratios.median_by_order(of_each(samples, blocks, np.median), level)
    return replace(found, method=f"{found.method} of blocks")


def difference_within(
    first: Samples, first_blocks: Blocks, second: Samples, second_blocks: Blocks, level: float = DEFAULT_LEVEL
) -> Difference:
    """Difference, second less first, of what was measured side by side in each block; Student t.

    What a block adds is the same for both and cancels out: the difference and the residual are those of the additive
    model of the two and the blocks, as in the analysis of variance. Only blocks that hold samples of both count. With
    one sample of each in a block it is the paired test.

    Raises:
        StatisticsError: no block holds both, or there are no degrees of freedom left.
    """
    found = _within(first, first_blocks, second, second_blocks)
    error = at_least_resolution(found.error, found.centre, found.weight)
    return difference_of(found.centre, error, found.degrees, level, found.blocks, "Student t within blocks")


def log_ratio_within(
    first: Samples, first_blocks: Blocks, second: Samples, second_blocks: Blocks, level: float = DEFAULT_LEVEL
) -> Estimate:
    """The same on the logarithm, that of the ratio of geometric means, second over first.

    It is no surer than the difference: without scatter of that, the logarithms' tells only by how much blocks differ.

    Raises:
        StatisticsError: as `difference_within`, or a sample is not positive.
    """
    if min(np.min(first), np.min(second)) <= 0:
        raise StatisticsError("a ratio within blocks needs positive samples")
    plain = _within(first, first_blocks, second, second_blocks)
    logs = _within(np.log(first), first_blocks, np.log(second), second_blocks)
    error = logs.error
    if any(without_scatter(each.error, each.centre) for each in (plain, logs)):
        error = max(error, resolution(logs.centre, logs.weight))
    return difference_of(logs.centre, error, logs.degrees, level, logs.blocks, "Student t within blocks").estimate


class _Within(NamedTuple):
    """A difference with its standard error; ``weight`` as in `at_least_resolution`."""

    centre: float
    error: float
    weight: float
    degrees: int
    blocks: int


def _within(first: Samples, first_blocks: Blocks, second: Samples, second_blocks: Blocks) -> _Within:
    samples, numbers = (np.asarray(first), np.asarray(second)), (np.asarray(first_blocks), np.asarray(second_blocks))
    common = np.intersect1d(*numbers)
    parts = [[values[of == block] for values, of in zip(samples, numbers, strict=True)] for block in common]
    count = sum(len(a) + len(b) for a, b in parts)
    degrees = count - len(common) - 1
    if degrees < 1:
        raise StatisticsError("a difference within blocks needs two blocks with samples of both, or more samples")
    weights = np.array([len(a) * len(b) / (len(a) + len(b)) for a, b in parts])
    apart = np.array([b.mean() - a.mean() for a, b in parts])
    centre = float(weights @ apart / weights.sum())
    inside = sum(float(((each - each.mean()) ** 2).sum()) for pair in parts for each in pair)
    residual = (inside + float(weights @ (apart - centre) ** 2)) / degrees
    weight = 1 / float(weights.sum())
    return _Within(centre, math.sqrt(residual * weight), weight, degrees, len(common))
