"""The message monitor of a run: ranks write rings (docs/reference/message-rings.md), which their hosts' agents read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload
from fairlead.manage.management import Management

RINGS_VARIABLE = "FAIRLEAD_RINGS"


@contextmanager
def monitored(cluster: Cluster, job: Job, management: Management) -> Iterator[tuple[Job, Management]]:
    """The job and its management; where its components have the monitor, ranks write rings and agents read them.

    Raises:
        MissingToolError: libfairlead was not built.
        HostError: a host was not reached, or has no place for rings.
        ConfigError: the hosts do not have libfairlead at the same path.
    """
    if not management.components.monitor:
        yield job, management
        return
    hosts = tuple(host.name for host in cluster.compute_hosts())
    environment = preload.environment(cluster, hosts)
    with preload.directory(cluster, hosts, "rings", job.id) as path:
        watched = replace(job, env={**job.env, **environment, RINGS_VARIABLE: path})
        yield watched, replace(management, rings=path)
