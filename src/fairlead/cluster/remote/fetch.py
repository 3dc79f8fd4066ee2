"""Bring files from a host as one stream: none is ever in memory as a whole, however many and large they are."""

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import IO

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.execute import check_reached
from fairlead.descriptors import readable
from fairlead.errors import HostError, MissingToolError

STANDSTILL_S = 60.0  # no longer than this without a byte; how long all of it takes is not limited
CHANGED = 1  # of GNU tar: all is sent, and something was written to meanwhile; a rank may still be at its record
_SEND = 'cd "$0" && ls -A | grep "[.]$1$" | tar -c -f - -T -'

Take = Callable[[str, IO[bytes]], None]
"""Gets the name of a file, without any directory, and what is in it, to be read before it returns."""


def fetch_records(
    executor: Executor,
    host: str,
    directory: str,
    take: Take,
    *,
    ending: str = "record",
    standstill_s: float | None = None,
) -> None:
    """Have ``take`` read the ``*.record`` files that lie in a directory of a host, one after the other.

    Args:
        ending: of the files that are wanted instead.
        standstill_s: after so long without a byte the host is given up; None: `STANDSTILL_S`.

    Raises:
        HostError: the host was not reached, stopped sending, or does not have the directory.
        MissingToolError: the executor's own program (ssh, nsenter) is not on this machine.
    """
    command = executor.command(host, ["sh", "-c", _SEND, directory, ending])
    with tempfile.TemporaryFile() as said, _Sender(command, said, host, standstill_s) as sender:
        broken = None
        try:
            with tarfile.open(mode="r|", fileobj=sender) as archive:  # type: ignore[call-overload]  # it only reads
                for member in archive:
                    content = archive.extractfile(member) if member.isfile() else None
                    name = PurePosixPath(member.name).name
                    if content is not None and name.endswith(f".{ending}"):
                        take(name, content)
            while sender.read(tarfile.RECORDSIZE):  # tar fills its last block, and fails if nobody reads that
                pass
        except tarfile.TarError as error:
            broken = error
        code = sender.end()
        if broken or code not in (0, CHANGED):
            said.seek(0)
            words = said.read()
            check_reached(executor, host, code, words)
            reason = words.decode(errors="replace").strip() or broken or f"exit code {code}"
            raise HostError(f"{host}: the records in {directory} cannot be fetched: {reason}")


class _Sender:
    """A command whose output `tarfile` reads. A context manager that ends what is left of it."""

    def __init__(self, command: list[str], stderr: IO[bytes], host: str, standstill_s: float | None) -> None:
        self._host = host
        self._standstill_s = STANDSTILL_S if standstill_s is None else standstill_s
        executed.tell(command)
        try:
            # A session of its own: Ctrl-C is for us, who end it.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
            )
        except FileNotFoundError as error:
            raise MissingToolError(f"{command[0]} is not on this machine, so {host} cannot be reached") from error
        assert self._process.stdout is not None
        self._output = self._process.stdout

    def __enter__(self) -> "_Sender":
        return self

    def __exit__(self, *_: object) -> None:
        self._output.close()
        self._process.kill()
        self._process.wait()

    def read(self, size_B: int) -> bytes:
        """Up to so many bytes of the output; none at its end."""
        if not readable(self._output, self._standstill_s):
            raise self._stuck()
        return os.read(self._output.fileno(), size_B)

    def end(self) -> int:
        """Read no more and wait for the end; the exit code."""
        self._output.close()
        try:
            return self._process.wait(self._standstill_s)
        except subprocess.TimeoutExpired:
            raise self._stuck() from None

    def _stuck(self) -> HostError:
        return HostError(f"{self._host}: has sent nothing of its records for {self._standstill_s:g} s")
