"""Looks for the cheapest placement. Pure, and the same for the same input.

Three steps, of which others did the hard ones: METIS splits the ranks into one part a host, so that little is sent
between parts (Karypis and Kumar 1998); scipy's quadratic assignment puts the parts on hosts, so that those that talk
are near (Vogelstein et al. 2015); exchanges of two ranks then correct what the two could not see of each other.

The busiest bottleneck is a maximum, which none of the steps can lower. It is the largest of all weighted means of the
bottlenecks' times, so each is given a weight, the steps are done for the weighted mean, and weights grow where the
outcome is busy (multiplicative weights: Arora, Hazan and Kale 2012).
"""

from collections.abc import Sequence

import numpy as np
import pymetis
from numpy.typing import NDArray

from fairlead.placement.cost import CommunicationCost, Floats, Ints, TrafficMatrix, cost, links_busy_s
from fairlead.placement.network import PlacementNetwork

ROUNDS = 8  # of weights
CUTS = 8  # of METIS
STARTS = 4  # of the quadratic assignment
MOST_SLOTS = 1024  # that are looked at: n^2 numbers are held
SHARPNESS = 2.0
LEAST_GAIN = 1e-6  # an exchange that gains a smaller share is rounding
_WEIGHT_SCALE = 1_000_000  # METIS takes whole numbers

Layer = tuple[Floats, Floats]  # flow between ranks, and what a unit of it costs between hosts


def best(traffic: TrafficMatrix, network: PlacementNetwork) -> Ints:
    """The host of each rank, as cheap as is found (`CommunicationCost.time_s`). Shape (ranks)."""
    ranks = traffic.ranks
    # Of very many slots only those of the first hosts.
    slots = np.repeat(np.arange(len(network.hosts)), network.slots)[: max(MOST_SLOTS, ranks)]
    wide = _padded(traffic, len(slots))
    weights = np.ones(len(network.links))
    found: list[tuple[CommunicationCost, Ints]] = []
    for _ in range(ROUNDS if network.links else 1):
        layers = _layers(wide, ranks, network, weights)
        starts = [_mapped(layers, slots, len(network.hosts)), *(where for _, where in found[:1])]
        for start in starts:
            where = exchanged(layers, start)
            found.append((cost(wide, network, where, ranks), where))
        busy_s = links_busy_s(wide.by_host(found[-1][1], len(network.hosts)), network)
        if len(busy_s) and busy_s.max() > 0:
            weights = weights * np.exp(SHARPNESS * busy_s / busy_s.max())
            weights /= weights.mean()
        found.sort(key=lambda each: each[0].time_s)
    return found[0][1][:ranks]


def exchanged(layers: Sequence[Layer], where: Ints, alike: NDArray[np.intp] | None = None) -> Ints:
    """The placement after all exchanges of two that lower the cost, the best one first.

    Args:
        layers: flows of shape (n, n), costs (hosts, hosts).
        where: the host of each, shape (n).
        alike: only those with the same number here may be exchanged. Shape (n); None: all.
    """
    where = where.copy()
    while True:
        change, whole = _changes(layers, where)
        if alike is not None:
            change[alike[:, None] != alike[None, :]] = 0.0
        one, other = divmod(int(np.argmin(change)), len(where))
        if not change[one, other] < -LEAST_GAIN * whole:
            return where
        where[one], where[other] = where[other], where[one]


def _changes(layers: Sequence[Layer], where: Ints) -> tuple[Floats, float]:
    """What the exchange of each two adds to the cost, shape (n, n), and the cost."""
    every = np.arange(len(where))
    change = np.zeros((len(where), len(where)))
    whole = 0.0
    for flow, price in layers:
        at = flow @ price[:, where].T + flow.T @ price[where, :]  # (n, hosts): what each would cost there
        own = at[every, where]
        between = price[np.ix_(where, where)]
        change += at[:, where] + at[:, where].T - own[:, None] - own[None, :]
        change += (flow + flow.T) * (between + between.T)  # the two are as far from each other as before
        whole += float(own.sum()) / 2
    return change, whole


def _padded(traffic: TrafficMatrix, slots: int) -> TrafficMatrix:
    """With ranks that send nothing, for the slots that stay free."""
    more = slots - traffic.ranks
    return TrafficMatrix(*(np.pad(matrix, ((0, more), (0, more))) for matrix in (traffic.messages, traffic.bytes_B)))


def _layers(traffic: TrafficMatrix, ranks: int, network: PlacementNetwork, weights: Floats) -> list[Layer]:
    """What `CommunicationCost.time_s` is with the bottlenecks' weighted mean in place of the busiest one."""
    shared_s = np.zeros_like(network.byte_s)
    for link, weight in zip(network.links, weights, strict=True):
        shared_s += weight / len(weights) * 8 / link.rate_bps * link.users
    return [(traffic.messages, network.message_s / ranks), (traffic.bytes_B, network.byte_s / ranks + shared_s)]


def _mapped(layers: Sequence[Layer], slots: Ints, hosts: int) -> Ints:
    """Parts of the ranks, put on hosts. Shape (slots)."""
    room = np.bincount(slots, minlength=hosts)
    part = _parts(layers, room)
    member = np.zeros((hosts, len(slots)))
    member[part, np.arange(len(slots))] = 1.0
    between = [(member @ flow @ member.T * (1 - np.eye(hosts)), price) for flow, price in layers]
    host_of_part = _assigned(between) if len(set(room)) == 1 else np.arange(hosts)
    return exchanged(between, host_of_part, alike=room)[part]


def _parts(layers: Sequence[Layer], room: Ints) -> Ints:
    """The part of each rank: as many of each as its host has room for, little sent between them."""
    ranks, used = int(room.sum()), np.flatnonzero(room)
    flow = sum((flow * price.mean() for flow, price in layers), np.zeros((ranks, ranks)))
    flow = flow + flow.T
    if room.max() == 1 or len(used) == 1 or not flow.any():
        return np.repeat(np.arange(len(room)), room)
    weights = np.ceil(flow / flow.max() * _WEIGHT_SCALE).astype(int)
    first, second = np.nonzero(weights)
    adjacency = pymetis.CSRAdjacency(np.searchsorted(first, np.arange(ranks + 1)).tolist(), second.tolist())
    _, part = pymetis.part_graph(
        len(used),
        adjacency,
        eweights=weights[first, second].tolist(),
        tpwgts=(room[used] / ranks).tolist(),
        recursive=True,
        options=pymetis.Options(ncuts=CUTS, seed=1),
    )
    return _fitting(used[np.array(part)], flow, room)


def _fitting(part: Ints, flow: Floats, room: Ints) -> Ints:
    """With ranks moved out of parts that are too large (METIS keeps sizes to a few per cent), where it costs least."""
    part = part.copy()
    while (over := np.bincount(part, minlength=len(room)) - room).max() > 0:
        tied = np.stack([flow[:, part == each].sum(axis=1) for each in range(len(room))], axis=1)
        loss = tied[np.arange(len(part)), part][:, None] - tied
        loss[over[part] <= 0] = np.inf
        loss[:, over >= 0] = np.inf
        rank, to = divmod(int(np.argmin(loss)), len(room))
        part[rank] = to
    return part


def _assigned(layers: Sequence[Layer]) -> Ints:
    """The host of each part, by the quadratic assignment of the mean of the layers. Shape (hosts)."""
    totals = [float(flow.sum()) for flow, _ in layers]
    flow = sum(flow / total for (flow, _), total in zip(layers, totals, strict=True) if total > 0)
    price = sum(price * total for (_, price), total in zip(layers, totals, strict=True))
    if not np.any(flow):
        return np.arange(len(layers[0][1]))
    # When it is needed: that is half of the time in which `fairlead run` would start, which seldom places ranks.
    from scipy.optimize import quadratic_assignment

    results = [
        quadratic_assignment(
            flow, price, options={"P0": "randomized" if seed else "barycenter", "rng": np.random.default_rng(seed)}
        )
        for seed in range(STARTS)
    ]
    return np.asarray(min(results, key=lambda each: each.fun).col_ind, np.intp)
