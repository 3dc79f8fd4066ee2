"""From a description to the network that it means.

Scaled, a lab has other rates and the same times: queues keep theirs, and so do migrations, for the memory of virtual
machines is scaled with the rates. What a shaper lets pass at once keeps its size: it hides messages by their size.
"""

import math
from itertools import combinations, product

from fairlead.lab import addressing
from fairlead.lab.description import FRAME_B, Description, LinkDescription, ServersTable
from fairlead.lab.topology import LabBond, LabHost, LabLink, LabServer, LabVm, Pair, ResolvedLab
from fairlead.lab.units import queue_bytes


def resolve_lab(description: Description, name: str | None = None, scale: float | None = None) -> ResolvedLab:
    """The network that a description means; ``name`` and ``scale`` override those in it."""
    lab = description.lab
    given = lab.scale if scale is None else scale
    scale = 1.0 if given is None else given
    leafs = ("switch",) if lab.topology == "star" else tuple(f"leaf{i}" for i in range(lab.leafs))
    spines = tuple(f"spine{i}" for i in range(lab.spines))
    hosts = _hosts(description)
    servers = _servers(description, scale)
    links = [_link(host.name, host.server or leafs[host.leaf], description.host_link, scale) for host in hosts]
    if description.servers is not None:
        links += [_link(server.name, leafs[server.leaf], description.servers.uplink, scale) for server in servers]
    trunks: list[Pair] = []
    if lab.topology == "mesh":
        trunks = list(combinations(leafs, 2))
    elif lab.topology == "leaf-spine":
        trunks = [(leaf, spine) for leaf in leafs for spine in spines]
    for number, (a, b) in enumerate(trunks):
        assert description.trunk is not None  # checked by the description
        links.append(_link(a, b, description.trunk, scale, addressing.trunk(lab.family, number)))
    return ResolvedLab(
        name=name or lab.name,
        topology=lab.topology,
        congestion_control=lab.congestion_control,
        hosts=tuple(hosts),
        leafs=leafs,
        spines=spines,
        links=tuple(links),
        spine_of=_spines_of_leaf_pairs(lab.leafs, lab.spines) if spines else (),
        servers=tuple(servers),
        vm=_vm(description.servers, scale) if description.servers else None,
        count_flows=lab.count_flows,
        scale=scale,
        asleep=given is not None,
        ecmp=lab.ecmp,
    )


def _hosts(description: Description) -> list[LabHost]:
    """Ranks fill leaf after leaf: h0, h1 on leaf 0, h2, h3 on leaf 1.

    Relays are r0, ..., neighbours n0, ..., and virtual machines of others v0, ...
    """
    lab, servers = description.lab, description.servers
    hosts: list[LabHost] = []
    first = 1
    for prefix, role, per_leaf, per_server in (
        ("h", "compute", lab.hosts_per_leaf, servers.vms_per_server if servers else 0),
        ("r", "relay", lab.relays_per_leaf, 0),
        ("n", "other", lab.neighbours_per_leaf, 0),
        *([("v", "other", servers.per_leaf * servers.others_per_server, servers.others_per_server)] if servers else []),
    ):
        for leaf in range(lab.leafs):
            for k in range(per_leaf):
                name = f"{prefix}{leaf * per_leaf + k}"
                slots = lab.slots if role == "compute" else 0 if role == "relay" else 1
                server = f"server{leaf * servers.per_leaf + k // per_server}" if servers and per_server else ""
                address = addressing.host(lab.family, leaf, first + k)
                hosts.append(LabHost(name, address, role, slots, leaf, server))
        first += per_leaf
    return hosts


def _servers(description: Description, scale: float) -> list[LabServer]:
    kind, family = description.servers, description.lab.family
    if kind is None:
        return []
    memory_B = math.ceil(kind.memory * scale)  # what fits unscaled has to fit
    return [
        LabServer(f"server{number}", addressing.host(family, leaf, 201 + k), leaf, kind.cpus, memory_B, kind.disk)
        for number, (leaf, k) in enumerate(product(range(description.lab.leafs), range(kind.per_leaf)))
    ]


def _vm(servers: ServersTable, scale: float) -> LabVm:
    vm = servers.vm
    return LabVm(vm.cpus, math.floor(vm.memory * scale), vm.disk, vm.dirty_rate * scale / 8, vm.downtime)


def _link(a: str, b: str, kind: LinkDescription, scale: float, addresses: tuple[str, str] | tuple[()] = ()) -> LabLink:
    """A link of that kind. A queue has room for two packets at least, or none would be passed on."""
    how = kind.bond
    bond = LabBond(how.mode, how.policy, how.way_back, how.miimon) if how else None
    queue_B = max(round(queue_bytes(kind.queue, kind.rate) * scale), 2 * FRAME_B)
    return LabLink(a, b, round(kind.rate * scale), queue_B, kind.burst, addresses, kind.nics, bond)


def _spines_of_leaf_pairs(leafs: int, spines: int) -> tuple[tuple[int, ...], ...]:
    """Spread leaf pairs over spines by the rounds of a round-robin tournament.

    In one round every leaf meets one other, so that with enough spines no two paths out of a leaf share a spine.
    """
    players = leafs + leafs % 2
    rounds = players - 1

    def round_of(i: int, j: int) -> int:
        low, high = sorted((i, j))
        return (2 * low) % rounds if high == players - 1 else (low + high) % rounds

    return tuple(tuple(round_of(i, j) % spines if i != j else -1 for j in range(leafs)) for i in range(leafs))
