"""What the clocks can tell apart."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairlead.benchmarks.page import boxes
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.benchmarks.timer.analyse import HostClock, Timer, load_timer
from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.report.figures import Drawing

COARSE_S, FINE_S = 1e-6, 1e-7  # step of the clock that MPI_Wtime usually is
USUAL = "CLOCK_MONOTONIC"


def draw(found: Sequence[Timer], systems: Sequence[str]) -> Drawing:
    """Steps of every clock of each system's first host; the table has all hosts."""
    of = colours(systems)
    shown = [
        (
            (f"{each.system}\n" if len(systems) > 1 else "") + clock.name.removeprefix("CLOCK_").replace("_", "\n"),
            of[each.system],
            clock.steps_s,
        )
        for each in found
        for clock in each.clocks
        if clock.host == each.clocks[0].host
    ]
    drawing = boxes.draw(
        "timer",
        "Clocks",
        "Differences between readings that differ, of the first host; the table has all hosts, and what a reading "
        "costs. Anything shorter than a few of these cannot be timed by a single reading.",
        shown,
        unit="s",
    )
    columns = [("system", "system"), ("host", "host"), ("clock", "clock"), ("nominal", "nominal_s")]
    columns += [("least step", "least_step_s"), ("median step", "median_step_s"), ("99 %", "p99_step_s")]
    rows = [
        [
            cell(each.system),
            cell(clock.host),
            cell(clock.name),
            *(cell(float(value), _short(float(value))) for value in _numbers(clock)),
        ]
        for each in found
        for clock in each.clocks
    ]
    return Drawing(
        drawing.name,
        drawing.title,
        drawing.caption,
        drawing.figure,
        table([*columns, ("a reading", "reading_s")], rows),
    )


def _numbers(clock: HostClock) -> list[float]:
    return [clock.nominal_s, *np.percentile(clock.steps_s, (0, 50, 99)), float(np.median(clock.readings_s))]


def _short(seconds: float) -> str:
    """As `words.duration`, which knows nothing below microseconds."""
    return words.duration(seconds) if seconds >= 1e-6 else words.nanoseconds(seconds)


def verdicts(found: Timer) -> Iterator[Verdict]:
    """What is said of it."""
    usual = [clock for clock in found.clocks if clock.name == USUAL]
    if not usual:
        return
    step_s = max(float(np.median(clock.steps_s)) for clock in usual)
    reading_s = max(float(np.median(clock.readings_s)) for clock in usual)
    text = f"{USUAL} steps by {_short(step_s)}, and a reading takes {_short(reading_s)}"
    yield Verdict("bad" if step_s >= COARSE_S else "good" if step_s <= FINE_S else "fact", text)
    if found.run.status != "ok":
        yield Verdict("sure", f"timer: incomplete ({found.run.status})")


SECTION = Section(
    load=at_most_one(load_timer),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
)
