"""A comparison computed from the store: run times of each program and scenario, and what they say.

A run time is that of the program's own timed section where all its runs tell one, else of the whole run: starting and
ending an MPI program takes a second or more, which no network decides.

Terms (DMCBM section 4.1): T_nc clean, T_nc_managed clean with fairlead, T_ic congested, T_ic_managed both. Stages:
where components were added one by one, each stage is a ``managed`` of its own; else there is one stage, ``managed``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.analysis import run_costs
from fairlead.analysis.program_results import Deviation, deviations
from fairlead.analysis.runs import characterized, communication, effects, managed
from fairlead.analysis.runs.communication import Communication
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.analysis.runs.managed import ManagedRun
from fairlead.errors import NoSuchResultsError, StoreError
from fairlead.lab.processors import SERIES, Use
from fairlead.prices.book import Book, kept_with
from fairlead.prices.run_cost import RunCost
from fairlead.statistics import estimates
from fairlead.statistics.bootstrap import check_level
from fairlead.statistics.estimates import Difference, Spread
from fairlead.store import Run, Store

KIND = "experiment"
TIMED_SECTION, WHOLE_RUN = "timed_section_s", "time_s"
LEAST_TIMED_S, LEAST_TIMED_SHARE = 5.0, 0.7
"""Of a timed section, and of its share of the whole run: a shorter one says little."""
CLEAN, CONGESTED = "clean", "congested"
SOLE_STAGE = "managed"


@dataclass(frozen=True)
class ScenarioRuns:
    """All runs of one program in one scenario.

    Attributes:
        times_s: run time by replication, of the runs that ended well.
        failed: runs that ended otherwise.
        whole: median of whole runs, which are what is paid; ``median`` is by the program's own clock where that counts.
        processors: how busy they were, in the runs of a lab that ended well.
        asleep: the lab's ranks slept while they waited.
        cost: of a whole run of median length; None: there is none, or its price is not known.
    """

    scenario: str
    times_s: Mapping[int, float]
    failed: int
    median: EffectEstimate
    whole: EffectEstimate
    spread: Spread | None
    processors: tuple[Use, ...] = ()
    asleep: bool = False
    cost: RunCost | None = None

    @property
    def busy(self) -> float | None:
        """How busy the lab's processors were, 0 to 1 (median); None where that was not recorded."""
        return estimates.median([use.busy for use in self.processors]) if self.processors else None

    @property
    def limited_by_processors(self) -> bool:
        """Whether processors limited half of the runs or more: their times say little about the network.

        Ranks that spin while they wait keep processors busy that have nothing to do: nothing is said of those.
        """
        limited = sum(use.limited for use in self.processors)
        return self.asleep and 2 * limited >= max(1, len(self.processors))

    @property
    def n(self) -> int:
        """Runs that ended well."""
        return len(self.times_s)

    @property
    def median_s(self) -> float | None:
        """Median run time; None without runs."""
        return estimates.median(list(self.times_s.values())) if self.times_s else None


@dataclass(frozen=True)
class Stage:
    """One set of fairlead's components at work, and what it brought.

    Attributes:
        overhead: T_nc_managed / T_nc - 1 of runs in pairs.
        accounted: the agents' CPU and probe traffic as a share of what there was (see
            `fairlead.analysis.runs.accounting`).
        recovered: (T_ic - T_ic_managed) / (T_ic - T_nc).
        runs: managed congested runs with their events.
        clean_runs: managed clean ones.
    """

    name: str
    clean: ScenarioRuns
    congested: ScenarioRuns
    overhead: EffectEstimate
    accounted: EffectEstimate
    recovered: EffectEstimate
    runs: tuple[ManagedRun, ...]
    clean_runs: tuple[ManagedRun, ...]

    def typical(self) -> ManagedRun | None:
        """The managed congested run whose time is nearest to the median: the one that figures show."""
        middle = self.congested.median_s
        if middle is None or not self.runs:
            return None
        times_s = self.congested.times_s
        return min(self.runs, key=lambda each: abs(times_s[int(each.run.labels["replication"])] - middle))


@dataclass(frozen=True)
class NamedDifference:
    """A comparison of two scenarios, with its p-value adjusted for all that the report makes (Holm)."""

    program: str
    first: ScenarioRuns
    second: ScenarioRuns
    difference: Difference
    p_adjusted: float
    delta: float

    @property
    def told_apart(self) -> bool:
        """Whether the two can be told apart, for all comparisons of the report together."""
        return self.p_adjusted < 1 - self.difference.estimate.level


@dataclass(frozen=True)
class ProgramResults:
    """One case's results: a program, where a plan has several networks or congestions under one of each.

    Attributes:
        name: the case's (`fairlead.experiment.plans.comparison.Case`).
        slowdown: T_ic / T_nc of runs in pairs.
        has_detour: whether any pair of hosts has a detour on this network; None if it was not characterized.
        communication: by scenario, runs whose messages were monitored.
        own_clock: run times are of the program's timed section, and not of whole runs.
        timed_share: of the timed section in whole clean runs (median); None: there is none.
    """

    name: str
    ranks: int | None
    clean: ScenarioRuns
    congested: ScenarioRuns
    slowdown: EffectEstimate
    stages: tuple[Stage, ...]
    has_detour: bool | None
    communication: Mapping[str, tuple[Communication, ...]] = field(default_factory=dict)
    own_clock: bool = False
    timed_share: float | None = None

    @property
    def final(self) -> Stage:
        """The stage with all components."""
        return self.stages[-1]

    def scenarios(self) -> list[ScenarioRuns]:
        """The runs of every scenario: the base of each network, then the stages'."""
        return [self.clean, *(s.clean for s in self.stages), self.congested, *(s.congested for s in self.stages)]


@dataclass(frozen=True)
class Comparison:
    """One experiment.

    Attributes:
        runs: all its runs, the pilots and the failed ones too, in the order they were made.
        deviations: those whose programs computed something else than undisturbed.
        book: prices of systems; None: none is known.
    """

    experiment: Run
    level: float
    programs: tuple[ProgramResults, ...]
    differences: tuple[NamedDifference, ...]
    runs: tuple[Run, ...]
    deviations: tuple[Deviation, ...] = ()
    book: Book | None = None

    @property
    def systems(self) -> list[str]:
        """Names of the clusters that runs were made on."""
        return run_costs.systems_of(self.runs)

    @property
    def complete(self) -> bool:
        """Whether the experiment has ended; else more runs may follow."""
        return self.experiment.ended_s is not None


def latest(store: Store) -> Run:
    """The newest experiment of a store.

    Raises:
        StoreError: there is none.
    """
    found = store.runs(KIND)
    if not found:
        raise NoSuchResultsError(f"{store.directory}: holds no comparison", hint="make one with `fairlead compare`")
    return found[-1]


def load(
    store: Store,
    experiment: int,
    *,
    level: float = estimates.DEFAULT_LEVEL,
    stages: Sequence[str] = (),
    book: Book | None = None,
) -> Comparison:
    """Compute a comparison from the store.

    Args:
        stages: names of the stages in the order in which components were added; others found follow by name.
        book: prices of systems; None: the book that the plan named, if it did.

    Raises:
        StoreError: not an experiment, or it holds no finished run.
        StatisticsError: ``level`` is not between 0 and 1.
    """
    check_level(level)
    record = store.run(experiment)
    if record.kind != KIND:
        raise NoSuchResultsError(f"{store.directory}: run {experiment} is of kind {record.kind}, not {KIND}")
    runs = store.runs("run", parent=experiment)
    whole_s = _series(store, runs, WHOLE_RUN)
    timed_s = _series(store, runs, TIMED_SECTION)
    names = _in_order_of_plan(record, {case_of(run) for run in runs})
    book = book or kept_with(record.plan)
    programs = [_program(store, name, runs, whole_s, timed_s, level, stages, book) for name in names]
    programs = [program for program in programs if any(scenario.n for scenario in program.scenarios())]
    if not programs:
        raise StoreError(f"{store.directory}: experiment {experiment} has no finished run yet")
    return Comparison(
        record,
        level,
        tuple(programs),
        tuple(_differences(programs, level)),
        tuple(runs),
        tuple(deviations(store, experiment)),
        book,
    )


def failed(store: Store, experiment: int) -> list[Run]:
    """Runs of an experiment that failed and of which none like them ended well: no sample is there in their place."""
    runs = store.runs("run", parent=experiment)
    well = {_place(run) for run in runs if run.status == "ok"}
    return [run for run in runs if run.status == "failed" and _place(run) not in well]


def _place(run: Run) -> tuple[str, ...]:
    return case_of(run), str(run.labels["scenario"]), str(run.labels.get("replication"))


def case_of(run: Run) -> str:
    """Name of the case that a run belongs to."""
    return str(run.labels.get("case", run.labels["program"]))


def _in_order_of_plan(experiment: Run, names: set[str]) -> list[str]:
    """Names as the plan has them; those of experiments that do not say so, by name."""
    planned = [str(name) for name in experiment.facts.get("cases", ())]
    return [name for name in planned if name in names] + sorted(names - set(planned))


def _series(store: Store, runs: Sequence[Run], name: str) -> dict[int, float]:
    """By number, what the runs that ended well tell of themselves under that name."""
    found = {run.id: store.series(run.id, name) for run in runs if run.status == "ok"}
    return {run: series[0].scalar() for run, series in found.items() if series}


def _program(
    store: Store,
    name: str,
    runs: Sequence[Run],
    whole_s: Mapping[int, float],
    timed_s: Mapping[int, float],
    level: float,
    order: Sequence[str],
    book: Book | None,
) -> ProgramResults:
    own = [run for run in runs if case_of(run) == name]
    own_clock = all(run.id in timed_s for run in own if run.id in whole_s)
    times_s = timed_s if own_clock else whole_s
    by_scenario: dict[str, list[Run]] = {}
    for run in own:
        by_scenario.setdefault(str(run.labels["scenario"]), []).append(run)

    def runs_in(scenario: str) -> ScenarioRuns:
        return _scenario_runs(store, scenario, by_scenario.get(scenario, []), times_s, whole_s, level, book)

    clean, congested = runs_in(CLEAN), runs_in(CONGESTED)
    stages = []
    for stage in _stage_names(by_scenario, order):
        scenarios = (clean, congested, runs_in(f"{CLEAN}_{stage}"), runs_in(f"{CONGESTED}_{stage}"))
        stages.append(_stage(store, stage, scenarios, own, whole_s, level))
    ranks = own[0].labels.get("ranks")
    return ProgramResults(
        name=name,
        ranks=int(ranks) if ranks is not None else None,
        clean=clean,
        congested=congested,
        slowdown=effects.slowdown(congested.times_s, clean.times_s, level),
        stages=tuple(stages),
        has_detour=characterized.has_detour(store, own[-1]),
        communication={scenario: _communication(store, each) for scenario, each in by_scenario.items()},
        own_clock=own_clock,
        timed_share=_timed_share(by_scenario.get(CLEAN, []), whole_s, timed_s) if own_clock else None,
    )


def _timed_share(clean: Sequence[Run], whole_s: Mapping[int, float], timed_s: Mapping[int, float]) -> float | None:
    shares = [timed_s[run.id] / whole_s[run.id] for run in clean if run.id in whole_s]
    return estimates.median(shares) if shares else None


def _communication(store: Store, runs: Sequence[Run]) -> tuple[Communication, ...]:
    found = [communication.read(store, run) for run in runs if run.status == "ok"]
    return tuple(each for each in found if each is not None)


def _stage_names(scenarios: Mapping[str, object], order: Sequence[str]) -> list[str]:
    found = {
        scenario.removeprefix(f"{network}_")
        for scenario in scenarios
        for network in (CLEAN, CONGESTED)
        if scenario.startswith(f"{network}_")
    }
    return [name for name in order if name in found] + sorted(found - set(order)) or [SOLE_STAGE]


def _scenario_runs(
    store: Store,
    scenario: str,
    runs: Sequence[Run],
    times_s: Mapping[int, float],
    whole_s: Mapping[int, float],
    level: float,
    book: Book | None,
) -> ScenarioRuns:
    well = [run for run in runs if run.id in times_s]
    times = {int(run.labels["replication"]): times_s[run.id] for run in well}
    used = [_processors(store, run) for run in well]
    failed = sum(run.status in ("failed", "aborted") for run in runs)
    samples, paid_s = list(times.values()), [whole_s[run.id] for run in well]
    spread = estimates.spread(samples) if len(samples) >= 2 else None
    return ScenarioRuns(
        scenario,
        times,
        failed,
        effects.result(lambda: estimates.median_interval(samples, level)),
        effects.result(lambda: estimates.median_interval(paid_s, level)),
        spread,
        tuple(use for use in used if use is not None),
        any(run.facts.get("lab", {}).get("asleep") for run in well),
        None if book is None or not well else run_costs.of_run(book, well[-1], estimates.median(paid_s)),
    )


def _processors(store: Store, run: Run) -> Use | None:
    return Use.of({each.name: each.scalar() for each in store.series(run.id) if each.name in SERIES})


def _stage(
    store: Store,
    name: str,
    scenarios: tuple[ScenarioRuns, ScenarioRuns, ScenarioRuns, ScenarioRuns],
    runs: Sequence[Run],
    whole_s: Mapping[int, float],
    level: float,
) -> Stage:
    """A stage; ``scenarios`` are clean and congested without it, then with it."""
    clean, congested, managed_clean, managed_congested = scenarios
    quiet = _read_all(store, runs, managed_clean, whole_s)
    return Stage(
        name,
        managed_clean,
        managed_congested,
        effects.overhead(managed_clean.times_s, clean.times_s, level),
        effects.accounted(store, quiet, level),
        effects.recovered(clean.times_s, congested.times_s, managed_congested.times_s, level),
        tuple(_read_all(store, runs, managed_congested, whole_s)),
        tuple(quiet),
    )


def _read_all(store: Store, runs: Sequence[Run], of: ScenarioRuns, whole_s: Mapping[int, float]) -> list[ManagedRun]:
    return [
        managed.read(store, run, whole_s[run.id])
        for run in runs
        if run.labels["scenario"] == of.scenario and run.status == "ok"
    ]


def _differences(programs: Sequence[ProgramResults], level: float) -> list[NamedDifference]:
    """What a reader wants told apart: overhead, effect of congestion, effect of management, and what is left of it.

    Runs of one replication are pairs: they were made in the same block, and face the same congestion.
    """
    found = []
    for program in programs:
        last = program.final
        for first, second in (
            (program.clean, last.clean),
            (program.clean, program.congested),
            (program.congested, last.congested),
            (last.clean, last.congested),
        ):
            samples = effects.matched(first.times_s, second.times_s)
            if len(samples[0]) >= 2:
                found.append(
                    (program.name, first, second, estimates.paired_difference(samples[0], samples[1], level), samples)
                )
    adjusted = estimates.holm([difference.p for *_, difference, _ in found])
    return [
        NamedDifference(name, first, second, difference, p, estimates.cliffs_delta(samples[0], samples[1]))
        for (name, first, second, difference, samples), p in zip(found, adjusted, strict=True)
    ]
