"""Libraries that are loaded into a job's ranks before all else: libfairlead, and in labs what lets ranks wait asleep.

libfairlead is brought to the hosts and has a directory there to write to.
"""

import logging
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from fairlead import native
from fairlead.cluster import executed
from fairlead.cluster.deploy import deploy_everywhere
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import on_all, run_on
from fairlead.cluster.executors import of
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.job import Job
from fairlead.lab.idle import VARIABLE

SHIM = "libfairlead.so"
LIBRARIES = (SHIM, "libfairlead-openmpi.so", "libfairlead-mpich.so")
REMOVE_TIMEOUT_S = 30.0
_log = logging.getLogger(__name__)

# The directory is in memory: it is written to all the time, and a rank must not wait for a disk.
_MAKE = 'umask 077; mkdir "$0"'
# Waits for the end of its input, which comes with fairlead's own end, be it by kill -9. Ctrl-C is fairlead's.
_KEEP = 'trap "" HUP INT TERM; cat >/dev/null; rm -rf "$0"'


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
    executor = of(cluster)
    path = f"/dev/shm/{name}"  # private: its name is the job's, and it must not exist before
    with ExitStack() as keepers:
        for host in hosts:
            keepers.enter_context(_keeper(executor, host, path))
        on_all(tuple(hosts), lambda host: run_on(executor, host, ["sh", "-c", _MAKE, path]))
        yield path


@contextmanager
def _keeper(executor: Executor, host: str, path: str) -> Iterator[None]:
    """A process on the host that removes the directory when this block, or fairlead, has ended."""
    command = executor.command(host, ["sh", "-c", _KEEP, path])
    executed.tell(command)
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as keeper:
        try:
            yield
        finally:
            if problem := _end(keeper):
                _log.warning("%s: %s may not be removed: %s", host, path, problem)


def _end(keeper: subprocess.Popen[bytes]) -> str | None:
    """Let a keeper remove its directory; why it may not have."""
    try:
        _, said = keeper.communicate(timeout=REMOVE_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        keeper.kill()
        return f"no answer within {REMOVE_TIMEOUT_S:g} s"
    return said.decode(errors="replace").strip() or f"status {keeper.returncode}" if keeper.returncode else None


def _bring(cluster: Cluster, hosts: Sequence[str]) -> str:
    """Path of the shim, the same on all hosts; the wrappers lie beside it."""
    return deploy_everywhere(cluster, hosts, {name: native.library(name) for name in LIBRARIES})[SHIM]
