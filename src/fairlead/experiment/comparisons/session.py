"""A comparison from its plan to its samples (``fairlead compare``): which cases, how long, the runs."""

import fnmatch
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead import config
from fairlead.cluster.description import NATIVE, TCP, Cluster
from fairlead.cluster.fabric import AUTO
from fairlead.config_changes import ConfigChange
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.experiment.comparisons import calibrate
from fairlead.experiment.comparisons.experiment import ComparisonExperiment, expected_s, managed_hosts, planned_clean_s
from fairlead.experiment.factors.transport import CANNOT_REROUTE
from fairlead.experiment.plans import comparison_form, plan_cost, price_checks, row_checks
from fairlead.experiment.plans import forecast as forecasts
from fairlead.experiment.plans.comparison import ComparisonPlan, NetworkPlan
from fairlead.experiment.plans.design import Row
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.running.runner import Progress
from fairlead.prices.book import Book
from fairlead.progress import Progress as SurveyProgress
from fairlead.store import Store


@dataclass(frozen=True)
class Forecast:
    """What a comparison is about to do.

    Attributes:
        runs: those that are left, without pilots.
        time_s: expected time of all of it.
        unknown: cases whose clean time the plan does not say; the time is that of the others.
        cost: of all of it, for people; empty without a price book.
    """

    runs: int
    labs: int
    time_s: float
    unknown: tuple[str, ...]
    cost: str = ""

    def describe(self) -> str:
        """For people, one line."""
        work = f"{words.count(self.runs, 'run')} on {words.count(self.labs, 'network')}"
        if not self.runs:
            return "nothing left to run"
        if self.unknown:
            missing = words.listing(list(self.unknown))
            cost = "; cost: not known without it" if self.cost else ""
            return f"{work}; duration: known after the pilot runs (clean_s is missing for {missing}){cost}"
        return f"{work}: {forecasts.words(self.time_s)}{f', {self.cost}' if self.cost else ''}"


def read(path: Path, changes: Sequence[ConfigChange] = (), *, transport: str | None = None) -> ComparisonPlan:
    """Read a plan and check that its cases can run. Relative paths in it start at the plan's own directory.

    Args:
        changes: of the plan's values.
        transport: in place of the plan's, as `fairlead.cluster.fabric` has it: ``auto`` leaves it to the cluster. None:
            the plan's.

    Raises:
        ConfigError: see `fairlead.config.load` and `fairlead.experiment.plans.row_checks`: all that is wrong is told at
            once; or nothing could be managed over this transport.
    """
    plan = config.load(path, ComparisonPlan, changes).under(path.absolute().parent)
    if transport == NATIVE:
        raise ConfigError(
            f"--transport {transport}: {CANNOT_REROUTE}, and a comparison has managed runs",
            hint=f"--transport {TCP} makes MPI use TCP, which it can reroute; `fairlead evaluate` runs programs over "
            "either",
        )
    if transport is not None:
        plan = with_table(plan, transport=None if transport == AUTO else transport)
    row_checks.of_comparison(plan, path).require_none()
    return plan


def book_of(plan: ComparisonPlan) -> Book | None:
    """The price book of a plan, which has all that its cases run on; None: it names none.

    Raises:
        ConfigError: see `fairlead.experiment.plans.price_checks`.
    """
    return price_checks.book_of(plan.comparison.prices, comparison_form.parts(plan).values())


def chosen(plan: ComparisonPlan, patterns: Sequence[str], congestions: Sequence[str] = ()) -> list[str]:
    """Names of the cases that match one of the patterns (``cg-*.delay.*``), in the plan's order; without any: all.

    Args:
        congestions: names of the plan's congestions; without any: all.

    Raises:
        ConfigError: a pattern matches no case, or the plan has no such congestion, or no case with it.
    """
    for name in congestions:
        if name not in plan.congestions:
            known = ", ".join(plan.congestions) or "none that has a name"
            raise ConfigError(f"--congestion {name}: the plan has no such congestion", hint=f"there are {known}")
    wanted, every = [plan.congestions[name] for name in congestions], plan.all_cases()
    names = [case.name for case in every if not wanted or case.congestion in wanted]
    if not names:
        used = [name for name, each in plan.congestions.items() if each in [case.congestion for case in every]]
        raise ConfigError(
            f"--congestion {', '.join(congestions)}: no case of the plan has this congestion",
            hint=f"cases have {', '.join(used)}",
        )
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise ConfigError(f"--only {pattern}: no case has this name", hint=f"there are {', '.join(names)}")
    return [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, each) for each in patterns)]


def forecast(
    plan: ComparisonPlan,
    left: Sequence[Row],
    calibrated: Collection[NetworkPlan] = (),
    book: Book | None = None,
) -> Forecast:
    """How long the rows that are left will take, by what the plan says of its programs, and what that costs.

    Args:
        calibrated: networks whose scale and programs' lengths are known.
        book: prices, which has all that rows run on; None: no cost is told.

    Raises:
        ConfigError: the book has no price of a network, or a network cannot be read.
    """
    cases = {case.name: case for case in plan.all_cases()}
    parts = comparison_form.parts(plan)
    clean_s = {name: planned_clean_s(case) for name, case in cases.items()}
    used = {name: cases[name] for name in dict.fromkeys(str(row.levels[comparison_form.CASE]) for row in left)}
    used_s = dict.fromkeys((case.network for case in used.values()), 0.0)
    for network in used_s:
        trials_s = 0.0 if network in calibrated else _trials_s(plan, network)
        used_s[network] += forecasts.set_up_s(managed_hosts(network)) + trials_s
    pilots = {(case.network, case.program.name): clean_s[name] or 0.0 for name, case in used.items()}
    for (network, _), pilot_s in pilots.items():
        used_s[network] += pilot_s
    for row in left:
        case = cases[str(row.levels[comparison_form.CASE])]
        if (known_s := clean_s[case.name]) is not None:
            used_s[case.network] += expected_s(parts[case.network], row.levels, known_s)
    unknown = dict.fromkeys(case.program.name for name, case in used.items() if clean_s[name] is None)
    labs = {(network.lab, network.cluster) for network in used_s}
    cost = "" if book is None else plan_cost.about(book, [(_cluster(parts[each]), used_s[each]) for each in used_s])
    return Forecast(len(left), len(labs), sum(used_s.values()), tuple(unknown), cost)


def _cluster(part: Plan) -> Cluster:
    """What all rows of a network run on."""
    return plan_cost.cluster_at(row_checks.Networks(part), part.combinations()[0])


def _trials_s(plan: ComparisonPlan, network: NetworkPlan) -> float:
    """Expected time to find a network's scale and its programs' lengths."""
    cases = [case for case in plan.all_cases() if case.network == network]
    if not calibrate.needed(cases, plan.comparison.scale):
        return 0.0
    programs = len({case.program.name for case in cases})
    return programs * forecasts.TRIALS_S / (1 if plan.comparison.scale == "auto" else 3)


def compare(
    plan: ComparisonPlan,
    results: Path,
    *,
    survey_progress: SurveyProgress,
    progress: Progress,
    only: Sequence[str] | None = None,
    bring: Sequence[Path] = (),
    announce: Callable[[Forecast], None] = lambda forecast: None,
    tell: Callable[[str], None] = lambda text: None,
    book: Book | None = None,
) -> int:
    """Run a plan, or what is left of it; returns the number of the experiment in the store of ``results``.

    Args:
        only: names of the cases to run now; None: all.
        bring: files that hosts get before the first run on them, and that the plan's commands name.
        announce: called once, before anything is started.
        tell: called with what else is to be told.
        book: prices, for what is announced.

    Raises:
        FairleadError: the lab, an agent, congestion or the launcher could not be had; what was finished is kept.
    """
    with Store.open(results) as store:
        comparison = ComparisonExperiment(plan, store, only, bring=bring)
        comparison.end_remains(tell)
        announce(forecast(plan, comparison.left(), comparison.calibrated(), book))
        comparison.run(progress, tell, survey_progress)
        return comparison.experiment


def with_table(plan: ComparisonPlan, **changes: object) -> ComparisonPlan:
    """The same plan with other values in its ``[comparison]`` table."""
    return plan.model_copy(update={"comparison": plan.comparison.model_copy(update=changes)})
