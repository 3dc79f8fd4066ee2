"""Programs that measure between a server on one host and a client on another (iperf3, perftest), a port each."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairlead.cluster.executors import Executor
from fairlead.cluster.remote.execute import attempt
from fairlead.cluster.remote.processes import RemoteProcesses
from fairlead.errors import MeasurementError

START_S = 10.0  # in which servers must listen
LOOK_S = 1.0  # after which it is seen whether one has ended

# $0 is the time-out in tenths of a second, then ports in hexadecimal, as the kernel writes them. 0A: LISTEN.
_LISTENING = """
left=$0
for port in "$@"; do
  until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$port [0-9A-F]*:0000 0A"; do
    left=$((left - 1)); [ "$left" -gt 0 ] || exit 1; sleep 0.1
  done
done"""


@contextmanager
def running(
    executor: Executor, host: str, commands: Sequence[Sequence[str]]
) -> "Iterator[list[subprocess.Popen[str]]]":
    """Programs on a host; those that still run are ended, also if fairlead is killed."""
    with RemoteProcesses() as remote:
        yield [remote.start(executor, host, command) for command in commands]


def await_servers(
    executor: Executor, host: str, ports: Sequence[int], servers: "Sequence[subprocess.Popen[str]]"
) -> "subprocess.Popen[str] | None":
    """Wait until all ports are listened on; where they are not, a server that has ended, which says why.

    Raises:
        HostError: the host was not reached.
        MeasurementError: servers run, and do not listen.
    """
    words = ["sh", "-c", _LISTENING, str(int(LOOK_S * 10)), *(f"{port:04X}" for port in ports)]
    for _ in range(int(START_S / LOOK_S)):
        if attempt(executor, host, words, timeout_s=LOOK_S + 20).returncode == 0:
            return None
        for server in servers:
            if server.poll() is not None:
                return server
    raise MeasurementError(
        f"{host}: nobody listens on ports {min(ports)} to {max(ports)}",
        hint="if the ports are taken, set others with cluster.ports",
    )
