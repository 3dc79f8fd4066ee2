"""What detours came from, as a figure and a table."""

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.noise.analyse import Core, Noise
from fairlead.benchmarks.noise.sources import Source, Sources, by_source
from fairlead.benchmarks.page.colours import colours
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, log_times, styled

MOST_SOURCES = 12  # that are drawn of a system
MOST_THREADS = 5


def draw(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    """Detours of each system's worst core by their source: each length as a point."""
    colour_of = colours(systems)
    rows = [(each.system, source) for each in found for source in of_core(each.worst())[:MOST_SOURCES]]
    with styled():
        figure, (axis,) = axes_of(1, 1.2 + 0.34 * len(rows))
        for place, (system, source) in enumerate(rows):
            axis.plot(
                source.length_s,
                np.full(len(source.length_s), place),
                "|",
                color=colour_of[system],
                alpha=0.5,
                rasterized=True,
            )
        axis.set_xscale("log")
        log_times(axis.xaxis)
        axis.set_yticks(range(len(rows)), [f"{source.name} ({len(source.length_s)})" for _, source in rows])
        axis.set_ylim(len(rows) - 0.4, -0.6)
        axis.grid(axis="x")
        axis.set_xlabel("length of a detour (logarithmic)")
    caption = (
        "After each detour the benchmark checked which of the processor's counters had gone up (/proc/interrupts, "
        "/proc/softirqs, switches to other threads). For each system, the core that lost most is drawn; the "
        "number of detours is in brackets."
    )
    return Drawing("noise-sources", "What detours came from", caption, figure, _table(found))


def of_core(core: Core) -> list[Source]:
    """None where sources were not looked at."""
    return by_source(core.sources, core.excess_s) if core.sources is not None else []


def _table(found: Sequence[Noise]) -> Table:
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("source", "source")]
    columns += [("softirqs with it", "softirqs"), ("detours", "detours"), ("time", "time_s"), ("of all", "share")]
    columns += [("median", "median_s"), ("longest", "longest_s"), ("stolen by the hypervisor", "steal_s")]
    columns += [("waited for other threads", "run_queue_s"), ("threads seen", "threads")]
    return table(columns, [row for each in found for core in each.cores for row in _rows(each.system, core)])


def _rows(system: str, core: Core) -> list[list[TableCell]]:
    if core.sources is None:
        return []
    whole_s = float(core.excess_s.sum())
    rows = []
    for place, source in enumerate(of_core(core)):
        time_s = float(source.length_s.sum())
        rows.append(
            [
                *(cell(system), cell(core.host), cell(core.cpu), cell(source.name)),
                cell(", ".join(source.softirqs) or None),
                cell(len(source.length_s)),
                duration_cell(time_s),
                cell(time_s / whole_s, words.percent(time_s / whole_s)),
                *(duration_cell(float(value)) for value in np.percentile(source.length_s, (50, 100))),
                *(_whole(core.sources) if place == 0 else [cell(None)] * 3),
            ]
        )
    return rows


def _whole(found: Sources) -> list[TableCell]:
    """What is known of the core as a whole stands beside its first source."""
    threads = ", ".join(f"{name} {words.duration(run_s)}" for name, run_s in found.threads[:MOST_THREADS])
    return [
        *(duration_cell(value) for value in (found.steal_s, found.run_queue_s)),
        cell(threads or None),
    ]
