"""What ranks of a managed run have in common with agents: the monitor's rings, and what the run's plane needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.manage.data_planes import PLANES
from fairlead.manage.management import Management
from fairlead.manage.monitor import monitored


@contextmanager
def joined(
    cluster: Cluster, job: Job, management: Management, limit: EndLimit | None = None
) -> Iterator[tuple[Job, Management]]:
    """The job and its management with that, for the length of the block.

    Args:
        limit: of the end of which the block's is a part.

    Raises:
        MissingToolError, HostError, ConfigError: see `monitored` and `Plane.joined`.
    """
    with (
        monitored(cluster, job, management, limit) as (watched, watching),
        PLANES.get(management.plane).joined(cluster, watched, limit) as (ready, relay),
    ):
        yield ready, replace(watching, relay=relay)
