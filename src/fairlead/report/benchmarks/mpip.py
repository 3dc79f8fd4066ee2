"""What a report of mpiP says: time in MPI by task, and the calls that took most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.readers.mpip import BENCHMARK
from fairlead.report.benchmarks.colours import colours
from fairlead.report.benchmarks.systems import System
from fairlead.report.benchmarks.verdicts import Verdict
from fairlead.report.figures import Drawing, axes_of, styled
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Run, Series, Store

UNEVEN = 0.1  # of the time of the task: how far the tasks' shares in MPI may lie apart


@dataclass(frozen=True)
class Profile:
    """The first report that was read for a system.

    Attributes:
        more: reports that were read with it, of which nothing is shown.
        app_s, mpi_s: (tasks,) time of the program, and of it in MPI.
        calls: the call sites, those that took most first.
    """

    system: str
    run: Run
    app_s: FloatArray
    mpi_s: FloatArray
    calls: tuple[Series, ...]
    more: int

    def shares(self) -> FloatArray:
        """(tasks,) share of the time that was spent in MPI."""
        found: FloatArray = self.mpi_s / self.app_s
        return found


def load(system: System) -> Profile | None:
    """None where no report was read."""
    run = system.runs.get(BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        every = {name: store.series(run.id, name) for name in _NAMES}
    of = {name: [s for s in series if s.labels["round"] == 0] for name, series in every.items()}
    app, mpi, calls = (of[name] for name in _NAMES)
    return Profile(system.name, run, app[0].values, mpi[0].values, tuple(calls), len(every[_NAMES[0]]) - len(app))


_NAMES = ("app_time_s", "mpi_time_s", "call_time_s")


def draw(found: Sequence[Profile], systems: Sequence[str]) -> Drawing:
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
            cell(call.scalar(), words.duration(call.scalar())),
            cell(call.scalar() / float(each.mpi_s.sum()), words.percent(call.scalar() / float(each.mpi_s.sum()))),
        ]
        for each in found
        for call in each.calls
    ]
    caption = "As mpiP says, in three digits. The table has the call sites that took most, of all tasks together."
    return Drawing("mpip", "Time in MPI (mpiP)", caption, figure, table(columns, rows))


def verdicts(found: Profile) -> Iterator[Verdict]:
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
