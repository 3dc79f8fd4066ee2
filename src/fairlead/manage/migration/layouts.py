"""How the ends of two paths lie to each other, and how many of the paths that lie so hurt each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import Hosts

MIXED = 0.1
"""Where so many of the paths that lay alike differ, how they lie is not what decides."""

_NETWORK_BITS = 11
NETWORKS_BITS = 4 * _NETWORK_BITS
"""Of the four ends' networks, in a layout's lowest bits."""

Numbers = npt.NDArray[np.int64]


def layout(hosts: Sequence[Hosts], servers: Sequence[Ints], networks: Sequence[Ints]) -> Numbers:
    """A number for how k → m and i → j lie, each given for the ends k, m, i and j, as arrays that go together: which
    ends are one, on one server, in one network; and in which."""
    found: Numbers = np.zeros(np.broadcast_shapes(*(np.shape(end) for end in (*hosts, *networks))), dtype=np.int64)
    for of_ends in (hosts, servers, networks):
        for a, b in combinations(of_ends, 2):
            found <<= 1
            found |= a == b
    for network in networks:
        found <<= _NETWORK_BITS
        found += network
    return found


@dataclass(frozen=True)
class Found:
    """How many pairs of paths there were by layout, and how many of them hurt.

    Attributes:
        layouts: ascending.
        every, hurt: (layouts) ordered pairs of paths with this layout, and those in which the first hurts the second.
    """

    layouts: Numbers
    every: Floats
    hurt: Floats

    @classmethod
    def of(cls, layouts: Numbers, every: Floats, hurt: Floats) -> "Found":
        """From numbers of which some may be of the same layout."""
        kinds, kind = np.unique(layouts, return_inverse=True)
        sums = [np.bincount(kind, each, len(kinds)).astype(np.float64) for each in (every, hurt)]
        return cls(kinds, sums[0], sums[1])

    @cached_property
    def anywhere(self) -> "Found":
        """The same whatever the networks are."""
        return Found.of(self.layouts >> NETWORKS_BITS, self.every, self.hurt)

    @cached_property
    def _most(self) -> Bools:
        """(layouts) whether most hurt."""
        return np.asarray(self.hurt / self.every > 0.5)

    @cached_property
    def _agree(self) -> Bools:
        """(layouts) whether nearly all of them do, or hardly any."""
        share = self.hurt / self.every
        return np.asarray(np.minimum(share, 1.0 - share) <= MIXED)

    def nearly_all(self, layouts: Numbers, otherwise: Bools) -> Bools:
        """Whether nearly all of those hurt, or hardly any; ``otherwise`` where there were none, or they differed."""
        at = np.minimum(np.searchsorted(self.layouts, layouts), len(self.layouts) - 1)
        return np.where(self._agree[at] & (self.layouts[at] == layouts), self._most[at], otherwise)
