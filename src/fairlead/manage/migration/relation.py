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
from fairlead.manage.migration.grouped import Ends, GroupedSharing, two_paths
from fairlead.manage.migration.layouts import NETWORKS_BITS, Kinds, counted, layout
from fairlead.manage.migration.regrouping import Judged, regrouped
from fairlead.manage.migration.stand_ins import StandIns, stand_ins


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
        judged = [self._judged(ends, now) for ends in self._ends(some)]
        return regrouped(self._sharing, some, moved, judged)

    def differing(self, one: GroupedSharing, other: GroupedSharing, *places: Places) -> int:
        """How many pairs of paths share something in only one of two relations, with the hosts in two of these places:
        of few hosts exactly, of many about so many."""
        servers = [self._before.servers, *(each.servers for each in places)]
        moved = (np.stack([np.array(each) for each in servers]) != np.array(servers[0])).any(axis=0)
        joint = np.unique(np.stack((self._kind, one.of, other.of)), axis=1, return_inverse=True)[1].ravel()
        some = stand_ins(joint, moved, *servers)
        total = 0.0
        for ends in self._ends(some):
            differ = one.hurts(*ends) != other.hurts(*ends)
            if not differ.any():
                continue
            for end in ends[: next(number for number, end in enumerate(ends) if np.ndim(end) == 0)]:
                differ = differ & ~moved[end]  # those were counted with that end
            number = differ.astype(np.float64)
            for end in ends:
                number = number * some.weight[end]
            total += float(number.sum())
        return round(total)

    @staticmethod
    def _ends(some: StandIns) -> Iterator[Ends]:
        """k, m, i and j along three axes or none: each moved host as each of the four, with all others."""
        every = some.hosts[:, None, None], some.hosts[:, None], some.hosts
        for host in some.moved:
            for place in range(4):
                ends = [*every[:place], np.array(host), *every[place:]]
                yield ends[0], ends[1], ends[2], ends[3]

    def _judged(self, ends: Ends, now: Places) -> Judged:
        there, found = two_paths(*ends), self._sharing.hurts(*ends)
        for number in range(len(found)):  # all at once would need much memory
            few = tuple(end[number : number + 1] if np.ndim(end) == 3 else end for end in ends)
            before, lies = self._layout(self._before, few), self._layout(now, few)
            changed = there[number] & (lies != before)[0]
            lie, was = lies[0][changed], found[number][changed]
            otherwise = self._alike.anywhere.nearly_all(lie >> NETWORKS_BITS, was)
            found[number][changed] = self._alike.nearly_all(lie, otherwise)
        return Judged(ends, there, found)

    def _layout(self, places: Places, ends: Sequence[Ints]) -> Ints:
        servers, networks = np.unique(places.servers, return_inverse=True)[1], self._numbers(places)
        return layout(ends, [servers[end] for end in ends], [networks[end] for end in ends])

    def _numbers(self, places: Places) -> Ints:
        for name in places.networks:
            self._networks.setdefault(name, len(self._networks))
        return np.array([self._networks[each] for each in places.networks])
