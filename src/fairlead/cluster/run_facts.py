"""The facts that are kept with every run: of this machine, of the software, and of the cluster's hosts."""

from typing import Any

from fairlead.cluster.description import Cluster
from fairlead.cluster.execute import on_all, run_on
from fairlead.cluster.executors import of
from fairlead.cluster.launchers import ask
from fairlead.store import facts


def collect(cluster: Cluster, *, own_mpirun: bool = False) -> dict[str, Any]:
    """What `Store.begin_run` takes as ``facts``. Hosts are asked where they are machines of their own.

    Args:
        own_mpirun: the launch line is the user's own, so that its MPI is not known.

    Raises:
        MissingToolError: the cluster's mpirun is not on the launching host.
        HostError: a host was not reached.
    """
    executor = of(cluster)
    launches = cluster.launch_from
    version = None
    if not own_mpirun:
        version, _ = ask(executor if launches else None, launches or "this machine", cluster.mpirun)
    hosts = {}
    if executor.other_machines:
        names = [host.name for host in cluster.managed_hosts()]
        hosts = on_all(names, lambda host: facts.parse(run_on(executor, host, ["sh", "-c", facts.SCRIPT])))
    return facts.collect(version, hosts)
