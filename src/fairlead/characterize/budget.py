"""How long a characterization may take, and how long it must be able to take."""

import asyncio
import math
import random

from fairlead.characterize.measurement_plan import grouping_rounds
from fairlead.progress import SECONDS_OF_BUDGET, Progress

WINDOW_S = 0.3
"""About what a window takes: an injection, and its beginning and end on all hosts."""


class BudgetSpent(Exception):
    """What comes next would not end in time. Never seen outside the measurement."""


class Deadline:
    """The time by which a measurement ends, which begins now, on the running loop's clock; without a budget, never."""

    def __init__(self, budget_s: float | None, progress: Progress) -> None:
        self._budget_s = budget_s
        self._progress = progress
        self._begun_s = asyncio.get_running_loop().time()

    @property
    def left_s(self) -> float:
        """Seconds that are left, infinite without a budget."""
        if self._budget_s is None:
            return math.inf
        return self._begun_s + self._budget_s - asyncio.get_running_loop().time()

    def require(self, step_s: float) -> None:
        """Before a step that takes about so many seconds.

        Raises:
            BudgetSpent: fewer are left.
        """
        if self._budget_s is not None:
            total = math.ceil(self._budget_s)
            self._progress(SECONDS_OF_BUDGET, min(math.floor(self._budget_s - max(self.left_s, 0.0)), total), total)
            if self.left_s < step_s:
                raise BudgetSpent

    def over(self) -> None:
        """Nothing more is measured."""
        if self._budget_s is not None:
            self._progress(SECONDS_OF_BUDGET, math.ceil(self._budget_s), math.ceil(self._budget_s))


def least_s(hosts: int, idle_windows: int, seed: int, *, grouped: bool) -> float:
    """Seconds that it takes, if all goes well, to see the quiet network and which hosts are alike.

    Args:
        grouped: that is known from before, so only the quiet network is looked at.
    """
    injecting = 0 if grouped else grouping_rounds(hosts, random.Random(seed))
    return (1 + idle_windows + injecting) * WINDOW_S
