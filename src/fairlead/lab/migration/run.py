"""Starts a migration inside the lab, follows it, ends it."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Self

from fairlead.descriptors import readable
from fairlead.errors import LabError, NoSuchLabError
from fairlead.lab.lab import Lab
from fairlead.lab.migration.order import MigrationOrder
from fairlead.lab.migration.report import CopyProgress, MigrationReport
from fairlead.lab.migration.room import refusal

_STOP_TIMEOUT_S = 30.0


class Migration:
    """One migration under way. As a context manager it is aborted if the block is left before its end.

    Should this process die, the carrier notices and gives up, or finishes where the machine is paused already.

    Raises:
        LabError: it cannot be done; the message says why. Nothing was started.
    """

    def __init__(self, lab: Lab, vm: str, server: str, *, copies: bool = True) -> None:
        if why := refusal(lab.plan, vm, server):
            named = vm in lab.plan.host_by_name and (lab.plan.vm is None or server in lab.plan.server_by_name)
            raise (LabError if named else NoSuchLabError)(why)
        self._what = f"{vm} to {server}"
        self._process = subprocess.Popen(
            lab.enter_command(
                lab.plan.host_by_name[vm].server, [sys.executable, "-m", "fairlead.lab.migration.carrier"]
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us, who then abort it
        )
        self._rest = b""
        self.progress: CopyProgress | None = None
        self._moved: MigrationReport | None = None
        self._write(json.dumps(asdict(MigrationOrder(str(lab.directory), vm, server, copies))))

    def poll(self, timeout_s: float = 0.0) -> MigrationReport | None:
        """What it has said until now; the end, once it has come.

        Raises:
            LabError: it failed or was aborted; the machine is where it was.
        """
        deadline_s = time.monotonic() + timeout_s
        assert self._process.stdout is not None
        while self._moved is None:
            left_s = max(0.0, deadline_s - time.monotonic())
            if not readable(self._process.stdout, left_s):
                break
            data = os.read(self._process.stdout.fileno(), 65536)
            if not data:
                self._process.wait()
                raise LabError(f"{self._what}: the process that carried it out died")
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._take(line)
        return self._moved

    def wait(self) -> MigrationReport:
        """Until its end. Raises as `poll` does."""
        while (moved := self.poll(1.0)) is None:
            pass
        return moved

    def abort(self) -> None:
        """Ask it to give up; `poll` tells how it ended: where the machine is paused already, it is finished."""
        self._write("abort")

    def close(self) -> None:
        """End it, whatever it does; nothing happens if it has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # of an order that it did not read any more
            self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # it has ended; what it said of that is read by `poll`

    def _take(self, line: bytes) -> None:
        message = json.loads(line)
        if "error" in message:
            how = "was aborted" if message["aborted"] else "failed"
            raise LabError(f"{self._what} {how}: {message['error']}")
        if "done" in message:
            self._moved = MigrationReport.from_json(message["done"])
        else:
            self.progress = CopyProgress(**message)


def replug(lab: Lab, vm: str, server: str) -> MigrationReport:
    """Move a machine at once, without the traffic of a migration: to put a lab back as it was.

    Raises:
        LabError: it cannot be done.
    """
    with Migration(lab, vm, server, copies=False) as migration:
        return migration.wait()
