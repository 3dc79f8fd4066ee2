"""How many pairs of paths lie alike, and how many of them hurt each other, in a network as it was characterized.

The paths are not gone through one by one: there are n^4 of two. They are counted by kinds of their ends, from how many
hosts of each kind each server has, and only sums by networks are kept. Where nothing is said of the servers of i and j,
the number of such hosts is a product, of one number that depends on i and one that depends on j. So what a kind of
source hurts is added up once over the kinds of i and once over those of j; all else is sums over two kinds, or over
kinds that have hosts on one server.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import DESTINATION, LINK, SOURCE
from fairlead.manage.migration.kinds import Kinds
from fairlead.manage.migration.layouts import Found, Numbers, layout

Four = tuple[int, int, int, int]
"""Of the ends k, m, i and j: those that are one, or on one server, have the same number."""

_APART, _SAME_SOURCE, _SAME_DESTINATION = (0, 1, 2, 3), (0, 1, 0, 3), (0, 1, 2, 1)
_INTO, _ONWARD, _BACK = (0, 1, 2, 0), (0, 1, 1, 3), (0, 1, 1, 0)
"""Hosts of two paths: no end in common; the source; the destination; the second ends where the first begins, begins
where the first ends, both."""

K, M, OTHER, ANOTHER = 0, 1, 2, 3
"""Servers: of the first path's source, of its destination, others."""

Counts = dict[tuple[Four, Four], Floats]
"""By hosts and servers of two paths: how many there are by the networks of the ends that are free, besides k."""


def counted(kinds: Kinds) -> Found:
    """All pairs of two different paths, by layout."""
    whole = kinds.whole_networks
    parts: list[tuple[Numbers, Floats, Floats]] = []
    for index, network in enumerate(whole.networks.tolist()):
        hurt: Counts = {}
        for kind in np.flatnonzero(kinds.networks == network).tolist():
            for lie, number in _from(kinds, kind):
                hurt[lie] = hurt[lie] + number if lie in hurt else number
        for lie, every in _from(whole, index):
            parts.append(_laid_out(lie, network, whole.networks, every, hurt.get(lie, np.zeros_like(every))))
    return Found.of(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _laid_out(
    lie: tuple[Four, Four], network: int, networks: Ints, every: Floats, hurt: Floats
) -> tuple[Numbers, Floats, Floats]:
    """Layouts, their numbers, and of how many the first path hurts the second."""
    hosts, servers = lie
    there = every > 0.5
    free = sorted({*hosts} - {0})
    of_free = dict(zip(free, np.meshgrid(*[networks] * len(free), indexing="ij"), strict=True))
    ends = [of_free[end][there] if end in of_free else np.array([network]) for end in hosts]
    of_hosts, of_servers = ([np.full(1, end) for end in of_ends] for of_ends in (hosts, servers))
    return layout(of_hosts, of_servers, ends), every[there], hurt[there]


def _from(kinds: Kinds, a: int) -> Iterator[tuple[tuple[Four, Four], Floats]]:
    """How many injections that begin at a host of kind ``a`` hurt a path."""
    sources = kinds.members[a]
    off = sources[:, None] != np.arange(len(kinds.of))
    same = kinds.servers[sources][:, None] == kinds.servers
    for there, lying in ((off & same, _Near), (off & ~same, _Far)):
        if (there & (kinds.fills[sources] > 0)).any():
            yield from _hurting(kinds, a, there, lying)


def _hurting(
    kinds: Kinds, a: int, there: Bools, lying: "type[_Injected]"
) -> Iterator[tuple[tuple[Four, Four], Floats]]:
    """The same of injections whose hosts are on one server, or on two."""
    fills, cells, each, m = kinds.fills[kinds.members[a]], kinds.cells[a], np.arange(kinds.count), lying.server_of_m
    link, source, destination = (there & (fills & what > 0) for what in (LINK, SOURCE, DESTINATION))
    linked = lying(kinds, a, link)
    if link.any():
        for (i, j), number in linked.apart():
            yield (_APART, (K, m, i, j)), number
    by_source, by_destination = lying(kinds, a, source), lying(kinds, a, destination)
    or_source, or_destination = lying(kinds, a, link & ~source), lying(kinds, a, link & ~destination)

    def by_networks(number: Floats) -> Floats:
        return np.asarray(kinds.in_network.T @ number @ kinds.in_network)

    for x in linked.third:
        of_source = by_source.third[x] + or_source.third[x] * cells[:, a, :]
        yield (_SAME_SOURCE, (K, m, K, x)), by_networks(of_source)
        of_destination = by_destination.third[x] + or_destination.third[x] * cells[each, :, each]
        yield (_SAME_DESTINATION, (K, m, x, m)), by_networks(of_destination)
        yield (_INTO, (K, m, x, K)), by_networks(linked.third[x] * cells[:, :, a])
        yield (_ONWARD, (K, m, m, x)), by_networks(linked.third[x] * cells[each, each, :])
    yield (_BACK, (K, m, m, K)), (linked.number * cells[each, each, a]) @ kinds.in_network


class _Injected(ABC):
    """Pairs k → m that are injected, with k of kind ``a``.

    In sums over these pairs, by [kind of m, kind], x is how many hosts of a kind are on the source's server besides it,
    z on servers that are neither the source's nor the destination's.

    Attributes:
        number: (kinds of m) of these pairs.
        third: by a third host's server, how many such hosts there are: (kinds of m, its kind).
    """

    server_of_m: int
    third: dict[int, Floats]

    def __init__(self, kinds: Kinds, a: int, pairs: Bools) -> None:
        self._kinds, self._a = kinds, a
        self._pairs = pairs.astype(np.float64)  # (sources, hosts m)
        self._beside_source = kinds.others[kinds.members[a]]
        self._by_source = self._pairs @ kinds.one  # (sources, kinds of m)
        self.number = np.asarray(self._by_source.sum(axis=0))
        self._x = self._by_source.T @ self._beside_source

    @abstractmethod
    def apart(self) -> Iterator[tuple[tuple[int, int], Floats]]:
        """By the servers of i and j, other hosts than k and m, how many paths i → j these injections hurt by links
        between kinds: (networks of m, of i, of j)."""


class _Far(_Injected):
    """Of hosts on two servers. y is how many hosts of a kind are on the destination's server besides it."""

    server_of_m = M

    def __init__(self, kinds: Kinds, a: int, pairs: Bools) -> None:
        super().__init__(kinds, a, pairs)
        self._by_end = self._pairs.sum(axis=0)  # (hosts m)
        self._y = kinds.over_hosts(self._by_end[:, None] * kinds.others)
        itself = np.eye(kinds.count)
        self._rest = kinds.sizes - itself[a] - itself  # hosts besides k and m
        self._z = self._rest * self.number[:, None] - self._x - self._y
        self.third = {K: self._x, M: self._y, OTHER: self._z}

    def apart(self) -> Iterator[tuple[tuple[int, int], Floats]]:
        sums = _Sums(self._kinds, self._a, self._rest)
        xx, yy, x_itself, y_itself, z_itself, together = map(sums.of_neighbours, self._on_one_server())
        xy, yx = sums.of_two_servers(*self._on_both_servers())
        x_rest, rest_x = sums.first_and_any(self._x), sums.any_and_second(self._x)
        y_rest, rest_y = sums.first_and_any(self._y), sums.any_and_second(self._y)
        every = sums.first_and_any(self._rest * self.number[:, None])
        zz = every - x_rest - y_rest - rest_x - rest_y + xx + yy + xy + yx
        yield (K, K), xx - x_itself
        yield (K, M), xy
        yield (K, OTHER), x_rest - xx - xy
        yield (M, K), yx
        yield (M, M), yy - y_itself
        yield (M, OTHER), y_rest - yx - yy
        yield (OTHER, K), rest_x - xx - yx
        yield (OTHER, M), rest_y - xy - yy
        yield (OTHER, OTHER), together
        yield (OTHER, ANOTHER), zz - z_itself - together

    def _on_one_server(self) -> tuple[Floats, ...]:
        """(kinds of m, neighbours) pairs of hosts i, j on the source's server, on the destination's, each with itself
        paired, too; such pairs of one host there, there and elsewhere; pairs of two hosts on a server elsewhere."""
        kinds, (i, j), itself = self._kinds, self._kinds.neighbours, np.eye(self._kinds.count)
        xx = self._by_source.T @ kinds.two_others[kinds.members[self._a]]
        yy = kinds.over_hosts(self._by_end[:, None] * kinds.two_others)
        x, y, z = (each[:, i] * (i == j) for each in (self._x, self._y, self._z))
        # With k, or m, itself as one of the two:
        with_k = self._x[:, i] * (j == self._a) + self._x[:, j] * (i == self._a)
        with_m = self._y[:, i] * itself[:, j] + self._y[:, j] * itself[:, i]
        together = kinds.together[i, j] * self.number[:, None] - (xx - x + with_k) - (yy - y + with_m)
        return xx, yy, x, y, z, together

    def _on_both_servers(self) -> tuple[Ints, Floats]:
        """Kinds of hosts on the sources' servers, and by [kind of m, these, kind] how many pairs of hosts i, j are on
        the source's server and the destination's."""
        there = np.flatnonzero(self._x.any(axis=0))
        towards = self._beside_source[:, there].T @ self._pairs  # (kinds there, hosts m)
        members, others = self._kinds.members, self._kinds.others
        return there, np.stack([towards[:, these] @ others[these] for these in members])


class _Near(_Injected):
    """Of hosts on one server. w is how many hosts of a kind are there besides both."""

    server_of_m = K

    def __init__(self, kinds: Kinds, a: int, pairs: Bools) -> None:
        super().__init__(kinds, a, pairs)
        itself = np.eye(kinds.count)
        self._w = self._x - itself * self.number[:, None]
        self._rest = kinds.sizes - itself[a]  # hosts besides k
        self._z = self._rest * self.number[:, None] - self._x
        self.third = {K: self._w, OTHER: self._z}

    def apart(self) -> Iterator[tuple[tuple[int, int], Floats]]:
        kinds = self._kinds
        some = np.flatnonzero(self.number)  # kinds of m: few are on the sources' servers
        cells, networks = kinds.cells[self._a][some], kinds.in_network
        for servers, number in self._pairs_of_hosts(some):
            by_m = np.tensordot(networks[some], number * cells, (0, 0))
            yield servers, networks.T @ by_m @ networks

    def _pairs_of_hosts(self, some: Ints) -> Iterator[tuple[tuple[int, int], Floats]]:
        """By servers, how many pairs of hosts i, j by [some kinds of m, i, j] there are so."""
        beside, itself = self._beside_source, np.eye(self._kinds.count)
        c, d = (slice(None), slice(None), None), (slice(None), None, slice(None))
        k, m, rest = np.broadcast_to(itself[self._a], (len(some), len(itself))), itself[some], self._rest[None, :]
        x, w, z, n = self._x[some], self._w[some], self._z[some], self.number[some, None, None]
        xx = np.stack([(beside * self._by_source[:, kind, None]).T @ beside for kind in some])
        ww = xx - m[c] * x[d] - m[d] * x[c] + m[c] * m[d] * n
        wz = x[c] * rest[d] - xx - m[c] * z[d]
        zz = rest[c] * rest[d] * n - rest[c] * x[d] - rest[d] * x[c] + xx
        with_k = x[c] * k[d] + x[d] * k[c]
        together = self._kinds.together * n - (xx - itself * x[c] + with_k)
        yield (K, K), ww - itself * w[c]
        yield (K, OTHER), wz
        yield (OTHER, K), wz.transpose(0, 2, 1)
        yield (OTHER, OTHER), together
        yield (OTHER, ANOTHER), zz - itself * z[c] - together


class _Sums:
    """Sums of numbers of hosts i, j where injections from kind ``a`` hurt paths i → j: (networks of m, of i, of j).

    Args:
        rest: (kinds of m, kinds) how many hosts any one of i and j may be.
    """

    def __init__(self, kinds: Kinds, a: int, rest: Floats) -> None:
        self._kinds = kinds
        self._cells = kinds.cells[a].astype(np.float64)
        self._any_second = (self._cells * rest[:, None, :]) @ kinds.in_network  # (kinds of m, of i, networks of j)
        self._any_first = kinds.in_network.T @ (self._cells * rest[:, :, None])  # (kinds of m, networks of i, kinds j)
        i, j = kinds.neighbours
        self._neighbours = self._cells[:, i, j]

    def first_and_any(self, first: Floats) -> Floats:
        """``first`` hosts i by [kind of m, of i], each with any j."""
        return self._kinds.in_network.T @ self._kinds.over_kinds(first[:, :, None] * self._any_second)

    def any_and_second(self, second: Floats) -> Floats:
        """Any i, each with ``second`` hosts j by [kind of m, of j]."""
        return self._kinds.over_kinds(self._any_first * second[:, None, :]) @ self._kinds.in_network

    def of_neighbours(self, number: Floats) -> Floats:
        """``number`` pairs of hosts by [kind of m, neighbours]."""
        return self._kinds.over_neighbours(self._kinds.over_kinds(number * self._neighbours))

    def of_two_servers(self, there: Ints, number: Floats) -> tuple[Floats, Floats]:
        """``number`` pairs of hosts i, j by [kind of m, kinds ``there``, kind], and as many pairs j, i."""
        kinds, of_there = self._kinds, self._kinds.in_network[there]
        forth = kinds.over_kinds(number * self._cells[:, there, :])
        back = kinds.over_kinds(number.transpose(0, 2, 1) * self._cells[:, :, there])
        return of_there.T @ forth @ kinds.in_network, kinds.in_network.T @ back @ of_there
