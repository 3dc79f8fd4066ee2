"""Which paths have a bottleneck in common after machines have moved, without traffic to find it out.

Paths meet because of where their ends are. So those of a machine that moved are taken to share what paths of machines
that lay alike were found to share by the characterization: ends equal or not, on one server or not, in one network or
not. Nothing is injected into a network that a program is using.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Ints
from fairlead.cloud.inventory import Inventory
from fairlead.manage.migration.counting import counted
from fairlead.manage.migration.grouped import Ends, Fills, GroupedSharing, two_paths
from fairlead.manage.migration.kinds import Kinds
from fairlead.manage.migration.layouts import NETWORKS_BITS, Numbers, layout
from fairlead.manage.migration.regrouping import Judged, regrouped
from fairlead.manage.migration.stand_ins import StandIns, stand_ins
from fairlead.manage.migration.threes import Threes, threes


@dataclass(frozen=True)
class Places:
    """Where each of a job's hosts is: its server, and the network of that server, both by name."""

    servers: tuple[str, ...]
    networks: tuple[str, ...]

    @classmethod
    def of(cls, inventory: Inventory, names: Sequence[str]) -> "Places":
        """A host that is no machine of this cloud has a server of its own, which no machine is on."""
        server = {vm.name: vm.server for vm in inventory.vms}
        network = {each.name: each.network for each in inventory.servers}
        servers = [server.get(name, f"host {name}") for name in names]
        return cls(tuple(servers), tuple(network.get(each, "") for each in servers))


@dataclass(frozen=True)
class _Lying:
    """(hosts) servers and networks as numbers."""

    servers: Ints
    networks: Ints

    def layout(self, ends: Ends) -> Numbers:
        return layout(ends, [self.servers[end] for end in ends], [self.networks[end] for end in ends])


class Relation:
    """Which paths were found to share, and where the hosts were then."""

    def __init__(self, sharing: GroupedSharing, before: Places) -> None:
        self._sharing, self._before = sharing, before
        self._networks = {name: number for number, name in enumerate(dict.fromkeys(before.networks))}
        network = self._numbers(before)
        pairs, self._kind = np.unique(np.stack((network, sharing.of)), axis=1, return_inverse=True)
        networks, groups = pairs
        servers = np.unique(before.servers, return_inverse=True)[1]
        cells = sharing.cells[np.ix_(groups, groups, groups, groups)]
        self._alike = counted(Kinds(self._kind, servers, networks, cells, sharing.fills))

    def after(self, now: Places) -> GroupedSharing:
        """The relation with the hosts where they are now.

        Where two paths' ends lie to each other as they did it is what was found. Else it is what was found for nearly
        all pairs of paths that lay so, of the same networks if there were any; where there were none, or they differed,
        it stays as it was. Of many hosts, some of each kind show what holds for all, and groups are kept together
        whose paths nearly all agree.
        """
        moved = np.array([a != b for a, b in zip(self._before.servers, now.servers, strict=True)])
        if not moved.any():
            return self._sharing
        some = stand_ins(self._kind, moved, self._before.servers, now.servers)
        lay, lie = self._lying(self._before), self._lying(now)
        judged = [self._judged(*each, lay, lie) for each in self._two_paths(some, self._sharing.fills)]
        return regrouped(self._sharing, some, moved, judged)

    def differing(self, one: GroupedSharing, other: GroupedSharing, *places: Places) -> int:
        """How many pairs of paths share something in only one of two relations, with the hosts in two of these places:
        of few hosts exactly, of many about so many."""
        servers = [self._before.servers, *(each.servers for each in places)]
        moved = (np.stack([np.array(each) for each in servers]) != np.array(servers[0])).any(axis=0)
        joint = np.unique(np.stack((self._kind, one.of, other.of)), axis=1, return_inverse=True)[1].ravel()
        some = stand_ins(joint, moved, *servers)
        total = 0.0
        for three, host, place in self._two_paths(some, one.fills, other.fills):
            ends = three.ends(host, place)
            differ = one.hurts(*ends) != other.hurts(*ends)
            for end in ends[:place]:
                differ = differ & ~moved[end]  # those were counted with that end
            total += float(three.number[differ].sum())
        return round(total)

    @staticmethod
    def _two_paths(some: StandIns, *fills: Fills) -> Iterator[tuple[Threes, int, int]]:
        """Each host that moved as k, m, i and j of two paths, and the three other ends."""
        for three in threes(some, *fills):
            for host in some.moved.tolist():
                for place in range(4):
                    yield three, host, place

    def _judged(self, three: Threes, host: int, place: int, lay: _Lying, lie: _Lying) -> Judged:
        ends = three.ends(host, place)
        found, now = self._sharing.hurts(*ends), lie.layout(ends)
        changed = two_paths(*ends) & (now != lay.layout(ends))
        layouts, was = now[changed], found[changed]
        otherwise = self._alike.anywhere.nearly_all(layouts >> NETWORKS_BITS, was)
        found[changed] = self._alike.nearly_all(layouts, otherwise)
        return Judged(three, host, place, found)

    def _lying(self, places: Places) -> _Lying:
        return _Lying(np.unique(places.servers, return_inverse=True)[1], self._numbers(places))

    def _numbers(self, places: Places) -> Ints:
        for name in places.networks:
            self._networks.setdefault(name, len(self._networks))
        return np.array([self._networks[each] for each in places.networks])
