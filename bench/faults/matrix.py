"""Runs cells one after another on a lab, which is made anew after a cell that left something."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.command import FAIRLEAD
from bench.faults import cells, direct, ssh_hosts, unhurt
from bench.faults.cells import AUTOMATIC, HOST_SILENT, FaultCell, together, why_not
from bench.faults.direct import Direct
from bench.faults.hosts import Hosts, network
from bench.faults.runs import OTHER_RESULTS, RESULTS, TROUBLE
from bench.faults.trial import FAILED, HUNG, LATE, SLOW, UNTESTED, Result, Trial
from fairlead.errors import ConfigError, MeasurementError
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.runtime import VARIABLE

# Between the leafs of the program's two hosts: what makes automatic reroutes.
CONGESTION = Streams(kind="streams", between=("leaf0", "leaf1"), streams=2)
CONGESTED_SHARE = 0.25  # a congested program takes up to fifteen times as long as a free one
BUSY = 2.0  # load a processor from which on others disturb: a cell that was slow then is run twice
CHARACTERIZE_LIMIT_S = 300.0

Say = Callable[[str], None]


@contextmanager
def opened(say: Say) -> Iterator["Matrix"]:
    """A matrix with a directory and labs of its own, for the length of a block.

    Raises:
        ConfigError: this is not root.
    """
    if os.geteuid() != 0:
        raise ConfigError("faults are made as root", hint="run it as root, in a container for example")
    before = os.environ.get(VARIABLE)
    with tempfile.TemporaryDirectory(prefix="flf-", dir="/tmp") as name:
        os.environ[VARIABLE] = f"{name}/runtime"
        try:
            with Matrix(Path(name), say) as matrix:
                yield matrix
        finally:
            os.environ.pop(VARIABLE)
            if before is not None:
                os.environ[VARIABLE] = before


def again(result: Result) -> bool:
    """Whether a cell is run once more: others may have disturbed its times, or it was not brought about."""
    disturbed = result.status in (LATE, SLOW) and result.load > BUSY * (os.cpu_count() or 1)
    return disturbed or (result.status == FAILED and not result.left)


def left_open(result: Result) -> bool:
    """Whether a cell that shared its run has to be run alone: one fault may have disturbed the next."""
    return result.status in (LATE, SLOW, FAILED) and not result.left and result.stopped is not False


def counted(first: Result, second: Result) -> Result:
    """Which of two tries counts, and tells of the other: the better of two late or slow ones, else the second."""
    result = second
    if first.status != FAILED and second.status in (LATE, SLOW):
        result = min(first, second, key=lambda each: each.rank())
    other = first if result is second else second
    pause = "" if other.flow is None else f", {other.flow.pause_s:.2f} s"
    result.other_try = f"{other.status}{pause}, load {other.load:.1f}"
    return result


class Matrix:
    """The lab and what is usual on it; a context manager."""

    def __init__(self, directory: Path, say: Say) -> None:
        self._directory = directory
        self._say = say
        self._stack = ExitStack()
        self._hosts: Hosts | None = None
        self._ssh_file: Path | None = None
        self._congestion: congestion.Congestion | None = None
        self._direct: dict[bool, Direct] = {}
        self._characterized = False

    def __enter__(self) -> "Matrix":
        return self

    def __exit__(self, *_: object) -> None:
        self._end_lab()

    def run(self, chosen: Sequence[FaultCell]) -> Iterator[Result]:
        """Each cell's result, as soon as it is there."""
        for sharing in together(chosen):
            reason = why_not(sharing[0])
            if reason is not None:
                yield from (Result(cell, UNTESTED, reason) for cell in sharing)
            elif len(sharing) == 1:
                yield self._alone(sharing[0])
            else:
                yield from self._shared(sharing)

    def _shared(self, sharing: Sequence[FaultCell]) -> Iterator[Result]:
        """Cells of one run; what that leaves open, each in a run of its own."""
        results = {result.cell: result for result in self._trial(*sharing)}
        for cell in sharing:
            result = results.get(cell)
            if result is not None and not left_open(result):
                yield result
                continue
            said = "not reached" if result is None else f"{result.status} ({result.why})"
            self._say(f"{cell.name} was {said} in a run with others: alone")
            alone = self._alone(cell)
            if result is not None:
                alone.other_try = alone.other_try or f"{result.status}, in a run with others"
            yield alone

    def _alone(self, cell: FaultCell) -> Result:
        (result,) = self._trial(cell)
        if again(result):
            self._say(f"{cell.name} was {result.status} at load {result.load:.1f} ({result.why}): once more")
            (second,) = self._trial(cell)
            result = counted(result, second)
        return result

    def _trial(self, cell: FaultCell, *others: FaultCell) -> list[Result]:
        try:
            hosts = self._prepared(cell)
            usual = self._usual(hosts, cell)
            path = self._by_ssh(hosts) if cell.over_ssh else hosts.cluster_file
        except TROUBLE as error:
            self._end_lab()
            return [Result(each, FAILED, f"before the run: {error}") for each in (cell, *others)]
        results = Trial(hosts, usual, path, cell, *others).run()
        if any(result.status in (HUNG, FAILED) or result.left for result in results):
            self._end_lab()  # a fault may not have been taken back
        return results

    def _prepared(self, cell: FaultCell) -> Hosts:
        if self._hosts is not None and not self._hosts.lab.is_alive():
            self._end_lab()
        if self._hosts is None:
            self._hosts = self._stack.enter_context(network(self._directory))
        if cell.reroutes == AUTOMATIC and not self._characterized:
            self._load(self._hosts, wanted=False)
            self._characterize(self._hosts)
        self._load(self._hosts, wanted=cell.reroutes == AUTOMATIC)
        return self._hosts

    def _load(self, hosts: Hosts, *, wanted: bool) -> None:
        if wanted and self._congestion is None:
            self._congestion = self._stack.enter_context(congestion.make(hosts.lab, CONGESTION))
        elif not wanted and self._congestion is not None:
            self._congestion.stop()
            self._congestion = None

    def _characterize(self, hosts: Hosts) -> None:
        self._say("characterizing the lab")
        words = ["characterize", str(hosts.cluster_file), "--results", str(self._directory / RESULTS)]
        done = subprocess.run(
            [*FAIRLEAD, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CHARACTERIZE_LIMIT_S
        )
        if done.returncode != 0:
            raise MeasurementError(f"the lab could not be characterized: {done.stderr[-300:]}")
        # Both jobs of two know it.
        shutil.rmtree(self._directory / OTHER_RESULTS, ignore_errors=True)
        shutil.copytree(self._directory / RESULTS, self._directory / OTHER_RESULTS)
        self._characterized = True

    def _usual(self, hosts: Hosts, cell: FaultCell) -> Direct:
        congested = cell.reroutes == AUTOMATIC
        free = self._direct.setdefault(False, Direct())
        usual = self._direct.setdefault(True, Direct(CONGESTED_SHARE)) if congested else free
        if cell.program not in free.rate_Bps:
            self._load(hosts, wanted=False)
            self._say(f"{cell.program} without fairlead")
            direct.measure(hosts, free, cell.program)
            self._load(hosts, wanted=congested)
        if cell.program not in usual.rate_Bps:
            # As many iterations as on the free network: a managed program is nearly as fast when it is rerouted.
            self._say(f"{cell.program} without fairlead, congested")
            direct.measure(hosts, usual, cell.program, free.iterations[cell.program])
        if (cell.plane, cell.program) not in usual.unhurt_s:
            self._say(f"{cell.program} unhurt, {cell.plane} plane, {cell.reroutes}")
            unhurt.measure(hosts, usual, cell)
        silent_end = cell.fault == HOST_SILENT and cell.place != cells.RELAY
        if silent_end and (cell.program, cell.place) not in usual.silent_s:
            self._say(f"{cell.program} without fairlead, its {cell.place} silent")
            direct.measure_silence(hosts, usual, cell.program, cell.place)
        return usual

    def _by_ssh(self, hosts: Hosts) -> Path:
        if self._ssh_file is None:
            self._ssh_file = self._stack.enter_context(ssh_hosts.reached(hosts, self._directory))
        return self._ssh_file

    def _end_lab(self) -> None:
        self._hosts = self._ssh_file = self._congestion = None
        began_s = time.monotonic()
        try:
            self._stack.close()
        except TROUBLE as error:  # part of it ended with a cell
            self._say(f"ending the lab: {error}")
        if time.monotonic() - began_s > 5.0:
            self._say("the lab took long to end")

    def usual(self) -> dict[str, dict[str, object]]:
        """What was measured without a fault, for the results."""
        return {
            "congested" if congested else "free": {
                "iterations": usual.iterations,
                "time_s": usual.time_s,
                "rate_Bps": usual.rate_Bps,
                "gap_s": usual.gap_s,
                "unhurt_s": {" ".join(key): value for key, value in usual.unhurt_s.items()},
                "silent_s": {" ".join(key): value for key, value in usual.silent_s.items()},
                "silent_slow_s": {" ".join(key): value for key, value in usual.silent_slow_s.items()},
            }
            for congested, usual in self._direct.items()
        }
