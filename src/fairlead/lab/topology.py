"""A lab's network as pure data: hosts, switches, links, routes, and what follows from them (paths, bottlenecks).

`fairlead.lab.addressing` says which addresses there are.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from fairlead.ip import Family, family_of

DirectedLink = tuple[str, str]  # (from, to), names of hosts and switches
Pair = tuple[str, str]  # (source, destination), names of hosts


@dataclass(frozen=True)
class LabHost:
    """A host; ``role`` as in the cluster file: compute, relay, or other (a neighbour).

    ``server`` is the one that it is a virtual machine on; empty where it is a machine of its own.
    """

    name: str
    address: str
    role: str
    slots: int
    leaf: int
    server: str = ""


@dataclass(frozen=True)
class LabServer:
    """A machine that virtual machines run on, with what it has for them."""

    name: str
    address: str
    leaf: int
    cpus: int
    memory_B: int
    disk_B: int


@dataclass(frozen=True)
class LabVm:
    """What every virtual machine of a lab needs of its server, and what moving it costs."""

    cpus: int
    memory_B: int
    disk_B: int
    dirty_Bps: float
    downtime_s: float


@dataclass(frozen=True)
class LabBond:
    """How the NICs of a link's end ``a`` are used together.

    Attributes:
        mode: of Linux bonding, by name.
        hash: transmit hash policy; empty where the mode has none.
        switch: how end ``b`` chooses the NIC: a hash policy or "round-robin"; empty: always the first that works.
        miimon_s: after how long a NIC that is down is noticed.
    """

    mode: str
    hash: str
    switch: str
    miimon_s: float


@dataclass(frozen=True)
class LabLink:
    """A link, shaped alike in both directions. ``addresses`` are those of its ends, empty on bridge ports.

    With a ``bond`` it is ``nics`` links, each of this rate and queue.
    """

    a: str
    b: str
    rate_bps: int
    queue_B: int
    burst_B: int
    addresses: tuple[str, str] | tuple[()] = ()
    nics: int = 1
    bond: LabBond | None = None

    @property
    def capacity_bps(self) -> int:
        """The most that all its NICs carry together in one direction."""
        alone = self.bond is None or self.bond.mode in ("active-backup", "broadcast")
        return self.rate_bps if alone else self.rate_bps * self.nics


@dataclass(frozen=True)
class ResolvedLab:
    """A resolved lab. ``spine_of[i][j]`` is the spine between leafs i and j (leaf-spine only, symmetric). With ``ecmp``
    it is that of neighbours; traffic of other hosts may take any.

    ``count_flows``: hosts count the bytes that they send by each TCP connection. ``scale``: the links' rates are those
    of the description times this. ``asleep``: ranks that wait sleep.
    """

    name: str
    topology: str
    congestion_control: str
    hosts: tuple[LabHost, ...]
    leafs: tuple[str, ...]
    spines: tuple[str, ...]
    links: tuple[LabLink, ...]
    spine_of: tuple[tuple[int, ...], ...] = ()
    servers: tuple[LabServer, ...] = ()
    vm: LabVm | None = None
    count_flows: bool = False
    scale: float = 1.0
    asleep: bool = False
    ecmp: bool = False

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ResolvedLab:
        """The inverse of `to_json`."""
        fields = dict(data)
        fields["hosts"] = tuple(LabHost(**host) for host in data["hosts"])
        fields["links"] = tuple(_link(link) for link in data["links"])
        for key in ("leafs", "spines"):
            fields[key] = tuple(data[key])
        fields["servers"] = tuple(LabServer(**server) for server in data["servers"])
        fields["vm"] = LabVm(**data["vm"]) if data["vm"] else None
        fields["spine_of"] = tuple(tuple(row) for row in data["spine_of"])
        return cls(**fields)

    @property
    def family(self) -> Family:
        """The version of IP that all addresses belong to."""
        return family_of(self.hosts[0].address)

    @cached_property
    def host_by_name(self) -> dict[str, LabHost]:
        return {host.name: host for host in self.hosts}

    @cached_property
    def server_by_name(self) -> dict[str, LabServer]:
        return {server.name: server for server in self.servers}

    @property
    def switches(self) -> tuple[str, ...]:
        """What is no host: leafs, spines and servers."""
        return self.leafs + self.spines + tuple(server.name for server in self.servers)

    def vms_on(self, server: str) -> list[LabHost]:
        """The virtual machines on a server."""
        return [host for host in self.hosts if host.server == server]

    def with_vm_on(self, vm: str, server: str) -> ResolvedLab:
        """The same network after a virtual machine has moved. KeyError if there is no such machine or server."""
        before, after = self.host_by_name[vm].server, self.server_by_name[server].name
        hosts = tuple(replace(host, server=after) if host.name == vm else host for host in self.hosts)
        links = tuple(replace(link, b=after) if (link.a, link.b) == (vm, before) else link for link in self.links)
        return replace(self, hosts=hosts, links=links)

    def link_of(self, host: str) -> LabLink:
        """The link of a host to its switch or server."""
        return next(link for link in self.links if link.a == host)

    @cached_property
    def rate_by_link(self) -> dict[DirectedLink, int]:
        """Rate in bit/s of every directed link, of all its NICs together."""
        rates = {(link.a, link.b): link.capacity_bps for link in self.links}
        return rates | {(b, a): rate for (a, b), rate in rates.items()}

    def path(self, source: str, destination: str) -> list[DirectedLink]:
        """The directed links that packets between two hosts cross, in order. KeyError if there is no such host.

        With ``ecmp`` it is one of several paths, unless one of the two is a neighbour.
        """
        first, last = self.host_by_name[source], self.host_by_name[destination]
        nodes = [source, first.server]
        if not first.server or first.server != last.server:
            nodes.append(self.leafs[first.leaf])
            if first.leaf != last.leaf:
                if self.spines:
                    nodes.append(self.spines[self.spine_of[first.leaf][last.leaf]])
                nodes.append(self.leafs[last.leaf])
            nodes.append(last.server)
        nodes = [node for node in (*nodes, destination) if node]
        return list(pairwise(nodes))

    def bottlenecks(self, source: str, destination: str) -> list[DirectedLink]:
        """The slowest links of a path; several when they are equally slow."""
        path = self.path(source, destination)
        slowest = min(self.rate_by_link[link] for link in path)
        return [link for link in path if self.rate_by_link[link] == slowest]

    def relays_around(self, source: str, destination: str, loaded: Collection[DirectedLink]) -> list[str]:
        """Managed hosts over which a detour crosses none of the ``loaded`` links: what theory expects of a detour."""
        found = []
        for host in self.hosts:
            if host.role == "other" or host.name in (source, destination):
                continue
            if not {*self.path(source, host.name), *self.path(host.name, destination)} & set(loaded):
                found.append(host.name)
        return found

    def shared_bottlenecks(self, roles: tuple[str, ...] = ("compute", "relay")) -> dict[Pair, set[Pair]]:
        """For each ordered pair of hosts of ``roles``, the other ordered pairs whose path crosses its bottleneck."""
        names = [host.name for host in self.hosts if host.role in roles]
        pairs = [(a, b) for a in names for b in names if a != b]
        users: dict[DirectedLink, set[Pair]] = {}
        for pair in pairs:
            for link in self.path(*pair):
                users.setdefault(link, set()).add(pair)
        return {pair: set().union(*(users[link] for link in self.bottlenecks(*pair))) - {pair} for pair in pairs}


def _link(data: dict[str, Any]) -> LabLink:
    bond = LabBond(**data["bond"]) if data["bond"] else None
    return LabLink(**{**data, "addresses": tuple(data["addresses"]), "bond": bond})
