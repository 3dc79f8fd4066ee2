"""``summary.json``: a comparison's key figures for machines, a contract (`fairlead.contract`)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import Field

from fairlead.analysis.comparison import Comparison, ProgramResults, ScenarioRuns
from fairlead.analysis.comparison import Stage as ComparisonStage
from fairlead.contract import Document, Finite, Part
from fairlead.prices.run_cost import RunCost
from fairlead.statistics.estimates import Estimate

SCHEMA_VERSION = "2.2"
SCHEMA_FILE = Path(__file__).with_name("summary.schema.json")

Interval = tuple[Finite | None, Finite | None]
"""Lower and upper end; null: unbounded on that side."""


class CostSummary(Part):
    """What a run costs, at its median time (in evaluations: its mean): ``per_hour`` for all compute hosts of its
    cluster, and ``per_run``, in ``currency``. ``efficiency``: runs an hour for the price of an hour, which are as many
    as one unit of it buys.
    """

    currency: str
    per_hour: Finite
    per_run: Finite
    efficiency: Finite


class ProgramSummary(Part):
    """One program (or one stage of it). Times are medians in seconds; shares are plain numbers (0.05 is 5 %).

    Times are by the program's ``own_clock`` where that is true (its timed section), else of whole runs.
    ``processors_busy`` is of the lab's in the busiest of the four kinds of run. If ``limited_by_processors``, the
    figures are not a statement about the network; null where it is not known: no lab, or one whose ranks spin.

    A figure that the runs do not allow is null. ``intervals`` and ``n`` have an entry for every figure that has one,
    ``reasons`` for every figure that has none (a single run of a kind gives figures without intervals); ``n`` counts
    runs (of pairs: pairs). ``costs``: by the name of the time, of those whose price is known.
    """

    t_nc: Finite | None
    t_nc_managed: Finite | None
    t_ic: Finite | None
    t_ic_managed: Finite | None
    recovered: Finite | None
    overhead: Finite | None
    overhead_accounted: Finite | None
    slowdown: Finite | None
    intervals: dict[str, Interval]
    n: dict[str, int]
    n_runs: int
    failed_runs: int
    reroutes: int
    own_clock: bool = False
    processors_busy: Finite | None = None
    limited_by_processors: bool | None = None
    reasons: dict[str, str]
    costs: dict[str, CostSummary] = Field(default_factory=dict)
    stages: dict[str, "ProgramSummary"]


class DeviationSummary(Part):
    """A run that computed something else than undisturbed runs of its command: its ``number`` should be ``low`` to
    ``high``.
    """

    run: int
    command: str
    number: str
    value: Finite
    low: Finite
    high: Finite


class Summary(Document):
    """The whole file."""

    schema_name: str = Field(alias="schema", default="fairlead.compare.summary")
    schema_version: str = SCHEMA_VERSION
    experiment: int
    name: str
    complete: bool
    level: Finite
    started_s: Finite
    programs: dict[str, ProgramSummary]
    deviations: tuple[DeviationSummary, ...] = ()


def of(comparison: Comparison) -> Summary:
    """The summary of a comparison."""
    return Summary(
        experiment=comparison.experiment.id,
        name=str(comparison.experiment.labels.get("name", "")),
        complete=comparison.complete,
        level=comparison.level,
        started_s=comparison.experiment.started_s,
        programs={program.name: _program(program) for program in comparison.programs},
        deviations=tuple(DeviationSummary(**asdict(each)) for each in comparison.deviations),
    )


def _program(program: ProgramResults) -> ProgramSummary:
    stages = {stage.name: _of(program, stage) for stage in program.stages} if len(program.stages) > 1 else {}
    return _of(program, program.final, stages, program.scenarios())


def _of(
    program: ProgramResults,
    stage: ComparisonStage,
    stages: dict[str, ProgramSummary] | None = None,
    scenarios: Sequence[ScenarioRuns] | None = None,
) -> ProgramSummary:
    timed = {
        "t_nc": program.clean,
        "t_nc_managed": stage.clean,
        "t_ic": program.congested,
        "t_ic_managed": stage.congested,
    }
    shares = {
        "recovered": stage.recovered,
        "overhead": stage.overhead,
        "overhead_accounted": stage.accounted,
        "slowdown": program.slowdown,
    }
    results = {name: each.median for name, each in timed.items()} | shares
    counted = list(timed.values()) if scenarios is None else scenarios
    return ProgramSummary(
        t_nc=program.clean.median_s,
        t_nc_managed=stage.clean.median_s,
        t_ic=program.congested.median_s,
        t_ic_managed=stage.congested.median_s,
        recovered=stage.recovered.value,
        overhead=stage.overhead.value,
        overhead_accounted=stage.accounted.value,
        slowdown=program.slowdown.value,
        intervals={
            name: interval_of(result.estimate) for name, result in results.items() if result.estimate is not None
        },
        n={name: each.n for name, each in timed.items()}
        | {name: result.estimate.n for name, result in shares.items() if result.estimate is not None},
        n_runs=sum(each.n for each in counted),
        failed_runs=sum(each.failed for each in counted),
        reroutes=sum(len(run.reroutes()) for run in stage.runs),
        own_clock=program.own_clock,
        processors_busy=max((each.busy for each in timed.values() if each.busy is not None), default=None),
        limited_by_processors=_limited_by_processors(timed.values()),
        reasons={name: result.reason for name, result in results.items() if result.estimate is None},
        costs={name: _cost(each.cost) for name, each in timed.items() if each.cost is not None},
        stages=stages or {},
    )


def _cost(found: RunCost) -> CostSummary:
    return CostSummary(
        currency=found.currency, per_hour=found.per_hour, per_run=found.per_run, efficiency=found.efficiency
    )


def _limited_by_processors(runs: Collection[ScenarioRuns]) -> bool | None:
    """Whether runs of any kind were; None where it is not known: no lab, or one whose ranks spin."""
    if not any(each.processors and each.asleep for each in runs):
        return None
    return any(each.limited_by_processors for each in runs)


def interval_of(estimate: Estimate) -> Interval:
    """The interval of an estimate."""
    low, high = estimate.low, estimate.high
    return (low if math.isfinite(low) else None, high if math.isfinite(high) else None)
