"""Files with every message of a run: each process of the program writes its own (docs/monitor.md)."""

import io
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairlead import files
from fairlead.cluster import preload
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import attempt, on_all, run_on
from fairlead.cluster.executors import of
from fairlead.cluster.job import Job
from fairlead.errors import ConfigError, HostError
from fairlead.profile.collect import DIRECTORY_VARIABLE, MESSAGES_VARIABLE

ALL = str(2**62)
FETCH_TIMEOUT_S = 600.0

_MAKE = 'mkdir -p "$0" && ls -A "$0"'
_FETCH = 'cd "$0" && ls -A | grep "[.]record$" | tar -c -f - -T -'


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

    def fetch(self) -> None:
        """Bring the files to this machine, those of each host that keeps its own into a folder of its name.

        Raises:
            HostError: a host was not reached; the files are still there.
            FairleadError: they cannot be written here.
        """
        for host, archive in on_all(self.apart, self._fetch).items():
            with tarfile.open(fileobj=io.BytesIO(archive)) as content:
                for member in content:
                    data = content.extractfile(member)
                    if data is not None:
                        files.write(self.path / host / Path(member.name).name, data.read())

    def _fetch(self, host: str) -> bytes:
        command = ["sh", "-c", _FETCH, str(self.path)]
        done = attempt(of(self.cluster), host, command, timeout_s=FETCH_TIMEOUT_S)
        if done.returncode != 0:
            reason = done.stderr.decode(errors="replace").strip()
            raise HostError(f"{host}: the messages in {self.path} cannot be fetched: {reason}", hint="they stay there")
        return done.stdout


def prepare(cluster: Cluster, directory: Path) -> MessageFiles:
    """Make the directory on this machine and all hosts, and bring libfairlead to them.

    Raises:
        ConfigError: the directory has something in it, here or on a host.
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached.
    """
    path = directory.resolve()
    hosts = tuple(host.name for host in cluster.compute_hosts())
    apart = _make(cluster, hosts, path)
    environment = preload.environment(cluster, hosts)
    return MessageFiles(cluster, path, apart, {**environment, DIRECTORY_VARIABLE: str(path), MESSAGES_VARIABLE: ALL})


def _make(cluster: Cluster, hosts: Sequence[str], path: Path) -> tuple[str, ...]:
    """Make the directory everywhere; returns the hosts whose directory is not this machine's."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ConfigError(f"--messages {path}: is not an empty directory", hint="name another one")
    mark = files.write(path / ".fairlead", b"")  # who sees it shares the directory
    try:
        found = on_all(tuple(hosts), lambda host: run_on(of(cluster), host, ["sh", "-c", _MAKE, str(path)]).split())
    finally:
        mark.unlink()
    for host, there in found.items():
        if there and there != [mark.name]:
            raise ConfigError(f"--messages {path}: is not empty on {host}", hint="name another one")
    return tuple(host for host, there in found.items() if not there)
