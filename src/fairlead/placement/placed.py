"""Uses a placement that was computed before: which host each rank of a run goes to."""

from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.placement.json_form import Placement


def hosts(file: Path, cluster: Cluster, ranks: int | None = None, *, own_mpirun: bool = False) -> tuple[str, ...]:
    """The host of each rank, in rank order, by a file that ``fairlead placement --json`` wrote.

    Args:
        ranks: how many were asked for; None: as many as were placed.
        own_mpirun: the launch line is the user's own.

    Raises:
        ConfigError: it is none, is of another cluster or number of ranks, or cannot be used.
    """
    if own_mpirun:
        raise ConfigError(
            f"--placement {file}: your own launch line places its ranks itself",
            hint="`fairlead placement --rankfile` or `--hosts` writes what Open MPI or MPICH take",
        )
    found = Placement.read(file)
    if found.cluster != cluster.name:
        raise ConfigError(f"{file}: places ranks on {found.cluster}, not on {cluster.name}")
    if ranks is not None and ranks != found.ranks:
        raise ConfigError(f"{file}: places {found.ranks} ranks, but {ranks} were requested", hint="omit -n")
    compute = [host.name for host in cluster.compute_hosts()]
    unknown = [host for host in found.host_of_rank if host not in compute]
    if unknown:
        raise ConfigError(
            f"{file}: places ranks on {unknown[0]}, which is not a compute host of {cluster.source}",
            hint="compute it again with `fairlead placement`",
        )
    return tuple(found.host_of_rank)
