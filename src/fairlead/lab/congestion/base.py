"""What every kind of congestion is: parts that run in the lab's hosts, started and stopped together."""

import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Self

from fairlead.errors import LabError
from fairlead.lab.lab import Lab

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0
FLOWING_B = 64 * 1024  # a stream that has carried this much is no longer a handshake
_POLL_S = 0.05


class LabProcess:
    """A process in one of the lab's hosts or switches. It ends with `stop`, with this process, and with the lab."""

    def __init__(self, lab: Lab, node: str, argv: list[str], log: Path) -> None:
        self.node = node
        self.log = log
        self._what = Path(argv[0]).name
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [lab.record["enter"], "--end-with-stdin", str(lab.directory), node, *argv],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us, who then stop it
            )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def says(self, text: str) -> bool:
        """Whether it has printed ``text``."""
        return text in self.log.read_text(errors="replace")

    def check(self) -> None:
        """Raises LabError, with the last it said, if it has ended."""
        if not self.is_running():
            words = self.log.read_text(errors="replace").strip().splitlines()[-8:]
            status = self._process.returncode
            raise LabError(
                f"congestion: {self._what} on {self.node} ended (status {status})",
                hint="\n  ".join(words) or "silently",
            )

    def ask_to_stop(self) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    def wait(self) -> None:
        """Until it is gone. Raises LabError if it does not go even when killed."""
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired as error:
                raise LabError(f"congestion: {self._what} on {self.node} cannot be ended") from error


class Congestion(ABC):
    """One source of congestion in a running lab. As a context manager it is there for the length of the block."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._parts: list[LabProcess] = []

    def start(self) -> None:
        """Start; returns when traffic really flows (or the delay is really there).

        Raises:
            LabError: it is running already, or could not be started. Nothing is left then.
        """
        if self._parts:
            raise LabError("this congestion is already running")
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it and wait until it is gone; nothing happens if it is not running."""
        for part in reversed(self._parts):
            part.ask_to_stop()
        for part in reversed(self._parts):
            part.wait()
            part.log.unlink(missing_ok=True)
        self._parts.clear()

    def is_running(self) -> bool:
        return bool(self._parts) and all(part.is_running() for part in self._parts)

    def check(self) -> None:
        """Raises LabError if a part of it died."""
        for part in self._parts:
            part.check()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def describe(self) -> str:
        """One line for people."""

    @abstractmethod
    def _start(self) -> None:
        """Add the parts, and return when they do what they are for."""

    def _add(self, node: str, argv: list[str]) -> LabProcess:
        directory = self.lab.directory / "congestion"
        directory.mkdir(mode=0o700, exist_ok=True)
        part = LabProcess(self.lab, node, argv, directory / f"{time.monotonic_ns()}-{node}.log")
        self._parts.append(part)
        return part

    def _wait_until(self, is_so: Callable[[], object], what: str) -> None:
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while not is_so():
            self.check()
            if time.monotonic() > deadline_s:
                raise LabError(f"congestion: {what} not within {START_TIMEOUT_S:g} s")
            time.sleep(_POLL_S)

    def _connections_flowing(self, host: str, port: int | None = None) -> int:
        """How many TCP connections from ``host`` (to ``port``) have had `FLOWING_B` bytes acknowledged."""
        place = ["dport", "=", f":{port}"] if port is not None else []
        result = subprocess.run(
            self.lab.enter_command(host, ["ss", "-Htin", "state", "established", *place]),
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            raise LabError(f"congestion: ss on {host} failed: {result.stderr.strip()}")
        words = [word for word in result.stdout.split() if word.startswith("bytes_acked:")]
        return sum(int(word.partition(":")[2]) >= FLOWING_B for word in words)


def run_on(lab: Lab, node: str, argv: list[str]) -> str:
    """Output of a short command on a host or switch. Raises LabError if it fails."""
    result = subprocess.run(lab.enter_command(node, argv), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise LabError(f"{' '.join(argv)} failed on {node}: {result.stderr.strip()}")
    return result.stdout
