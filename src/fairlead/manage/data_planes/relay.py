"""The relay plane: ranks hand messages to agents, which carry them over a third host."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from fairlead.manage.data_planes.base import PLANES, Plane

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.cluster.job import Job
    from fairlead.cluster.remote.end_limit import EndLimit

VARIABLE = "FAIRLEAD_RELAY"


class RelayPlane(Plane):
    """Ranks and agents meet in a directory on every host."""

    in_ranks = True

    @contextmanager
    def joined(
        self, cluster: "Cluster", job: "Job", limit: "EndLimit | None" = None
    ) -> Iterator[tuple["Job", str | None]]:
        """See `Plane.joined`."""
        from fairlead.cluster.jobs import preload

        environment = preload.environment(cluster, tuple(cluster.compute_names()))
        hosts = tuple(cluster.managed_names())  # also those without ranks may relay
        with preload.directory(cluster, hosts, "relay", job.id, limit) as path:
            yield replace(job, env={**job.env, **environment, VARIABLE: path}), path


PLANES.register("relay")(RelayPlane())
