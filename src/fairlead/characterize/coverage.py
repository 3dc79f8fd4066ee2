"""Which stored measurements are of a cluster's hosts, whatever cluster or job they were made in.

What was measured belongs to hosts, by name and address: a Slurm job's number is in its cluster's name, and its hosts
come back in other jobs. Emulated hosts are the exception. Their names and addresses are those of the next lab as well.
"""

from collections.abc import Sequence
from typing import Any

from fairlead.cluster.description import Cluster
from fairlead.store import Run

Address = tuple[str, str]  # name and address of a host

EMULATED = ("lab", "local")
"""Executors whose hosts are not machines of their own."""


def facts(cluster: Cluster) -> dict[str, Any]:
    """What a run keeps of its managed hosts to be found by: ``executor``, and names and addresses ``paths_between``."""
    return {"executor": cluster.executor, "paths_between": hosts_of(cluster)}


def hosts_of(cluster: Cluster) -> list[dict[str, str]]:
    """Names and addresses of the managed hosts, in the cluster file's order."""
    return [{"name": host.name, "address": host.address} for host in cluster.managed_hosts()]


def addresses(hosts: Sequence[dict[str, str]]) -> list[Address]:
    """Hosts as they are stored, as what they are told apart by."""
    return [(host["name"], host["address"]) for host in hosts]


def present(hosts: Sequence[dict[str, str]], cluster: Cluster) -> tuple[list[int], list[int]]:
    """The measured hosts that the cluster has: their indices in the cluster, and among those measured."""
    measured = {address: index for index, address in enumerate(addresses(hosts))}
    found = [(i, measured[each]) for i, each in enumerate(addresses(hosts_of(cluster))) if each in measured]
    return [i for i, _ in found], [j for _, j in found]


def of_its_network(run: Run, hosts: Sequence[dict[str, str]], cluster: Cluster) -> bool:
    """Whether what the run measured between these hosts may be said of hosts of the cluster."""
    if cluster.executor in EMULATED or run.facts.get("executor") in EMULATED:
        return run.labels.get("cluster") == cluster.name and list(hosts) == hosts_of(cluster)
    return True


def covers(run: Run, hosts: Sequence[dict[str, str]], cluster: Cluster) -> bool:
    """Whether the run measured between all of the cluster's managed hosts."""
    return of_its_network(run, hosts, cluster) and len(present(hosts, cluster)[0]) == len(cluster.managed_hosts())
