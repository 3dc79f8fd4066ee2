"""An MPI benchmark program (native/probes) that runs on hosts and answers requests, one line each way."""

import json
import queue
import secrets
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO, Any

from fairlead import native
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch, startup
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.errors import HostError, MeasurementError
from fairlead.programs import debian_mpich

START_S = startup.TIMEOUT_S
END_S = 5.0  # in which the program ends by itself when asked to; MPICH 4.0 may hang in MPI_Finalize
STDERR_LINES = 5


@dataclass(frozen=True)
class Introduction:
    """What a program says of itself when it starts.

    Attributes:
        library: the MPI library in its own words.
        clock_step_s: smallest step between two readings of MPI_Wtime.
        ranks: of each rank ``host`` (as the system calls it), ``cpu`` and ``allowed_cpus``.
    """

    library: str
    clock_step_s: float
    ranks: tuple[Mapping[str, Any], ...]


class RunningProbe:
    """A running program. Made by `running`."""

    def __init__(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self._name = name
        self._process = process
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._said: deque[str] = deque(maxlen=STDERR_LINES)
        assert process.stdout is not None and process.stderr is not None
        self._threads = [
            threading.Thread(target=self._read_answers, args=(process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def introduction(self, timeout_s: float = START_S) -> Introduction:
        """What it says first.

        Raises:
            MeasurementError: it did not start in time.
        """
        said = self._answer("start", timeout_s)
        return Introduction(str(said["library"]), float(said["clock_step_s"]), tuple(said["ranks"]))

    def ask(self, request: Mapping[str, Any], timeout_s: float, what: str) -> list[list[float]]:
        """The samples of a request, in seconds, a row a pair.

        Args:
            what: the request in words, for messages.

        Raises:
            MeasurementError: it refused, died, or did not answer in time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._death(what) from error
        answer = self._answer(what, timeout_s)
        if "samples_s" not in answer:
            raise MeasurementError(f"{self._name}: {what} was refused: {answer.get('failed', 'no reason given')}")
        samples: list[list[float]] = answer["samples_s"]
        return samples

    def close(self) -> None:
        """Tell it that there are no more requests, and wait a little."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)

    def _answer(self, what: str, timeout_s: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise MeasurementError(
                f"{self._name}: {what} was not done within {timeout_s:g} s; the program was ended{self._tail()}",
                hint="`fairlead doctor` looks for the cause; where a measurement has --timeout, it can wait longer",
            ) from None
        if line is None:
            raise self._death(what)
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise MeasurementError(f"{self._name}: {what}: the answer is not JSON: {line[:80]!r}") from error
        return answer

    def _death(self, what: str) -> MeasurementError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        self._threads[1].join(END_S)
        return MeasurementError(
            f"{self._name} ended during {what} with exit code {self._process.poll()}{self._tail()}",
            hint="a host may be gone; `fairlead doctor` shows more",
        )

    def _tail(self) -> str:
        return f": {' / '.join(self._said)}" if self._said else ""

    def _read_answers(self, stream: IO[bytes]) -> None:
        for line in stream:
            # mpirun may talk in between, and a program that is killed leaves half an answer.
            if line.startswith(b"{") and line.endswith(b"\n"):
                self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self, stream: IO[bytes]) -> None:
        for line in stream:
            if text := line.decode(errors="replace").strip():
                self._said.append(text)


@contextmanager
def running(cluster: Cluster, program: str, hosts: Sequence[str], mpirun: str | None = None) -> Iterator[RunningProbe]:
    """The program with a rank on each of ``hosts`` (a host named twice has two); nothing of it is left afterwards.

    Raises:
        MissingToolError: it was not built for this MPI.
        ConfigError, HostError, LaunchError: see `fairlead.cluster.jobs.launch`.
    """
    cluster = cluster.with_mpirun(mpirun) if mpirun else cluster
    launcher, job = launch.prepare(cluster, [program], len(hosts), job_id=secrets.token_hex(4), hosts=hosts)
    assert launcher.family is not None  # only a launch line of the user's own has none
    job = _placed(cluster, launcher.family, program, job)
    started = launch.start(
        cluster, launcher, job, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        probe = RunningProbe(program, started.process)
        yield probe
        probe.close()
    finally:
        try:
            started.stop()
        except HostError:  # a dead host: nothing of ours runs there any more
            if started.poll() is None:
                raise
        started.forget()


def _placed(cluster: Cluster, family: str, program: str, job: Job) -> Job:
    """The job with the program's path on its hosts; it is brought to those that do not see this machine's files."""
    path = native.mpi_program(family, program)
    placed = deploy_everywhere(cluster, job.hosts, {program: path})[program]
    return debian_mpich.with_library(cluster, replace(job, argv=(placed,)), path)
