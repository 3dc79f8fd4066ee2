"""Which ranks measure together: pairs of hosts, each with one or more pairs of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError

HostPair = tuple[str, str]


@dataclass(frozen=True)
class PairPlacement:
    """Ranks of a point-to-point benchmark: of each pair of hosts all ranks of the first, then all of the second.

    Attributes:
        host_pairs: measured at the same time; the first host of each holds the clock.
        most: pairs of ranks for each.
    """

    host_pairs: tuple[HostPair, ...]
    most: int

    def hosts(self) -> list[str]:
        """The host of every rank."""
        return [host for pair in self.host_pairs for host in pair for _ in range(self.most)]

    def ranks(self, pairs: int) -> list[tuple[int, int]]:
        """The pairs of ranks where each pair of hosts has so many of them."""
        return [
            (2 * index * self.most + k, (2 * index + 1) * self.most + k)
            for index in range(len(self.host_pairs))
            for k in range(pairs)
        ]


def host_pairs(cluster: Cluster, given: Sequence[HostPair]) -> tuple[HostPair, ...]:
    """The pairs of hosts asked for, or the first two compute hosts.

    Raises:
        ConfigError: a host is unknown or takes no ranks, a pair is one host, or there are no two.
    """
    hosts = cluster.compute_names()
    for pair in given:
        for name in pair:
            if cluster.host(name).name not in hosts:
                raise ConfigError(
                    f"--between {' '.join(pair)}: {name} takes no ranks (its role is not a compute host's)"
                )
        if pair[0] == pair[1]:
            raise ConfigError(f"--between {' '.join(pair)}: give two different hosts")
    if not given and len(hosts) < 2:
        raise ConfigError(
            f"{cluster.source}: {cluster.name} has a single compute host, so there is no path to measure",
            hint="list at least two hosts with role compute",
        )
    return tuple(given) or ((hosts[0], hosts[1]),)
