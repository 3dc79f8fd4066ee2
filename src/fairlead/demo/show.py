"""Runs the demo: a program on an emulated cluster beside others' traffic, first without reroutes and then with them."""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairlead import demo
from fairlead.characterize import coverage
from fairlead.cluster import run_facts
from fairlead.cluster.description import Cluster
from fairlead.demo.live import Live
from fairlead.errors import LaunchError, MeasurementError
from fairlead.experiment.comparisons import calibration, session
from fairlead.experiment.factors.congestion import Episode, describe_bottleneck
from fairlead.experiment.factors.program import ProgramPlan, prepare_program
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.running import trial
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.congestion_schedule import RunningCongestion
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.lab.lab import Lab
from fairlead.lab.resolve import resolve_lab
from fairlead.manage.chosen_plane import choose_plane
from fairlead.manage.components import FULL, STAGES, Components
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management
from fairlead.manage.run import not_built
from fairlead.report.run import run_report
from fairlead.store import Store

TRIAL_ITERATIONS = 4
LENGTH_S = 7.0
"""Of the program's timed section on the free network."""
ONSET_S = 3.5
"""After the launch, which takes a second or two of it."""
MOST_S = 120.0
"""For a run: a machine that is too busy for it says so, and no newcomer waits."""
AROUND_S = 3.0
"""Around a run: agents, launcher, and their end."""
SLOWDOWN = 4.0
"""By others' traffic, about."""
RETURNS_AFTER = 1.3
"""With reroutes, a run takes about so many times its time on the free network."""


@dataclass(frozen=True)
class Shown:
    """What the demo found.

    Attributes:
        free_s: time of the program's timed section on the free network, by the pace of its trial.
        congested_s: the same beside others' traffic, without reroutes.
        rerouted_s: with them.
        reroutes: number of reroutes.
        busy: share of this machine's processors that was in use in the busiest run, 0 to 1.
        report: page of the run with reroutes.
    """

    free_s: float
    congested_s: float
    rerouted_s: float
    reroutes: int
    busy: float
    report: Path

    @property
    def recovered(self) -> float | None:
        """Share of the lost time that reroutes gained back; None: others' traffic cost none."""
        lost_s = self.congested_s - self.free_s
        return (self.congested_s - self.rerouted_s) / lost_s if lost_s > 0 else None


@dataclass(frozen=True)
class _Run:
    """One that ended well: its number in the store, the program's own time, how busy processors were, what was seen."""

    number: int
    timed_s: float
    busy: float
    live: Live


def show_demo(results: Path, *, plane: str, scale: float | None, tell: Callable[[str], None]) -> Shown:
    """Run it; what an earlier demo left in the results directory, by a kill, is ended first.

    Args:
        results: directory of the store, which keeps all runs.
        plane: see `fairlead.manage.chosen_plane.choose_plane`.
        scale: of the lab's rates; None: what suits this machine's number of processors.
        tell: called with each line for people.

    Raises:
        FairleadError: the lab or the program could not be started, or the program failed.
    """
    plan = session.read(demo.PLAN)
    description = lab_description.load(demo.LAB)
    hosts = [host for host in resolve_lab(description).hosts if host.role == "compute"]
    if scale is None:
        scale = calibration.first_scale(len(os.sched_getaffinity(0)), len(hosts))
    with Store.open(results) as store:
        ledger = CleanupLedger(results)
        for left in ledger.end():
            tell(f"cleaned up after an earlier demo: {left}")
        tell(
            f"starting a cluster of {len(hosts)} hosts on this machine, links {scale:g} times as fast as described: 3 s"
        )
        try:
            lab, cluster = ledger.start_lab(description, scale=scale)
            return _Stage(plan, lab, cluster, store, ledger, tell).play(plane, results)
        finally:
            ledger.end_lab()


@dataclass(frozen=True)
class _Stage:
    """What all runs have in common."""

    plan: ComparisonPlan
    lab: Lab
    cluster: Cluster
    store: Store
    ledger: CleanupLedger
    tell: Callable[[str], None]

    def play(self, plane: str, results: Path) -> Shown:
        """All runs, and the report."""
        program = self.plan.programs[0]
        self.tell(f"1 of 3: {program.name} on the quiet network, to measure its pace: about {AROUND_S + 3:.0f} s")
        tried = self._run(program.of_length(TRIAL_ITERATIONS), STAGES["detection"])
        program = program.of_length(calibration.for_time(TRIAL_ITERATIONS, tried.timed_s, LENGTH_S))
        free_s = program.number * tried.timed_s / TRIAL_ITERATIONS
        run = partial(self._run, program, congested=True, full_bps=tried.live.pace.fastest_bps or None)
        self.tell(f"2 of 3: beside cross-traffic, without reroutes: about {AROUND_S + SLOWDOWN * LENGTH_S:.0f} s")
        congested = run(STAGES["detection"])
        self.tell(f"3 of 3: the same with reroutes: about {AROUND_S + RETURNS_AFTER * LENGTH_S:.0f} s")
        rerouted = run(FULL, plane)
        self.tell("drawing the report: about 5 s")
        report = results / "report.html"
        run_report.write(run_report.load(self.store, rerouted.number), report)
        busy = max(each.busy for each in (tried, congested, rerouted))
        return Shown(free_s, congested.timed_s, rerouted.timed_s, rerouted.live.reroutes, busy, report)

    def _run(
        self,
        program: ProgramPlan,
        components: Components,
        plane: str | None = None,
        *,
        congested: bool = False,
        full_bps: float | None = None,
    ) -> _Run:
        """Run the program once and record it.

        Args:
            plane: of reroutes; None: there are none.
            full_bps: see `Live`.

        Raises:
            FairleadError: it could not be started, or failed.
        """
        management = self._management(components, plane)
        live = Live(self.cluster.managed_names(), self.tell, full_bps)
        started_s = time.time()
        taken = trial.run(self._trial(program, management, live, congested), self.ledger)
        number = self._keep(program, taken, started_s)
        if taken.said.timed_s is None:
            raise MeasurementError(f"{program.name} printed no time of its own")
        busy = 0.0 if taken.use is None else taken.use.busy
        return _Run(number, taken.said.timed_s, busy, live)

    def _trial(self, program: ProgramPlan, management: Management, live: Live, congested: bool) -> trial.Trial:
        assert self.plan.congestion is not None  # the demo's plan has one
        bottlenecks = self.plan.congestion.bottlenecks[:1]
        launcher, job = prepare_program(self.cluster, program.resolved(), secrets.token_hex(4))
        return trial.Trial(
            self.cluster,
            self.cluster,
            launcher,
            job,
            MOST_S,
            management=management,
            episodes=[Episode(ONSET_S, 0)] if congested else (),
            bottlenecks=bottlenecks,
            congest=(lambda number: self._others(bottlenecks[number], live)) if congested else None,
            in_lab=True,
            sinks=[live],
            on_start=live.start,
        )

    def _keep(self, program: ProgramPlan, taken: trial.Taken, started_s: float) -> int:
        """Record a run; its number in the store. Raises LaunchError if the program failed."""
        failure = taken.failure(program.command[0])
        number = self.store.record(
            run_report.KIND,
            {"program": program.name, "cluster": self.cluster.name, "ranks": program.ranks},
            parent=None,
            plan=list(program.command),
            started_s=started_s,
            facts=run_facts.collect(self.cluster, self.cluster.mpirun) | coverage.facts(self.cluster),
            **taken.record(failure),
        )
        if failure is not None:
            hint = f"its output: fairlead export {self.store.directory}"
            raise LaunchError(f"{program.name} failed: {failure}", hint=hint)
        return number

    def _management(self, components: Components, plane: str | None) -> Management:
        watched = replace(components, monitor=True)
        management = management_for(self.cluster, watched, self.store, quiet=True)
        if plane is None:
            return management
        management = choose_plane(plane, self.cluster, management, not_built())
        for remark in management.remarks:
            if remark.startswith("plane:"):
                self.tell(f"  {remark}")
        return management

    @contextmanager
    def _others(self, place: congestion.CongestionDescription, live: Live) -> Iterator[RunningCongestion]:
        with congestion.make(self.lab, place) as traffic:
            live.others_come(describe_bottleneck(place))
            yield traffic
