"""Runs a comparison: every program in every scenario, replicated, in random order, resumable (DMCBM 4.1 to 4.9)."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairlead.cluster import launch
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.launchers import Launcher
from fairlead.errors import LaunchError
from fairlead.lab.congestion import CongestionDescription, Delay, MpiTraffic
from fairlead.manage import programs
from fairlead.manage.congestion_schedule import CongestionSchedule, MakeCongestion, Occurrence
from fairlead.manage.journal import Journal
from fairlead.manage.plan import ComparisonPlan, ProgramPlan
from fairlead.manage.scenario import FOUR, Episode, Network, Row, Scenario, episodes, rows, staged
from fairlead.manage.supervisor import Management, Outcome, supervise, timed
from fairlead.store import Store
from fairlead.store.records import Label

KIND = "experiment"
PILOT = "pilot"  # a clean run that gives the time scale of congestion; not part of the comparison
STARTUP_ATTEMPTS = 2

Progress = Callable[[int, int, str], None]
ManagementFor = Callable[[Scenario], Management]


@dataclass(frozen=True)
class Setting:
    """What a comparison runs on.

    Attributes:
        management: gives how a scenario's runs are managed.
        congestion: makes congestion at a place of the plan.
        facts: of machine and software, kept with every run.
    """

    cluster: Cluster
    management: ManagementFor
    congestion: MakeCongestion
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class _Finished:
    outcome: Outcome
    output: bytes
    occurrences: Sequence[Occurrence]


class Comparison:
    """A plan, a network to run it on, and the store that the samples go to.

    The same plan and store again continue where an interrupted comparison stopped: rows that finished are not repeated.
    """

    def __init__(self, plan: ComparisonPlan, setting: Setting, store: Store) -> None:
        self._plan = plan
        self._setting = setting
        self._store = store
        self._programs = {program.name: program for program in plan.programs}
        self._clean_time_s: dict[str, float] = {}
        self.experiment = self._open()

    def rows(self) -> list[Row]:
        """All rows in the order they are run."""
        table = self._plan.comparison
        return rows(list(self._programs), staged() if table.stages else FOUR, table.replications, table.seed)

    def run(self, progress: Progress = lambda done, total, text: None) -> int:
        """Run what is not finished yet.

        Args:
            progress: called before every run with (finished rows, all rows, what comes now).

        Returns:
            The experiment's id in the store.

        Raises:
            FairleadError: no agent, no congestion or no launcher could be had. A program that fails does not raise: its
                run is stored as failed and the comparison goes on.
        """
        ordered = self.rows()
        left = set(self._store.remaining(self.experiment, [row.key for row in ordered]))
        for program in self._programs.values():
            progress(len(ordered) - len(left), len(ordered), f"{program.name}: pilot on a clean network")
            self._clean_time_s[program.name] = self._pilot(program)
        for row in ordered:
            if row.key in left:
                progress(len(ordered) - len(left), len(ordered), f"{row.program}: {row.scenario.name}")
                self._run_row(row)
                left.remove(row.key)
        self._store.finish_run(self.experiment)
        return self.experiment

    def _open(self) -> int:
        plan = self._plan.model_dump(mode="json")
        found = self._store.resumable(plan, KIND)
        if found is not None:
            return found.id
        table = self._plan.comparison
        labels = {"name": table.name, "cluster": self._setting.cluster.name}
        return self._store.begin_run(KIND, labels, plan=plan, seed=table.seed, facts=self._setting.facts)

    def _pilot(self, program: ProgramPlan) -> float:
        done = [
            run
            for run in self._store.runs("run", parent=self.experiment, program=program.name, scenario=PILOT)
            if run.status == "ok"
        ]
        if not done:
            row = Row(0, program.name, Scenario(PILOT, Network.CLEAN, FOUR[0].components), 0)
            self._run_row(row)
            done = self._store.runs("run", parent=self.experiment, program=program.name, scenario=PILOT)[-1:]
        if done[-1].status != "ok":
            raise LaunchError(
                f"{program.name} fails on a clean network: {done[-1].error}",
                hint="see its output with `fairlead export`; nothing was compared",
            )
        return self._store.one_series(done[-1].id, "time_s").scalar()

    def _episodes(self, row: Row) -> list[Episode]:
        if row.scenario.network is Network.CLEAN:
            return []
        congestion = self._plan.congestion
        return episodes(
            seed=self._plan.comparison.seed,
            program=row.program,
            replication=row.replication,
            clean_time_s=self._clean_time_s[row.program],
            places=len(congestion.places),
            onset=congestion.onset,
            moves=congestion.moves,
        )

    def _run_row(self, row: Row) -> None:
        program = self._programs[row.program]
        labels: dict[str, Label] = {
            "program": row.program,
            "ranks": program.ranks,
            "scenario": row.scenario.name,
            "replication": row.replication,
            "pair": f"{row.program}/{row.replication}",
        }
        run = self._store.begin_run(
            "run",
            labels,
            parent=self.experiment,
            plan=row.key,
            seed=self._plan.comparison.seed,
            position=row.position,
            facts=self._setting.facts,
        )
        try:
            finished = self._execute(program, row, run)
        except LaunchError as error:
            self._store.finish_run(run, "failed", error=str(error))
            return
        self._record(run, finished)

    def _execute(self, program: ProgramPlan, row: Row, run: int) -> _Finished:
        launcher, job = self._prepare(program, f"{run:08x}")
        schedule = CongestionSchedule(self._episodes(row), self._setting.congestion)
        with tempfile.TemporaryFile() as output:

            def launch_it() -> int:
                with schedule:
                    return launch.run(
                        self._setting.cluster,
                        launcher,
                        job,
                        stdin=subprocess.DEVNULL,
                        stdout=output.fileno(),
                        stderr=subprocess.STDOUT,
                        timeout_s=program.timeout_s,
                    )

            outcome = self._supervised(row, run, launch_it, job)
            output.seek(0)
            return _Finished(outcome, output.read(), schedule.occurrences)

    def _supervised(self, row: Row, run: int, launch_it: Callable[[], int], job: Job) -> Outcome:
        if not row.scenario.managed:
            return timed(launch_it)
        cluster = self._setting.cluster
        journal = Journal(self._store, run, [host.name for host in cluster.managed_hosts()])
        management = self._setting.management(row.scenario)
        return supervise(
            cluster,
            management,
            launch_it,
            argv=job.argv,
            sinks=[lambda host, event: journal(host, event, time.time())],
            quiet=True,
        )

    def _prepare(self, program: ProgramPlan, job_id: str) -> tuple[Launcher, Job]:
        cluster = self._setting.cluster
        if program.mpirun:
            cluster = cluster.with_mpirun(program.mpirun)
        launcher, job = launch.prepare(cluster, program.command, program.ranks, job_id=job_id)
        return launcher, replace(job, argv=programs.resolve(program.command, launcher.family))

    def _record(self, run: int, finished: _Finished) -> None:
        outcome, said = finished.outcome, programs.verdict(finished.output)
        self._store.attach(run, "output", finished.output)
        for occurrence in finished.occurrences:
            place = {"place": self._place(occurrence), "ended_s": occurrence.ended_s}
            self._store.add_event(run, occurrence.began_s, "congestion", place)
        if outcome.exit_code != 0 or said.verified is False:
            why = f"exit code {outcome.exit_code}" if outcome.exit_code else "its result is not verified"
            self._store.finish_run(run, "failed", outcome.exit_code, why)
            return
        self._store.add_series(run, "time_s", [outcome.time_s], "s")
        if said.timed_s is not None:
            self._store.add_series(run, "timed_section_s", [said.timed_s], "s")
        self._store.add_event(run, outcome.started_s, "started", {})
        self._store.finish_run(run, "ok", outcome.exit_code)

    def _place(self, occurrence: Occurrence) -> str:
        return in_words(self._plan.congestion.places[occurrence.place])


def in_words(place: CongestionDescription) -> str:
    """What the report calls a place: "leaf0 and leaf1"."""
    if isinstance(place, MpiTraffic):
        return "an MPI program on other hosts"
    if isinstance(place, Delay):
        return f"{place.delay * 1e3:g} ms on {place.link[0]}–{place.link[1]}"
    ends = [place.between] if place.between else place.pairs
    return ", ".join(f"{first}–{second}" for first, second in ends)
