"""From comparisons to a verdict: do reroutes speed the program up or slow it down, and when to compare again.

Whoever is rerouted may gain while others of the same job lose, so no single pair shows the benefit. The traffic of the
whole job does: a parallel program computes and communicates in turns, so that the rate of all its bytes goes up and
down with its progress. Pauses are as long as what is measured beside them, and begin at random, so that congestion that
comes and goes is met as often with reroutes as without.
"""

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum
from random import Random

from fairlead.statistics.estimates import Estimate, mean_interval

LEVEL = 0.90
"""Of the interval that the verdict goes by."""
FEWEST = 3
"""Comparisons before a verdict."""
MOST = 12
"""Comparisons that count, the newest ones: congestion changes."""
WINDOW_S = 1.0
"""Length of a measurement at first. Twice as long after every `UNCLEAR` comparisons without a verdict: programs with
long iterations need it."""
WINDOW_MAX_S = 4.0
UNCLEAR = 4
WAIT_S = 10.0
"""Least time between two comparisons."""
WAIT_MAX_S = 600.0
COST = 0.01
"""Share of the program's time that comparisons may cost."""
SUSPENDED_S = 60.0
"""Without reroutes, at first. Twice as long each time that they slowed the program again."""
SUSPENDED_MAX_S = 960.0
_JITTER = 0.25


class Verdict(Enum):
    """What comparisons say of reroutes."""

    UNCLEAR = "unclear"
    PAYS = "pays"
    HARMS = "harms"


@dataclass(frozen=True)
class Comparison:
    """The job's traffic with and without reroutes, one right beside the other.

    Attributes:
        with_bps, without_bps: rate of all bytes that its connections delivered; positive.
        paused_s: how long it was without reroutes.
    """

    with_bps: float
    without_bps: float
    paused_s: float

    @property
    def ratio(self) -> float:
        """Above 1: faster with reroutes."""
        return self.with_bps / self.without_bps

    @property
    def lost_s(self) -> float:
        """Time that the program lost by the pause; 0 where it lost none."""
        return self.paused_s * max(0.0, 1.0 - 1.0 / self.ratio)


class Judgement:
    """What the comparisons of a run say together."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._ratios: deque[float] = deque(maxlen=MOST)
        self._lost_s = 0.0  # by the last comparison
        self._window_s = WINDOW_S
        self._unclear = 0  # comparisons since the window grew
        self._suspended_s = SUSPENDED_S

    def add(self, comparison: Comparison) -> None:
        """Take another comparison into account."""
        self._ratios.append(math.log(comparison.ratio))
        self._lost_s = comparison.lost_s
        verdict = self.verdict()
        if verdict == Verdict.PAYS:
            self._suspended_s = SUSPENDED_S
        self._unclear = self._unclear + 1 if verdict == Verdict.UNCLEAR else 0
        if self._unclear == UNCLEAR:
            self._unclear, self._window_s = 0, min(2 * self._window_s, WINDOW_MAX_S)

    def stalled(self, paused_s: float) -> None:
        """Nothing arrived during a pause: the program computed, or it waited and lost all of it, which is assumed."""
        self._lost_s = paused_s

    @property
    def comparisons(self) -> int:
        """How many count."""
        return len(self._ratios)

    def ratio(self) -> float:
        """The program's traffic with reroutes over that without, the geometric mean; of at least one comparison."""
        return math.exp(sum(self._ratios) / len(self._ratios))

    def interval(self) -> tuple[float, float] | None:
        """Of `ratio`; None with fewer than two comparisons."""
        if len(self._ratios) < 2:
            return None
        found: Estimate = mean_interval(list(self._ratios), LEVEL)
        return math.exp(found.low), math.exp(found.high)

    def verdict(self) -> Verdict:
        """By all comparisons that count."""
        interval = self.interval()
        if interval is None or len(self._ratios) < FEWEST or interval[0] <= 1.0 <= interval[1]:
            return Verdict.UNCLEAR
        return Verdict.PAYS if interval[0] > 1.0 else Verdict.HARMS

    def window_s(self) -> float:
        """How long the next measurements take."""
        return self._window_s

    def wait_s(self) -> float:
        """Until the next comparison: the more the last one cost, the longer."""
        wait_s = min(max(WAIT_S, self._lost_s / COST), WAIT_MAX_S)
        return wait_s * self._random.uniform(1.0 - _JITTER, 1.0 + _JITTER)

    def suspend(self) -> float:
        """Reroutes harm: how long to be without them. What was compared is forgotten: the next time may differ."""
        suspended_s = self._suspended_s
        self._suspended_s = min(2 * suspended_s, SUSPENDED_MAX_S)
        self._ratios.clear()
        self._unclear, self._lost_s = 0, 0.0
        return suspended_s
