"""What paths share, by groups of hosts: as agents keep it, so that it can be told to them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fairlead.characterize import json_form
from fairlead.characterize.samples import Bools, Ints
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks

Fills = npt.NDArray[np.uint8]
Hosts = npt.NDArray[np.integer[Any]]
Ends = tuple[Hosts, Hosts, Hosts, Hosts]
"""k, m, i and j of two paths k → m and i → j, as arrays that go together."""


LINK, SOURCE, DESTINATION = 1, 2, 4
"""What an injection fills: a link between the groups of its hosts, the link of its source, that of its destination."""


@dataclass(frozen=True, eq=False)
class GroupedSharing:
    """Which injections hurt which paths. Immutable, as its arrays are taken to be.

    Attributes:
        of: (hosts) the group of each.
        cells: (groups, groups, groups, groups) whether an injection between the first two that fills a link there hurts
            a path between the others; of twice the same two: other paths between them.
        fills: (hosts, hosts) sum of what an injection on the pair fills; it hurts all paths from, or to, a host whose
            link it fills.
    """

    of: Ints
    cells: Bools
    fills: Fills

    @classmethod
    def characterized(cls, found: SharedBottlenecks) -> Self:
        """As a characterization has it."""
        used, of = np.unique(found.groups.of, return_inverse=True)
        each = np.arange(len(used))
        cells = found.relation.hurts[np.ix_(used, used, used, used)]
        cells[each, each] = cells[:, :, each, each] = False  # nothing is said of a group's own pairs
        a, b = np.nonzero(~np.eye(len(used), dtype=bool))
        cells[a, b, a, b] = found.relation.effective[used[a], used[b]]
        fills = found.over_link * LINK + found.by_source * SOURCE + found.by_destination * DESTINATION
        return cls(of.astype(np.int64), cells, fills.astype(np.uint8))

    @property
    def hosts(self) -> int:
        return len(self.of)

    @cached_property
    def sizes(self) -> Ints:
        """(groups) how many hosts each has."""
        return np.bincount(self.of, minlength=len(self.cells)).astype(np.int64)

    def hurts(self, k: Hosts, m: Hosts, i: Hosts, j: Hosts) -> Bools:
        """Whether an injection on k → m hurts i → j, of hosts as arrays that go together."""
        filled, of = self.fills[k, m], self.of
        hurt = (filled & LINK > 0) & self.cells[of[k], of[m], of[i], of[j]]
        hurt = hurt | (filled & SOURCE > 0) & (k == i) | (filled & DESTINATION > 0) & (m == j)
        return np.asarray(hurt & two_paths(k, m, i, j))

    def dense(self) -> Bools:
        """By [k, m, i, j]; for few hosts: it grows as n^4."""
        k, m, i, j = np.indices((self.hosts,) * 4, sparse=True)
        return self.hurts(k, m, i, j)

    def to_json(self) -> dict[str, Any]:
        """As in `manage` of the agent protocol."""
        return {
            "groups": self.of.tolist(),
            "hurts": json_form.hurts_list(self.cells),
            "fills": [(row + ord("0")).astype(np.uint8).tobytes().decode() for row in self.fills],
        }


def two_paths(k: Hosts, m: Hosts, i: Hosts, j: Hosts) -> Bools:
    """Whether k → m and i → j are two paths."""
    return np.asarray((m != k) & (i != j) & ((i != k) | (j != m)))
