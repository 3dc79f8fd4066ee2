"""What a report of mpiP says: time in MPI by task, and the calls that took most."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from fairlead.benchmarks.mpip.analyse import MpipProfile, load_mpip
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, styled

UNEVEN = 0.1  # of the time of the task: how far the tasks' shares in MPI may lie apart


def draw(found: Sequence[MpipProfile], systems: Sequence[str]) -> Drawing:
    """Share of every task's time in MPI."""
    of = colours(systems)
    with styled():
        figure, axes = axes_of(len(found), 1.0 + 2.4 * len(found))
        for axis, each in zip(axes, found, strict=True):
            axis.bar(np.arange(len(each.app_s)), each.shares(), color=of[each.system], width=0.8)
            axis.set_ylim(0, 1)
            axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.percent(value, decimals=0)))
            axis.grid(True, axis="y")
            axis.set_ylabel("time in MPI")
            axis.set_title(f"{each.system}: {each.run.plan['command']}")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes[-1].set_xlabel("task")
    columns = [("system", "system"), ("call", "call"), ("site", "site"), ("calls", "calls_count")]
    columns += [("time, all tasks", "call_time_s"), ("of the time in MPI", "mpi_share")]
    rows = [
        [
            cell(each.system),
            cell(str(call.labels["call"])),
            cell(int(call.labels["site"])),
            cell(int(call.labels["count"])),
            duration_cell(call.scalar()),
            _share_cell(call.scalar(), float(each.mpi_s.sum())),
        ]
        for each in found
        for call in each.calls
    ]
    caption = "As printed by mpiP, with three digits. The table has the longest call sites, over all tasks."
    return Drawing("mpip", "Time in MPI (mpiP)", caption, figure, table(columns, rows))


def _share_cell(part_s: float, whole_s: float) -> TableCell:
    """Empty where the whole was too short for the places that mpiP prints (``-e``)."""
    return cell(part_s / whole_s, words.percent(part_s / whole_s)) if whole_s > 0 else cell(None)


def verdicts(found: MpipProfile) -> Iterator[Verdict]:
    """What is said of it."""
    shares = found.shares()
    share = float(found.mpi_s.sum() / found.app_s.sum())
    text = f"mpiP: {words.count(len(shares), 'task')} spend {words.percent(share)} of their time in MPI"
    if found.calls:
        text += f", most of it in {found.calls[0].labels['call']} (site {found.calls[0].labels['site']})"
    if found.more:
        text += f"; this is the first of {words.count(1 + found.more, 'report')}, which differ in their call sites"
    yield Verdict("fact", text)
    if float(np.ptp(shares)) > UNEVEN:
        low, high = int(np.argmin(shares)), int(np.argmax(shares))
        yield Verdict(
            "bad",
            f"tasks wait unevenly: task {low} spends {words.percent(float(shares[low]))} of its time in MPI, task "
            f"{high} {words.percent(float(shares[high]))}",
        )


SECTION = Section(
    load=at_most_one(load_mpip),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
)
