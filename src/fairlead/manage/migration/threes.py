"""Three hosts at a time, of those that stand for all: the ends of two paths but for one, which moved.

Hosts that are alike in everything may change places. Of the threes that become each other by that one is looked at, so
that their number grows with the kinds of hosts, not with the hosts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import Ends, Fills, Hosts
from fairlead.manage.migration.stand_ins import StandIns

PART = 1 << 18
"""So many at least are looked at together: more would need much memory."""


@dataclass(frozen=True)
class _Exchange:
    """Which hosts may change places.

    Attributes:
        weight: (hosts of the job) how many hosts each stands for.
        of: (hosts of the job) a number for those that may change places; −1 where a host is not looked at.
        rank: (hosts of the job) which of those it is.
        size: by ``of``, how many these are.
    """

    weight: Floats
    of: Ints
    rank: Ints
    size: Ints

    @classmethod
    def among(cls, some: StandIns, fills: tuple[Fills, ...]) -> "_Exchange":
        looked_at = [each[np.ix_(some.hosts, some.hosts)] for each in fills]
        of, rank = np.full(len(some.weight), -1), np.zeros(len(some.weight), dtype=np.int64)
        first: dict[int, list[int]] = {}
        size = np.zeros(len(some.hosts), dtype=np.int64)
        for number, host in enumerate(some.hosts.tolist()):
            before = first.setdefault(int(some.exchangeable[host]), [])
            same = (each for each in before if all(_may_change(fill, each, number) for fill in looked_at))
            of[host] = next(same, number)
            if of[host] == number:
                before.append(number)
            rank[host] = size[of[host]]
            size[of[host]] += 1
        return cls(some.weight, of, rank, size)


@dataclass(frozen=True)
class Threes:
    """Some threes of hosts, in which a host may be more than once.

    Attributes:
        hosts: the first, second and third of each.
    """

    hosts: tuple[Hosts, Hosts, Hosts]
    _exchange: _Exchange

    def ends(self, host: int, place: int) -> Ends:
        """k, m, i and j: a host at that place, and these at the others."""
        ends = [*self.hosts[:place], np.array(host), *self.hosts[place:]]
        return ends[0], ends[1], ends[2], ends[3]

    @property
    def number(self) -> Floats:
        """(threes) how many of all hosts' threes each stands for."""
        size, weight = self._exchange.size, self._exchange.weight
        first, second, third = self.hosts
        a, b, c = (self._exchange.of[hosts] for hosts in self.hosts)
        seconds = np.where(second == first, 1, size[b] - (a == b))
        before = (a == c).astype(np.int64) + ((b == c) & (second != first))
        thirds = np.where((third == first) | (third == second), 1, size[c] - before)
        return size[a] * seconds * thirds * weight[first] * weight[second] * weight[third]


def threes(some: StandIns, *fills: Fills) -> Iterator[Threes]:
    """All threes of the hosts that are looked at, or others in their place, in parts.

    Args:
        fills: (hosts of the job, hosts of the job) what must be the same for hosts that change places.
    """
    exchange = _Exchange.among(some, fills)
    parts: list[Hosts] = []
    for first in some.hosts[exchange.rank[some.hosts] == 0].tolist():
        parts.append(_beginning_with(first, some.hosts, exchange))
        if sum(part.shape[1] for part in parts) >= PART:
            yield _joined(parts, exchange)
            parts.clear()
    if parts:
        yield _joined(parts, exchange)


def _joined(parts: list[Hosts], exchange: _Exchange) -> Threes:
    first, second, third = np.concatenate(parts, axis=1)
    return Threes((first, second, third), exchange)


def _beginning_with(first: int, hosts: Ints, exchange: _Exchange) -> Hosts:
    """(3, threes) those with this first host. A host follows only after all that may be in its place."""
    of, rank = exchange.of[hosts], exchange.rank[hosts]
    as_first = of == exchange.of[first]
    may_be_second = rank <= as_first
    second = hosts[may_be_second]
    another = (of[may_be_second][:, None] == of) & (second != first)[:, None]
    b, c = np.nonzero(rank <= as_first.astype(np.int64) + another)
    found = np.stack((np.full(len(b), first), second[b], hosts[c]))
    return np.asarray(found.astype(np.min_scalar_type(len(exchange.of))))


def _may_change(fills: Fills, a: int, b: int) -> bool:
    """Whether two hosts fill the same to, and from, each other and all others."""
    others = np.ones(len(fills), dtype=bool)
    others[[a, b]] = False
    same: Bools = (fills[a] == fills[b]) & (fills[:, a] == fills[:, b])
    return bool(same[others].all() and fills[a, b] == fills[b, a])
