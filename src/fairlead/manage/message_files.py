"""Files with every message of a run: each process of the program writes its own (docs/guides/monitor.md)."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO

from fairlead import files
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import attempt, on_all, run_on
from fairlead.cluster.remote.fetch import fetch_records
from fairlead.errors import ConfigError, HostError, of_system
from fairlead.profile.reading.collect import DIRECTORY_VARIABLE, MESSAGES_VARIABLE

ALL = str(2**62)
CHUNK_B = 1 << 20
SOON_S = 5.0  # without a byte of a host, where somebody wants the end
ANSWER_S = 30.0

_MAKE = 'mkdir -p "$0" && ls -A "$0"'


@dataclass(frozen=True)
class MessageFiles:
    """Where each process of a job writes its messages. Whoever is killed leaves what was written up to then, there.

    Attributes:
        path: on every host.
        apart: hosts whose directory is another than this machine's.
        environment: what makes processes write.
    """

    cluster: Cluster
    path: Path
    apart: tuple[str, ...]
    environment: dict[str, str]

    def of(self, job: Job) -> Job:
        """The job whose processes write."""
        return replace(job, env={**job.env, **self.environment})

    def fetch(self, limit: EndLimit | None = None) -> None:
        """Bring the files to this machine, those of each host that keeps its own into a folder of its name.

        One host after the other: there is one disk here, and they may be larger than memory. Once one has failed, the
        others are asked at the same time whether they answer: many may be behind the same switch.

        Args:
            limit: of the end that somebody wanted: hosts that it has given up are not asked, and no other is waited for
                as long as usual.

        Raises:
            HostError: hosts were not reached; their files are still there, and those of the others here.
            FairleadError: they cannot be written here.
        """
        failures, left = [], list(self.apart)
        standstill_s = SOON_S if limit is not None and limit.begun else None
        while left:
            host = left.pop(0)
            if limit is not None and limit.gave_up(host):
                failures.append(f"{host}: does not answer, so the records in {self.path} were not fetched")
                continue
            take = partial(_write, self.path / host)
            try:
                fetch_records(executor_of(self.cluster), host, str(self.path), take, standstill_s=standstill_s)
            except HostError as error:
                failures.append(error.message)
                silent = self._silent(left, standstill_s or ANSWER_S)
                failures += silent.values()
                left = [each for each in left if each not in silent]
        if failures:
            raise HostError("; ".join(failures), hint="they stay there")

    def _silent(self, hosts: Sequence[str], timeout_s: float) -> dict[str, str]:
        """Why hosts do not answer, of those that do not."""

        def why(host: str) -> str | None:
            try:
                attempt(executor_of(self.cluster), host, ["true"], timeout_s=timeout_s)
            except HostError as error:
                return error.message
            return None

        return {host: said for host, said in on_all(hosts, why).items() if said is not None}


def prepare(cluster: Cluster, directory: Path) -> MessageFiles:
    """Make the directory on this machine and all hosts, and bring libfairlead to them.

    Raises:
        ConfigError: the directory has something in it, here or on a host.
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached.
    """
    path = directory.resolve()
    hosts = tuple(cluster.compute_names())
    apart = _make(cluster, hosts, path)
    environment = preload.environment(cluster, hosts)
    return MessageFiles(cluster, path, apart, {**environment, DIRECTORY_VARIABLE: str(path), MESSAGES_VARIABLE: ALL})


def _write(directory: Path, name: str, content: IO[bytes]) -> None:
    """Copy what comes into a file, which gets its name when it is whole."""
    unfinished = directory / f".{name}.unfinished"
    try:
        directory.mkdir(exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                shutil.copyfileobj(content, file, CHUNK_B)
            unfinished.replace(directory / name)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise of_system(error, directory / name, doing="cannot be written") from error


def _make(cluster: Cluster, hosts: Sequence[str], path: Path) -> tuple[str, ...]:
    """Make the directory everywhere; returns the hosts whose directory is not this machine's."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ConfigError(f"--messages {path}: is not an empty directory", hint="name another one")
    mark = files.write(path / ".fairlead", b"")  # who sees it shares the directory
    try:
        found = on_all(
            tuple(hosts), lambda host: run_on(executor_of(cluster), host, ["sh", "-c", _MAKE, str(path)]).split()
        )
    finally:
        mark.unlink()
    for host, there in found.items():
        if there and there != [mark.name]:
            raise ConfigError(f"--messages {path}: is not empty on {host}", hint="name another one")
    return tuple(host for host, there in found.items() if not there)
