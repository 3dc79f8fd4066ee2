"""Profiles that mpiP wrote: what ranks spent in MPI, and where."""

from dataclasses import dataclass

from fairlead.benchmarks.page.system import System
from fairlead.readers.mpip import BENCHMARK
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Run, Series, Store

_NAMES = ("app_time_s", "mpi_time_s", "call_time_s")


@dataclass(frozen=True)
class MpipProfile:
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


def load_mpip(system: System) -> MpipProfile | None:
    """None where no report was read."""
    run = system.runs.get(BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        every = {name: store.series(run.id, name) for name in _NAMES}
    of = {name: [s for s in series if s.labels["round"] == 0] for name, series in every.items()}
    app, mpi, calls = (of[name] for name in _NAMES)
    return MpipProfile(system.name, run, app[0].values, mpi[0].values, tuple(calls), len(every[_NAMES[0]]) - len(app))
