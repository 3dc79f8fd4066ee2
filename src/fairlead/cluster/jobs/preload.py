"""Libraries that are loaded into a job's ranks before all else: libfairlead, and in labs what lets ranks wait asleep.

libfairlead is brought to the hosts and has a directory there to write to.
"""

import logging
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from fairlead import descriptors, native, threads
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.job import MARK, Job
from fairlead.cluster.remote import awaited, executed
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import (
    LAST_WORDS_S,
    check_reached,
    end_session,
    given_up_with_others,
    last_words,
    no_way_to,
    not_asked,
    on_all,
    unexpected,
)
from fairlead.errors import HostError
from fairlead.lab.idle import VARIABLE

SHIM = "libfairlead.so"
WRAPPERS = {abi: f"libfairlead-{abi}.so" for abi in ("openmpi", "mpich", "standard")}
LIBRARIES = (SHIM, *WRAPPERS.values())
MAKE_TIMEOUT_S = 30.0
REMOVE_TIMEOUT_S = 5.0
INTERRUPTED_TIMEOUT_S = 2.0  # in place of the latter, where the user wants it all to end
SILENT = "it does not answer"
GOES = "goes once the job's processes and the connection have ended"
_log = logging.getLogger(__name__)

# The directory is in memory: it is written to all the time, and a rank must not wait for a disk. Whoever sees its name
# sees it there already. Its keeper waits for a word, or the end of its input. That comes with fairlead's own end, be it
# by kill -9, or with the connection's: then the ranks and their agent may still meet there, and it stays until the
# ranks have ended. Ctrl-C is fairlead's.
_MADE = "made"
_REMOVE = b"remove\n"
_KEEP = f"""
trap "" HUP INT TERM PIPE; umask 077; mkdir "$0" || exit 1; echo {_MADE}
read -r word || while grep -sqazxF MARK /proc/[0-9]*/environ; do sleep 1; done
rm -rf "$0\""""


def environment(cluster: Cluster, hosts: Sequence[str]) -> dict[str, str]:
    """Bring libfairlead to the hosts; returns what loads it into programs there.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    shim = bring(cluster, hosts)
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
def directory(
    cluster: Cluster, hosts: Sequence[str], kind: str, job_id: str, limit: EndLimit | None = None
) -> Iterator[str]:
    """Within: every host has a directory of this kind for the job, which is removed at the end. Yields its path.

    It is also removed if fairlead is killed, or its connection to the host ends, once the job's ranks have ended there.
    A host that cannot be reached any more at the end gets a line in the log: how the program ended stands.

    Args:
        limit: of the end of which this one's is a part, and which tells of hosts that do not answer.

    Raises:
        HostError: a host was not reached, or has no place for it.
    """
    executor = executor_of(cluster)
    path = f"/dev/shm/fairlead-{kind}-{job_id}"  # private: its name is the job's, and it must not exist before
    keep = ["sh", "-c", _KEEP.replace("MARK", shlex.quote(f"{MARK}={job_id}")), path]
    deadline = _SharedDeadline(limit or EndLimit())
    descriptors.make_room(descriptors.OF_A_HOST * len(hosts))
    with ExitStack() as keepers:
        made: set[str] = set()
        begun: list[subprocess.Popen[bytes]] = []
        guard = threading.Lock()

        def make(host: str) -> None:
            with guard:
                keeper = keepers.enter_context(_keeper(executor, host, keep, made, deadline))
                begun.append(keeper)
            _wait(executor, host, keeper)
            made.add(host)

        try:
            on_all(hosts, make)
            yield path
        except KeyboardInterrupt:
            deadline.begin(begun, INTERRUPTED_TIMEOUT_S)
            raise
        finally:
            deadline.begin(begun, REMOVE_TIMEOUT_S)


class _SharedDeadline:
    """Until when all keepers' ends are waited for: hosts that do not answer any more cost the time of one."""

    def __init__(self, limit: EndLimit) -> None:
        self.limit = limit
        self._until_s: float | None = None

    def begin(self, keepers: Iterable["subprocess.Popen[bytes]"], limit_s: float) -> None:
        """Have all of them end; the first limit counts."""
        if self._until_s is not None:
            return
        self._until_s = time.monotonic() + self.limit.left_s(limit_s)
        for keeper in list(keepers):
            if keeper.stdin is not None and not keeper.stdin.closed:
                with suppress(OSError):
                    keeper.stdin.write(_REMOVE)
                with suppress(OSError):
                    keeper.stdin.close()
                keeper.stdin = None  # `communicate` would write to it

    def left_s(self, host: str) -> float:
        """Until nobody is waited for any more, or no longer this one."""
        until_s = self._until_s if self._until_s is not None else time.monotonic() + REMOVE_TIMEOUT_S
        left_s = max(0.0, until_s - time.monotonic())
        return self.limit.left_s(left_s, host) if self.limit.gave_up(host) else left_s


@contextmanager
def _keeper(
    executor: Executor, host: str, keep: Sequence[str], made: Container[str], deadline: _SharedDeadline
) -> "Iterator[subprocess.Popen[bytes]]":
    """A process on the host that makes the directory, and removes it when this block, or fairlead, has ended.

    Args:
        keep: what it does; the last word is the directory.
        made: the hosts where it was made, which is known by the end.
        deadline: of its end.

    Raises:
        HostError, MissingToolError: nothing could be started here to reach the host.
    """
    with _started(executor, host, keep) as keeper:
        try:
            yield keeper
        finally:
            problem = _end(keeper, deadline.left_s(host))
            if problem == SILENT and host in made and deadline.limit.give_up(host, f"{keep[-1]} {GOES}"):
                problem = None  # it is told with what else remains there
            if problem and host in made:
                _log.warning("%s: %s may not be removed: %s", host, keep[-1], problem)


def _started(executor: Executor, host: str, argv: Sequence[str]) -> "subprocess.Popen[bytes]":
    command = executor.command(host, argv)
    executed.tell(command)
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except FileNotFoundError as error:
        raise no_way_to(host, command[0]) from error
    except OSError as error:  # no descriptor is free, for example
        raise not_asked(host, error) from error


def _wait(executor: Executor, host: str, keeper: "subprocess.Popen[bytes]") -> None:
    """Until the keeper has made its directory.

    Raises:
        HostError: the host was not reached, or has no place for it.
    """
    assert keeper.stdout is not None
    late = threading.Timer(MAKE_TIMEOUT_S, end_session, (keeper,))
    threads.start(late)
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
    if keeper.poll() is not None:  # while others were waited for: only its last words are left to be read
        limit_s = max(limit_s, LAST_WORDS_S)
    try:
        _, said = keeper.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        keeper.kill()
        return SILENT
    except BaseException:  # Popen would wait for it without a limit
        end_session(keeper)
        raise
    return said.decode(errors="replace").strip() or f"status {keeper.returncode}" if keeper.returncode else None


def bring(cluster: Cluster, hosts: Iterable[str]) -> str:
    """Bring libfairlead to the hosts; the path of what is preloaded, the same on all, with the wrappers beside it.

    Raises:
        MissingToolError, HostError, ConfigError: see `environment`.
    """
    return deploy_everywhere(cluster, hosts, {name: native.library(name) for name in LIBRARIES})[SHIM]
