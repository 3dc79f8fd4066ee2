"""The traffic of a host as its sockets count it, sampled from outside the program."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.faults.hosts import Hosts

PERIOD_S = 0.02
_STOP_S = 5.0


class Traffic:
    """Bytes that a host received from the other managed ones, by the moment."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.samples: list[tuple[float, int]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            at_s, total_B = line.split()
            self.samples.append((float(at_s), int(total_B)))

    def total_B(self) -> int:
        return self.samples[-1][1] if self.samples else 0

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(_STOP_S)


@contextmanager
def watched(hosts: Hosts, host: str, peers: list[str], owner: str = "") -> Iterator[Traffic]:
    """What ``host`` receives from ``peers``, for the length of a block.

    Args:
        owner: by processes with this line (NAME=value) in their environment; empty: by all.
    """
    script = Path(__file__).with_name("socket_bytes.py")
    addresses = [hosts.address(peer) for peer in peers]
    argv = [sys.executable, "-I", "-S", str(script), str(PERIOD_S), owner, *addresses]
    process = subprocess.Popen(
        hosts.lab.enter_command(host, argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    traffic = Traffic(process)
    try:
        while not traffic.samples and process.poll() is None:
            time.sleep(0.01)
        yield traffic
    finally:
        traffic.stop()
