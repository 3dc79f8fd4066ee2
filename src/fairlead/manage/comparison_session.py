"""A comparison from its plan to its samples: the labs, their characterisation, the runs (``fairlead compare``)."""

import fnmatch
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlead import config, lab
from fairlead.characterize.characterize import characterize
from fairlead.characterize.survey import Settings
from fairlead.cluster import run_facts
from fairlead.cluster.description import Cluster
from fairlead.config_changes import Change
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import CongestionDescription
from fairlead.lab.migration import replug
from fairlead.lab.resolve import resolve
from fairlead.manage import calibration, case_checks, estimate, trials
from fairlead.manage.calibration import Calibration
from fairlead.manage.compare import Comparison, ManagementFor, Progress, Setting, prepare
from fairlead.manage.congestion_schedule import Traffic
from fairlead.manage.migration import movers
from fairlead.manage.plan import Case, ComparisonPlan, NetworkPlan, ProgramPlan
from fairlead.manage.remains import Remains
from fairlead.manage.run import management_for
from fairlead.manage.scenario import Row, Scenario
from fairlead.manage.supervisor import Management
from fairlead.progress import Progress as SurveyProgress
from fairlead.store import Store

# Enough to manage by: larger messages are judged by throughput.
SIZES_B = (64, 1024, 8192, 65536)


@dataclass(frozen=True)
class Forecast:
    """What a comparison is about to do.

    Attributes:
        runs: those that are left, without pilots.
        time_s: expected time of all of it.
        unknown: cases whose clean time the plan does not say; the time is that of the others.
    """

    runs: int
    labs: int
    time_s: float
    unknown: tuple[str, ...]

    def in_words(self) -> str:
        """For people, one line."""
        work = f"{words.count(self.runs, 'run')} on {words.count(self.labs, 'network')}"
        if not self.runs:
            return "nothing is left to run"
        if self.unknown:
            missing = words.listing(list(self.unknown))
            return f"{work}; how long they take is told after the pilots (clean_s is missing for {missing})"
        return f"{work}: {estimate.words(self.time_s)}"


def read(path: Path, changes: Sequence[Change] = ()) -> ComparisonPlan:
    """Read a plan and check that its cases can run. Relative paths in it start at the plan's own directory.

    Args:
        changes: of the plan's values.

    Raises:
        ConfigError: see `fairlead.config.load` and `fairlead.manage.case_checks`: all that is wrong is told at once.
    """
    plan = config.load(path, ComparisonPlan, changes).under(path.absolute().parent)
    case_checks.findings(plan, path).require_none()
    return plan


def chosen(plan: ComparisonPlan, patterns: Sequence[str], congestions: Sequence[str] = ()) -> list[str]:
    """Names of the cases that match one of the patterns (``cg-*.delay.*``), in the plan's order; without any: all.

    Args:
        congestions: names of the plan's congestions; without any: all.

    Raises:
        ConfigError: a pattern matches no case, or the plan has no such congestion.
    """
    for name in congestions:
        if name not in plan.congestions:
            known = ", ".join(plan.congestions) or "none that has a name"
            raise ConfigError(f"--congestion {name}: the plan has no such congestion", hint=f"there are {known}")
    wanted = [plan.congestions[name] for name in congestions]
    names = [case.name for case in plan.all_cases() if not wanted or case.congestion in wanted]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise ConfigError(f"--only {pattern}: no case has such a name", hint=f"there are {', '.join(names)}")
    return [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, each) for each in patterns)]


def forecast(plan: ComparisonPlan, left: Sequence[Row], calibrated: Collection[NetworkPlan] = ()) -> Forecast:
    """How long the rows that are left will take, by what the plan says of its programs.

    Args:
        calibrated: networks whose scale and programs' lengths are known.
    """
    cases = {case.name: case for case in plan.all_cases()}
    clean_s = estimate.planned_clean_s(list(cases.values()))
    used = dict.fromkeys(row.case for row in left)
    networks = dict.fromkeys(cases[name].network for name in used)
    pilots = {(cases[name].network, cases[name].program.name): clean_s.get(name, 0.0) for name in used}
    set_up_s = sum(estimate.set_up_s(_managed_hosts(network)) for network in networks)
    trials_s = sum(_trials_s(plan, network) for network in networks if network not in calibrated)
    time_s = estimate.rows_s(left, cases, clean_s) + sum(pilots.values()) + set_up_s + trials_s
    unknown = dict.fromkeys(cases[name].program.name for name in used if name not in clean_s)
    return Forecast(len(left), len(networks), time_s, tuple(unknown))


def _trials_s(plan: ComparisonPlan, network: NetworkPlan) -> float:
    """Expected time to find a network's scale and its programs' lengths."""
    cases = [case for case in plan.all_cases() if case.network == network]
    if not trials.needed(cases, plan.comparison.scale):
        return 0.0
    programs = len({case.program.name for case in cases})
    return programs * estimate.TRIALS_S / (1 if plan.comparison.scale == "auto" else 3)


def compare(
    plan: ComparisonPlan,
    results: Path,
    *,
    survey_progress: SurveyProgress,
    progress: Progress,
    only: Sequence[str] | None = None,
    announce: Callable[[Forecast], None] = lambda forecast: None,
    tell: Callable[[str], None] = lambda text: None,
) -> int:
    """Run a plan, or what is left of it; returns the number of the experiment in the store of ``results``.

    Args:
        only: names of the cases to run now; None: all.
        announce: called once, before anything is started.
        tell: called with what else is to be told.

    Raises:
        FairleadError: the lab, an agent, congestion or the launcher could not be had; what was finished is kept.
    """
    with Store.open(results) as store:
        remains = Remains(results)
        for what in remains.end():
            tell(f"ended what an earlier start had left: {what}")
        experiment = Comparison(plan, store, only)
        networks = dict.fromkeys(case.network for case in plan.all_cases())
        announce(forecast(plan, experiment.left(), [each for each in networks if experiment.calibration(each)]))
        for network in networks:
            if experiment.left_on(network):
                _run_on(network, plan, experiment, remains, store, survey_progress, progress)
        experiment.finish()
        return experiment.experiment


def _run_on(
    network: NetworkPlan,
    plan: ComparisonPlan,
    experiment: Comparison,
    remains: Remains,
    store: Store,
    survey_progress: SurveyProgress,
    progress: Progress,
) -> None:
    found = experiment.calibration(network) or _calibrate(network, plan, experiment, remains, store, progress)
    chosen = {row.case for row in experiment.left_on(network)}
    cases = [case for case in plan.all_cases() if case.name in chosen]
    with _set_up(network, cases, remains, store, found.scale) as setting:
        if plan.comparison.migrate:
            movers.maker(setting.cluster, None)
        # A lab started anew has the same links, but its hosts are new: what was measured before is not relied on.
        characterize(setting.cluster, store, Settings(sizes_B=SIZES_B), survey_progress)
        experiment.run(network, setting, progress)


def _calibrate(
    network: NetworkPlan,
    plan: ComparisonPlan,
    experiment: Comparison,
    remains: Remains,
    store: Store,
    progress: Progress,
) -> Calibration:
    """What a network's cases need, found by trials of all of them: those chosen now may be others the next time."""
    scale = plan.comparison.scale
    cases = [case for case in plan.all_cases() if case.network == network]
    if not trials.needed(cases, scale):
        return Calibration(scale if isinstance(scale, float) else None)
    hosts = _managed_hosts(network)
    done, total = len(experiment.rows()) - len(experiment.left()), len(experiment.rows())
    found = trials.calibrate(
        cases,
        scale,
        calibration.first_scale(len(os.sched_getaffinity(0)), hosts),
        lambda tried: _set_up(network, cases, remains, store, tried),
        experiment.trial,
        lambda text: progress(done, total, text),
    )
    experiment.calibrated(network, found)
    progress(done, total, found.in_words())
    return found


@contextmanager
def _set_up(
    network: NetworkPlan, cases: Sequence[Case], remains: Remains, store: Store, scale: float | None
) -> Iterator[Setting]:
    """What cases of a network run on. A missing mpirun, program or iperf3 is told before anything is measured."""
    with _started(network, remains, scale) as (cluster, running):
        for program in {case.program.name: case.program for case in cases}.values():
            prepare(cluster, program, secrets.token_hex(4))
        yield Setting(
            cluster,
            _management(cluster, store),
            _congestion([place for case in cases for place in case.congestion.places], running),
            facts_of(cluster, [case.program for case in cases], running),
            remains,
            mover=lambda clean_s: movers.maker(cluster, clean_s),
            in_lab=running is not None,
            scale=1.0 if running is None else running.plan.scale,
            restore=_restorer(running),
        )


def facts_of(
    cluster: Cluster, programs: Sequence[ProgramPlan], running: "lab.Lab | None" = None
) -> dict[str, dict[str, Any]]:
    """What is kept with the runs of each program, by its name: the MPI is the one that it is launched by.

    Args:
        running: the lab that the cluster is.

    Raises:
        FairleadError: see `fairlead.cluster.run_facts.collect`.
    """
    mpiruns = {program.name: program.mpirun or cluster.mpirun for program in programs}
    facts = {mpirun: run_facts.collect(cluster, mpirun) for mpirun in dict.fromkeys(mpiruns.values())}
    of_lab = {"lab": {"scale": running.plan.scale, "asleep": running.plan.asleep}} if running is not None else {}
    return {name: facts[mpirun] | of_lab for name, mpirun in mpiruns.items()}


def _restorer(running: "lab.Lab | None") -> Callable[[], None]:
    """Puts a lab's virtual machines back where they were."""
    if running is None or not running.plan.servers:
        return lambda: None
    home = {host.name: host.server for host in running.plan.hosts if host.server}

    def restore() -> None:
        now = lab.find(running.name)
        for host in now.plan.hosts:
            if host.server and host.server != home[host.name]:
                replug(lab.find(running.name), host.name, home[host.name])

    return restore


def with_table(plan: ComparisonPlan, **changes: object) -> ComparisonPlan:
    """The same plan with other values in its ``[comparison]`` table."""
    return plan.model_copy(update={"comparison": plan.comparison.model_copy(update=changes)})


def _management(cluster: Cluster, store: Store) -> ManagementFor:
    known: dict[str, Management] = {}

    def of(scenario: Scenario) -> Management:
        if scenario.name not in known:
            known[scenario.name] = replace(
                management_for(cluster, scenario.components, store, quiet=True), plane=scenario.plane
            )
        return known[scenario.name]

    return of


def _congestion(
    places: Sequence[CongestionDescription], running: "lab.Lab | None"
) -> Callable[[CongestionDescription], AbstractContextManager[Traffic]]:
    if running is None:
        raise ConfigError(
            "congestion can be made in a lab only: this cluster is not one",
            hint='compare in a lab, or give the plan `lab = "FILE"` in place of a cluster',
        )
    for place in places:
        congestion.make(running, place)
    return lambda place: congestion.make(running, place)


def _managed_hosts(network: NetworkPlan) -> int:
    if network.cluster is not None:
        return len(Cluster.load(network.cluster).managed_hosts())
    assert network.lab is not None
    hosts = resolve(lab_description.load(network.lab)).hosts
    return sum(host.role != "other" for host in hosts)


@contextmanager
def _started(network: NetworkPlan, remains: Remains, scale: float | None) -> Iterator[tuple[Cluster, "lab.Lab | None"]]:
    """The cluster to run on; a lab is started for the comparison and ended with it."""
    if network.cluster is not None:
        remains.note_cluster(str(network.cluster))
        cluster = Cluster.load(network.cluster)
        yield cluster, lab.find(cluster.lab) if cluster.lab else None
        return
    assert network.lab is not None  # the plan has one of the two
    try:
        running, cluster = remains.start_lab(lab_description.load(network.lab), scale=scale)
        yield cluster, running
    finally:
        remains.end_lab()
