"""Runs a comparison: every case in every scenario, replicated, in random order, resumable (DMCBM 4.1 to 4.9)."""

import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fairlead import config, programs
from fairlead.cluster import launch
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.launchers import Launcher
from fairlead.errors import FairleadError, LaunchError, StoreError
from fairlead.lab import processors
from fairlead.lab.congestion import CongestionDescription, Delay, MpiTraffic
from fairlead.manage import estimate
from fairlead.manage.calibration import Calibration
from fairlead.manage.components import ROUTE
from fairlead.manage.congestion_schedule import CongestionSchedule, Occurrence, Traffic
from fairlead.manage.data_planes import PLANES
from fairlead.manage.journal import Journal
from fairlead.manage.monitor import monitored
from fairlead.manage.plan import Case, ComparisonPlan, NetworkPlan, ProgramPlan
from fairlead.manage.remains import Remains
from fairlead.manage.scenario import FOUR, Episode, Network, Row, Scenario, episodes, four, rows, staged
from fairlead.manage.supervisor import MakeMover, Management, Outcome, supervise, timed
from fairlead.manage.trials import Trial
from fairlead.placement import placed
from fairlead.placement.json_form import Placement
from fairlead.store import Run, Store
from fairlead.store.records import Label

KIND = "experiment"
PILOT = "pilot"  # a clean run that gives the time scale of congestion; not part of the comparison
CALIBRATION, TRIAL = "calibration", "trial"
TIMED_SECTION = "timed_section_s"

Progress = Callable[[int, int, str], None]
ManagementFor = Callable[[Scenario], Management]
LaunchIt = Callable[[Job, Callable[[], None]], int]
"""Launches a job and stays until it has ended; what it is given is called at the end, before tidying up."""


@dataclass(frozen=True)
class Setting:
    """What the cases of one network run on.

    Attributes:
        management: gives how a scenario's runs are managed.
        congestion: makes congestion as described.
        facts: of machine and software by a program's name, kept with its runs.
        remains: notes what runs, so that the next start can end what a kill left.
        mover: gives what moves virtual machines in a run whose program takes so many seconds on a clean network.
        in_lab: all hosts share this machine's processors.
        scale: of the lab's rates.
        restore: puts the network back to how it was when the comparison began; called before every run.
    """

    cluster: Cluster
    management: ManagementFor
    congestion: Callable[[CongestionDescription], AbstractContextManager[Traffic]]
    facts: Mapping[str, Mapping[str, Any]]
    remains: Remains
    mover: Callable[[float], MakeMover] | None = None
    in_lab: bool = False
    scale: float = 1.0
    restore: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class _Finished:
    """``use`` is what processors did in its timed section; None where the program has hosts of its own."""

    outcome: Outcome
    output: bytes
    occurrences: Sequence[Occurrence]
    said: programs.Verdict = field(default_factory=programs.Verdict)
    use: processors.Use | None = None


class Comparison:
    """A plan and the store that the samples go to.

    The same plan and store again continue where an interrupted comparison stopped: rows that finished are not repeated.

    Args:
        only: names of the cases to run now; None: all. Those left out can be run later by the same plan.
    """

    def __init__(self, plan: ComparisonPlan, store: Store, only: Collection[str] | None = None) -> None:
        self._plan = plan
        self._store = store
        self._cases = {case.name: case for case in plan.all_cases()}
        self._only = set(self._cases if only is None else only)
        self._clean_s = estimate.planned_clean_s(list(self._cases.values()))
        self._pace = estimate.Remaining()
        self.experiment = self._open()
        self._calibrations = self._read_calibrations()

    def rows(self) -> list[Row]:
        """The rows of the cases chosen, in the order they are run: network after network."""
        return [row for row in rows_of(self._plan) if row.case in self._only]

    def left(self) -> list[Row]:
        """Those that are not finished yet."""
        keys = set(self._store.remaining(self.experiment, [row.key for row in self.rows()]))
        return [row for row in self.rows() if row.key in keys]

    def left_on(self, network: NetworkPlan) -> list[Row]:
        """Those of one network that are not finished yet."""
        return [row for row in self.left() if self._cases[row.case].network == network]

    def run(self, network: NetworkPlan, setting: Setting, progress: Progress = lambda done, total, text: None) -> None:
        """Run what is left of a network's cases.

        Args:
            progress: called before every run with (finished rows, all rows, what comes now and how long all will take).

        Raises:
            FairleadError: no agent, no congestion or no launcher could be had. A program that fails does not raise: its
                run is stored as failed and the comparison goes on.
        """
        ordered = self.left_on(network)
        total = len(self.rows())
        waiting = {row.key: row for row in self.left()}
        for name in dict.fromkeys(row.case for row in ordered):
            self._clean_s[name] = self._pilot(
                self._cases[name],
                setting,
                announce=lambda text: progress(total - len(waiting), total, text),
            )
        for row in ordered:
            left_s = self._pace.of(self._expected_s(list(waiting.values())))
            text = f"{row.case}: {row.scenario.name}; {estimate.words(left_s)} left"
            progress(total - len(waiting), total, text)
            begin_s = time.monotonic()
            self._run_row(row, setting)
            self._pace.add(self._expected_s([row]), time.monotonic() - begin_s)
            del waiting[row.key]

    def calibration(self, network: NetworkPlan) -> Calibration | None:
        """What was found for a network; None: nothing yet."""
        return self._calibrations.get(network)

    def calibrated(self, network: NetworkPlan, found: Calibration) -> None:
        """Keep what was found for a network: its runs use it, also those of a later start."""
        labels: dict[str, Label] = {"network": network.name, "position": self._networks().index(network)}
        run = self._store.begin_run(CALIBRATION, labels, parent=self.experiment, facts=found.to_json())
        self._store.finish_run(run, "ok")
        self._calibrations[network] = found

    def trial(self, case: Case, setting: Setting, number: int | None, congested: bool) -> Trial:
        """Run a case's program once, plain, and see how long it takes and how busy processors are meanwhile.

        Args:
            number: its length; None: as its command says.
            congested: at the congestion's first place, from the start.

        Raises:
            FairleadError: it could not be started, or failed.
        """
        program = case.program if number is None else case.program.of_length(number)
        scenario = FOUR[2] if congested else FOUR[0]
        labels = self._labels(Row(0, case.name, scenario, 0), setting) | {"scale": setting.scale}
        if number is not None:
            labels["length"] = number
        run = self._store.begin_run(TRIAL, labels, parent=self.experiment, facts=setting.facts[program.name])
        episodes = [Episode(0.0, 0)] if congested else []
        try:
            finished = self._execute(case, program, episodes, setting, _plain)
        except LaunchError as error:
            self._store.finish_run(run, "failed", error=str(error))
            hint = error.hint or f"it may need more than timeout_s = {program.timeout_s:g}, or a larger scale"
            raise _failed_trial(program, setting, str(error), hint) from error
        except BaseException as error:
            self._store.finish_run(run, "aborted", error=str(error) or type(error).__name__)
            raise
        self._store.attach(run, "output", finished.output)
        if why := programs.failure(program.command[0], finished.outcome.exit_code, finished.said):
            self._store.finish_run(run, "failed", finished.outcome.exit_code, why)
            raise _failed_trial(program, setting, why, "see its output with `fairlead export`")
        self._add_times(run, finished)
        self._store.finish_run(run, "ok", finished.outcome.exit_code)
        return Trial(finished.said.timed_s, finished.use)

    def finish(self) -> None:
        """Record the end, if all rows of the whole plan are done or were tried."""
        tried = {run.plan for run in self._store.runs("run", parent=self.experiment) if run.ended_s is not None}
        if all(row.key in tried for row in rows_of(self._plan)):
            self._store.finish_run(self.experiment)

    def _expected_s(self, some: Sequence[Row]) -> float:
        return estimate.rows_s(some, self._cases, self._clean_s)

    def _networks(self) -> list[NetworkPlan]:
        return list(dict.fromkeys(case.network for case in self._plan.all_cases()))

    def _read_calibrations(self) -> dict[NetworkPlan, Calibration]:
        networks = self._networks()
        found = [run for run in self._store.runs(CALIBRATION, parent=self.experiment) if run.status == "ok"]
        return {networks[int(run.labels["position"])]: Calibration.from_json(run.facts) for run in found}

    def _open(self) -> int:
        plan = _stored(self._plan)
        found = self._store.resumable(plan, KIND)
        if found is not None:
            return found.id
        table = self._plan.comparison
        return self._store.begin_run(
            KIND, {"name": table.name}, plan=plan, seed=table.seed, facts={"cases": list(self._cases)}
        )

    def _pilot(self, case: Case, setting: Setting, announce: Callable[[str], None]) -> float:
        """Run time on a clean network, measured once for each program and network."""
        labels = {"program": case.program.name, "scenario": PILOT}
        here = {name for name, each in self._cases.items() if each.network == case.network}

        def pilots() -> list[Run]:
            runs = self._store.runs("run", parent=self.experiment, **labels)
            return [run for run in runs if run.labels["case"] in here]  # two networks may be called the same

        done = [run for run in pilots() if run.status == "ok"]
        if not done:
            announce(f"{case.program.name}: pilot on a clean network")
            self._run_row(Row(0, case.name, Scenario(PILOT, Network.CLEAN, FOUR[0].components), 0), setting)
            done = pilots()[-1:]
        if done[-1].status != "ok":
            raise LaunchError(
                f"{case.program.name} fails on a clean network: {done[-1].error}",
                hint="see its output with `fairlead export`; nothing was compared",
            )
        return self._store.one_series(done[-1].id, "time_s").scalar()

    def _episodes(self, row: Row) -> list[Episode]:
        if row.scenario.network is Network.CLEAN:
            return []
        congestion = self._cases[row.case].congestion
        return episodes(
            seed=self._plan.comparison.seed,
            case=row.case,
            replication=row.replication,
            clean_time_s=self._clean_s[row.case],
            places=len(congestion.places),
            onset=congestion.onset,
            moves=congestion.moves,
        )

    def _run_row(self, row: Row, setting: Setting) -> None:
        case = self._cases[row.case]
        program = self._program(case)
        run = self._store.begin_run(
            "run",
            self._labels(row, setting),
            parent=self.experiment,
            plan=row.key,
            seed=self._plan.comparison.seed,
            position=row.position,
            facts=setting.facts[program.name],
        )
        try:
            finished = self._execute(
                case, program, self._episodes(row), setting, partial(self._supervised, row, run, setting)
            )
        except LaunchError as error:
            self._store.finish_run(run, "failed", error=str(error))
            return
        except FairleadError as error:  # ours, not the program's: the comparison ends with it
            self._store.finish_run(run, "failed", error=str(error))
            raise
        except KeyboardInterrupt as error:
            self._store.finish_run(run, "aborted", error=f"interrupted ({error})")
            raise
        self._record(run, finished, case)

    def _program(self, case: Case) -> ProgramPlan:
        """As long as was found for it."""
        found = self._calibrations.get(case.network)
        number = found.lengths.get(case.program.name) if found else None
        return case.program if number is None else case.program.of_length(number)

    def _labels(self, row: Row, setting: Setting) -> dict[str, Label]:
        program = self._program(self._cases[row.case])
        return {
            "case": row.case,
            "program": program.name,
            "cluster": setting.cluster.name,
            "ranks": program.ranks,
            "scenario": row.scenario.name,
            "replication": row.replication,
            "pair": f"{row.case}/{row.replication}",
            **({"length": program.number} if program.length else {}),
        }

    def _execute(
        self,
        case: Case,
        program: ProgramPlan,
        episodes: Sequence[Episode],
        setting: Setting,
        run_it: Callable[[LaunchIt, Job], Outcome],
    ) -> _Finished:
        """One run of a program beside the congestion of its episodes; ``run_it`` calls what launches it."""
        setting.restore()
        launcher, job = prepare(setting.cluster, program, secrets.token_hex(4))
        places = case.congestion.places
        schedule = CongestionSchedule(episodes, lambda place: setting.congestion(places[place]))
        watch = processors.Watch() if setting.in_lab else None
        with tempfile.TemporaryFile() as output:

            def launch_it(watched: Job, on_end: Callable[[], None]) -> int:
                def ended() -> None:
                    on_end()
                    if watch is not None:
                        watch.end()

                with schedule, processors.watched(watch) if watch is not None else nullcontext():
                    return launch.run(
                        setting.cluster,
                        launcher,
                        watched,
                        stdin=subprocess.DEVNULL,
                        stdout=output.fileno(),
                        stderr=subprocess.STDOUT,
                        timeout_s=program.timeout_s,
                        on_signal=None,  # a signal is for the comparison, not for this run of it
                        on_end=ended,
                        leash=True,
                    )

            with setting.remains.running(job.id):
                outcome = run_it(launch_it, job)
            output.seek(0)
            written = output.read()
        said = programs.verdict(written)
        use = watch.use(said.timed_s or outcome.time_s) if watch is not None else None
        return _Finished(outcome, written, schedule.occurrences, said, use)

    def _supervised(self, row: Row, run: int, setting: Setting, launch_it: LaunchIt, job: Job) -> Outcome:
        if not row.scenario.managed:
            return _plain(launch_it, job)
        cluster = setting.cluster
        journal = Journal(self._store, run, [host.name for host in cluster.managed_hosts()])
        management = setting.management(row.scenario)
        if row.scenario.components.migration and setting.mover is not None:
            management = replace(management, mover=setting.mover(self._clean_s[row.case]))
        with (
            monitored(cluster, job, management) as (watched, watching),
            PLANES.get(watching.plane).joined(cluster, watched, watching) as (ready, relaying),
        ):
            outcome = supervise(
                cluster,
                relaying,
                partial(launch_it, ready),
                argv=job.argv,
                sinks=[lambda host, event: journal(host, event, time.time())],
                quiet=True,
            )
        for problem in outcome.problems:
            if isinstance(problem, StoreError) or not isinstance(
                problem, (FairleadError, OSError)
            ):  # a row without its events is no sample
                raise problem
        return outcome

    def _record(self, run: int, finished: _Finished, case: Case) -> None:
        outcome, said = finished.outcome, finished.said
        self._store.attach(run, "output", finished.output)
        for occurrence in finished.occurrences:
            place = {"place": in_words(case.congestion.places[occurrence.place]), "ended_s": occurrence.ended_s}
            self._store.add_event(run, occurrence.began_s, "congestion", place)
        if why := programs.failure(case.program.command[0], outcome.exit_code, said):
            self._store.finish_run(run, "failed", outcome.exit_code, why)
            return
        self._add_times(run, finished)
        self._store.add_event(run, outcome.started_s, "started", {})
        self._store.finish_run(run, "ok", outcome.exit_code)

    def _add_times(self, run: int, finished: _Finished) -> None:
        """Times of a run that ended well, and what processors did in its timed section."""
        self._store.add_series(run, "time_s", [finished.outcome.time_s], "s")
        if finished.said.timed_s is not None:
            self._store.add_series(run, TIMED_SECTION, [finished.said.timed_s], "s")
        if finished.use is not None:
            for name, value, unit in finished.use.series():
                self._store.add_series(run, name, [value], unit)


def _failed_trial(program: ProgramPlan, setting: Setting, why: str, hint: str) -> LaunchError:
    """The trials are of all programs of a network, also of those that were not chosen this time."""
    where = f" with the lab's rates times {setting.scale:g}" if setting.in_lab else ""
    return LaunchError(f"{program.name} fails in a trial{where}: {why}", hint=hint)


def _plain(launch_it: LaunchIt, job: Job) -> Outcome:
    """A run without agents."""
    return timed(partial(launch_it, job))


def rows_of(plan: ComparisonPlan) -> list[Row]:
    """Every row of a plan in the order they are run: network after network, each in blocks of random order."""
    table, cases = plan.comparison, plan.all_cases()
    ordered: list[Row] = []
    for network in dict.fromkeys(case.network for case in cases):
        names = [case.name for case in cases if case.network == network]
        scenarios = (
            staged(migrate=table.migrate, plane=table.planes[0])
            if table.stages
            else four(migrate=table.migrate, planes=table.planes)
        )
        scenarios = tuple(scenario.monitored() for scenario in scenarios) if table.monitor else scenarios
        ordered += rows(names, scenarios, table.replications, table.seed, first=len(ordered))
    return ordered


def _stored(plan: ComparisonPlan) -> dict[str, Any]:
    """A plan as the store keeps it, to know it again: with what the files that it names say, for they may change.

    Raises:
        ConfigError: a file of a lab or cluster, or a placement, cannot be read.
    """
    data: dict[str, Any] = plan.model_dump(mode="json")
    networks = [path for case in plan.all_cases() for path in (case.network.lab, case.network.cluster) if path]
    data["networks"] = config.content(networks)
    for key in ("monitor", "migrate"):  # plans of before do not have them: a comparison that they began goes on
        if not data["comparison"][key]:
            del data["comparison"][key]
    if plan.comparison.scale is None:
        del data["comparison"]["scale"]
    if plan.comparison.planes == (ROUTE,):
        del data["comparison"]["planes"]
    for program, stored in zip(plan.programs, data["programs"], strict=True):
        for key in ("length", "timed_s"):
            if stored[key] is None:
                del stored[key]
        del stored["placement"]  # plans of before do not have it
        if program.placement is not None:
            stored["placement"] = Placement.read(program.placement).host_of_rank
    return data


def prepare(cluster: Cluster, program: ProgramPlan, job_id: str) -> tuple[Launcher, Job]:
    """A program of a plan as a job; raises as `launch.prepare` and `programs.brought`."""
    if program.mpirun:
        cluster = cluster.with_mpirun(program.mpirun)
    hosts = placed.hosts(program.placement, cluster, program.ranks) if program.placement is not None else None
    launcher, job = launch.prepare(cluster, program.command, program.ranks, job_id=job_id, hosts=hosts)
    return launcher, programs.brought(cluster, job, launcher.family)


def in_words(place: CongestionDescription) -> str:
    """What the report calls a place: "leaf0 and leaf1"."""
    if isinstance(place, MpiTraffic):
        return "an MPI program on other hosts"
    if isinstance(place, Delay):
        return f"{place.delay * 1e3:g} ms on {place.link[0]}–{place.link[1]}"
    ends = [place.between] if place.between else place.pairs
    return ", ".join(f"{first}–{second}" for first, second in ends)
