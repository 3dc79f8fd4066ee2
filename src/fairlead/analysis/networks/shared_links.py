"""From which paths slow which to the links that they share: a link is inferred, known by the paths that cross it.

Paths that fill the same link slow each other, all of them. So in the graph of paths, joined where two slow each other,
a link is a set in which nearly every two are joined. A path may fill several equally slow links: it is in several sets.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, triu

from fairlead.characterize.samples import Bools, Ints
from fairlead.characterize.tournament import Pair

MEMBER_SHARE = 0.6
"""A path belongs to a link if it and so many of the others there slow each other; some of it may be seen wrong."""

CROSSING_SHARE = 0.5
"""A path that fills another link crosses this one if more than so many of those that fill it slow the path."""

LEAST_APART = 3
"""Paths of a link of which no end is common to all: of fewer, others' traffic may have made it up."""


@dataclass(frozen=True)
class SharedLink:
    """A link, by the ordered pairs of groups of hosts between which its paths lead.

    Attributes:
        filled_by: pairs that fill it alone, in order.
        crossed_by: these, and pairs that cross it but fill another link before.
    """

    filled_by: tuple[Pair, ...]
    crossed_by: frozenset[Pair]

    @property
    def sources(self) -> frozenset[int]:
        """The groups from which paths over it start."""
        return frozenset(source for source, _ in self.crossed_by)

    @property
    def destinations(self) -> frozenset[int]:
        """The groups at which they end."""
        return frozenset(destination for _, destination in self.crossed_by)


def find(hurts: Bools, effective: Bools) -> list[SharedLink]:
    """The links that a relation shows, those that most paths fill first.

    Args:
        hurts: by [injected source, injected destination, source, destination], of groups of hosts.
        effective: (groups, groups) whether an injection built a queue: others tell of hosts, not of links.
    """
    count = len(effective)
    cells = np.flatnonzero(effective & ~np.eye(count, dtype=bool))
    if not cells.size:
        return []
    flat = hurts.reshape(count * count, count * count)
    slows = flat[np.ix_(cells, cells)]
    both = slows & slows.T
    np.fill_diagonal(both, False)
    pairs = [(int(cell) // count, int(cell) % count) for cell in cells]
    found = [members for members in _cliques(both) if _believable([pairs[k] for k in members])]
    alone = set(range(len(cells))) - {int(k) for members in found for k in members}
    found += [np.array([k]) for k in sorted(alone)]
    return [_with_crossing(members, slows, pairs) for members in found]


def _cliques(both: Bools) -> list[Ints]:
    """Sets in which nearly every two are joined, so that each join is in one: the largest first."""
    joined = csr_matrix(both, dtype=np.float32)
    joins = triu(joined.multiply(joined @ joined) + joined, k=1, format="csr")  # 1 + how many are joined with both
    joins.sort_indices()
    joins = joins.tocoo()
    order = np.argsort(-joins.data, kind="stable")
    covered = ~both
    found = []
    for u, v in zip(joins.row[order], joins.col[order], strict=True):
        if covered[u, v]:
            continue
        members = np.sort(np.append(_alike(both, np.flatnonzero(both[u] & both[v])), [u, v]))
        covered[np.ix_(members, members)] = True
        found.append(members)
    return sorted(found, key=lambda members: (-members.size, int(members[0])))


def _alike(both: Bools, near: Ints) -> Ints:
    """Those that are joined with most of the others: the least joined go, one after another."""
    inner = both[np.ix_(near, near)]
    number = inner.sum(axis=1)
    left = np.ones(near.size, dtype=bool)
    while left.any():
        worst = int(np.argmin(np.where(left, number, near.size)))
        if number[worst] >= MEMBER_SHARE * (left.sum() - 1):
            break
        left[worst] = False
        number = number - inner[worst]
    return near[left]


def _believable(pairs: list[Pair]) -> bool:
    common = len({source for source, _ in pairs}) == 1 or len({destination for _, destination in pairs}) == 1
    return common or len(pairs) >= LEAST_APART


def _with_crossing(members: Ints, slows: Bools, pairs: list[Pair]) -> SharedLink:
    filled = tuple(pairs[k] for k in members)
    one_sided = slows[members] & ~slows[:, members].T  # what slows these, too, fills a link with them
    slowed = one_sided.mean(axis=0) > CROSSING_SHARE
    crossing = {pairs[k] for k in np.flatnonzero(slowed)}
    if len(members) == 1:  # one injection alone may have met others' traffic far away
        crossing = {pair for pair in crossing if pair[0] == filled[0][0] or pair[1] == filled[0][1]}
    return SharedLink(filled, frozenset(crossing | set(filled)))
