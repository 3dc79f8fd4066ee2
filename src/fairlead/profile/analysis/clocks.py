"""How far the clocks of hosts differ, from messages between them: nothing is sent for it. Pure.

No message is there before it was sent. Messages from A to B therefore bound from above what B's clock shows more than
A's, those from B to A bound it from below, the fastest ones best. Between the bounds lies a straight line (an offset
and a drift); the one with the widest margin to all of them is taken, and how far any other possible line is from it is
the error bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from fairlead.array_types import Floats

Ints = NDArray[np.intp]

MOST_DRIFT = 2e-4  # of one clock against another; crystals keep 1e-4 each
BINS = 64  # of the time: in each only the fastest message counts


@dataclass(frozen=True)
class ClockCorrection:
    """From a host's clock to the reference's, both in s: ``rate * time + shift_s``.

    Attributes:
        bound_s: the truth is within this, if the drift was constant.
    """

    rate: float = 1.0
    shift_s: float = 0.0
    bound_s: float = 0.0

    def to_reference(self, time_s: Floats) -> Floats:
        """Of times by the host's clock. Any shape."""
        return self.rate * time_s + self.shift_s


def of(hosts: int, source: Ints, destination: Ints, sent_s: Floats, received_s: Floats) -> list[ClockCorrection | None]:
    """The clocks of all hosts; host 0's is the reference. None: no messages go to and fro between the two, directly or
    over others, or what is said of them contradicts itself.

    Args:
        hosts: how many.
        source, destination: host of each message's sender and receiver. Shape (messages).
        sent_s: when each was sent, by its sender's clock. Shape (messages).
        received_s: when it was seen to be there, by its receiver's. Shape (messages).
    """
    flights_s = np.full((hosts, hosts), np.inf)
    np.minimum.at(flights_s, (source, destination), received_s - sent_s)
    width_s = flights_s + flights_s.T  # the round trip: what the offset is known within
    clocks: list[ClockCorrection | None] = [None] * hosts
    clocks[0] = ClockCorrection()
    for known, new in _tree(width_s):
        there = (source == known) & (destination == new)
        back = (source == new) & (destination == known)
        step = _between(sent_s[there], received_s[there], sent_s[back], received_s[back])
        clocks[new] = _chained(clocks[known], step)
    return clocks


def _tree(width_s: Floats) -> Iterator[tuple[int, int]]:
    """Pairs (host reached, host next to it) that reach all hosts from 0, the narrowest first."""
    reached = [0]
    left = set(range(1, len(width_s)))
    while left:
        width, known, new = min((width_s[known, new], known, new) for known in reached for new in left)
        if not np.isfinite(width):
            return
        yield known, new
        reached.append(new)
        left.remove(new)


def _chained(first: ClockCorrection | None, second: ClockCorrection | None) -> ClockCorrection | None:
    """First `second`, from the new host to the known one, then `first`, from there to the reference."""
    if first is None or second is None:
        return None
    return ClockCorrection(
        first.rate * second.rate, first.rate * second.shift_s + first.shift_s, first.bound_s + second.bound_s
    )


def _between(there_sent_s: Floats, there_s: Floats, back_sent_s: Floats, back_s: Floats) -> ClockCorrection | None:
    """From B's clock to A's, by messages from A to B (``there``) and back. None: no line fits."""
    zero_s = min(there_sent_s.min(), back_s.min())
    upper_at_s, upper_s = _fastest(there_sent_s - zero_s, there_s - there_sent_s)
    lower_at_s, lower_s = _fastest(back_s - zero_s, back_s - back_sent_s)
    # offset + drift * at + margin <= upper; -(offset + drift * at) + margin <= lower
    limits = np.concatenate([upper_s, lower_s])
    lines = np.concatenate(
        [
            np.column_stack([np.ones_like(upper_at_s), upper_at_s]),
            -np.column_stack([np.ones_like(lower_at_s), lower_at_s]),
        ]
    )
    wide = scipy.optimize.linprog(
        [0, 0, -1], np.column_stack([lines, np.ones(len(lines))]), limits, bounds=[(None, None), _DRIFTS, (0, None)]
    )
    if not wide.success:
        return None
    offset_s, drift, _ = wide.x
    length_s = max(upper_at_s.max(), lower_at_s.max())
    bound_s = 0.0
    for at_s in (0.0, length_s):
        for sign in (1, -1):
            extreme = scipy.optimize.linprog([sign, sign * at_s], lines, limits, bounds=[(None, None), _DRIFTS])
            if not extreme.success:
                return None
            bound_s = max(bound_s, abs(sign * extreme.fun - (offset_s + drift * at_s)))
    # b = a + offset + drift * (a - zero)
    rate = 1 / (1 + drift)
    return ClockCorrection(rate, rate * (drift * zero_s - offset_s), bound_s)


_DRIFTS = (-MOST_DRIFT, MOST_DRIFT)


def _fastest(at_s: Floats, flight_s: Floats) -> tuple[Floats, Floats]:
    """The fastest message of each stretch of time: when, and how long it took."""
    stretch = np.minimum(at_s / max(at_s.max(), 1e-9) * BINS, BINS - 1).astype(int)
    order = np.lexsort((flight_s, stretch))
    first = order[np.unique(stretch[order], return_index=True)[1]]
    return at_s[first], flight_s[first]
