"""What every data plane is to a run, and the registry of them: a new one is a file beside this one.

What carries packets or messages is native code: a `DataPlane` of the agent (native/agent/planes/data_plane.hpp).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fairlead.manage.components import ROUTE
from fairlead.registry import Registry

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.cluster.job import Job
    from fairlead.cluster.remote.end_limit import EndLimit


class Plane:
    """How what is rerouted travels.

    Attributes:
        by_agents: agents carry it, so that it needs no guardians; else the kernel does, at the guardians' word.
        in_ranks: ranks load a library of ours for it, so that the program must be linked dynamically.
    """

    by_agents = True
    in_ranks = False

    @contextmanager
    def joined(
        self, cluster: "Cluster", job: "Job", limit: "EndLimit | None" = None
    ) -> Iterator[tuple["Job", str | None]]:
        """For the length of the block, the job with what this plane needs on the hosts, and where ranks find agents.

        None: they do not.

        Args:
            limit: of the end of which the block's is a part.

        Raises:
            MissingToolError: a native part of it was not built.
            HostError: a host was not reached.
            ConfigError: the hosts do not have its parts where they need them.
        """
        yield job, None


PLANES: Registry[Plane] = Registry(
    "plane",
    "fairlead.manage.data_planes",
    order=lambda name, _: (name != ROUTE, name),  # what is taken where nothing else is said comes first
)
