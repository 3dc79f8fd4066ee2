"""Libraries that are loaded into a job's ranks before all else: libfairlead, and in labs what lets ranks wait asleep.

libfairlead is brought to the hosts and has a directory there to write to.
"""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from fairlead import native
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.job import Job
from fairlead.cluster.remote import awaited, executed
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.cluster.remote.execute import (
    check_reached,
    end_session,
    given_up_with_others,
    last_words,
    on_all,
    unexpected,
)
from fairlead.errors import HostError
from fairlead.lab.idle import VARIABLE

SHIM = "libfairlead.so"
LIBRARIES = (SHIM, *(f"libfairlead-{abi}.so" for abi in ("openmpi", "mpich", "standard")))
MAKE_TIMEOUT_S = REMOVE_TIMEOUT_S = 30.0
INTERRUPTED_TIMEOUT_S = 2.0  # in place of the latter, where the user wants it all to end
_log = logging.getLogger(__name__)

# The directory is in memory: it is written to all the time, and a rank must not wait for a disk. Whoever sees its name
# sees it there already. Its keeper waits for the end of its input, which comes with fairlead's own end, be it by
# kill -9. Ctrl-C is fairlead's.
_MADE = "made"
_KEEP = f'trap "" HUP INT TERM; umask 077; mkdir "$0" || exit 1; echo {_MADE}; cat >/dev/null; rm -rf "$0"'


def environment(cluster: Cluster, hosts: Sequence[str]) -> dict[str, str]:
    """Bring libfairlead to the hosts; returns what loads it into programs there.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    shim = _bring(cluster, hosts)
    before = os.environ.get(VARIABLE)
    # First, so that tools that are loaded already are called by libfairlead and not instead of it.
    return {VARIABLE: f"{shim}:{before}" if before else shim}


def also(executor: Executor, job: Job) -> Job:
    """The job with the library that hosts of this kind want in its ranks, after those that it has already.

    Raises:
        LabError: the lab is not up. MissingToolError: the library was not built.
    """
    library = executor.preloaded()
    if library is None:
        return job
    others = job.env.get(VARIABLE, os.environ.get(VARIABLE))
    return replace(job, env={**job.env, VARIABLE: f"{others}:{library}" if others else str(library)})


@contextmanager
def directory(cluster: Cluster, hosts: Sequence[str], name: str) -> Iterator[str]:
    """Within: every host has this directory, which is removed at the end, also if fairlead is killed. Yields its path.

    A host that cannot be reached any more at the end gets a line in the log: how the program ended stands.

    Raises:
        HostError: a host was not reached, or has no place for it.
    """
    executor = executor_of(cluster)
    path = f"/dev/shm/{name}"  # private: its name is the job's, and it must not exist before
    deadline = _SharedDeadline()
    with ExitStack() as keepers:
        made: set[str] = set()
        begun = {host: keepers.enter_context(_keeper(executor, host, path, made, deadline)) for host in hosts}

        def wait(host: str) -> None:
            _wait(executor, host, begun[host])
            made.add(host)

        try:
            on_all(begun, wait)
            yield path
        except KeyboardInterrupt:
            deadline.begin(begun.values(), INTERRUPTED_TIMEOUT_S)
            raise
        finally:
            deadline.begin(begun.values(), REMOVE_TIMEOUT_S)


class _SharedDeadline:
    """Until when all keepers' ends are waited for: hosts that do not answer any more cost the time of one."""

    def __init__(self) -> None:
        self._until_s: float | None = None

    def begin(self, keepers: Iterable["subprocess.Popen[bytes]"], limit_s: float) -> None:
        """Have all of them end; the first limit counts."""
        if self._until_s is not None:
            return
        self._until_s = time.monotonic() + limit_s
        for keeper in keepers:
            if keeper.stdin is not None:
                with suppress(OSError):
                    keeper.stdin.close()
                keeper.stdin = None  # `communicate` would write to it

    def left_s(self) -> float:
        """Until nobody is waited for any more."""
        until_s = self._until_s if self._until_s is not None else time.monotonic() + REMOVE_TIMEOUT_S
        return max(0.0, until_s - time.monotonic())


@contextmanager
def _keeper(
    executor: Executor, host: str, path: str, made: Container[str], deadline: _SharedDeadline
) -> "Iterator[subprocess.Popen[bytes]]":
    """A process on the host that makes the directory, and removes it when this block, or fairlead, has ended.

    Args:
        made: the hosts where it was made, which is known by the end.
        deadline: of its end.
    """
    command = executor.command(host, ["sh", "-c", _KEEP, path])
    executed.tell(command)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as keeper:
        try:
            yield keeper
        finally:
            if (problem := _end(keeper, deadline.left_s())) and host in made:
                _log.warning("%s: %s may not be removed: %s", host, path, problem)


def _wait(executor: Executor, host: str, keeper: "subprocess.Popen[bytes]") -> None:
    """Until the keeper has made its directory.

    Raises:
        HostError: the host was not reached, or has no place for it.
    """
    assert keeper.stdout is not None
    late = threading.Timer(MAKE_TIMEOUT_S, end_session, (keeper,))
    late.start()
    with awaited.awaited(host), given_up_with_others(keeper):
        said = keeper.stdout.readline().decode(errors="replace").strip()
    late.cancel()
    if said == _MADE:
        return
    if said:
        raise unexpected(host, said)
    why, code = last_words(keeper), keeper.wait()
    check_reached(executor, host, code, why)
    if code == -signal.SIGKILL:
        raise HostError(f"{host}: no answer within {MAKE_TIMEOUT_S:g} s", hint=executor.look(host))
    raise HostError(f"{host}: no directory for the ranks: {why.decode(errors='replace').strip() or f'status {code}'}")


def _end(keeper: subprocess.Popen[bytes], limit_s: float) -> str | None:
    """Let a keeper remove its directory; why it may not have."""
    try:
        _, said = keeper.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        keeper.kill()
        return "it does not answer"
    return said.decode(errors="replace").strip() or f"status {keeper.returncode}" if keeper.returncode else None


def _bring(cluster: Cluster, hosts: Sequence[str]) -> str:
    """Path of the shim, the same on all hosts; the wrappers lie beside it."""
    return deploy_everywhere(cluster, hosts, {name: native.library(name) for name in LIBRARIES})[SHIM]
