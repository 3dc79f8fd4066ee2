"""Brings libfairlead to the hosts of a job, and the records of its ranks back."""

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fairlead import native
from fairlead.cluster.deploy import deploy
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import attempt, on_all, run_on
from fairlead.cluster.executors import of
from fairlead.cluster.executors.base import Executor
from fairlead.errors import ConfigError, HostError
from fairlead.profile import record
from fairlead.profile.record import Record

SHIM = "libfairlead.so"
LIBRARIES = (SHIM, "libfairlead-openmpi.so", "libfairlead-mpich.so")
DIRECTORY_VARIABLE = "FAIRLEAD_PROFILE"
MESSAGES_VARIABLE = "FAIRLEAD_PROFILE_MESSAGES"
FETCH_TIMEOUT_S = 120.0
REMOVE_TIMEOUT_S = 30.0

# In memory: a record is written to all the time, and a rank must not wait for a disk.
_MAKE = 'umask 077; mkdir "/dev/shm/fairlead-profile-$0"'
# Waits for the end of its input, which comes with fairlead's own end, be it by kill -9. Ctrl-C is fairlead's.
_KEEP = 'trap "" HUP INT TERM; cat >/dev/null; rm -rf "/dev/shm/fairlead-profile-$0"'
_FETCH = 'cd "/dev/shm/fairlead-profile-$0" && tar -c -f - .'


@dataclass(frozen=True)
class Collection:
    """Where the ranks of one job leave their records, on every host.

    Attributes:
        environment: what makes them do it.
    """

    cluster: Cluster
    hosts: tuple[str, ...]
    job_id: str
    environment: dict[str, str]

    def records(self) -> list[Record]:
        """What there is now, from all hosts.

        Raises:
            HostError: a host was not reached.
            MeasurementError: a file is no record.
        """
        found: list[Record] = []
        for host, archive in on_all(self.hosts, self._fetch).items():
            with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                for member in files:
                    content = files.extractfile(member)
                    if content is not None and member.name.endswith(".record"):
                        found.append(record.parse(content.read(), source=f"{host}:{Path(member.name).name}"))
        return found

    def _fetch(self, host: str) -> bytes:
        done = attempt(of(self.cluster), host, ["sh", "-c", _FETCH, self.job_id], timeout_s=FETCH_TIMEOUT_S)
        if done.returncode != 0:
            reason = done.stderr.decode(errors="replace").strip()
            raise HostError(f"{host}: the ranks' records cannot be fetched: {reason}")
        return done.stdout


@contextmanager
def collection(cluster: Cluster, hosts: tuple[str, ...], job_id: str, *, messages: int) -> Iterator[Collection]:
    """Within: the hosts have libfairlead, and a directory for records that is removed at the end.

    Args:
        messages: how many ends of messages each process keeps one by one, 64 B each.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for records.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    executor = of(cluster)
    shim = _bring(cluster, hosts)
    before = os.environ.get("LD_PRELOAD")
    environment = {
        # First, so that tools that are loaded already are called by libfairlead and not instead of it.
        "LD_PRELOAD": f"{shim}:{before}" if before else shim,
        DIRECTORY_VARIABLE: f"/dev/shm/fairlead-profile-{job_id}",
        MESSAGES_VARIABLE: str(messages),
    }
    with ExitStack() as keepers:
        for host in hosts:
            keepers.enter_context(_keeper(executor, host, job_id))
        on_all(hosts, lambda host: run_on(executor, host, ["sh", "-c", _MAKE, job_id]))
        yield Collection(cluster, hosts, job_id, environment)


@contextmanager
def _keeper(executor: Executor, host: str, job_id: str) -> Iterator[None]:
    """A process on the host that removes the records when this block, or fairlead, has ended."""
    command = executor.command(host, ["sh", "-c", _KEEP, job_id])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as keeper:
        try:
            yield
        finally:
            _, said = keeper.communicate(timeout=REMOVE_TIMEOUT_S)
    if keeper.returncode != 0:
        raise HostError(f"{host}: the ranks' records were not removed: {said.decode(errors='replace').strip()}")


def _bring(cluster: Cluster, hosts: tuple[str, ...]) -> str:
    """Path of the shim, the same on all hosts; the wrappers lie beside it."""
    executor = of(cluster)
    files = {name: native.library(name) for name in LIBRARIES}
    if executor.shares_files:
        return str(files[SHIM])
    placed = {each[SHIM] for each in on_all(hosts, lambda host: deploy(executor, host, files)).values()}
    if len(placed) > 1:
        raise ConfigError(
            f"{cluster.source}: the hosts' home directories differ, so libfairlead is not at one path",
            hint="give the user the same home directory on all hosts",
        )
    return placed.pop()
