"""The relay plane of a run: ranks hand messages to their hosts' agents, which carry them (docs/relay-plane.md)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fairlead.cluster import preload
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.manage.supervisor import Management

RELAY_VARIABLE = "FAIRLEAD_RELAY"


@contextmanager
def relayed(cluster: Cluster, job: Job, management: Management) -> Iterator[tuple[Job, Management]]:
    """The job and its management; under the relay plane, ranks and agents meet in a directory on every host.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for the directory.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    if management.plane != "relay":
        yield job, management
        return
    environment = preload.environment(cluster, tuple(host.name for host in cluster.compute_hosts()))
    hosts = tuple(host.name for host in cluster.managed_hosts())  # also those without ranks may relay
    with preload.directory(cluster, hosts, f"fairlead-relay-{job.id}") as path:
        joined = replace(job, env={**job.env, **environment, RELAY_VARIABLE: path})
        yield joined, replace(management, relay=path)
