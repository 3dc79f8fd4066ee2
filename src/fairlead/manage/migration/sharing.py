"""Which paths have a bottleneck in common after machines have moved, without traffic to find it out.

Paths meet because of where their ends are. So those of a machine that moved are taken to share what paths of machines
that lay alike were found to share by the characterisation: ends equal or not, on one server or not, in one network or
not. Nothing is injected into a network that a program is using.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairlead.cloud.inventory import Inventory
from fairlead.manage.migration.probing import Commander
from fairlead.measure.json_form import hurts_list
from fairlead.measure.samples import Bools

_Numbers = npt.NDArray[np.int64]
_MOST_NETWORKS = 1 << 11
_NETWORKS_BITS = 4 * 11
"""Of the four ends' networks, in a layout's lowest bits."""


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


def after(hurts: Bools, before: Places, now: Places) -> Bools:
    """The relation with the hosts where they are now.

    Args:
        hurts: by [k, m, i, j], whether an injection on k → m hurts i → j, found with the hosts ``before``.

    Returns:
        As ``hurts``. Where an end of two paths has moved, it is what was found for most pairs of paths that lay so, of
        the same networks if there were any. Where none lay so, and where no end has moved, it stays as it was.
    """
    every = range(len(hurts))
    networks = {name: number for number, name in enumerate(dict.fromkeys(before.networks + now.networks))}
    moved = np.array([a != b for a, b in zip(before.servers, now.servers, strict=True)])
    alike, anywhere = _Found(), _Found()
    for k in every:
        two, layout = _two_paths(len(hurts), k), _layout(before, networks, k)
        alike.note(layout[two], hurts[k][two])
        anywhere.note(layout[two] >> _NETWORKS_BITS, hurts[k][two])
    result = hurts.copy()
    m, i, j = _ends(len(hurts))
    for k in every:
        concerned = _two_paths(len(hurts), k) & (moved[k] | moved[m] | moved[i] | moved[j])
        layout = _layout(now, networks, k)[concerned]
        otherwise = anywhere.most(layout >> _NETWORKS_BITS, hurts[k][concerned])
        result[k][concerned] = alike.most(layout, otherwise)
    return result


class _Found:
    """How often an injection hurt, by the layout of the two paths."""

    def __init__(self) -> None:
        self._hurt: Counter[int] = Counter()
        self._all: Counter[int] = Counter()

    def note(self, layouts: _Numbers, hurt: Bools) -> None:
        kinds, kind = np.unique(layouts, return_inverse=True)
        self._all.update(dict(zip(kinds.tolist(), np.bincount(kind).tolist(), strict=True)))
        self._hurt.update(dict(zip(kinds.tolist(), np.bincount(kind, hurt).tolist(), strict=True)))

    def most(self, layouts: _Numbers, otherwise: Bools) -> Bools:
        """Whether most of those hurt; ``otherwise`` where there were none."""
        kinds, kind = np.unique(layouts, return_inverse=True)
        known = np.array([each in self._all for each in kinds.tolist()], bool)
        share = np.array([self._hurt[each] / self._all[each] if self._all[each] else 0.0 for each in kinds.tolist()])
        return np.where(known[kind], share[kind] > 0.5, otherwise)


def _ends(hosts: int) -> tuple[_Numbers, _Numbers, _Numbers]:
    """m, i and j, each along its own axis."""
    every = np.arange(hosts)
    return every[:, None, None], every[:, None], every


def _two_paths(hosts: int, k: int) -> Bools:
    """By [m, i, j], whether k → m and i → j are two paths."""
    m, i, j = _ends(hosts)
    return (m != k) & (i != j) & ((i != k) | (j != m))


def _layout(places: Places, networks: Mapping[str, int], k: int) -> _Numbers:
    """By [m, i, j], how the ends of k → m and i → j lie: which are one, on one server, in one network; and in which."""
    hosts = np.arange(len(places.servers))
    servers = np.unique(places.servers, return_inverse=True)[1]
    network = np.array([networks[each] for each in places.networks])
    ends = (np.array(k), *_ends(len(hosts)))
    layout = np.zeros((len(hosts),) * 3, np.int64)
    for number in (hosts, servers, network):
        for a, b in combinations(ends, 2):
            layout = layout * 2 + (number[a] == number[b])
    for end in ends:
        layout = layout * _MOST_NETWORKS + network[end]
    return layout


class Sharing:
    """Keeps the agents' relation up to date.

    Args:
        hurts: as characterised, with the machines where they are when they are first seen; None: agents judge by none.
    """

    def __init__(self, crew: Commander, names: Sequence[str], hurts: Bools | None) -> None:
        self._crew = crew
        self._names = list(names)
        self._hurts = hurts
        self._characterised: Places | None = None
        self._places: Places | None = None
        self._told = hurts

    def see(self, inventory: Inventory) -> str | None:
        """Where the machines are now; if agents had to be told of other links in common, that, in words."""
        if self._hurts is None or self._told is None:
            return None
        places = Places.of(inventory, self._names)
        if self._characterised is None:
            self._characterised = self._places = places
        if places == self._places:
            return None
        self._places = places
        found = after(self._hurts, self._characterised, places)
        changed = int((found != self._told).sum())
        self._told = found
        return self._tell(found, changed) if changed else None

    def _tell(self, hurts: Bools, changed: int) -> str:
        message = {"type": "shares", "shares": hurts_list(hurts)}
        answers = self._crew.command_each(dict.fromkeys(range(len(self._names)), message))
        silent = [self._names[host] for host, answer in answers.items() if isinstance(answer, BaseException)]
        but = f", but for {', '.join(silent)}, which did not answer" if silent else ""
        return f"the agents know that {changed} pairs of paths share other links than before{but}"
