"""How two cells are compared: as independent samples, by blocks, or side by side within blocks. No I/O.

Means of both are positive. What was set up once a block varies from block to block, so that blocks are the samples
there (docs/explanation/statistics.md; `fairlead.statistics.blocks`).
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from fairlead.analysis.evaluations.dataset import DesignCell, FloatArray
from fairlead.errors import StatisticsError
from fairlead.statistics import blocks, estimates, ratios
from fairlead.statistics.estimates import Difference, Estimate

Compared = tuple[Estimate, Estimate, Difference]
"""Ratio of the first to the second, of the second to the first, and the difference, second less first."""
Compare = Callable[[DesignCell, DesignCell, float], Compared | None]


def comparison_method(varied: Iterable[str], whole_plot: Sequence[str]) -> Compare:
    """The way for cells that differ in the factors ``varied``, where ``whole_plot`` were set up once a block."""
    if not whole_plot:
        return of_samples
    return of_blocks if any(name in whole_plot for name in varied) else within_blocks


def of_samples(first: DesignCell, second: DesignCell, level: float) -> Compared | None:
    """Of independent samples; None with fewer than two of one."""
    if min(first.n, second.n) < 2:
        return None
    a, b = first.values, second.values
    down, up = ratios.ratio_of_means(a, b, level), ratios.ratio_of_means(b, a, level)
    return down, up, estimates.difference(a, b, level)


def of_blocks(first: DesignCell, second: DesignCell, level: float) -> Compared | None:
    """Of what was set up once a block: blocks are the samples; None with fewer than two, or where one took no time."""
    means = _block_means(first, second)
    if means is None or min(means[0].min(), means[1].min()) <= 0:
        return None
    a, b = means
    down, up = ratios.ratio_by_blocks(a, b, level), ratios.ratio_by_blocks(b, a, level)
    return down, up, estimates.paired_difference(a, b, level)


def within_blocks(first: DesignCell, second: DesignCell, level: float) -> Compared | None:
    """Of what varies within whole plots, side by side in each block; None with too few samples."""
    of_both = first.values, first.blocks, second.values, second.blocks
    try:
        up, difference = blocks.log_ratio_within(*of_both, level), blocks.difference_within(*of_both, level)
    except StatisticsError:  # there are too few, or there is no ratio
        return None
    return _exp_of(up, -1), _exp_of(up, 1), difference


def _exp_of(logs: Estimate, sign: int) -> Estimate:
    low, high = sorted((float(np.exp(sign * logs.low)), float(np.exp(sign * logs.high))))
    return Estimate(float(np.exp(sign * logs.value)), low, high, logs.level, logs.n, logs.method)


def _block_means(first: DesignCell, second: DesignCell) -> tuple[FloatArray, FloatArray] | None:
    """Means of the blocks that both have, in the same order; None with fewer than two."""
    common = sorted(set(first.blocks.tolist()) & set(second.blocks.tolist()))
    if len(common) < 2:
        return None
    shared = [np.isin(cell.blocks, common) for cell in (first, second)]
    means = [blocks.of_each(c.values[used], c.blocks[used]) for c, used in zip((first, second), shared, strict=True)]
    return means[0], means[1]
