"""Has the ranks of a job leave records, and brings them back."""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fairlead.cluster import preload
from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import attempt, on_all
from fairlead.cluster.executors import of
from fairlead.errors import HostError
from fairlead.profile import record
from fairlead.profile.record import Record

DIRECTORY_VARIABLE = "FAIRLEAD_PROFILE"
MESSAGES_VARIABLE = "FAIRLEAD_PROFILE_MESSAGES"
REGIONS_VARIABLE = "FAIRLEAD_PROFILE_REGIONS"
CALL_SITES_VARIABLE = "FAIRLEAD_PROFILE_CALL_SITES"
CHAOS_VARIABLE = "FAIRLEAD_CHAOS"
FETCH_TIMEOUT_S = 120.0

_FETCH = 'cd "$0" && tar -c -f - .'


@dataclass(frozen=True)
class Collection:
    """Where the ranks of one job leave their records, on every host.

    Attributes:
        environment: what makes them do it.
    """

    cluster: Cluster
    hosts: tuple[str, ...]
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
        command = ["sh", "-c", _FETCH, self.environment[DIRECTORY_VARIABLE]]
        done = attempt(of(self.cluster), host, command, timeout_s=FETCH_TIMEOUT_S)
        if done.returncode != 0:
            reason = done.stderr.decode(errors="replace").strip()
            raise HostError(f"{host}: the ranks' records cannot be fetched: {reason}")
        return done.stdout


@contextmanager
def collection(
    cluster: Cluster,
    hosts: tuple[str, ...],
    job_id: str,
    *,
    messages: int,
    regions: bool = False,
    call_sites: bool = False,
    chaos: int | None = None,
) -> Iterator[Collection]:
    """Within: the hosts have libfairlead, and a directory for records that is removed at the end.

    Args:
        messages: how many ends of messages each process keeps one by one, 64 B each.
        regions: the program names regions by MPI_Pcontrol.
        call_sites: calls are counted by the place that they are made from, too.
        chaos: seed; messages take two paths at random (docs/relay-plane.md).

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for records.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    environment = {
        **preload.environment(cluster, hosts),
        MESSAGES_VARIABLE: str(messages),
        **({REGIONS_VARIABLE: "1"} if regions else {}),
        **({CALL_SITES_VARIABLE: "1"} if call_sites else {}),
        **({CHAOS_VARIABLE: str(chaos)} if chaos is not None else {}),
    }
    with preload.directory(cluster, hosts, f"fairlead-profile-{job_id}") as path:
        yield Collection(cluster, hosts, {**environment, DIRECTORY_VARIABLE: path})
