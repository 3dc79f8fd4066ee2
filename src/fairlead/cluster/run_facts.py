"""The facts that are kept with every run: of this machine, of the software, and of the cluster's hosts."""

from typing import Any

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import Executor, executor_of
from fairlead.cluster.launchers import ask
from fairlead.cluster.remote.execute import on_all, run_on, unexpected
from fairlead.errors import StoreError
from fairlead.store import facts


def collect(cluster: Cluster, mpirun: str | None) -> dict[str, Any]:
    """What `Store.begin_run` takes as ``facts``. Hosts are asked where they are machines of their own.

    Args:
        mpirun: the one in use, whose MPI is recorded; None: none is, or the launch line is the user's own.

    Raises:
        MissingToolError: that mpirun is not on the launching host.
        HostError: a host was not reached, or its shell prints something itself.
    """
    executor = executor_of(cluster)
    launches = cluster.launch_from
    version = None
    if mpirun is not None:
        version, _ = ask(executor if launches else None, launches or "this machine", mpirun)
    hosts = {}
    if executor.other_machines:
        names = cluster.managed_names()
        hosts = on_all(names, lambda host: _of_host(executor, host))
    return facts.collect(version, hosts, len(cluster.compute_hosts()))


def _of_host(executor: Executor, host: str) -> dict[str, str]:
    said = run_on(executor, host, ["sh", "-c", facts.SCRIPT])
    try:
        return facts.parse(said)
    except StoreError as error:  # its shell says something itself
        raise unexpected(host, said) from error
