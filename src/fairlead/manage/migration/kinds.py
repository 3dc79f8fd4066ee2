"""Hosts that are counted together: those of one kind are interchangeable but for which of them are on one server."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.manage.migration.grouped import LINK


@dataclass(frozen=True)
class Kinds:
    """Kinds of hosts: each of one group in one network.

    Attributes:
        of: (hosts) the kind of each host; each kind has one.
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
    def members(self) -> list[Ints]:
        """(kinds) the hosts of each."""
        return [np.flatnonzero(self.of == kind) for kind in range(self.count)]

    @cached_property
    def one(self) -> Floats:
        """(hosts, kinds) 1 for the kind of a host."""
        return np.eye(self.count)[self.of]

    @cached_property
    def sizes(self) -> Floats:
        """(kinds) how many hosts each has."""
        return np.asarray(self.one.sum(axis=0))

    # ---------------------------------------------------------------- on one server

    @cached_property
    def _there(self) -> Floats:
        """(servers, kinds) how many hosts of each kind each has."""
        number = np.zeros((int(self.servers.max()) + 1, self.count))
        np.add.at(number, (self.servers, self.of), 1)
        return number

    @cached_property
    def others(self) -> Floats:
        """(hosts, kinds) how many of each kind are on the host's server besides it."""
        return np.asarray(self._there[self.servers] - self.one)

    @cached_property
    def together(self) -> Floats:
        """(kinds, kinds) how many ordered pairs of two hosts are on one server, whichever."""
        return np.asarray(self._there.T @ self._there - np.diag(self._there.sum(axis=0)))

    @cached_property
    def neighbours(self) -> tuple[Ints, Ints]:
        """Pairs of kinds that are together on some server, each with itself among them; by their networks."""
        a, b = np.nonzero(self._there.T @ self._there)
        order = np.lexsort((self.network[b], self.network[a]))
        return a[order], b[order]

    @cached_property
    def two_others(self) -> Floats:
        """(hosts, neighbours) how many ordered pairs of two of the other hosts on the server have these kinds, each
        host paired with itself, too."""
        a, b = self.neighbours
        return np.asarray(self.others[:, a] * self.others[:, b])

    # ---------------------------------------------------------------- sums

    @cached_property
    def _by_kind(self) -> tuple[Ints, Ints]:
        """The hosts by their kinds, and where each kind begins."""
        order = np.argsort(self.of, kind="stable")
        return order, np.searchsorted(self.of[order], np.arange(self.count))

    def over_hosts(self, values: Floats) -> Floats:
        """By kinds, the sums of values by hosts (first axis)."""
        order, first = self._by_kind
        return np.asarray(np.add.reduceat(values[order], first, axis=0))

    @cached_property
    def network(self) -> Ints:
        """(kinds) the network of each, as an index of those that there are."""
        return np.unique(self.networks, return_inverse=True)[1]

    @cached_property
    def in_network(self) -> Floats:
        """(kinds, networks) 1 for the network of a kind."""
        return np.eye(int(self.network.max()) + 1)[self.network]

    def over_kinds(self, values: Floats) -> Floats:
        """By networks, the sums of values by kinds (first axis)."""
        first = np.unique(self.networks, return_index=True)[1]
        return np.asarray(np.add.reduceat(values, first, axis=0))

    def over_neighbours(self, values: Floats) -> Floats:
        """(…, networks, networks) the sums of values by neighbours (last axis)."""
        count = self.in_network.shape[1]
        a, b = self.neighbours
        found, first = np.unique(self.network[a] * count + self.network[b], return_index=True)
        total = np.zeros((*values.shape[:-1], count * count))
        total[..., found] = np.add.reduceat(values, first, axis=-1)
        return total.reshape(*values.shape[:-1], count, count)

    @cached_property
    def whole_networks(self) -> "Kinds":
        """All hosts of a network as one kind, and each injection hurts each path: so all pairs of paths are counted."""
        networks = np.unique(self.networks)
        cells = np.broadcast_to(np.array(True), (len(networks),) * 4)
        return Kinds(self.network[self.of], self.servers, networks, cells, np.full_like(self.fills, LINK))
