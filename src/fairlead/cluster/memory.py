"""How much memory hosts have, and who of them would have too little."""

import os
from collections.abc import Mapping, Sequence

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.job import place_ranks

THIS_MACHINE = "this machine"


def here_B() -> int:
    """Of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def by_host(cluster: Cluster, ranks: int, memory_B: float) -> dict[str, float]:
    """What each host needs of a program whose ranks take ``memory_B`` together, by its name."""
    hosts = place_ranks(cluster, ranks)
    return {host: memory_B * hosts.count(host) / ranks for host in dict.fromkeys(hosts)}


def capacities(cluster: Cluster) -> dict[str, int]:
    """What hosts have, by name, as far as it is known: what the cluster's file says (``memory``), in B.

    Hosts that are parts of this machine have nothing of their own: see `shares_this_machine`.
    """
    return {host.name: host.memory_B for host in cluster.compute_hosts() if host.memory_B is not None}


def shares_this_machine(cluster: Cluster) -> bool:
    """Whether all hosts take the memory of this machine: a lab, or a local cluster."""
    return cluster.executor == "lab" or not executor_of(cluster).other_machines


def short(cluster: Cluster, needed: Sequence[Mapping[str, float]]) -> tuple[str, float, int] | None:
    """Who has too little for programs that run at the same time: (who, what is needed, what there is), in B.

    Args:
        needed: by each program, as `by_host` gives it.
    """
    totals: dict[str, float] = {}
    for each in needed:
        for host, memory_B in each.items():
            totals[host] = totals.get(host, 0.0) + memory_B
    if shares_this_machine(cluster):
        totals, known = {THIS_MACHINE: sum(totals.values())}, {THIS_MACHINE: here_B()}
    else:
        known = capacities(cluster)
    worst = max(
        ((host, total, known[host]) for host, total in totals.items() if host in known),
        key=lambda each: each[1] / each[2],
        default=None,
    )
    return worst if worst is not None and worst[1] > worst[2] else None
