"""One run of a program with everything that a plan has beside it: neighbours, congestion, management, counters."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from fairlead import programs
from fairlead.agents.agent import EventCallback
from fairlead.analysis.evaluations import traffic
from fairlead.analysis.evaluations.dataset import TIME
from fairlead.analysis.evaluations.traffic import HostTraffic
from fairlead.analysis.program_results import RESULT
from fairlead.cluster.description import TCP, Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch
from fairlead.cluster.jobs.launch import Course
from fairlead.cluster.launchers import Launcher
from fairlead.errors import FairleadError, LaunchError, NoProgramError, of_system
from fairlead.experiment.factors.congestion import Episode, describe_bottleneck
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.congestion_schedule import CongestionSchedule, MakeCongestion, Occurrence
from fairlead.experiment.running.neighbours import Neighbour, RunningNeighbours
from fairlead.experiment.running.traffic_watch import TrafficWatch
from fairlead.lab import processors
from fairlead.lab.congestion import CongestionDescription
from fairlead.manage.joined_ranks import joined
from fairlead.manage.management import Management
from fairlead.manage.supervisor import Outcome, supervise, timed
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.recorded_events import recorded
from fairlead.store import Attachment, Event, Series
from fairlead.store.records import Kept, Label

TIMED_SECTION = "timed_section_s"


@dataclass(frozen=True)
class Trial:
    """What is run, and what is beside it.

    Attributes:
        cluster: what the program runs on.
        managed_cluster: the hosts that agents run on.
        management: None: no agents.
        instances: the neighbours.
        episodes: when congestion comes, and at which of the bottlenecks; ``congest`` makes it there.
        in_lab: all hosts share this machine's processors, which are watched.
        traffic: counts what hosts send, from its making on; None: nothing does.
        prefix: see `fairlead.cluster.jobs.launch.start`.
        sinks: told of agents' events while the program runs, as in `fairlead.manage.supervisor.supervise`.
        on_start: called when the program is about to be launched.
    """

    cluster: Cluster
    managed_cluster: Cluster
    launcher: Launcher
    job: Job
    timeout_s: float
    management: Management | None = None
    instances: Sequence[Neighbour] = ()
    episodes: Sequence[Episode] = ()
    bottlenecks: Sequence[CongestionDescription] = ()
    congest: MakeCongestion | None = None
    in_lab: bool = False
    traffic: TrafficWatch | None = None
    prefix: tuple[str, ...] = ()
    sinks: Sequence[EventCallback] = ()
    on_start: Callable[[], None] = lambda: None

    @property
    def disturbed(self) -> bool:
        """Whether anything is beside the program that could change what it computes: nothing of it may."""
        return self.management is not None or bool(self.instances) or bool(self.episodes)


@dataclass(frozen=True)
class Taken:
    """What came of a trial.

    Attributes:
        use: what processors did in its timed section; None where nobody watched them.
        result_labels: say with which runs' results this one's are compared (`fairlead.analysis.program_results`).
    """

    outcome: Outcome
    output: bytes
    said: programs.Verdict = field(default_factory=programs.Verdict)
    use: processors.Use | None = None
    events: tuple[Event, ...] = ()
    instances: tuple[Neighbour, ...] = ()
    traffic: tuple[HostTraffic, ...] = ()
    result_labels: Mapping[str, Label] = field(default_factory=dict)

    def failure(self, command: str, value: str = TIME) -> str | None:
        """Why it is no sample, in words; None: it is one.

        Args:
            command: the program as the plan names it.
            value: the series that has to be there.
        """
        why = programs.failure(command, self.outcome.exit_code, self.said)
        if why is None and value == TIMED_SECTION and self.said.timed_s is None:
            why = "it prints no time of its own (run.value = timed_section_s)"
        return why

    def record(self, failure: str | None) -> Kept:
        """What `Store.record` keeps of it."""
        attachments = [Attachment("output", self.output)]
        found: Kept = {"exit_code": self.outcome.exit_code, "attachments": attachments, "events": self.events}
        if failure is not None:
            return {**found, "status": "failed", "error": failure}
        if self.traffic:
            attachments.append(traffic.attachment(self.traffic))
        return {**found, "series": [*self._series(), *traffic.series(self.traffic)]}

    def _series(self) -> Iterator[Series]:
        yield Series(TIME, "s", {}, np.array([self.outcome.time_s]))
        if self.said.timed_s is not None:
            yield Series(TIMED_SECTION, "s", {}, np.array([self.said.timed_s]))
        for name, value in self.said.result.items():
            yield Series(RESULT, "1", {**self.result_labels, "number": name}, np.array([value]))
        for name, value, unit in self.use.series() if self.use else ():
            yield Series(name, unit, {}, np.array([value]))
        for each in self.instances:
            if each.times_s:
                yield Series("neighbour_time_s", "s", each.about(), np.array(each.times_s))


PROBLEM = "problem"
"""Kind of the events that tell what went wrong beside the program."""


class TrialError(LaunchError):
    """A program that was not started or did not end in time, with what it had printed."""

    def __init__(self, error: LaunchError, output: bytes) -> None:
        super().__init__(error.args[0], hint=error.hint)
        self.output = output


def failed(error: LaunchError) -> Kept:
    """What the store keeps of a program that was not started or did not end in time."""
    output = [Attachment("output", error.output)] if isinstance(error, TrialError) else []
    return {"status": "failed", "error": str(error), "attachments": output}


def run(trial: Trial, ledger: CleanupLedger) -> Taken:
    """Run a program once.

    Raises:
        TrialError: it, or a neighbour, could not be started, or did not end in time.
        NoProgramError: a host does not have it.
        FairleadError: agents or congestion could not be had.
    """
    said: list[Event] = []
    watch = processors.ProcessorWatch() if trial.in_lab else None
    schedule = CongestionSchedule(trial.episodes, trial.congest) if trial.congest is not None else None
    with tempfile.TemporaryFile() as output:
        left_behind = partial(ledger.left_behind, trial.job.id)
        launch_it = partial(_launched, trial, output.fileno(), watch, schedule, left_behind)
        try:
            with ledger.running(trial.job.id), RunningNeighbours(trial.instances):
                outcome = _supervised(trial, launch_it, said)
        except NoProgramError:
            raise
        except LaunchError as error:
            output.seek(0)
            raise TrialError(error, output.read()) from error
        output.seek(0)
        written = output.read()
    verdict = programs.verdict(written)
    events = [*said, *(event for each in trial.instances for event in each.events())]
    if schedule is not None:
        events += _congested(trial.bottlenecks, schedule.occurrences)
    if trial.management is not None or schedule is not None:
        events.append(Event(outcome.started_s, "started", {}))
    return Taken(
        outcome,
        written,
        verdict,
        watch.use(_last_s(verdict, outcome)) if watch is not None else None,
        tuple(events),
        tuple(trial.instances),
        tuple(trial.traffic.taken() if trial.traffic else ()),
        _result_labels(trial),
    )


def _last_s(said: programs.Verdict, outcome: Outcome) -> float:
    """Of the run's end, what its time is of."""
    return said.timed_s if said.timed_s is not None and said.timed_to_the_end else outcome.time_s


def _result_labels(trial: Trial) -> dict[str, Label]:
    """What a result depends on beside the data that the program got."""
    job = trial.job
    environment = " ".join(f"{name}={value}" for name, value in sorted(job.env.items()))
    program = {"command": " ".join(job.argv), "environment": environment, "mpirun": trial.launcher.mpirun}
    own_line = trial.launcher.family is None  # which chooses the transport
    transport = {} if own_line or job.transport == TCP else {"transport": job.transport}
    return {**program, **transport, "ranks": job.ranks, "disturbed": trial.disturbed}


def _launched(
    trial: Trial,
    output: int,
    watch: processors.ProcessorWatch | None,
    schedule: CongestionSchedule | None,
    left_behind: Callable[[], None],
    job: Job,
    course: Course,
) -> int:
    """Launch the job and stay until it has ended."""

    def ended() -> None:
        course.ended()
        if watch is not None:
            watch.end()

    with ExitStack() as stack:
        trial.on_start()
        if schedule is not None:
            stack.enter_context(schedule)
        if watch is not None:
            stack.enter_context(processors.watched(watch))
        course.ready()  # cross-traffic that is there from the start takes its time to flow, which is none of the job's
        return launch.run(
            trial.cluster,
            trial.launcher,
            job,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout_s=trial.timeout_s,
            on_signal=None,  # a signal is for the experiment, not for this run of it
            course=Course(course.started, ended, left_behind),
            ends_with_caller=True,
            prefix=trial.prefix,
        )


def _supervised(trial: Trial, launch_it: Callable[[Job, Course], int], said: list[Event]) -> Outcome:
    """Run the program with its management; what the agents say goes to ``said``."""
    if trial.management is None:
        return timed(partial(launch_it, trial.job))
    cluster = trial.managed_cluster
    names = cluster.managed_names()

    def keep(host: int, event: AgentEvent) -> None:
        entry = recorded(names, host, event, time.time())
        if entry is not None:
            said.append(entry)

    with joined(cluster, trial.job, trial.management) as (ready, management):
        launched = partial(launch_it, ready)
        outcome = supervise(cluster, management, launched, argv=trial.job.argv, sinks=[keep, *trial.sinks], quiet=True)
    for problem in outcome.problems:
        if not isinstance(problem, FairleadError | OSError):  # a row without its events is no sample
            raise problem
        reason = str(of_system(problem) if isinstance(problem, OSError) else problem)
        said.append(Event(time.time(), PROBLEM, {"reason": reason}))
    return outcome


def _congested(bottlenecks: Sequence[CongestionDescription], occurrences: Sequence[Occurrence]) -> Iterator[Event]:
    for each in occurrences:
        yield Event(
            each.began_s,
            "congestion",
            {"bottleneck": describe_bottleneck(bottlenecks[each.bottleneck]), "ended_s": each.ended_s},
        )
