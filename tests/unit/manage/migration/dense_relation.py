"""What `Relation` says, one pair of paths after the other: it grows as n^4, but is easy to follow."""

from collections import Counter
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairlead.characterize.samples import Bools
from fairlead.manage.migration.relation import Places

MIXED = 0.1
"""Where so many of the paths that lay alike differ, how they lie is not what decides."""
_Numbers = npt.NDArray[np.int64]
_MOST_NETWORKS = 1 << 11
_NETWORKS_BITS = 4 * 11
"""Of the four ends' networks, in a layout's lowest bits."""


class DenseRelation:
    """Which paths were found to share, and where the hosts were then.

    Args:
        hurts: by [k, m, i, j], whether an injection on k → m hurts i → j.
    """

    def __init__(self, hurts: Bools, before: Places) -> None:
        self._hurts, self._before = hurts, before
        self._networks = {name: number for number, name in enumerate(dict.fromkeys(before.networks))}
        self._alike, self._anywhere = _Found(), _Found()
        for k in range(len(hurts)):
            two, layout = _two_paths(len(hurts), k), self._layout(before, k)
            self._alike.note(layout[two], hurts[k][two])
            self._anywhere.note(layout[two] >> _NETWORKS_BITS, hurts[k][two])

    def after(self, now: Places) -> Bools:
        """The relation with the hosts where they are now, as ``hurts``.

        Where two paths' ends lie to each other as they did it is what was found. Else it is what was found for nearly
        all pairs of paths that lay so, of the same networks if there were any; where there were none, or they differed,
        it stays as it was.
        """
        for name in now.networks:
            self._networks.setdefault(name, len(self._networks))
        moved = np.array([a != b for a, b in zip(self._before.servers, now.servers, strict=True)])
        m, i, j = _ends(len(moved))
        result = self._hurts.copy()
        for k in range(len(moved)):
            before, layout = self._layout(self._before, k), self._layout(now, k)
            end_moved = moved[k] | moved[m] | moved[i] | moved[j]
            concerned = _two_paths(len(moved), k) & end_moved & (layout != before)
            lies = layout[concerned]
            otherwise = self._anywhere.nearly_all(lies >> _NETWORKS_BITS, self._hurts[k][concerned])
            result[k][concerned] = self._alike.nearly_all(lies, otherwise)
        return result

    def counts(self) -> dict[int, tuple[int, int]]:
        """By layout, how many pairs of paths lay so, and how many of them hurt."""
        return {each: (number, self._alike._hurt[each]) for each, number in self._alike._all.items() if number}

    def _layout(self, places: Places, k: int) -> _Numbers:
        """By [m, i, j], how the ends of k → m and i → j lie: which are one, on one server, in one network; in which."""
        hosts = np.arange(len(places.servers))
        servers = np.unique(places.servers, return_inverse=True)[1]
        network = np.array([self._networks[each] for each in places.networks])
        ends = (np.array(k), *_ends(len(hosts)))
        layout = np.zeros((len(hosts),) * 3, np.int64)
        for number in (hosts, servers, network):
            for a, b in combinations(ends, 2):
                layout = layout * 2 + (number[a] == number[b])
        for end in ends:
            layout = layout * _MOST_NETWORKS + network[end]
        return layout


class _Found:
    """How often an injection hurt, by the layout of the two paths."""

    def __init__(self) -> None:
        self._hurt: Counter[int] = Counter()
        self._all: Counter[int] = Counter()

    def note(self, layouts: _Numbers, hurt: Bools) -> None:
        kinds, kind = np.unique(layouts, return_inverse=True)
        self._all.update(dict(zip(kinds.tolist(), np.bincount(kind).tolist(), strict=True)))
        self._hurt.update(dict(zip(kinds.tolist(), np.bincount(kind, hurt).tolist(), strict=True)))

    def nearly_all(self, layouts: _Numbers, otherwise: Bools) -> Bools:
        """Whether nearly all of those hurt, or hardly any; ``otherwise`` where there were none, or they differed."""
        kinds, kind = np.unique(layouts, return_inverse=True)
        every = np.array([self._all[each] for each in kinds.tolist()])
        share = np.array([self._hurt[each] for each in kinds.tolist()]) / np.maximum(every, 1)
        known = (every > 0) & (np.minimum(share, 1.0 - share) <= MIXED)
        return np.where(known[kind], share[kind] > 0.5, otherwise)


def _ends(hosts: int) -> tuple[_Numbers, _Numbers, _Numbers]:
    """m, i and j, each along its own axis."""
    every = np.arange(hosts)
    return every[:, None, None], every[:, None], every


def _two_paths(hosts: int, k: int) -> Bools:
    """By [m, i, j], whether k → m and i → j are two paths."""
    m, i, j = _ends(hosts)
    return (m != k) & (i != j) & ((i != k) | (j != m))
