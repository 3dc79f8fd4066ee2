"""What the samples say of operating-system noise: detours and times of equal pieces of work."""

from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.noise import measure, periodic, sources
from fairlead.benchmarks.noise.periodic import Period
from fairlead.benchmarks.noise.sources import Sources
from fairlead.benchmarks.noise.told import TOOLS, ToolReport, tool_reports
from fairlead.benchmarks.page.system import System
from fairlead.store import Run, Store


@dataclass(frozen=True)
class Core:
    """What was seen on one core.

    Attributes:
        start_s, excess_s: of each detour: since the beginning, and what it took beyond the least iteration.
        least_s: the least iteration (t_min): the resolution.
        period_s: how long the loop ran.
        iterations: how often the clock was read.
        sources: what the detours came from; None: it was not looked at.
    """

    host: str
    cpu: int
    start_s: Floats
    excess_s: Floats
    least_s: float
    period_s: float
    iterations: int
    sources: Sources | None = None

    def overhead_share(self) -> float:
        """Share of the time that detours took; that of looks at their sources is left out."""
        looked_s = self.sources.looked_s if self.sources is not None else 0.0
        return float(self.excess_s.sum()) / (self.period_s - looked_s)

    def count_ratio(self) -> float:
        """Detours over iterations: what the noise thesis calls overhead (equation 4.1); no share of time."""
        return len(self.excess_s) / self.iterations


@dataclass(frozen=True)
class WorkQuanta:
    """Times of equal pieces of work on one core, in the order done."""

    host: str
    cpu: int
    time_s: Floats

    def overhead_share(self) -> float:
        """Share of the time beyond what all pieces would have taken at the speed of the fastest."""
        return 1.0 - float(self.time_s.min()) * len(self.time_s) / float(self.time_s.sum())


@dataclass(frozen=True)
class Quanta:
    """Work done in equal spans of time on one core, in the order done (another program's, read from a file).

    Attributes:
        quantum_s: length of a span; None where the file does not say.
    """

    host: str
    cpu: int
    done: Floats
    quantum_s: float | None

    def overhead_share(self) -> float:
        """Share of the work that was not done, of what all spans would have held at the speed of the best."""
        return 1.0 - float(self.done.mean()) / float(self.done.max())


def cores(store: Store, run: int) -> list[Core]:
    """What the selfish loop saw, in the order of hosts and processors."""
    detours = {(each.labels["host"], each.labels["cpu"]): each.values for each in store.series(run, "detours_s")}
    looked = sources.load(store, run)
    found = []
    for each in store.series(run, "least_iteration_s"):
        host, cpu = str(each.labels["host"]), int(each.labels["cpu"])
        values = detours.get((host, cpu), np.empty((2, 0)))
        period_s, iterations = float(each.labels["period_s"]), int(each.labels["iterations"])
        of = looked.get((host, cpu))
        found.append(Core(host, cpu, values[0], values[1], each.scalar(), period_s, iterations, of))
    return sorted(found, key=lambda core: (core.host, core.cpu))


def work(store: Store, run: int) -> list[WorkQuanta]:
    """Times of pieces of work, in the order of hosts and processors."""
    found = [WorkQuanta(str(s.labels["host"]), int(s.labels["cpu"]), s.values) for s in store.series(run, "work_s")]
    return sorted(found, key=lambda each: (each.host, each.cpu))


def quanta(store: Store, run: Run) -> list[Quanta]:
    """Work done in equal spans of time, in the order of hosts and processors."""
    quantum_s = (run.plan or {}).get("quantum_s")
    found = [
        Quanta(str(s.labels["host"]), int(s.labels["cpu"]), s.values.astype(np.float64), quantum_s)
        for s in store.series(run.id, "work_count")
    ]
    return sorted(found, key=lambda each: (each.host, each.cpu))


@dataclass(frozen=True)
class Noise:
    """One system's newest noise runs: cores of the selfish loop, times of equal work, work of equal times.

    Any of them may be empty; ``told`` is what rtla says.

    Attributes:
        incomplete: how the runs ended that did not end well.
    """

    system: str
    cores: tuple[Core, ...]
    work: tuple[WorkQuanta, ...]
    periods: dict[tuple[str, int], list[Period]]
    incomplete: tuple[str, ...]
    quanta: tuple[Quanta, ...] = ()
    told: tuple[ToolReport, ...] = ()

    def worst(self) -> Core:
        """The core that lost the largest share of its time."""
        return max(self.cores, key=lambda core: core.overhead_share())


def load_noise(system: System) -> Noise | None:
    """None where there is no such run."""
    names = (measure.BENCHMARK, measure.BENCHMARK_FWQ, measure.BENCHMARK_FTQ)
    detours, pieces, spans = (system.runs.get(name) for name in names)
    of_rtla = [system.runs[name] for name in TOOLS if name in system.runs]
    if not of_rtla and detours is None and pieces is None and spans is None:
        return None
    with Store.read(system.directory) as store:
        of_cores = cores(store, detours.id) if detours else []
        of_work = work(store, pieces.id) if pieces else []
        of_spans = quanta(store, spans) if spans else []
        told = tool_reports(store, of_rtla)
    periods = {(core.host, core.cpu): periodic.find(core.start_s, core.excess_s, core.period_s) for core in of_cores}
    incomplete = tuple(
        run.status for run in (detours, pieces, spans, *of_rtla) if run is not None and run.status != "ok"
    )
    return Noise(system.name, tuple(of_cores), tuple(of_work), periods, incomplete, tuple(of_spans), tuple(told))
