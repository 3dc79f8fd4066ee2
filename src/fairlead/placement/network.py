"""What a placement needs to know of a cluster: room on the hosts, what a message takes between them, what they share.

Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.characterize.characterization import Characterization
from fairlead.characterize.downstream_bottlenecks import DownstreamLink
from fairlead.characterize.latency import LatencyMatrix
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import place_ranks
from fairlead.errors import ConfigError, MeasurementError

Floats = NDArray[np.float64]

ASSUMED_MESSAGE_S = 50e-6
ASSUMED_BYTE_S = 8e-9
"""Where nothing was measured: between all hosts the same, one gigabit a second. Only their ratio matters then."""


@dataclass(frozen=True)
class PlacementNetwork:
    """The hosts that ranks may be placed on. Times inside a host are taken as 0.

    Attributes:
        hosts: names, in the cluster file's order.
        slots: how many ranks each takes.
        message_s: (hosts, hosts) what a message takes without its bytes.
        byte_s: (hosts, hosts) what each of its bytes adds.
        links: bottlenecks that pairs of hosts share.
        measured: whether times are measured ones, and not `ASSUMED_MESSAGE_S` and `ASSUMED_BYTE_S`.
    """

    hosts: tuple[str, ...]
    slots: tuple[int, ...]
    message_s: Floats
    byte_s: Floats
    links: tuple[DownstreamLink, ...] = ()
    measured: bool = False


def assumed(hosts: Sequence[str], slots: Sequence[int]) -> PlacementNetwork:
    """Hosts of which nothing else is known: all are equally far from each other."""
    apart = 1.0 - np.eye(len(hosts))
    return PlacementNetwork(tuple(hosts), tuple(slots), ASSUMED_MESSAGE_S * apart, ASSUMED_BYTE_S * apart)


def characterized(cluster: Cluster, ranks: int, found: Characterization, size_B: float) -> PlacementNetwork:
    """A cluster as it was measured.

    Args:
        size_B: of the program's messages: what a byte adds is taken from the smallest size measured to this one.

    Raises:
        MeasurementError: a host or a pair of hosts was not measured.
        ConfigError: it is of another cluster.
    """
    if found.cluster != cluster.name:
        raise ConfigError(
            f"run {found.run} is a characterization of {found.cluster}, not of {cluster.name}",
            hint=f"run `fairlead characterize {cluster.source}`",
        )
    hosts = [host.name for host in cluster.compute_hosts()]
    missing = [host for host in hosts if host not in found.hosts]
    if missing:
        raise MeasurementError(
            f"{missing[0]} is not among the hosts that were measured: {', '.join(found.hosts)}",
            hint=f"run `fairlead characterize {cluster.source}` again",
        )
    index = np.array([found.hosts.index(host) for host in hosts])
    message_s, byte_s = _affine(found.latency, index, size_B)
    return PlacementNetwork(
        tuple(hosts), room(cluster, ranks), message_s, byte_s, shared_links(found, index), measured=True
    )


def room(cluster: Cluster, ranks: int) -> tuple[int, ...]:
    """How many ranks each compute host takes: its slots, and where these do not suffice what `place` gives it."""
    hosts = cluster.compute_hosts()
    if ranks <= sum(host.slots for host in hosts):
        return tuple(host.slots for host in hosts)
    placed = place_ranks(cluster, ranks)
    return tuple(placed.count(host.name) for host in hosts)


def shared_links(found: Characterization, hosts: NDArray[np.intp]) -> tuple[DownstreamLink, ...]:
    """The bottlenecks between these hosts, each once. Of pairs that have the same, the best rate is the link's."""
    rates_bps: dict[bytes, float] = {}
    chosen = np.ix_(hosts, hosts)
    for pair in np.argwhere(np.isfinite(found.rates_bps)):
        source, destination = (int(each) for each in pair)
        users = found.sensitivity.hurt_by((source, destination))
        users[source, destination] = True
        key = users[chosen].tobytes()
        rates_bps[key] = max(rates_bps.get(key, 0.0), float(found.rates_bps[source, destination]))
    shape = (len(hosts), len(hosts))
    links = [DownstreamLink(np.frombuffer(users, bool).reshape(shape), rate) for users, rate in rates_bps.items()]
    return tuple(link for link in links if link.users.any() and link.rate_bps > 0)


def _affine(latency: LatencyMatrix, index: NDArray[np.intp], size_B: float) -> tuple[Floats, Floats]:
    """What a message takes and what each byte adds, both (hosts, hosts), by the smallest size and the next above."""
    times_s = latency.median_s[:, index][:, :, index]
    apart = ~np.eye(len(index), dtype=bool)
    if not np.isfinite(times_s[:, apart]).all():
        raise MeasurementError("the latency between some hosts was not measured", hint="characterize the cluster again")
    times_s = np.where(apart, times_s, 0.0)
    if len(latency.sizes_B) == 1:
        return times_s[0], np.zeros_like(times_s[0])
    upper = int(np.clip(np.searchsorted(latency.sizes_B, size_B), 1, len(latency.sizes_B) - 1))
    step_B = latency.sizes_B[upper] - latency.sizes_B[0]
    return times_s[0], np.maximum(times_s[upper] - times_s[0], 0.0) / step_B
