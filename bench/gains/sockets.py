"""What TCP connections a program's ranks have: the proof of how its messages travel."""

import re
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from fairlead.errors import FairleadError, MeasurementError
from fairlead.lab import Lab

_COMMAND = ["ss", "-Htinp", "-O", "state", "established"]
_ENDS = re.compile(r"^\s*\d+\s+\d+\s+(\S+):\d+\s+(\S+):\d+")
_PROCESS = re.compile(r'users:\(\("([^"]+)"')
_ACKED = re.compile(r"\bbytes_acked:(\d+)")
_SUBFLOW = "tcp-ulp-mptcp"


@dataclass(frozen=True)
class Connection:
    """One established TCP connection, seen from one of its ends.

    Attributes:
        process: name of the process that has it; empty for a subflow, which the kernel has.
        subflow: whether it is part of a multipath TCP connection.
        acked_B: what was sent on it and acknowledged so far.
    """

    local: str
    peer: str
    process: str
    subflow: bool
    acked_B: int


def connections(lab: Lab, host: str) -> list[Connection]:
    """A host's connections.

    Raises:
        MeasurementError: ss failed, or printed what is no connection.
    """
    done = subprocess.run(lab.enter_command(host, _COMMAND), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MeasurementError(f"ss on {host} failed: {done.stderr.strip()}")
    return [parse(line) for line in done.stdout.splitlines()]


def parse(line: str) -> Connection:
    """One line of ``ss -Htinp -O state established``.

    Raises:
        MeasurementError: it is no connection.
    """
    ends = _ENDS.match(line)
    if ends is None:
        raise MeasurementError(f"ss printed what is no connection: {line!r}")
    process, acked = _PROCESS.search(line), _ACKED.search(line)
    return Connection(ends[1], ends[2], process[1] if process else "", _SUBFLOW in line, int(acked[1]) if acked else 0)


def per_pair(seen: Iterable[Connection], process: str) -> int:
    """The most connections that a program's processes have between two hosts; those within a host do not count."""
    between = (each for each in seen if each.process == process and each.local != each.peer)
    counts = Counter((each.local, each.peer) for each in between)
    return max(counts.values(), default=0)


def acked_B(seen: Iterable[Connection], *, network: str = "") -> int:
    """Bytes sent on subflows; ``network``: on those with an end whose address starts so."""
    subflows = (each for each in seen if each.subflow)
    return sum(each.acked_B for each in subflows if each.local.startswith(network) or each.peer.startswith(network))


class Sampler:
    """Looks at all hosts once, some time after the block was entered; ``seen`` has what there was.

    Raises on exit:
        MeasurementError: a look failed. There is nothing in ``seen`` if the block was left before.
    """

    def __init__(self, lab: Lab, hosts: Iterable[str], after_s: float) -> None:
        self._lab = lab
        self._hosts = list(hosts)
        self._after_s = after_s
        self._over = threading.Event()
        self._failure: FairleadError | None = None
        self._thread = threading.Thread(target=self._main, name="sockets", daemon=True)
        self.seen: list[Connection] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._failure is not None and kind is None:
            raise self._failure

    def _main(self) -> None:
        if self._over.wait(self._after_s):
            return
        try:
            self.seen = [each for host in self._hosts for each in connections(self._lab, host)]
        except FairleadError as error:
            self._failure = error
