"""One-way times of messages by the clocks of both ranks, and whether the clocks agree well enough to believe them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page.curves import Configuration, Measured, by_size
from fairlead.benchmarks.point_to_point.measure import together
from fairlead.characterize.latency import CLOCK_SHARE


@dataclass(frozen=True)
class ClockedBlock:
    """Round trips of a block, and what part of them was the way there; (pairs, samples) in s."""

    clock_error_s: float
    round_trip_s: Floats
    forward_s: Floats


@dataclass(frozen=True)
class OneWay:
    """Of one cell, in s; "there" is from the first host of each pair to the second.

    Attributes:
        there_s, back_s, round_trip_s: medians of the blocks' medians.
        clock_error_s: bound on what the clocks' difference, and so the ways there and back, may be wrong by; median of
            the blocks' bounds.
    """

    there_s: float
    back_s: float
    round_trip_s: float
    clock_error_s: float

    @property
    def is_known(self) -> bool:
        """Whether the clocks' error is small beside the times."""
        return self.clock_error_s <= CLOCK_SHARE * min(self.there_s, self.back_s)

    @property
    def differs(self) -> bool:
        """Whether one way takes longer than the other, whatever the clocks' error."""
        return abs(self.there_s - self.back_s) > 2 * self.clock_error_s


@dataclass(frozen=True)
class MeasuredLatency(Measured):
    """MPI latency of one system; without one-way times where it was measured before there were any."""

    one_way: dict[MessageCell, OneWay] = field(default_factory=dict)

    def one_way_line(self, configuration: Configuration) -> dict[int, OneWay]:
        """By size, in rising order."""
        return by_size(self.one_way, configuration)


def of(blocks: Sequence[ClockedBlock]) -> OneWay:
    """Of the blocks of a cell; of several pairs those samples count that latency counts."""

    def middle(taken: Callable[[ClockedBlock], Floats]) -> float:
        return float(np.median([np.median(taken(block)[together(block.round_trip_s)]) for block in blocks]))

    return OneWay(
        middle(lambda block: block.forward_s),
        middle(lambda block: block.round_trip_s - block.forward_s),
        middle(lambda block: block.round_trip_s),
        float(np.median([block.clock_error_s for block in blocks])),
    )
