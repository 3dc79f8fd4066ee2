"""``fairlead run`` as a process, bounded in time: what it says, and how its program ended."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.command import FAIRLEAD
from bench.faults.cells import AUTOMATIC, BY_HAND, RELAYED
from bench.faults.hosts import ENDS, MARK, MARK_VALUE, RELAYS
from fairlead import programs, runtime
from fairlead.errors import FairleadError, MeasurementError

POLL_S = 0.01
RESULTS, OTHER_RESULTS = "results", "other"  # of a cell's run, and of a second job beside it
GOES_OVER = re.compile(r"(\w+)→(\w+) rerouted over (\w+)")
END_S = 5.0  # SIGTERM must end a run in this time
CLEAN_LIMIT_S = 60.0
TROUBLE = (FairleadError, OSError, subprocess.SubprocessError)
"""What may go wrong in a cell without ending the others."""


class HungError(MeasurementError):
    """A run lives, but its program does nothing."""


class EndedError(MeasurementError):
    """A run ended before it was to."""


class Run:
    """One run and what it has said so far.

    Attributes:
        stopped: whether SIGTERM ended it in time; None: it was not needed.
    """

    def __init__(self, process: "subprocess.Popen[str]", output: Path) -> None:
        self.process = process
        self.output = output
        self.told: list[tuple[float, str]] = []
        self.stopped: bool | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self.process.stderr or []:
            self.told.append((time.monotonic(), line.rstrip()))

    def alive(self) -> bool:
        return self.process.poll() is None

    def text(self) -> str:
        """Everything said, a line each."""
        return "\n".join(line for _, line in self.told)

    def relay_of(self, source: str, destination: str) -> str | None:
        """The relay that the pair goes over, as last told."""
        for _, line in reversed(self.told):
            if f"{source}→{destination} back on its direct path" in line:
                return None
            found = GOES_OVER.search(line)
            if found and found.group(1, 2) == (source, destination):
                return found.group(3)
        return None

    def verdict(self) -> programs.Verdict:
        """What the program says of its own result."""
        return programs.verdict(self.output.read_bytes())

    def stop(self) -> None:
        """End what is left of it: `stopped`. What it leaves behind stays, for it is to be seen."""
        if not self.alive():
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(END_S)
            self.stopped = True
        except subprocess.TimeoutExpired:
            self.stopped = False
            self.process.kill()
            self.process.wait()


@contextmanager
def started(
    cluster_file: Path,
    options: Sequence[str],
    program: Sequence[str],
    directory: Path,
    env: Mapping[str, str] | None = None,
    results: str = RESULTS,
) -> Iterator[Run]:
    """``fairlead run`` for the length of a block. The directory gets its output and its results."""
    output = directory / f"output-{time.monotonic_ns()}.txt"
    words = ["run", str(cluster_file), "--results", str(directory / results), *options, "--", *program]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*FAIRLEAD, *words],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, MARK: MARK_VALUE, **(env or {})},
        )
    run = Run(process, output)
    try:
        yield run
    finally:
        run.stop()
        output.unlink(missing_ok=True)


def options(plane: str, reroutes: str) -> list[str]:
    """Of ``fairlead run``."""
    words = ["--plane", "relay"] if plane == RELAYED else []
    if reroutes == BY_HAND:
        return [*words, "--no-detection", "--reroute", f"{ENDS['source']}:{ENDS['destination']}:{RELAYS[0]}"]
    assert reroutes == AUTOMATIC
    return words


def wait_for(condition: Callable[[], object], limit_s: float) -> bool:
    """Wait until something holds; whether it did in time."""
    deadline_s = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(POLL_S)
    return True


def clean() -> None:
    """``fairlead clean``. Raises subprocess.TimeoutExpired."""
    words = [*FAIRLEAD, "clean"]
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=CLEAN_LIMIT_S)


def noted() -> list[str]:
    """Runs that are noted as going on though none is."""
    return [f"runtime file {path.name}" for path in sorted(runtime.directory("runs").glob("*.json"))]
