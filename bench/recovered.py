"""Recovered share of the time that congestion costs: cg, nbody, HPCC's communication parts, and cg from the start."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import laboratory
from bench.figures import AT_LEAST, Figure, ends
from bench.session import Session
from fairlead.errors import StatisticsError
from fairlead.manage.compare import Comparison
from fairlead.manage.plan import ComparisonPlan
from fairlead.report import comparison, statistics
from fairlead.store import Store

TARGET = 0.90
WHOLE_RUN = "time_s"
# HPCC's start and its parts without communication do not count.
SERIES = {"hpcc": "timed_section_s"}


@dataclass(frozen=True)
class Case:
    """One figure: a plan with a single program."""

    name: str
    plan: ComparisonPlan


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``recovered.*``; and what congestion did, ``slowdown.*``, which informs only."""
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterise()
        for case in cases(laboratory.plan(session), session):
            session.say(case.name)
            experiment = net.compare(Comparison(case.plan, net.store), case.plan)
            yield from figures(net.store, experiment, case)


def cases(plan: ComparisonPlan, session: Session) -> list[Case]:
    """One case a program, congestion coming during the run; and the first program with congestion from its start."""
    found = [Case(program.name, plan.model_copy(update={"programs": (program,)})) for program in plan.programs]
    from_start = laboratory.congestion_of(plan).model_copy(update={"onset": (0.0, 0.0)})
    found.append(Case(f"{found[0].name}.from_start", found[0].plan.model_copy(update={"congestion": from_start})))
    table = plan.comparison
    replications = session.size(table.replications, 2)
    return [
        Case(
            case.name,
            case.plan.model_copy(
                update={"comparison": table.model_copy(update={"name": case.name, "replications": replications})}
            ),
        )
        for case in found
    ]


def figures(store: Store, experiment: int, case: Case) -> Iterator[Figure]:
    """The case's figures, computed from the store."""
    name = case.plan.programs[0].name
    series = SERIES.get(name, WHOLE_RUN)
    clean, congested, managed = matched_s(store, experiment, ("clean", "congested", "congested_managed"), series)
    program = comparison.load(store, experiment).programs[0]
    moves = sum(move.kind == "moved" for run in program.final.runs for move in run.moves)
    failed = sum(cell.failed for cell in program.cells())
    note = f"{moves} moves in {len(managed)} managed runs; {failed} failed runs"
    try:
        estimate = statistics.recovered_share(clean, congested, managed)
        yield Figure(f"recovered.{case.name}", estimate.value, "1", estimate.n, TARGET, AT_LEAST, ends(estimate), note)
    except StatisticsError as error:
        yield Figure(
            f"recovered.{case.name}", None, "1", len(managed), TARGET, AT_LEAST, None, f"{error.args[0]}; {note}"
        )
    try:
        slowdown = statistics.paired_ratio(congested, clean)
        yield Figure(f"slowdown.{case.name}", slowdown.value, "1", slowdown.n, interval=ends(slowdown))
    except StatisticsError as error:
        yield Figure(f"slowdown.{case.name}", None, "1", len(congested), note=error.args[0])


def matched_s(store: Store, experiment: int, scenarios: Sequence[str], series: str) -> list[list[float]]:
    """Run times of several scenarios: those of the replications that all of them have, in the same order."""
    times_s = [
        {
            run.labels["replication"]: store.one_series(run.id, series).scalar()
            for run in store.runs("run", parent=experiment, scenario=scenario)
            if run.status == "ok"
        }
        for scenario in scenarios
    ]
    common = sorted(set.intersection(*map(set, times_s)))
    return [[times[replication] for replication in common] for times in times_s]
