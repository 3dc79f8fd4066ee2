"""Overhead without congestion: by the agents' counters, and of paired clean runs with and without fairlead."""

from collections.abc import Iterator, Sequence

from bench import laboratory
from bench.figures import AT_MOST, Figure, ends
from bench.session import Session
from fairlead.analysis import comparison
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.experiment.comparisons.experiment import ComparisonExperiment
from fairlead.experiment.plans.comparison_form import CLEAN, NETWORK
from fairlead.experiment.plans.design import Row

ACCOUNTED_TARGET = 0.01
MEASURED_TARGET = 0.03
PAIRS, QUICK_PAIRS = 15, 2
PROGRAMS = ("cg", "nbody")


class CleanComparison(ComparisonExperiment):
    """The two of the four scenarios in which nobody else uses the network."""

    def _rows(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in super()._rows(rows) if row.levels[NETWORK] == CLEAN]


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``overhead.accounted.*`` (median) and ``overhead.measured.*`` (upper end of the interval)."""
    plan = laboratory.plan(session)
    pairs = session.size(PAIRS, QUICK_PAIRS)
    table = plan.comparison.model_copy(update={"name": "overhead", "replications": pairs})
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterize()
        for program in (each for each in plan.programs if each.name in PROGRAMS):
            own = plan.model_copy(update={"comparison": table, "programs": (program,)})
            experiment = net.compare(own, CleanComparison)
            stage = comparison.load(net.store, experiment).programs[0].final
            yield accounted(f"overhead.accounted.{program.name}", stage.accounted)
            yield measured(f"overhead.measured.{program.name}", stage.overhead)


def accounted(name: str, result: EffectEstimate) -> Figure:
    """The agents' share of processors and link, as `fairlead.analysis.runs.accounting` finds it."""
    found = result.estimate
    if found is None:
        return Figure(name, None, "1", 0, ACCOUNTED_TARGET, note=result.reason)
    return Figure(name, found.value, "1", found.n, ACCOUNTED_TARGET, AT_MOST, ends(found))


def measured(name: str, result: EffectEstimate) -> Figure:
    """What the pairs allow at most: the figure is the interval's upper end, its median is in the note."""
    found = result.estimate
    if found is None:
        return Figure(name, None, "1", 0, MEASURED_TARGET, note=result.reason)
    note = f"upper end of the interval of paired runs; median {found.value:+.4f}"
    return Figure(name, found.high, "1", found.n, MEASURED_TARGET, AT_MOST, ends(found), note)
