"""From a fault to the rerouted pair's traffic flowing again, worst and median by plane: part of the fault matrix."""

import math
import statistics
from collections.abc import Iterator, Sequence

from bench.faults import cells
from bench.faults.cells import FaultCell
from bench.faults.matrix import opened
from bench.faults.trial import ENDED, FAILED, HUNG, TARGET_S, UNTESTED, WRONG, Result
from bench.figures import Figure
from bench.session import Session

HURT = (HUNG, ENDED, WRONG, FAILED)
QUICK_FAULTS = (cells.AGENT_KILLED, cells.PORT_BLOCKED)


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``fault.recovery.PLANE``, in seconds: of cg with a pair rerouted manually, all places and faults.

    An end of the pair that is silent itself does not count: that takes as long as TCP does. Of several pauses the
    longest counts, whenever it began.
    """
    with opened(session.say) as matrix:
        for plane in cells.PLANES:
            results = []
            for result in matrix.run(chosen(plane, quick=session.quick)):
                session.record(**result.row())
                session.say(f"{result.cell.name}: {result.status} {result.why}")
                results.append(result)
            yield from figures(plane, results)


def chosen(plane: str, *, quick: bool) -> list[FaultCell]:
    """The cells that the figures are made of."""
    return [
        cell
        for cell in cells.matrix()
        if (cell.plane, cell.reroutes, cell.program) == (plane, cells.BY_HAND, cells.CG)
        and cell.place
        and not (cell.fault == cells.HOST_SILENT and cell.place != cells.RELAY)
        and (not quick or cell.fault in QUICK_FAULTS)
    ]


def figures(plane: str, results: Sequence[Result]) -> Iterator[Figure]:
    """Worst and median; a program that hung, ended or was wrong never flows again, and one not measured may not."""
    hurt = [math.inf for result in results if result.status in HURT]
    times_s = [result.flow.pause_s for result in results if result.flow and result.status not in HURT] + hurt
    bad = sum(result.bad for result in results)
    missing = sum(result.status == FAILED for result in results)
    tested = sum(result.status != UNTESTED for result in results)
    later = sum(result.flow is not None and result.flow.later_s > 0 for result in results)
    note = f"{tested} cells; {bad} bad, of which {missing} not measured; {later} paused later, too"
    for name, value in (("worst", max), ("median", statistics.median)):
        seen = value(times_s) if times_s else math.inf
        target = TARGET_S[plane] if name == "worst" else None
        seen_s = seen if math.isfinite(seen) else None  # not met
        yield Figure(f"fault.recovery.{plane}.{name}", seen_s, "s", len(times_s), target, note=note)
