"""Figures of MPI latency and throughput."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from fairlead.benchmarks.page import bands, boxes, curve_verdicts, transports
from fairlead.benchmarks.page.colours import lines
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.section import Section, at_most_one, of_curves
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.benchmarks.point_to_point import draw_one_way
from fairlead.benchmarks.point_to_point.analyse import load_messages
from fairlead.benchmarks.point_to_point.names import LATENCY, THROUGHPUT
from fairlead.benchmarks.point_to_point.one_way import MeasuredLatency
from fairlead.display import words
from fairlead.report.figures import Drawing

MPI_LATENCY = (
    "Half the round trip of a message between two ranks, after a warm-up. A block is about a tenth of a "
    "second of round trips, three at least; blocks of all sizes were taken in random order. Percentiles are of "
    "messages, not of time: slow periods have fewer messages."
)
MPI_THROUGHPUT = (
    "Windows of messages, each answered by an empty one; all pairs of ranks and both directions together. A block is "
    "about a tenth of a second of windows, two at least; blocks of all sizes were taken in random order."
)
PREFERRED_B = 1024**2
"""Throughput is compared at this size, or the largest below it that all have."""


def mpi(found: Sequence[Measured], systems: Sequence[str]) -> Drawing:
    """Of MPI latency or throughput."""
    title, caption = ("MPI latency", MPI_LATENCY) if found[0].is_latency else ("MPI throughput", MPI_THROUGHPUT)
    return bands.draw(found, systems, found[0].benchmark, title, f"{caption} {transports.told(found)}")


def throughput(found: Sequence[Measured], systems: Sequence[str]) -> Drawing | None:
    """Rates of blocks at one size, of all systems and configurations; None where they have no size in common."""
    drawn = lines(found, systems)
    common = set.intersection(*(set(line.numbers) for line in drawn)) if drawn else set()
    if not common:
        return None
    size_B = max((one for one in common if one <= PREFERRED_B), default=min(common))
    taken = []
    for line in drawn:
        label = f"{line.system}\n{line.label}" if len(systems) > 1 else line.label
        taken.append((label.replace(", ", "\n"), line.colour, line.numbers[size_B].blocks))
    return boxes.draw(
        "throughput-boxes",
        f"Throughput with messages of {words.size(size_B)}",
        "Each value is the rate of a block, of all pairs and directions together.",
        taken,
    )


def _section(
    benchmark: str, draw: Callable[[Sequence[Measured], Sequence[str]], Iterable[Drawing]]
) -> Section[Measured]:
    return of_curves(
        at_most_one(partial(load_messages, benchmark=benchmark)), lambda found, report: draw(found, report.names)
    )


def _throughput(found: Sequence[Measured], systems: Sequence[str]) -> Iterator[Drawing]:
    yield mpi(found, systems)
    if drawn := throughput(found, systems):
        yield drawn


def _latency(found: Sequence[Measured], systems: Sequence[str]) -> Iterator[Drawing]:
    yield mpi(found, systems)
    if clocked := [each for each in found if isinstance(each, MeasuredLatency) and each.one_way]:
        yield draw_one_way.draw(clocked, systems)


def _latency_verdicts(found: Measured) -> Iterator[Verdict]:
    yield from curve_verdicts.of(found)
    if isinstance(found, MeasuredLatency):
        yield from draw_one_way.verdicts(found)


SECTION_OF_LATENCY = replace(_section(LATENCY, _latency), verdicts=_latency_verdicts)
SECTION_OF_THROUGHPUT = _section(THROUGHPUT, _throughput)
