"""What a placement costs: how much crosses the network, and how long that keeps ranks and bottlenecks busy. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.placement.network import PlacementNetwork

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class TrafficMatrix:
    """Messages and bytes of a program from each rank (row) to each (column). Shapes (ranks, ranks)."""

    messages: Floats
    bytes_B: Floats

    @classmethod
    def of(cls, messages: Sequence[Sequence[int]], bytes_B: Sequence[Sequence[int]]) -> "TrafficMatrix":
        """From a profile's matrices. What ranks send to themselves is left out."""
        found = [np.array(matrix, float) for matrix in (messages, bytes_B)]
        for matrix in found:
            np.fill_diagonal(matrix, 0.0)
        return cls(*found)

    @property
    def ranks(self) -> int:
        return len(self.messages)

    @property
    def size_B(self) -> float:
        """The size of the message that the mean byte travels in; 0 without bytes."""
        total_B = float(self.bytes_B.sum())
        sent = self.messages > 0
        return float((self.bytes_B[sent] ** 2 / self.messages[sent]).sum()) / total_B if total_B > 0 else 0.0

    def by_host(self, where: Ints, hosts: int) -> "TrafficMatrix":
        """Added up by host, what stays inside one left out. ``where``: the host of each rank, shape (ranks)."""
        member = np.zeros((hosts, self.ranks))
        member[where, np.arange(self.ranks)] = 1.0
        apart = 1.0 - np.eye(hosts)
        return TrafficMatrix(member @ self.messages @ member.T * apart, member @ self.bytes_B @ member.T * apart)


@dataclass(frozen=True)
class CommunicationCost:
    """What a program's messages cost with a placement.

    Attributes:
        messages, bytes_B: between hosts.
        rank_s: all messages between hosts one after another, divided by the number of ranks.
        busiest_s: the shared bottleneck that is busy longest, carrying nothing but the program; 0 where none is known.
        busiest: which of the network's links that is, or None.
    """

    messages: int
    bytes_B: int
    rank_s: float
    busiest_s: float
    busiest: int | None

    @property
    def time_s(self) -> float:
        """What placements are compared by: the busiest bottleneck, if all ranks send at once, and a rank's messages."""
        return self.busiest_s + self.rank_s


def cost(traffic: TrafficMatrix, network: PlacementNetwork, where: Ints, ranks: int | None = None) -> CommunicationCost:
    """The cost with rank ``r`` on host ``where[r]``.

    Args:
        where: shape (ranks of the traffic).
        ranks: how many of them there are really; None: all.
    """
    between = traffic.by_host(where, len(network.hosts))
    busy_s = links_busy_s(between, network)
    busiest = int(np.argmax(busy_s)) if len(busy_s) and busy_s.max() > 0 else None
    time_s = float((between.messages * network.message_s + between.bytes_B * network.byte_s).sum())
    return CommunicationCost(
        messages=round(between.messages.sum()),
        bytes_B=round(between.bytes_B.sum()),
        rank_s=time_s / (ranks or traffic.ranks),
        busiest_s=float(busy_s[busiest]) if busiest is not None else 0.0,
        busiest=busiest,
    )


def links_busy_s(between: TrafficMatrix, network: PlacementNetwork) -> Floats:
    """How long each of the network's links is busy with the traffic between hosts, in s. Shape (links)."""
    return np.array([8 * between.bytes_B[link.users].sum() / link.rate_bps for link in network.links])
