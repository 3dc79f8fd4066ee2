"""Where mpirun is, if it runs on this host: a module or a virtual environment may have put it into PATH here."""

import shutil
from pathlib import Path

from fairlead.cluster import addresses
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of


def with_path_here(cluster: Cluster) -> Cluster:
    """The cluster with mpirun's path for its name, where it runs here, on one of the hosts, which share their files.

    A log-in on another host, which has not this PATH, then finds it and its daemons all the same. Elsewhere, and
    without such a program here, the cluster is as it was.
    """
    if "/" in cluster.mpirun or not cluster.launches_from_here() or not executor_of(cluster).shares_files:
        return cluster
    found = shutil.which(cluster.mpirun)
    if found is None or not any(addresses.is_own(host.address) for host in cluster.hosts):
        return cluster
    return cluster.with_mpirun(str(Path(found).absolute()))
