"""Some hosts that stand for all: how the paths of a machine that moved lie to all others shows by a few of each kind.

Unmoved hosts of one kind are alike but for the servers that they are on. Where no machine left or arrived, it matters
only which of three hosts (the ends that did not move) are on one server. So of servers with the same numbers of each
kind of hosts three are looked at: up to three hosts of each kind on the first, one on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Ints

ALL = 32
"""Of so many hosts each stands for itself."""

ENDS = 3
TOUCHED = 8
"""Hosts of a kind that are looked at where a machine left or arrived."""


@dataclass(frozen=True)
class StandIns:
    """Of all hosts.

    Attributes:
        hosts: those that are looked at; ``moved`` those of them that moved: all that did.
        weight: (hosts of the job) how many hosts each stands for; 0 for one that is not looked at.
        alike: (hosts of the job) a number for those that are of one kind and lie alike to all that moved.
        exchangeable: (hosts of the job) a number for those that are of one kind and on one server. Hosts that moved,
            and those alike of which each is looked at, have one each.
    """

    hosts: Ints
    moved: Ints
    weight: Floats
    alike: Ints
    exchangeable: Ints

    def each_looked_at(self, of: Ints) -> Bools:
        """(groups) whether each of the hosts in a group stands for itself; ``of``: (hosts of the job) the groups."""
        return each_looked_at(self.weight, of)


def each_looked_at(weight: Floats, of: Ints) -> Bools:
    """See `StandIns.each_looked_at`."""
    return np.asarray(np.bincount(of, weight != 1.0) == 0)


def stand_ins(kind: Ints, moved: Bools, *places: Sequence[str]) -> StandIns:
    """Hosts that stand for all.

    Args:
        kind: (hosts) which are alike.
        moved: (hosts) those that are not on the same server in all places.
        places: the server of each host, at different times.
    """
    servers = np.unique(np.stack([np.array(each) for each in places]), return_inverse=True)[1]
    servers = servers.reshape(len(places), -1)
    touched = np.unique(servers[:, moved])
    at = np.where(np.isin(servers[0], touched), servers[0], -1)  # elsewhere the server does not matter
    at[moved] = servers.max() + 1 + np.flatnonzero(moved)
    alike = np.unique(np.stack((kind, at)), axis=1, return_inverse=True)[1].ravel()
    few = len(kind) <= ALL
    weight = np.ones(len(kind)) if few else _weights(kind, np.where(moved, at, servers[0]), at >= 0)
    exchangeable = np.unique(np.stack((kind, servers[0])), axis=1, return_inverse=True)[1].ravel()
    own = np.flatnonzero(moved | each_looked_at(weight, alike)[alike])
    exchangeable[own] = len(kind) + own
    return StandIns(np.flatnonzero(weight > 0), np.flatnonzero(moved), weight, alike, exchangeable)


def _weights(kind: Ints, servers: Ints, touched: Bools) -> Floats:
    weight = np.zeros(len(kind))
    number = np.zeros((int(servers.max()) + 1, int(kind.max()) + 1), dtype=np.int64)
    np.add.at(number, (servers, kind), 1)
    alike: dict[tuple[int, bytes], list[int]] = {}  # servers, by what they have; those that are touched by themselves
    for server in np.unique(servers).tolist():
        by_itself = server if touched[servers == server].all() else -1
        alike.setdefault((by_itself, np.minimum(number[server], ENDS).tobytes()), []).append(server)
    for group in alike.values():
        for of_kind in np.flatnonzero(number[group[0]]):
            hosts = [np.flatnonzero((servers == server) & (kind == of_kind)) for server in group]
            _weigh(weight, hosts, TOUCHED if touched[hosts[0]].all() else ENDS)
    return weight


def _weigh(weight: Floats, hosts: list[Ints], most: int) -> None:
    """Hosts of one kind by server: some of the first one, and one of some others, stand for all."""
    first, others = hosts[0][:most], [each[:1] for each in hosts[1:ENDS]]
    weight[first] = len(hosts[0]) / len(first)
    for host in others:
        weight[host] = sum(map(len, hosts[1:])) / len(others)
