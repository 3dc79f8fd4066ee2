"""Has the ranks of a job leave records, and brings them back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.jobs import preload
from fairlead.cluster.remote.execute import on_all
from fairlead.cluster.remote.fetch import fetch_records
from fairlead.profile.reading import pml_monitoring, record_files
from fairlead.profile.record import Record

DIRECTORY_VARIABLE = "FAIRLEAD_PROFILE"
MESSAGES_VARIABLE = "FAIRLEAD_PROFILE_MESSAGES"
REGIONS_VARIABLE = "FAIRLEAD_PROFILE_REGIONS"
CALL_SITES_VARIABLE = "FAIRLEAD_PROFILE_CALL_SITES"
CHAOS_VARIABLE = "FAIRLEAD_CHAOS"


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
        return [each for found in on_all(self.hosts, self._records_of).values() for each in found]

    def counted(self) -> dict[str, str]:
        """What Open MPI's component pml/monitoring left: texts of files by name, from all hosts.

        Raises:
            HostError: a host was not reached.
        """
        return {name: text for found in on_all(self.hosts, self._counted_on).values() for name, text in found.items()}

    def _counted_on(self, host: str) -> dict[str, str]:
        found: dict[str, str] = {}

        def take(name: str, content: IO[bytes]) -> None:
            found[name] = content.read().decode(errors="replace")

        directory = self.environment[DIRECTORY_VARIABLE]
        fetch_records(executor_of(self.cluster), host, directory, take, ending=pml_monitoring.ENDING)
        return found

    def _records_of(self, host: str) -> list[Record]:
        found: list[Record] = []

        def take(name: str, content: IO[bytes]) -> None:
            if (each := record_files.parse(content.read(), source=f"{host}:{name}")) is not None:
                found.append(each)

        fetch_records(executor_of(self.cluster), host, self.environment[DIRECTORY_VARIABLE], take)
        return found


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
    count: bool = False,
) -> Iterator[Collection]:
    """Within: the hosts have libfairlead, and a directory for records that is removed at the end.

    Args:
        messages: how many ends of messages each process keeps one by one, 64 B each.
        regions: the program names regions by MPI_Pcontrol.
        call_sites: calls are counted by the place that they are made from, too.
        chaos: seed; messages take two paths at random (docs/explanation/relay-plane.md).
        count: Open MPI counts all messages, too (`fairlead.profile.reading.pml_monitoring`).

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
    with preload.directory(cluster, hosts, "profile", job_id) as path:
        counting = pml_monitoring.environment(path) if count else {}
        yield Collection(cluster, hosts, {**environment, **counting, DIRECTORY_VARIABLE: path})
