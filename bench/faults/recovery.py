"""What samples of a pair's traffic say: when it stopped, when it flowed again, when it was as fast as direct. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Samples = Sequence[tuple[float, int]]
"""(seconds of CLOCK_MONOTONIC, bytes so far), in order."""

STEP_S = 0.01  # progress is this long's worth of the usual rate: single small packets are none
SHORTEST_GAP_S = 0.1
TIMES_USUAL = 2.0
LONGEST_USUAL_S = 0.5  # half of the shortest target: what is longer is told, whatever was usual
ACTS_S = 1.0  # a fault acts within this time; what stops later has other reasons, a lease that ran out for example
STEADY_S = 0.3  # pauses with less than this between them are one, if what came between is too little
WINDOW_S = 0.5
SHARE_OF_DIRECT = 0.5


@dataclass(frozen=True)
class Flow:
    """How traffic went through a fault; all in seconds.

    Attributes:
        usual_gap_s: the longest pause before the fault, or on the direct path.
        recovery_s: from the fault, or from when traffic stopped within `ACTS_S` of it, to steady traffic; 0: it did
            not stop then.
        later_s: the longest time without steady traffic that began later; 0: there was none.
        after_undo_s: what of any such time lay after the fault was taken back; 0 where it was not.
        slow_s: the longest time after the fault for which it stayed slower than half of direct.
        flowed: whether it flows again at all before the program's end.
    """

    usual_gap_s: float
    recovery_s: float
    later_s: float
    after_undo_s: float
    slow_s: float
    flowed: bool

    @property
    def pause_s(self) -> float:
        """The longest time after the fault without steady traffic, whenever that was."""
        return max(self.recovery_s, self.later_s)


def rate_Bps(samples: Samples, begin_s: float, end_s: float) -> float:
    """Mean rate between two moments; 0 without samples there."""
    within = [sample for sample in samples if begin_s <= sample[0] <= end_s]
    if len(within) < 2 or within[-1][0] <= within[0][0]:
        return 0.0
    return (within[-1][1] - within[0][1]) / (within[-1][0] - within[0][0])


def progress_s(samples: Samples, step_B: float) -> list[float]:
    """The moments by which another ``step_B`` had come."""
    found: list[float] = []
    mark_B = 0.0
    for at_s, total_B in samples:
        if total_B - mark_B >= step_B:
            found.append(at_s)
            mark_B = total_B
    return found


def judge(
    samples: Samples,
    *,
    begin_s: float,
    fault_s: float,
    undo_s: float | None,
    end_s: float,
    direct_Bps: float,
    direct_gap_s: float,
) -> Flow:
    """What the traffic did.

    Args:
        begin_s: when the program's traffic was under way as it should be.
        undo_s: when the fault was taken back; None: it was not.
        end_s: when the program was about to end: pauses from there on are its own.
        direct_Bps, direct_gap_s: usual rate and longest pause on the direct path, to which traffic may return.
    """
    own_Bps = rate_Bps(samples, begin_s, fault_s)
    gaps = _gaps(samples, own_Bps, end_s)
    rerouted_gap_s = max((last - first for first, last in gaps if first >= begin_s and last <= fault_s), default=0.0)
    usual_s = max(rerouted_gap_s, direct_gap_s)
    threshold_s = max(SHORTEST_GAP_S, min(TIMES_USUAL * usual_s, LONGEST_USUAL_S))
    long = [gap for gap in gaps if gap[1] - gap[0] > threshold_s and gap[1] > fault_s]
    least_Bps = SHARE_OF_DIRECT * min(direct_Bps, own_Bps)
    pauses = _joined(long, samples, least_Bps)
    acts_s = fault_s + ACTS_S
    return Flow(
        usual_gap_s=usual_s,
        recovery_s=max((last - max(first, fault_s) for first, last in pauses if first <= acts_s), default=0.0),
        later_s=max((last - first for first, last in pauses if first > acts_s), default=0.0),
        after_undo_s=0.0 if undo_s is None else max([0.0, *(last - max(first, undo_s) for first, last in pauses)]),
        slow_s=_slow_s(samples, fault_s, end_s, least_Bps),
        flowed=any(fault_s < last < end_s for _, last in gaps) and not any(last >= end_s for _, last in long),
    )


def longest_gap_s(samples: Samples, begin_s: float, end_s: float) -> float:
    """The longest pause between two moments, as `judge` sees pauses; 0 without samples there."""
    gaps = _gaps(samples, rate_Bps(samples, begin_s, end_s), end_s)
    return max((last - first for first, last in gaps if first >= begin_s and last < end_s), default=0.0)


def _gaps(samples: Samples, usual_Bps: float, end_s: float) -> list[tuple[float, float]]:
    """Between one progress and the next one; the last one reaches to the end."""
    moments = progress_s(samples, max(1.0, usual_Bps * STEP_S))
    return [(first, last) for first, last in pairwise([*moments, end_s]) if last > first]


def _joined(gaps: Sequence[tuple[float, float]], samples: Samples, least_Bps: float) -> list[tuple[float, float]]:
    """Gaps with next to nothing between them as one.

    A program that sends large blocks and waits for others in between pauses often, and may still be faster than on the
    direct path: two gaps are one only if from the first one's end to the second one's end the rate is below
    ``least_Bps``.
    """
    found: list[tuple[float, float]] = []
    for first, last in gaps:
        if found and first - found[-1][1] < STEADY_S and rate_Bps(samples, found[-1][1], last) < least_Bps:
            first = found.pop()[0]
        found.append((first, last))
    return found


def _slow_s(samples: Samples, fault_s: float, end_s: float, least_Bps: float) -> float:
    """From the begin of the first to the end of the last of windows that were all slower; 0: none was."""
    found, at_s, since_s = 0.0, fault_s, fault_s
    while at_s + WINDOW_S <= end_s:
        if rate_Bps(samples, at_s, at_s + WINDOW_S) < least_Bps:
            found = max(found, at_s + WINDOW_S - since_s)
        else:
            since_s = at_s + WINDOW_S / 5
        at_s += WINDOW_S / 5
    return found
