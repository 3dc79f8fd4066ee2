"""How the ends of two paths lie to each other, and how many of the paths that lie so hurt each other.

The paths are not gone through one by one: there are n^4 of two. Hosts of one kind (one group, one network) on servers
are interchangeable but for which of them are on one server, so paths are counted by kinds, from how many hosts of each
kind each server has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import DESTINATION, LINK, SOURCE

MIXED = 0.1
"""Where so many of the paths that lay alike differ, how they lie is not what decides."""

_MOST_NETWORKS = 1 << 11
NETWORKS_BITS = 4 * 11
"""Of the four ends' networks, in a layout's lowest bits."""

Numbers = npt.NDArray[np.int64]
Four = tuple[int, int, int, int]


def layout(hosts: Sequence[Ints], servers: Sequence[Ints], networks: Sequence[Ints]) -> Numbers:
    """A number for how k → m and i → j lie, each given for the ends k, m, i and j, as arrays that go together: which
    ends are one, on one server, in one network; and in which."""
    found: Numbers = np.zeros(np.broadcast_shapes(*(np.shape(end) for end in (*hosts, *networks))), dtype=np.int64)
    for of_ends in (hosts, servers, networks):
        for a, b in combinations(of_ends, 2):
            found = found * 2 + (a == b)
    for network in networks:
        found = found * _MOST_NETWORKS + network
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

    def nearly_all(self, layouts: Numbers, otherwise: Bools) -> Bools:
        """Whether nearly all of those hurt, or hardly any; ``otherwise`` where there were none, or they differed."""
        share = self.hurt / self.every
        known = np.minimum(share, 1.0 - share) <= MIXED
        at = np.minimum(np.searchsorted(self.layouts, layouts), len(self.layouts) - 1)
        return np.where(known[at] & (self.layouts[at] == layouts), share[at] > 0.5, otherwise)


@dataclass(frozen=True)
class Kinds:
    """Hosts that are counted together.

    Attributes:
        of: (hosts) the kind of each host.
        servers: (hosts) the server of each, as a number.
        networks: (kinds) the network of each kind's hosts, ascending.
        cells: (kinds, kinds, kinds, kinds) whether an injection between the first two that fills a link there hurts a
            path between the others.
        fills: (hosts, hosts) what an injection fills: 1 a link between kinds, 2 that of its source, 4 that of its
            destination.
    """

    of: Ints
    servers: Ints
    networks: Ints
    cells: Bools
    fills: npt.NDArray[np.uint8]

    @cached_property
    def count(self) -> int:
        return len(self.networks)

    @cached_property
    def first_of_network(self) -> Ints:
        """(networks) the first kind in each."""
        return np.unique(self.networks, return_index=True)[1]

    @cached_property
    def members(self) -> list[Ints]:
        """(kinds) the hosts of each."""
        return [np.flatnonzero(self.of == kind) for kind in range(self.count)]

    @cached_property
    def one(self) -> Floats:
        """(hosts, kinds) 1 for the kind of a host."""
        return np.eye(self.count)[self.of]

    @cached_property
    def on_server(self) -> Floats:
        """(hosts, kinds) how many of each kind are on the host's server, itself among them."""
        number = np.zeros((int(self.servers.max()) + 1, self.count))
        np.add.at(number, (self.servers, self.of), 1)
        return np.asarray(number[self.servers])

    @cached_property
    def two_others(self) -> Floats:
        """(hosts, kinds, kinds) how many ordered pairs of two of the other hosts on the server have these kinds."""
        others = self.on_server - self.one
        return _products(others)

    @cached_property
    def two_there(self) -> Floats:
        """(hosts, kinds, kinds) how many ordered pairs of two hosts on the server there are, itself among them."""
        return _products(self.on_server) - np.eye(self.count) * self.on_server[:, None, :]

    @cached_property
    def together(self) -> Floats:
        """(kinds, kinds) how many ordered pairs of two hosts are on one server, whichever."""
        first = np.unique(self.servers, return_index=True)[1]
        return np.asarray(self.two_there[first].sum(axis=0))


def counted(kinds: Kinds) -> Found:
    """All pairs of two different paths, by layout."""
    parts: list[Found] = []
    for a in range(kinds.count):
        layouts, every, hurt = ([*each] for each in zip(*_from(kinds, a), strict=True))
        parts.append(Found.of(*(np.concatenate(each) for each in (layouts, every, hurt))))
    return Found.of(*(np.concatenate([getattr(part, of) for part in parts]) for of in ("layouts", "every", "hurt")))


def _products(values: Floats) -> Floats:
    return values[:, :, None] * values[:, None, :]


def _from(kinds: Kinds, a: int) -> Iterator[tuple[Numbers, Floats, Floats]]:
    """Layouts of the pairs of paths of which the first begins at a host of kind ``a``, their numbers, and of how many
    the first hurts the second."""
    sources = np.flatnonzero(kinds.of == a)
    others = np.ones((len(sources), len(kinds.of)), dtype=bool)
    others[np.arange(len(sources)), sources] = False
    same = kinds.servers[sources][:, None] == kinds.servers[None, :]
    for filled in np.unique(kinds.fills[sources]):
        these = others & (kinds.fills[sources] == filled)
        hurt = _Hurt(kinds, a, int(filled))
        for pairs, near in ((these & same, True), (these & ~same, False)):
            if pairs.any():
                found = _Near(kinds, a, pairs) if near else _Far(kinds, a, pairs)
                yield from found.layouts(hurt)


class _Hurt:
    """Whether injections from a kind ``a`` that fill the same hurt, by the kinds of the other ends.

    Attributes:
        apart, source, destination, into, onward, back: of two paths that have no end in common; the source; the
            destination; of which the second ends where the first begins; begins where the first ends; both. By kinds
            [m, i, j] as far as they are free.
    """

    def __init__(self, kinds: Kinds, a: int, filled: int) -> None:
        cells = kinds.cells[a] & bool(filled & LINK)
        each = np.arange(kinds.count)
        self.apart = cells
        self.source = cells[:, a, :] | bool(filled & SOURCE)
        self.destination = cells[each, :, each] | bool(filled & DESTINATION)
        self.into = cells[:, :, a]
        self.onward = cells[each, each, :]
        self.back = cells[each, each, a]


class _Paths:
    """Pairs of paths, by where their ends are.

    Attributes:
        number: (kinds m) of injected pairs k → m.
        two: the others' servers (see ``_labels``) and how many pairs of hosts i, j, by [m, i, j], there are so.
        one: a third host's server, and how many by [m, its kind].
    """

    number: Floats
    two: list[tuple[int, int, Floats]]
    one: list[tuple[int, Floats]]
    server_of_m: int

    def __init__(self, kinds: Kinds, a: int) -> None:
        self._kinds, self._a = kinds, a

    def layouts(self, hurt: _Hurt) -> Iterator[tuple[Numbers, Floats, Floats]]:
        """See `_from`."""
        networks, k, m = self._kinds.networks, 0, self.server_of_m
        a, every = networks[[self._a]], np.unique(networks)
        for i, j, number in self.two:
            ends = (a, every[:, None, None], every[:, None], every)
            hurting = self._by_networks(number * hurt.apart)
            yield self._some((0, 1, 2, 3), (k, m, i, j), ends, self._by_networks(number), hurting)
        b = networks[:, None]
        for x, number in self.one:
            yield self._some((0, 1, 0, 3), (k, m, k, x), (a, b, a, networks), number, number * hurt.source)
            yield self._some((0, 1, 2, 1), (k, m, x, m), (a, b, networks, b), number, number * hurt.destination)
            yield self._some((0, 1, 2, 0), (k, m, x, k), (a, b, networks, a), number, number * hurt.into)
            yield self._some((0, 1, 1, 3), (k, m, m, x), (a, b, b, networks), number, number * hurt.onward)
        yield self._some((0, 1, 1, 0), (k, m, m, k), (a, networks, networks, a), self.number, self.number * hurt.back)

    def _by_networks(self, number: Floats) -> Floats:
        """Of numbers by three kinds, the sums by the kinds' networks."""
        for axis in range(3):
            number = np.add.reduceat(number, self._kinds.first_of_network, axis=axis)
        return number

    @staticmethod
    def _some(
        hosts: Four, servers: Four, networks: tuple[Ints, Ints, Ints, Ints], number: Floats, hurting: Floats
    ) -> tuple[Numbers, Floats, Floats]:
        there = number > 0.5
        ends = [np.broadcast_to(each, number.shape)[there] for each in networks]
        of_hosts, of_servers = ([np.full(1, label) for label in of_ends] for of_ends in (hosts, servers))
        return layout(of_hosts, of_servers, ends), number[there], hurting[there]


K, M, OTHER, ANOTHER = 0, 1, 2, 3
"""Servers: of the first path's source, of its destination, others."""


class _Far(_Paths):
    """The injected pair is on two servers. In sums over these pairs, x is how many hosts of a kind are on the source's
    server besides it, y on the destination's besides it, z on others."""

    def __init__(self, kinds: Kinds, a: int, pairs: Bools) -> None:
        super().__init__(kinds, a)
        self.server_of_m = M
        sources, count = kinds.of == a, kinds.count
        others = kinds.on_server - kinds.one
        by_source = pairs @ kinds.one  # (sources, kinds of m)
        by_end = pairs.sum(axis=0).astype(np.float64)  # (hosts m)

        def over_pairs(of_source: bool, values: Floats) -> Floats:
            if of_source:
                return np.tensordot(by_source, values[sources], (0, 0))
            return np.stack([np.tensordot(by_end[these], values[these], (0, 0)) for these in kinds.members])

        self.number = by_source.sum(axis=0)
        x, y = over_pairs(True, others), over_pairs(False, others)
        xx, yy = over_pairs(True, kinds.two_others), over_pairs(False, kinds.two_others)
        towards = others[sources].T @ pairs  # (kinds, hosts m)
        xy = np.stack([towards[:, these] @ others[these] for these in kinds.members])
        yx = xy.transpose(0, 2, 1)
        rest = (kinds.one.sum(axis=0) - np.eye(count)[a])[None, :] - np.eye(count)  # by [m, kind]
        total = self.number[:, None]
        z = rest * total - x - y
        c, d = (slice(None), slice(None), None), (slice(None), None, slice(None))
        itself = np.eye(count)
        zz = rest[c] * rest[d] * self.number[:, None, None] - rest[c] * (x + y)[d] - rest[d] * (x + y)[c]
        zz = zz + xx + yy + xy + yx
        together = kinds.together * self.number[:, None, None]
        together = together - over_pairs(True, kinds.two_there) - over_pairs(False, kinds.two_there)
        self.two = [
            (K, K, xx - itself * x[c]),
            (K, M, xy),
            (K, OTHER, x[c] * rest[d] - xx - xy),
            (M, K, yx),
            (M, M, yy - itself * y[c]),
            (M, OTHER, y[c] * rest[d] - yx - yy),
            (OTHER, K, rest[c] * x[d] - xx - yx),
            (OTHER, M, rest[c] * y[d] - xy - yy),
            (OTHER, OTHER, together),
            (OTHER, ANOTHER, zz - itself * z[c] - together),
        ]
        self.one = [(K, x), (M, y), (OTHER, z)]


class _Near(_Paths):
    """The injected pair is on one server. In sums over these pairs, x is how many hosts of a kind are there besides its
    source, w besides both, z elsewhere."""

    def __init__(self, kinds: Kinds, a: int, pairs: Bools) -> None:
        super().__init__(kinds, a)
        self.server_of_m = K
        sources, count = kinds.of == a, kinds.count
        by_source = pairs @ kinds.one

        def over_pairs(values: Floats) -> Floats:
            return np.tensordot(by_source, values[sources], (0, 0))

        self.number = by_source.sum(axis=0)
        n, itself = self.number[:, None, None], np.eye(count)
        x, xx = over_pairs(kinds.on_server - kinds.one), over_pairs(kinds.two_others)
        c, d = (slice(None), slice(None), None), (slice(None), None, slice(None))
        w = x - itself * self.number[:, None]
        ww = xx - itself[c] * x[d] - itself[d] * x[c] + itself[c] * itself[d] * n
        rest = np.broadcast_to(kinds.one.sum(axis=0) - itself[a], (count, count))  # by [m, kind]
        z = rest * self.number[:, None] - x
        wz = x[c] * rest[d] - xx - itself[c] * z[d]
        zz = rest[c] * rest[d] * n - rest[c] * x[d] - rest[d] * x[c] + xx
        together = kinds.together * n - over_pairs(kinds.two_there)
        self.two = [
            (K, K, ww - itself * w[c]),
            (K, OTHER, wz),
            (OTHER, K, wz.transpose(0, 2, 1)),
            (OTHER, OTHER, together),
            (OTHER, ANOTHER, zz - itself * z[c] - together),
        ]
        self.one = [(K, w), (OTHER, z)]
