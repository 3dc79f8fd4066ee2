"""Programs that loop beside the main one, only while it runs: seen to run, then main; stopped and seen to be gone.

They stand for other tenants of the same hosts (NIC aggregation paper, section III). Their own times are kept, apart.
"""

import secrets
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Self

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.cluster.launchers import Launcher
from fairlead.errors import FairleadError, LaunchError
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.store import Event, Label

START_TIMEOUT_S = 60.0
_POLL_S = 0.05


@dataclass
class Neighbour:
    """One neighbour: a program started again and again.

    Attributes:
        prefix: see `fairlead.cluster.jobs.launch.start`.
        part: the host of a silent one, whose hosts are jobs of their own; empty: all its hosts are one job.
        times_s: of the rounds that it finished by itself while the main program ran or was about to.
        began_s, stopped_s: when it was seen to run, and seen to be gone; seconds since the epoch.
    """

    number: int
    name: str
    cluster: Cluster
    launcher: Launcher
    job: Job
    ledger: CleanupLedger
    prefix: tuple[str, ...] = ()
    part: str = ""
    times_s: list[float] = field(default_factory=list)
    began_s: float | None = None
    stopped_s: float | None = None
    failure: Exception | None = None

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._running: RunningJob | None = None
        self._thread = threading.Thread(target=self._loop, name=f"neighbour-{self.number}", daemon=True)

    def start(self) -> None:
        """Start looping."""
        self._thread.start()

    def runs(self) -> bool:
        """Whether it was seen to run on all its hosts, or has finished a round.

        Raises:
            LaunchError: it failed.
        """
        self.check()
        if self.began_s is None:
            running = self._running
            if self.times_s or (running is not None and all(running.ranks().values())):
                self.began_s = time.time()
        return self.began_s is not None

    def check(self) -> None:
        """Raises LaunchError if it failed."""
        if self.failure is not None:
            where = f" on {self.part}" if self.part else ""
            raise LaunchError(f"neighbour {self.number} ({self.name}){where}: {self.failure}")

    def ask_to_stop(self) -> None:
        """No further round is begun, and the present one is ended."""
        self._stop.set()
        with self._guard:
            if self._running is not None:
                self._stop_round(self._running)

    def wait(self) -> None:
        """Until it is gone."""
        if self._thread.ident is not None:
            self._thread.join()
        self.stopped_s = time.time()

    def about(self) -> dict[str, Label]:
        """What it is recorded under."""
        found: dict[str, Label] = {"instance": self.number, "program": self.name}
        return found | {"host": self.part} if self.part else found

    def events(self) -> list[Event]:
        """When it was seen to run, and to be gone."""
        times = (("neighbour_runs", self.began_s), ("neighbour_gone", self.stopped_s))
        return [Event(t_s, kind, self.about()) for kind, t_s in times if t_s is not None]

    def _loop(self) -> None:
        try:
            while not self._stop.is_set():
                self._round()
        except Exception as error:  # noqa: BLE001  # whatever it is, the main program ran without its neighbour
            self.failure = error

    def _round(self) -> None:
        job = replace(self.job, id=secrets.token_hex(4))
        begin_s = time.monotonic()
        with self._guard:
            if self._stop.is_set():
                return
            running = self._running = self._start(job)
        code = running.wait()
        taken_s = time.monotonic() - begin_s
        by_itself = not self._stop.is_set()
        if by_itself and code != 0:
            running.end_leftovers()
        running.forget()
        self.ledger.remove(job.id)
        if by_itself and code != 0:
            raise LaunchError(f"ended with exit code {code}")
        if by_itself:
            self.times_s.append(taken_s)

    def _stop_round(self, running: RunningJob) -> None:
        try:
            running.stop()
        except (FairleadError, OSError, subprocess.SubprocessError):
            self.ledger.left_behind(running.job.id)
            raise

    def _start(self, job: Job) -> RunningJob:
        self.ledger.add(job.id)
        try:
            return launch.start(
                self.cluster,
                self.launcher,
                job,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                ends_with_caller=True,
                prefix=self.prefix,
            )
        except FairleadError:
            self.ledger.remove(job.id)  # nothing was started
            raise


class RunningNeighbours:
    """The neighbours of one row, as a context manager: inside it all of them run."""

    def __init__(self, instances: Sequence[Neighbour]) -> None:
        self.instances = tuple(instances)

    def __enter__(self) -> Self:
        try:
            for each in self.instances:
                each.start()
            deadline_s = time.monotonic() + START_TIMEOUT_S
            waiting = list(self.instances)
            while waiting := [each for each in waiting if not each.runs()]:
                if time.monotonic() > deadline_s:
                    raise LaunchError(f"neighbour {waiting[0].number} ({waiting[0].name}) was not seen to start")
                time.sleep(_POLL_S)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._end()
        if error is None:
            for each in self.instances:
                each.check()

    def _end(self) -> None:
        with ExitStack() as stack:  # every one of them is stopped and waited for, whatever becomes of the others
            for each in self.instances:
                stack.callback(each.wait)
            for each in self.instances:
                stack.callback(each.ask_to_stop)
