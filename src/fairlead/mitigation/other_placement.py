"""What another placement of the ranks would change, from the messages that were seen. Pure."""

from collections.abc import Callable

import numpy as np

from fairlead.characterize.characterization import Characterization
from fairlead.cluster.description import Cluster
from fairlead.mitigation.advice import BetterPlacement
from fairlead.mitigation.evidence import Evidence
from fairlead.placement import compute
from fairlead.placement import network as networks
from fairlead.placement.cost import TrafficMatrix, cost

MOST_RANKS = 512  # of which another placement is looked for while the program runs: it takes seconds of this machine


def finder(cluster: Cluster, found: Characterization | None) -> Callable[[Evidence], BetterPlacement | None]:
    """What looks for a better placement on these hosts.

    Args:
        found: what is known of the network; None: all hosts are taken to be equally far from each other.
    """
    return lambda seen: better(seen, cluster, found)


def better(seen: Evidence, cluster: Cluster, found: Characterization | None) -> BetterPlacement | None:
    """The best placement that is found, which may be the present one; None where ranks were not seen, or are many.

    Raises:
        MeasurementError, ConfigError: the characterization does not fit the cluster.
    """
    where = seen.hosts()
    if where is None or len(where) > MOST_RANKS:
        return None
    ranks = len(where)
    managed = cluster.managed_names()
    before = [managed[host] for host in where]
    messages, bytes_B = np.zeros((ranks, ranks)), np.zeros((ranks, ranks))
    for (source, rank), sums in seen.pairs.items():
        messages[source, rank], bytes_B[source, rank] = sums.messages, sums.size_B
    traffic = TrafficMatrix(messages, bytes_B)
    hosts = cluster.compute_names()
    network = (
        networks.characterized(cluster, ranks, found, traffic.size_B)
        if found is not None
        else networks.assumed(hosts, networks.room(cluster, ranks))
    )
    if not set(before) <= set(network.hosts):
        return None
    after = compute.better(traffic, network, before)
    costs_s = [
        cost(traffic, network, np.array([network.hosts.index(host) for host in placed])).time_s
        for placed in (before, after)
    ]
    return BetterPlacement(after, 1 - costs_s[1] / costs_s[0] if costs_s[0] > 0 else 0.0)
