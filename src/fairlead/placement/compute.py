"""From a profile and a cluster to a placement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from fairlead.characterize import coverage
from fairlead.characterize.characterization import Characterization
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import place_ranks
from fairlead.errors import MeasurementError, NoSuchResultsError
from fairlead.placement import network as networks
from fairlead.placement.cost import CommunicationCost, Ints, TrafficMatrix, cost
from fairlead.placement.json_form import Expected, Link, Placement
from fairlead.placement.network import PlacementNetwork
from fairlead.placement.search import best
from fairlead.store import Store
from fairlead.store.connection import FILE_NAME


class ProfiledTraffic(Protocol):
    """What is used of a profile. ``all_messages``, ``all_bytes_B``: from each rank (row) to each (column), those of
    collective calls, too."""

    @property
    def program(self) -> Sequence[str]: ...
    @property
    def ranks(self) -> int: ...
    @property
    def host_of_rank(self) -> Sequence[str]: ...
    @property
    def all_messages(self) -> Sequence[Sequence[int]]: ...
    @property
    def all_bytes_B(self) -> Sequence[Sequence[int]]: ...


def compute(profile: ProfiledTraffic, cluster: Cluster, found: Characterization | None = None) -> Placement:
    """The best placement found; where the present one is as good, and no host has more ranks than room, that.

    Args:
        found: what is known of the cluster's network; None: nothing but its hosts.

    Raises:
        MeasurementError: the program sends no messages that could be placed by, or a host was not measured.
        ConfigError: the characterization is of another cluster.
    """
    traffic = traffic_of(profile)
    if found is None:
        hosts = [host.name for host in cluster.compute_hosts()]
        network = networks.assumed(hosts, networks.room(cluster, profile.ranks))
    else:
        network = networks.characterized(cluster, profile.ranks, found, traffic.size_B)
    profiled = set(profile.host_of_rank) <= set(network.hosts)
    before = tuple(profile.host_of_rank) if profiled else place_ranks(cluster, profile.ranks)
    # More ranks on a host than it has room for may send less over the network, and run slower for all that.
    room = dict(zip(network.hosts, network.slots, strict=True))
    after = _named(network, best(traffic, network)) if crowded(before, room) else better(traffic, network, before)
    return Placement(
        program=list(profile.program),
        cluster=cluster.name,
        characterization=found.run if found is not None else None,
        profiled=profiled,
        hosts_before=list(before),
        before=expected(traffic, network, before),
        host_of_rank=list(after),
        after=expected(traffic, network, after),
    )


def known(results: Path, cluster: Cluster, run: int | None = None) -> Characterization | None:
    """What was measured of a cluster: in the run of that number, or else in the newest complete one, if there is any.

    Raises:
        StoreError: the results cannot be read, or there is no such run.
        MeasurementError: the run is no characterization, or an incomplete one: where nothing was injected nothing would
            seem to be shared.
    """
    if run is None and not (results / FILE_NAME).is_file():
        return None
    with Store.read(results) as store:
        if run is None:
            found = Characterization.latest(store, cluster, whole=True) or Characterization.latest(store, cluster)
        else:
            chosen = store.run(run)
            found = Characterization.read(store, chosen)
            if coverage.covers(chosen, chosen.facts["hosts"], cluster):  # be it under another name, as a Slurm job's is
                found = found.selected(cluster)
    if found is not None and not (found.usable and found.sensitivity.whole):
        way_out = (
            f"run `fairlead characterize {cluster.source}` again, or give --unmeasured"
            if run is None
            else "omit --characterization for the newest complete one; `fairlead characterize show --list` lists them"
        )
        raise NoSuchResultsError(
            f"{results}: run {found.run} is an incomplete characterization: {found.incomplete_because}", hint=way_out
        )
    return found


def traffic_of(profile: ProfiledTraffic) -> TrafficMatrix:
    """What is placed by.

    Raises:
        MeasurementError: there is none.
    """
    traffic = TrafficMatrix.of(profile.all_messages, profile.all_bytes_B)
    if not traffic.messages.any():
        raise MeasurementError(
            f"{profile.program[0]} sends no point-to-point messages between ranks, and nothing is known of collective "
            "calls: no placement is better than another",
            hint="profiles that were written before version 1.8 do not have what collective calls send",
        )
    return traffic


def better(traffic: TrafficMatrix, network: PlacementNetwork, before: Sequence[str]) -> tuple[str, ...]:
    """The host of each rank: the best that is found, or as before where that is as good."""
    found = best(traffic, network)
    present = _index(network, before)
    if cost(traffic, network, found).time_s >= cost(traffic, network, present).time_s:
        return tuple(before)
    return _named(network, found)


def crowded(hosts: Sequence[str], room: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """By host that has more of these ranks than room: how many it has, and for how many there is room."""
    has = Counter(hosts)
    return {host: (has[host], ranks) for host, ranks in room.items() if has[host] > ranks}


def too_many(found: Placement, cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Hosts of the present placement that are `crowded`."""
    names = [host.name for host in cluster.compute_hosts()]
    return crowded(found.hosts_before, dict(zip(names, networks.room(cluster, found.ranks), strict=True)))


def expected(traffic: TrafficMatrix, network: PlacementNetwork, hosts: Sequence[str]) -> Expected:
    """What a placement costs, for people and files."""
    found = cost(traffic, network, _index(network, hosts))
    if not network.measured:
        return Expected(messages=found.messages, bytes_B=found.bytes_B)
    return Expected(
        messages=found.messages,
        bytes_B=found.bytes_B,
        rank_s=found.rank_s,
        busiest_s=found.busiest_s if network.links else None,
        busiest=_link(network, found),
    )


def _link(network: PlacementNetwork, found: CommunicationCost) -> Link | None:
    if found.busiest is None:
        return None
    link = network.links[found.busiest]
    pairs = [(network.hosts[i], network.hosts[j]) for i, j in np.argwhere(link.users)]
    return Link(pairs=pairs, rate_bps=link.rate_bps)


def _named(network: PlacementNetwork, where: Ints) -> tuple[str, ...]:
    return tuple(network.hosts[index] for index in where)


def _index(network: PlacementNetwork, hosts: Sequence[str]) -> np.ndarray:
    return np.array([network.hosts.index(host) for host in hosts])
