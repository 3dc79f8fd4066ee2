"""One cell, or several that share a run: the faults in its middle, what became of program, traffic and hosts."""

import math
import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.faults import cells, direct, injections, recovery, runs, ssh_hosts, stepped_clock
from bench.faults.cells import FaultCell
from bench.faults.direct import Direct
from bench.faults.hosts import ENDS, MANAGED, Hosts
from bench.faults.programs import PROCESS, command
from bench.faults.traffic import Traffic, watched
from fairlead.errors import MeasurementError

OK, LATE, SLOW, HUNG, ENDED, WRONG, LEFT, FAILED, UNTESTED = (
    "ok",
    "late",
    "slow",
    "hung",
    "ended",
    "wrong",
    "left behind",
    "not measured",
    "not tested",
)
BAD = (LATE, SLOW, HUNG, ENDED, WRONG, LEFT)
TARGET_S = {cells.ROUTE: 1.0, cells.RELAYED: 2.0}
SLOW_S = 2.0
# By so much of the unhurt time two runs without a fault may differ where others use the processors, too.
NOISE = 0.3
ROUNDING_S = 1e-6  # both are sums of steps
SEEN_S = 1.0
REROUTED_LIMIT_S = 12.0
SAID = 12  # lines of a run that are kept with its result
START_LIMIT_S = 20.0
HANG_S = 12.0  # beyond twice the program's usual time
CLEAN_LIMIT_S = 5.0  # more than a guardian's grace time and a supervisor's end take
KILLED_END_S = 5.0
KILLED_CODE = 128 + signal.SIGKILL  # of a program whose rank was killed
# In the environment of all that belongs to a job: Open MPI passes what begins so on to ranks of other hosts.
JOB = "OMPI_FAULTS_JOB"


@dataclass
class Result:
    """What a cell said. Times in seconds, see `recovery.Flow`.

    Attributes:
        load: of this machine, over the minute before the fault.
        later_target_s: of pauses that begin when the fault has acted; None: as `target_s`.
        unhurt_s: how long the program takes without a fault; with fairlead killed, at most unmanaged.
        explained_s: so much longer it may take with the fault.
        other_try: what the cell said the other time, where it was run twice.
        stopped: whether SIGTERM ended in time what had not ended by itself; None: all had.
    """

    cell: FaultCell
    status: str
    why: str = ""
    target_s: float | None = None
    later_target_s: float | None = None
    slow_limit_s: float = SLOW_S
    flow: recovery.Flow | None = None
    time_s: float | None = None
    unhurt_s: float | None = None
    explained_s: float = 0.0
    verified: bool | None = None
    stopped: bool | None = None
    left: list[str] = field(default_factory=list)
    load: float = 0.0
    other_try: str = ""
    said: list[str] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether the program was hurt, something was left or could not be ended, or nothing could be measured."""
        return self.status in (*BAD, FAILED) or self.stopped is False or bool(self.left)

    def rank(self) -> int:
        """The lower, the better."""
        return [OK, LATE, SLOW, LEFT, WRONG, ENDED, HUNG, FAILED, UNTESTED].index(self.status)

    def row(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.cell.name, **asdict(self)}


@dataclass
class _Course:
    """When what happened in a cell.

    Attributes:
        rerouted_s: from when on the pair's traffic was as it should be, until the fault.
    """

    rerouted_s: float = 0.0
    fault_s: float = 0.0
    undo_s: float | None = None


@dataclass
class Job:
    """One run, what the pair receives of it, and how it ended."""

    name: str
    traffic: Traffic
    run: runs.Run
    begin_s: float = 0.0
    hung: bool = False
    code: int | None = None


class Trial:
    """Cells of one run, once: they differ in the place at which the fault is made (`cells.together`)."""

    def __init__(self, hosts: Hosts, usual: Direct, cluster_file: Path, cell: FaultCell, *others: FaultCell) -> None:
        self.hosts = hosts
        self.usual = usual
        self.cell = cell  # what its place does not matter to is the same of all
        self.cells = (cell, *others)
        self.cluster_file = cluster_file
        self.courses: list[_Course] = []
        self.load = os.getloadavg()[0]
        self.jobs: list[Job] = []

    def run(self) -> list[Result]:
        """Each cell's result, without those whose place the run did not last for.

        Never raises: what could not be measured is told in the results.
        """
        earlier = runs.noted()
        try:
            with ExitStack() as stack:
                results = self._run(stack)
        except runs.HungError as error:
            results = [Result(cell, HUNG, str(error)) for cell in self.cells]
        except runs.EndedError as error:
            results = [Result(cell, ENDED, str(error)) for cell in self.cells]
        except runs.TROUBLE as error:
            results = [Result(cell, FAILED, str(error)) for cell in self.cells]
        stops = [job.run.stopped for job in self.jobs if job.run.stopped is not None]
        try:
            left = self.left(earlier)
        except runs.TROUBLE as error:
            left = [f"what is left could not be looked at: {error}"]
        for result in results:
            if not result.said:  # it could not be judged
                result.said = [text for job in self.jobs for _, text in job.run.told[-SAID:]]
            result.load = self.load
            result.stopped = all(stops) if stops else None
            result.left = left
            _tell_what_is_left(result)
        return results

    def _run(self, stack: ExitStack) -> list[Result]:
        self._start(stack)
        for job in self.jobs:
            job.begin_s = direct.flowing(job.traffic, job.run, START_LIMIT_S)
        for cell in self.cells:
            course = _Course()
            try:
                relay, hurt = self._wait_for_the_reroute(course)
            except MeasurementError:
                if not self.courses:
                    raise
                break
            self.courses.append(course)
            self._hurt(injections.Scene(self.hosts, _host(cell, relay), cell.plane, hurt), course)
        for job in self.jobs:
            self._wait_for_the_end(job)
        until_s = [course.fault_s for course in self.courses[1:]] + [math.inf]
        judged = list(zip(self.cells, self.courses, until_s, strict=False))
        return [worst([self._judge(job, *each) for job in self.jobs]) for each in judged]

    def _start(self, stack: ExitStack) -> None:
        """The job, or both."""
        cell = self.cell
        words = command(cell.program, round(self.usual.iterations[cell.program] * self._length()))
        options = runs.options(cell.plane, cell.reroutes)
        destination = ENDS[cells.DESTINATION]
        peers = [host for host in MANAGED if host != destination]
        two = cell.fault == cells.TWO_JOBS
        names = {"first job": runs.RESULTS, "second job": runs.OTHER_RESULTS} if two else {"": runs.RESULTS}
        for name, results in names.items():
            owner = f"{JOB}={name}" if two else ""
            env = {**self._env(), **({JOB: name} if two else {})}
            traffic = stack.enter_context(watched(self.hosts, destination, peers, owner))
            run = stack.enter_context(
                runs.started(self.cluster_file, options, words, self.hosts.directory, env, results)
            )
            self.jobs.append(Job(name, traffic, run))

    def _env(self) -> dict[str, str]:
        if self.cell.fault == cells.CLOCK_STEPPED:
            return stepped_clock.stage(self.hosts.directory)
        if self.cell.over_ssh:
            return ssh_hosts.environment(self.hosts.directory)
        return {}

    def _length(self) -> float:
        return injections.length(self.cell, len(self.cells))

    def _wait_for_the_reroute(self, course: _Course) -> tuple[str, runs.Run]:
        """Until the pair's traffic goes over relays; returns that of the last job which has rerouted it, and its run.

        On the route plane one of two jobs is enough: a user's jobs share their reroutes, and the other one's traffic
        takes the detour, too.

        Raises:
            EndedError: a run is over.
            MeasurementError: the pair was not rerouted.
        """
        everyone = [job.run for job in self.jobs]
        enough = any if self.cell.plane == cells.ROUTE else all

        def rerouted() -> bool:
            return enough(_relay(run) is not None for run in everyone)

        runs.wait_for(lambda: rerouted() or not all(run.alive() for run in everyone), REROUTED_LIMIT_S)
        if all(run.alive() for run in everyone) and not rerouted():
            raise MeasurementError(f"the pair was not rerouted within {REROUTED_LIMIT_S:g} s")
        course.rerouted_s = time.monotonic()
        time.sleep(direct.WARM_UP_S)
        for run in everyone:
            if not run.alive():
                raise runs.EndedError(f"the run ended before the fault: {run.text()[-300:]}")
        over = [(relay, run) for run in everyone if (relay := _relay(run)) is not None]
        if not rerouted():
            raise MeasurementError("the pair was not on a detour when the fault was to come")
        return over[-1]

    def _hurt(self, scene: injections.Scene, course: _Course) -> None:
        self.load = os.getloadavg()[0]
        course.fault_s, undo = injections.make(self.cell.fault, scene)
        if undo is None:
            return
        try:
            time.sleep(injections.hold_s(self.cell))
        finally:
            undo()
        course.undo_s = time.monotonic()

    def _wait_for_the_end(self, job: Job) -> None:
        limit_s = 2 * self._length() * self.usual.time_s[self.cell.program] + HANG_S
        if self.cell.fault == cells.PROGRAM_KILLED:
            limit_s = KILLED_END_S
        if self.cell.fault == cells.SUPERVISOR_KILLED:
            job.run.process.wait()
            ended = runs.wait_for(lambda: not self._ranks(), limit_s)
        else:
            ended = runs.wait_for(lambda: not job.run.alive(), limit_s)
        job.hung = not ended
        job.code = job.run.process.poll()

    def _ranks(self) -> list[int]:
        name = PROCESS[self.cell.program]
        return [pid for host in ENDS.values() for pid in self.hosts.processes(host, name)]

    def _judge(self, job: Job, cell: FaultCell, course: _Course, until_s: float) -> Result:
        """A cell's result. Its traffic counts until the next fault, if there is one; the program's time as a whole."""
        end_s = time.monotonic() if job.hung else direct.last_progress_s(job.traffic)
        result = Result(cell, OK, target_s=self._target_s(), time_s=end_s - job.begin_s)
        end_s = min(end_s, until_s)
        # A congested direct path has pauses of its own.
        slow_s = SLOW_S + self.usual.gap_s[cell.program]
        result.slow_limit_s = max(slow_s, self._slow_limit_of_silence_s())
        # Nothing has to be faster while the fault lasts: it may leave no way but the direct one. From then on the pair
        # is on a detour again, or would be no slower without one, within the time for which it may be slow.
        held_s = sum(each.undo_s - each.fault_s for each in self.courses if each.undo_s is not None)
        result.explained_s = max(held_s + len(self.courses) * slow_s, result.slow_limit_s)
        result.unhurt_s = self._unhurt_s()
        if cell.fault == cells.SUPERVISOR_KILLED:  # nobody reroutes any more, and the direct path pauses as it does
            result.later_target_s = max(self._target_s(), recovery.TIMES_USUAL * self.usual.gap_s[cell.program])
        result.verified = job.run.verdict().verified
        if job.hung or (end_s >= course.fault_s + SEEN_S and cell.fault != cells.PROGRAM_KILLED):
            result.flow = recovery.judge(
                [sample for sample in list(job.traffic.samples) if sample[0] <= end_s],
                begin_s=course.rerouted_s,
                fault_s=course.fault_s,
                undo_s=course.undo_s,
                end_s=end_s,
                direct_Bps=self.usual.rate_Bps[cell.program] / len(self.jobs),
                direct_gap_s=self.usual.gap_s[cell.program],
            )
        result.status, why = status(result, hung=job.hung, code=job.code)
        result.why = f"{job.name}: {why}" if job.name and why else why
        result.said = [text for _, text in job.run.told[-SAID:]]
        return result

    def _unhurt_s(self) -> float:
        """Of the program's time, what needs no explanation: jobs share hosts and links."""
        cell, usual = self.cell, self.usual
        free = cell.reroutes == cells.BY_HAND  # then the direct path is none that has to be left
        direct_s, managed_s = usual.time_s[cell.program], usual.unhurt_s[cell.plane, cell.program]
        unmanaged = cell.fault == cells.SUPERVISOR_KILLED
        time_s = max(direct_s, managed_s) if free or unmanaged else managed_s
        return time_s * self._length() * len(self.jobs)

    def _target_s(self) -> float:
        """From the fault to traffic flowing; an end's own silence may take what TCP takes, and a look longer."""
        return max(TARGET_S[self.cell.plane], self._silent(self.usual.silent_s))

    def _end_is_silent(self) -> bool:
        return self.cell.fault == cells.HOST_SILENT and self.cell.place != cells.RELAY

    def _silent(self, usual_s: Mapping[tuple[str, str], float]) -> float:
        if not self._end_is_silent():
            return 0.0
        # TCP doubles the time until it tries again: at the silence's end that may be as long as the silence was.
        return max(usual_s.get((self.cell.program, self.cell.place), 0.0), 2 * injections.HOLD_S) + 0.5

    def _slow_limit_of_silence_s(self) -> float:
        """0 where no end is silent. Traffic that flows again just in time was slow to the end of that window."""
        if not self._end_is_silent():
            return 0.0
        return max(self._target_s() + recovery.WINDOW_S, self._silent(self.usual.silent_slow_s))

    def left(self, earlier: Sequence[str]) -> list[str]:
        """What is left behind, when it had time to go. Nothing is cleaned before it was looked for.

        Args:
            earlier: what was noted as going on before this cell.
        """
        found: list[str] = []

        def nothing_left() -> bool:
            found[:] = self.hosts.left_behind()
            return not found

        if not self.hosts.lab.is_alive():
            raise MeasurementError("the lab has ended")
        ssh_hosts.close_connections(self.hosts.directory)
        runs.wait_for(nothing_left, CLEAN_LIMIT_S)
        notes = _new(earlier)
        if notes:
            runs.clean()
        if self.cell.fault == cells.SUPERVISOR_KILLED or any(job.run.stopped is False for job in self.jobs):
            notes = _new(earlier)  # a killed run's note stays until it is cleaned, by design
        return [*found, *notes]


def _host(cell: FaultCell, relay: str) -> str:
    place = cells.RELAY if cell.fault == cells.TWO_JOBS else cell.place
    return direct.host_of(place, relay)


def _tell_what_is_left(result: Result) -> None:
    unstopped = [f"SIGTERM did not end it within {runs.END_S:g} s"] if result.stopped is False else []
    result.why = "; ".join([*([result.why] if result.why else []), *unstopped, *result.left[:3]])
    if result.left and result.status in (OK, LATE, SLOW, FAILED):
        result.status = LEFT


def _relay(run: runs.Run) -> str | None:
    return run.relay_of(ENDS[cells.SOURCE], ENDS[cells.DESTINATION])


def _new(earlier: Sequence[str]) -> list[str]:
    return [note for note in runs.noted() if note not in earlier]


def worst(results: Sequence[Result]) -> Result:
    """The worst of several jobs' results; of equals, that with the longest pause."""
    return max(results, key=lambda each: (each.rank(), each.flow.pause_s if each.flow else 0.0))


def status(result: Result, *, hung: bool, code: int | None) -> tuple[str, str]:
    """What a job's end and its traffic mean for a cell, and why.

    Args:
        hung: it did not end in time.
        code: its exit code.
    """
    cell, flow = result.cell, result.flow
    if hung:
        return HUNG, "the program did not end" + ("; nothing flowed any more" if flow and not flow.flowed else "")
    if cell.fault == cells.PROGRAM_KILLED:
        return (OK, "") if code == KILLED_CODE else (WRONG, f"exit code {code} though a rank was killed")
    if code not in (0, None) and cell.fault != cells.SUPERVISOR_KILLED:
        return ENDED, f"exit code {code}"
    if result.verified is not True:
        return WRONG, "its result is not verified"
    if flow is None:
        return FAILED, "the program ended too soon after the fault to say anything"
    assert result.target_s is not None
    slow_s = max(flow.pause_s, flow.slow_s)
    if slow_s > result.slow_limit_s + ROUNDING_S:
        return SLOW, f"slower than direct for {slow_s:.1f} s"
    if why := _too_long(result):
        return SLOW, why
    later_target_s = result.target_s if result.later_target_s is None else result.later_target_s
    return (LATE if flow.recovery_s > result.target_s or flow.later_s > later_target_s else OK), ""


def _too_long(result: Result) -> str:
    """Why the program's time shows that its pair stayed slow; empty: it does not.

    The rate alone does not show it: a pair that stays on its congested direct path has all of the direct rate.
    """
    if result.time_s is None or result.unhurt_s is None:
        return ""
    more_s = result.time_s - result.unhurt_s
    if more_s <= result.explained_s + NOISE * result.unhurt_s:
        return ""
    return (
        f"it took {result.time_s:.1f} s instead of {result.unhurt_s:.1f} s, "
        f"of which the fault explains {result.explained_s:.1f} s"
    )
