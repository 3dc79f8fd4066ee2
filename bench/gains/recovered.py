"""Recovered share of the time that congestion costs: cg, nbody, HPCC's communication parts, and cg from the start."""

import statistics as simple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench import laboratory
from bench.figures import AT_LEAST, Figure, ends
from bench.session import Session
from fairlead import programs
from fairlead.analysis import comparison
from fairlead.errors import StatisticsError
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.lab.congestion.description import Streams
from fairlead.statistics import estimates
from fairlead.store import Run, Store

TARGET = 0.90
OWN_CLOCK = "timed_section_s"
SCENARIOS = ("clean", "congested", "congested_managed")
# Messages of half a megabyte: a ring of them fills the trunks by itself, so that every detour has to share.
LARGE_NBODY = ("nbody", "--payload", "2048", "--steps", "30")
# As much as streams take on a trunk, between neighbours of one leaf: no link of the program's is on their way.
ELSEWHERE = tuple(
    Streams.model_validate({"kind": "streams", "pairs": [pair], "streams": 2, "rate": "100mbit"})
    for pair in (("n0", "n1"), ("n4", "n5"))
)


@dataclass(frozen=True)
class Case:
    """A plan with a single program. ``target``: of its recovered share; None where it only informs."""

    name: str
    plan: ComparisonPlan
    target: float | None = TARGET


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``recovered.*``; and what congestion did, ``slowdown.*``, which informs only."""
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterize()
        for case in cases(laboratory.plan(session), session):
            session.say(case.name)
            experiment = net.compare(case.plan)
            yield from figures(net.store, experiment, case)


def cases(plan: ComparisonPlan, session: Session) -> list[Case]:
    """One case a program, congestion coming during the run. Further, where the plan has them: cg with congestion from
    its start; nbody with large messages; HPCC beside the same streams on links that it does not use, which take the
    processors' time only.
    """
    found = {program.name: Case(program.name, _only(plan, program)) for program in plan.programs}
    usual = laboratory.congestion_of(plan)
    if cg := found.get("cg"):
        from_start = usual.model_copy(update={"onset": (0.0, 0.0)})
        found["cg.from_start"] = Case("cg.from_start", cg.plan.model_copy(update={"congestion": from_start}))
    if nbody := found.get("nbody"):
        large = nbody.plan.programs[0].model_copy(update={"command": LARGE_NBODY})
        found["nbody.large"] = Case("nbody.large", _only(plan, large), target=None)
    if hpcc := found.get("hpcc"):
        elsewhere = usual.model_copy(update={"bottlenecks": ELSEWHERE})
        congested = hpcc.plan.model_copy(update={"congestion": elsewhere})
        found["hpcc.elsewhere"] = Case("hpcc.elsewhere", congested, target=None)
    table = plan.comparison
    replications = session.size(table.replications, 2)
    return [
        Case(
            case.name,
            case.plan.model_copy(
                update={"comparison": table.model_copy(update={"name": case.name, "replications": replications})}
            ),
            case.target,
        )
        for case in found.values()
    ]


def _only(plan: ComparisonPlan, program: ProgramPlan) -> ComparisonPlan:
    return plan.model_copy(update={"programs": (program,)})


def figures(store: Store, experiment: int, case: Case) -> Iterator[Figure]:
    """The case's figures, computed from the store."""

    def time_s(run: Run) -> float:
        return float(store.one_series(run.id, OWN_CLOCK).scalar())

    program = comparison.load(store, experiment).programs[0]
    reroutes = sum(decision.kind == "rerouted" for run in program.final.runs for decision in run.decisions)
    failed = sum(each.failed for each in program.scenarios())
    yield from _shares(
        case.name, matched_s(store, experiment, time_s), f"{reroutes} reroutes; {failed} failed runs", case.target
    )
    for part in _parts_s(store, store.runs("run", parent=experiment, scenario="clean")[-1]):

        def part_s(run: Run, part: str = part) -> float:
            return _parts_s(store, run)[part]

        yield from _shares(f"{case.name}.{part}", matched_s(store, experiment, part_s), "for information", None)


def _shares(name: str, times_s: Sequence[Sequence[float]], note: str, target: float | None) -> Iterator[Figure]:
    """Recovered share and slowdown from times of the three `SCENARIOS`."""
    clean, congested, managed = times_s
    note = f"{simple.median(clean):.2f} s, {simple.median(congested):.2f} s congested, " + (
        f"{simple.median(managed):.2f} s managed; {note}"
    )
    try:
        estimate = estimates.recovered_share(clean, congested, managed)
        yield Figure(f"recovered.{name}", estimate.value, "1", estimate.n, target, AT_LEAST, ends(estimate), note)
    except StatisticsError as error:
        why = f"{error.args[0]}; {note}"
        yield Figure(f"recovered.{name}", None, "1", len(managed), target, AT_LEAST, None, why)
    try:
        slowdown = estimates.paired_ratio(congested, clean)
        yield Figure(f"slowdown.{name}", slowdown.value, "1", slowdown.n, interval=ends(slowdown))
    except StatisticsError as error:
        yield Figure(f"slowdown.{name}", None, "1", len(congested), note=error.args[0])


def matched_s(store: Store, experiment: int, time_s: Callable[[Run], float]) -> list[list[float]]:
    """Times in the three `SCENARIOS`: of the replications that all of them have, in the same order."""
    times_s = [
        {
            run.labels["replication"]: time_s(run)
            for run in store.runs("run", parent=experiment, scenario=scenario)
            if run.status == "ok"
        }
        for scenario in SCENARIOS
    ]
    common = sorted(set.intersection(*map(set, times_s)))
    return [[times[replication] for replication in common] for times in times_s]


def _parts_s(store: Store, run: Run) -> dict[str, float]:
    """Seconds of each part that a program told of itself; empty if it tells none."""
    output = next(each.content for each in store.attachments(run.id) if each.name == "output")
    data = programs.verdict(output).data or {}
    return {str(part): float(seconds) for part, seconds in data.get("parts_s", {}).items()}
