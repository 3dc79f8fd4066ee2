"""The process inside the lab that carries one migration out.

Started in the source server as ``python -m fairlead.lab.migration.carrier`` by `fairlead.lab.migration.run`. Standard
input: one line of JSON, the `MigrationOrder`; ``abort`` or the end of input then ends a migration whose machine is not
paused yet, as nobody wants it any more. Standard output: JSON lines of `CopyProgress`, then one with ``done`` or
``error``.

From the pause on nothing stops it, and if it is killed then its own child finishes the move: the machine never stays
paused, nor without a link.
"""

import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from fairlead.errors import FairleadError, LabError, reason_of
from fairlead.lab import state
from fairlead.lab.lab import Lab
from fairlead.lab.migration import pause, precopy
from fairlead.lab.migration.order import MigrationOrder
from fairlead.lab.migration.plug import Plug
from fairlead.lab.migration.report import MigrationReport
from fairlead.lab.migration.room import refusal
from fairlead.lab.topology import LabVm

CHUNK_B = 1 << 18
SILENT_S = 20.0  # without a byte getting through
PROGRESS_S = 0.25
_CONNECT_TIMEOUT_S = 10.0


class AbortedError(LabError):
    """Whoever asked for it does not want it any more."""


class Copy:
    """A TCP connection from this server to the target that memory goes over."""

    def __init__(self, lab: Lab, target: str, tell: Callable[..., None]) -> None:
        address = lab.plan.server_by_name[target].address
        self._tell = tell
        self._sink = subprocess.Popen(
            lab.enter_command(target, [sys.executable, "-I", "-S", str(Path(__file__).with_name("sink.py")), address]),
            stdin=subprocess.PIPE,  # its end ends the sink, and we are its only writer
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._sink.stdout is not None
        port = int(self._sink.stdout.readline() or 0)
        if not port:
            raise LabError(f"{target} cannot receive the copy", hint="see the messages above")
        self._socket = socket.socket(socket.AF_INET if lab.plan.family == 4 else socket.AF_INET6)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, lab.plan.congestion_control.encode())
        self._socket.settimeout(_CONNECT_TIMEOUT_S)
        self._socket.connect((address, port))
        self._told_s = 0.0
        self.sent_B = 0
        self.phase = "copying"

    def round(self, size_B: int, number: int, check: Callable[[], None]) -> precopy.PrecopyRound:
        """Copy so many bytes; returns when the last has arrived. ``check`` may end it by raising."""
        begin_s = time.monotonic()
        self._socket.setblocking(False)
        self._send_all(size_B.to_bytes(8, "big"), check)
        left_B, chunk = size_B, bytes(CHUNK_B)
        while left_B:
            sent = self._send_some(memoryview(chunk)[: min(left_B, CHUNK_B)], check)
            left_B -= sent
            self.sent_B += sent
            if time.monotonic() - self._told_s >= PROGRESS_S:
                self._told_s = time.monotonic()
                self._tell(phase=self.phase, round=number, left_B=left_B, copied_B=self.sent_B)
        self._wait(self._socket, check)
        if self._socket.recv(1) != b"+":
            raise LabError("the connection that memory is copied over broke")
        return precopy.PrecopyRound(size_B, time.monotonic() - begin_s)

    def close(self) -> None:
        self._socket.close()
        assert self._sink.stdin is not None
        self._sink.stdin.close()
        self._sink.wait()

    def _send_all(self, data: bytes, check: Callable[[], None]) -> None:
        while data:
            data = data[self._send_some(memoryview(data), check) :]

    def _send_some(self, data: memoryview, check: Callable[[], None]) -> int:
        deadline_s = time.monotonic() + SILENT_S
        while not select.select([], [self._socket], [], 0.1)[1]:
            check()
            _not_after(deadline_s)
        check()
        return self._socket.send(data)

    @staticmethod
    def _wait(source: socket.socket, check: Callable[[], None]) -> None:
        deadline_s = time.monotonic() + SILENT_S
        while not select.select([source], [], [], 0.1)[0]:
            check()
            _not_after(deadline_s)


def _not_after(deadline_s: float) -> None:
    if time.monotonic() > deadline_s:
        raise LabError(f"nothing of the copy got through for {SILENT_S:g} s")


def _tell(**message: Any) -> None:
    try:
        os.write(1, (json.dumps(message) + "\n").encode())
    except BrokenPipeError:
        return  # nobody listens any more; the end of input says so too


def check_wanted() -> None:
    """Raises AbortedError if an abort, or the end of input, has come."""
    if select.select([0], [], [], 0)[0]:
        gone = not os.read(0, 4096)
        raise AbortedError("the process that asked for it is gone" if gone else "by request")


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """One migration of a lab at a time."""
    with (directory / "migration.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabError("another migration is in progress in this lab", hint="try again when it ends") from None
        yield


@contextmanager
def _finished_whatever_happens(plug: Plug) -> Iterator[None]:
    """A child that finishes the move and continues the machine if this process dies within the block."""
    alive, release = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(release)
        _stand_by(alive, plug)
    os.close(alive)
    try:
        yield
        os.write(release, b"x")
    finally:
        os.close(release)
        os.waitpid(child, 0)


def _stand_by(alive: int, plug: Plug) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        if os.read(alive, 1) != b"x":
            try:
                plug.into(plug.found_in())
            finally:
                pause.go_on(pause.processes_in(plug.network_id(plug.vm), "T"))
    finally:
        os._exit(0)


def _switch(plug: Plug, order: MigrationOrder, last: Callable[[], None]) -> float:
    """Pause the machine, copy the rest, re-plug, continue; returns how long it was paused, in seconds."""
    with _finished_whatever_happens(plug):
        begin_s = time.monotonic()
        stopped = pause.stop(plug.network_id(order.vm), frozenset()) if order.copies else []
        try:
            last()
            plug.into(order.server)
        finally:
            pause.go_on(stopped)
        return time.monotonic() - begin_s


def _live(plug: Plug, order: MigrationOrder, vm: LabVm, before: str) -> MigrationReport:
    begin_s = time.monotonic()
    rounds: list[precopy.PrecopyRound] = []
    copy = Copy(plug.lab, order.server, _tell)
    try:
        while not precopy.may_pause(rounds, vm):
            if problem := precopy.gives_up(rounds, vm):
                raise LabError(problem)
            rounds.append(copy.round(precopy.left_after(rounds, vm), len(rounds) + 1, check_wanted))

        def last() -> None:
            copy.phase = "paused"
            _tell(phase="paused", round=len(rounds) + 1, left_B=precopy.left_after(rounds, vm), copied_B=copy.sent_B)
            rounds.append(copy.round(precopy.left_after(rounds, vm), len(rounds) + 1, lambda: None))

        paused_s = _switch(plug, order, last)
    finally:
        copy.close()
    return MigrationReport(order.vm, before, order.server, time.monotonic() - begin_s, paused_s, tuple(rounds))


def carry_out(order: MigrationOrder) -> MigrationReport:
    """Do it.

    Raises:
        AbortedError: it was not wanted any more; the machine is where it was.
        LabError: it cannot be done; the machine is where it was, or where a half-done move had brought it.
    """
    directory = Path(order.directory)
    with _alone(directory):
        record = state.read(directory)
        if record is None:
            raise LabError(f"no lab is noted in {directory}")
        plug = Plug(Lab(directory, record), order.vm)
        plan = plug.lab.plan
        if why := refusal(plan, order.vm, order.server):
            raise LabError(why)
        before = plug.settle()
        assert plan.vm is not None  # `refusal` looked
        if order.copies:
            return _live(plug, order, plan.vm, before)
        paused_s = _switch(plug, order, lambda: None)
        return MigrationReport(order.vm, before, order.server, paused_s, paused_s, ())


def _line() -> bytes:
    """The first line of standard input; what follows stays there, for `check_wanted`."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return line


def main() -> None:
    order = MigrationOrder(**json.loads(_line()))
    try:
        _tell(done=asdict(carry_out(order)))
    except FairleadError as error:
        _tell(error=str(error), aborted=isinstance(error, AbortedError))
    except OSError as error:
        _tell(error=f"the kernel refused: {reason_of(error)}", aborted=False)


if __name__ == "__main__":
    main()
