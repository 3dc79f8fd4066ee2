"""How often something is measured: in rounds of random order, until its median is known well enough or time is up."""

import math
import random
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from fairlead.progress import Progress
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate

CellT = TypeVar("CellT", bound=Hashable)


@dataclass(frozen=True)
class Until:
    """When to stop.

    Attributes:
        within: the interval of the median shall lie within this share of the median, on either side.
        budget_s: no block begins when this time is over; None: it never is.
        least: blocks before an interval is believed; with fewer, stopping early would favour lucky ones.
        most: blocks after which it is enough, however wide the interval.
        level: confidence level of the interval.
    """

    within: float = 0.05
    budget_s: float | None = 60.0
    least: int = 10
    level: float = estimates.DEFAULT_LEVEL
    most: int | None = None

    @classmethod
    def exactly(cls, blocks: int, budget_s: float | None = None) -> "Until":
        """So many blocks, unless a budget is over before."""
        return cls(budget_s=budget_s, least=blocks, most=blocks)

    def lasts_s(self, cells: int, block_s: float) -> float:
        """How long it takes, at most: the budget, or the blocks where their number is known."""
        budget_s = math.inf if self.budget_s is None else self.budget_s
        return budget_s if self.most is None else min(budget_s, self.most * cells * block_s)

    def sure(self, values: Sequence[float]) -> bool:
        """Whether the median of these blocks is known well enough."""
        return self.settled(len(values), partial(estimates.median_interval, values, self.level))

    def settled(self, blocks: int, interval: Callable[[], Estimate]) -> bool:
        """Whether so many blocks are enough, where they give this ``interval``."""
        if blocks < self.least:
            return False
        if self.most is not None and blocks >= self.most:
            return True
        found = interval()
        return max(found.high - found.value, found.value - found.low) <= self.within * abs(found.value)


def repeat(
    cells: Sequence[CellT],
    measure: Callable[[CellT, int], float],
    until: Until,
    *,
    seed: int,
    progress: Progress,
    sure: Callable[[CellT, Mapping[CellT, Sequence[float]]], bool] | None = None,
    now: Callable[[], float] = time.monotonic,
) -> dict[CellT, list[float]]:
    """Measure each cell once a round, in an order drawn from ``seed``, until it is sure or the budget is over.

    A cell is one combination of a benchmark's parameters. A block (one call of ``measure``) is the unit: samples of one
    block resemble each other more than those of two, so intervals are computed from the blocks' values.

    Args:
        measure: takes a cell and the number of the round; the block's value.
        sure: whether a cell is known well enough, of the values of all cells so far; by default its median decides.

    Returns:
        The values by cell, in the order taken; cells that the budget left no time for have none.
    """
    draw, end_s = random.Random(seed), now() + (math.inf if until.budget_s is None else until.budget_s)
    values: dict[CellT, list[float]] = {cell: [] for cell in cells}
    is_sure = sure or (lambda cell, found: until.sure(found[cell]))
    left = list(cells)
    number = 0
    while left:
        draw.shuffle(left)
        for done, cell in enumerate(left):
            if now() >= end_s:
                return values
            progress(f"round {number + 1}", done, len(left))
            values[cell].append(measure(cell, number))
        progress(f"round {number + 1}", len(left), len(left))
        left = [cell for cell in cells if cell in left and not is_sure(cell, values)]
        number += 1
    return values
