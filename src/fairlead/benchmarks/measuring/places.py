"""Whether ranks run where they were to: what their systems call themselves, against what the hosts do."""

from collections.abc import Sequence

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.execute import on_all, run_on, unexpected
from fairlead.errors import MeasurementError


def check(cluster: Cluster, asked: Sequence[str], found: Sequence[str]) -> None:
    """Compare where ranks were to run with where they do. Hosts that share a name of their own cannot be told apart.

    Args:
        asked: the host of each rank, as the cluster file calls it.
        found: what the system of each rank calls itself (gethostname).

    Raises:
        MeasurementError: a rank runs elsewhere.
        HostError: a host was not reached to be asked for its own name.
    """
    own = own_names(cluster, asked)
    for rank, (host, name) in enumerate(zip(asked, found, strict=True)):
        if name != own[host]:
            meant = ", ".join(sorted(each for each, called in own.items() if called == name))
            raise MeasurementError(
                f"rank {rank} was to run on {host}, which calls itself {own[host]}, and runs on {name}"
                + (f", which is {meant}" if meant and meant != name else ""),
                hint="mpirun placed ranks differently than requested, perhaps because of variables or "
                "configuration files of its own (OMPI_MCA_..., PRTE_MCA_..., HYDRA_..., I_MPI_...) or of a "
                "batch system",
            )


def own_names(cluster: Cluster, hosts: Sequence[str]) -> dict[str, str]:
    """What hosts call themselves.

    Raises:
        HostError: a host was not reached.
    """
    executor = executor_of(cluster)

    def ask(host: str) -> str:
        said = run_on(executor, host, ["uname", "-n"])
        if len(said.split()) != 1:
            raise unexpected(host, said)
        return said.strip()

    return on_all(dict.fromkeys(hosts), ask)
