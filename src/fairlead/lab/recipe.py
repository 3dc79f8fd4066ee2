"""From a plan to what the kernel is told: sysctls and the lines of ``ip -batch``, ``tc -batch`` and ``nft -f``, per
namespace.

Pure functions. ``{netns:NAME}`` in a line stands for the namespace of that host or switch, and ``{congctl}`` for the
route attribute that pins congestion control where the sysctl is refused; the holder fills both in.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairlead.ip import Family
from fairlead.lab import addressing, aggregate
from fairlead.lab.aggregate import AggregateEnd
from fairlead.lab.topology import LabHost, LabLink, LabServer, ResolvedLab

HOST_INTERFACE = "eth0"
BRIDGE = "br0"
# A bridge that looks for multicast groups joins one itself, and its reports are packets that no host has sent.
_SILENT = "type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
MTU_B = 1500
_LARGEST_PACKET_B = 65536  # what segmentation offload makes, unless told otherwise
# Router solicitations and duplicate address detection would be traffic that nobody described.
_QUIET_SYSCTLS: dict[Family, dict[str, str]] = {
    4: {
        "net/ipv6/conf/all/disable_ipv6": "1",
        "net/ipv6/conf/default/disable_ipv6": "1",
    },
    6: {
        "net/ipv6/conf/all/disable_ipv6": "0",
        "net/ipv6/conf/default/disable_ipv6": "0",
        "net/ipv6/conf/default/accept_ra": "0",
        "net/ipv6/conf/default/router_solicitations": "0",
        "net/ipv6/conf/default/addr_gen_mode": "1",  # no link-local addresses: MPI would try them
    },
}
_HOST_SYSCTLS = {"net/ipv4/tcp_no_metrics_save": "1"}  # or one run's congestion slows the start of the next one
_SWITCH_SYSCTLS: dict[Family, dict[str, str]] = {
    4: {"net/ipv4/ip_forward": "1"},
    6: {"net/ipv6/conf/all/forwarding": "1"},
}
# Of routes with several next hops: by the fields that `_HASHED` names, as the packet has them. The policy of layer 4
# (1) would take the hash that the sending socket gave the packet, which no network carries.
_BY_FIELDS = "3"
_HASHED = str(0x01 | 0x02 | 0x04 | 0x10 | 0x20)  # addresses, protocol, ports: of the outer header
_SPREADING_SYSCTLS: dict[Family, dict[str, str]] = {
    4: {"net/ipv4/fib_multipath_hash_fields": _HASHED, "net/ipv4/fib_multipath_hash_policy": _BY_FIELDS},
    6: {"net/ipv6/fib_multipath_hash_fields": _HASHED, "net/ipv6/fib_multipath_hash_policy": _BY_FIELDS},
}


@dataclass(frozen=True)
class Namespace:
    """How one namespace is set up."""

    name: str
    is_host: bool
    sysctls: dict[str, str]
    ip: tuple[str, ...]
    tc: tuple[str, ...]
    nft: tuple[str, ...] = ()


def links(plan: ResolvedLab) -> list[str]:
    """``ip -batch`` lines that make all links, each end in its namespace."""
    return [line for link in plan.links for line in _link_lines(plan, link)]


def namespaces(plan: ResolvedLab) -> list[Namespace]:
    """All hosts and switches of a plan."""
    result = [_host(plan, host) for host in plan.hosts]
    result += [_leaf(plan, index) for index in range(len(plan.leafs))]
    result += [_spine(plan, index) for index in range(len(plan.spines))]
    result += [_server(plan, server) for server in plan.servers]
    return result


def interface(plan: ResolvedLab, node: str, other: str) -> str:
    """Name of ``node``'s interface to ``other``: eth0 in a host; in a switch or server the other end's name."""
    return HOST_INTERFACE if node in plan.host_by_name else other


def ends(plan: ResolvedLab, link: LabLink) -> tuple[AggregateEnd, AggregateEnd]:
    """The two ends of an aggregated link."""
    return aggregate.ends(link, interface(plan, link.a, link.b), interface(plan, link.b, link.a))


def bridge_port(device: str) -> str:
    """Makes a link of a leaf or server one of its bridge's ports."""
    return f"link set {device} up master {BRIDGE}"


def shaper(device: str, link: LabLink) -> str:
    """The token bucket of one direction of a link."""
    return (
        f"qdisc add dev {device} root handle 1: tbf rate {link.rate_bps}bit burst {link.burst_B} limit {link.queue_B}"
    )


def largest_packet_B(plan: ResolvedLab) -> int:
    """How much segmentation offload may leave in one packet, in bytes: what fits into every shaper's bucket.

    A shaper cuts a larger packet into its segments, and each then costs the machine as much as the whole one. With
    several hosts on a core that work would slow a program more than the described congestion does.
    """
    smallest_burst_B = min((link.burst_B for link in plan.links), default=_LARGEST_PACKET_B)
    return max(2 * MTU_B, min(_LARGEST_PACKET_B, smallest_burst_B * 3 // 4))


def _link_lines(plan: ResolvedLab, link: LabLink) -> list[str]:
    end_a, end_b = interface(plan, link.a, link.b), interface(plan, link.b, link.a)
    host = plan.host_by_name.get(link.a)
    mac_a, mac_b = f"address {addressing.mac(host.address)} " if host else "", ""
    if link.addresses:
        mac_a, mac_b = (f"address {addressing.mac(address)} " for address in link.addresses)
    return [
        f"link add name {end_a} {mac_a}mtu {MTU_B} netns {{netns:{link.a}}} "
        f"type veth peer name {end_b} {mac_b}mtu {MTU_B} netns {{netns:{link.b}}}"
    ]


def _neighbour(address: str, device: str) -> str:
    """A neighbour that need not be asked for: the kernel's table of those that were is one for all namespaces of the
    machine, and a lab of 64 hosts would fill half of it."""
    return f"neigh replace {address} lladdr {addressing.mac(address)} dev {device} nud permanent"


def _links_of(plan: ResolvedLab, node: str) -> list[tuple[LabLink, str]]:
    return [(link, link.b if link.a == node else link.a) for link in plan.links if node in (link.a, link.b)]


def _end_at(plan: ResolvedLab, link: LabLink, node: str) -> AggregateEnd | None:
    """The end of an aggregated link at a node; None: it is a single one."""
    return next(end for end in ends(plan, link) if end.node == node) if link.bond else None


def _tc(plan: ResolvedLab, node: str) -> tuple[str, ...]:
    lines = []
    for link, other in _links_of(plan, node):
        end, device = _end_at(plan, link, node), interface(plan, node, other)
        if end is None:
            lines.append(shaper(device, link))
        else:
            lines += aggregate.nics(device, link, largest_packet_B(plan)) + aggregate.spreading(end)
    return tuple(lines)


def _nft(plan: ResolvedLab, node: str) -> tuple[str, ...]:
    lines = []
    for link, other in _links_of(plan, node):
        counted = plan.count_flows and node in plan.host_by_name
        lines += aggregate.choosing(interface(plan, node, other), _end_at(plan, link, node), counted, plan.family)
    return tuple(lines)


def _host(plan: ResolvedLab, host: LabHost) -> Namespace:
    gateway, network = addressing.leaf(plan.family, host.leaf), addressing.leaf_network(plan.family, host.leaf)
    ip = (
        "link set lo up",
        f"addr add {addressing.on_leaf(host.address)} dev {HOST_INTERFACE} noprefixroute",
        f"link set {HOST_INTERFACE} up gso_max_size {largest_packet_B(plan)}",
        f"route add {network} dev {HOST_INTERFACE} scope link src {host.address}{{congctl}}",
        f"route add default via {gateway}{{congctl}}",
        _neighbour(gateway, HOST_INTERFACE),
        *(_neighbour(o.address, HOST_INTERFACE) for o in plan.hosts if o.leaf == host.leaf and o is not host),
    )
    own = host.name
    return Namespace(own, True, _QUIET_SYSCTLS[plan.family] | _HOST_SYSCTLS, ip, _tc(plan, own), _nft(plan, own))


def _leaf(plan: ResolvedLab, index: int) -> Namespace:
    name, address = plan.leafs[index], addressing.leaf(plan.family, index)
    ip = [
        "link set lo up",
        f"link add name {BRIDGE} address {addressing.mac(address)} {_SILENT}",
        f"addr add {addressing.on_leaf(address)} dev {BRIDGE}",
        f"link set {BRIDGE} up",
        *(_neighbour(host.address, BRIDGE) for host in plan.hosts if host.leaf == index),
    ]
    for link, other in _links_of(plan, name):
        if other in plan.host_by_name or other in plan.server_by_name:
            ip.append(bridge_port(other))
        else:
            ip += _trunk_end(link, name, other)
    for target in range(len(plan.leafs)):
        if target != index:
            gateway = plan.spines[plan.spine_of[index][target]] if plan.spines else plan.leafs[target]
            ip += _onward(plan, name, target, _address_of(plan, gateway, name))
    return _switch(plan, name, ip)


def _onward(plan: ResolvedLab, leaf: str, target: int, gateway: str) -> list[str]:
    """Routes from a leaf to another one's hosts; ``gateway``: the fixed one."""
    if not plan.ecmp:
        return [f"route add {_network(plan, target)} via {gateway}"]
    hops = " ".join(f"nexthop via {_address_of(plan, spine, leaf)}" for spine in plan.spines)
    neighbours = [host.address for host in plan.hosts if host.leaf == target and host.role == "other"]
    # Whole addresses win over the network.
    return [f"route add {_network(plan, target)} {hops}", *(f"route add {each} via {gateway}" for each in neighbours)]


def _spine(plan: ResolvedLab, index: int) -> Namespace:
    name = plan.spines[index]
    ip = ["link set lo up"]
    for link, leaf in _links_of(plan, name):
        ip += _trunk_end(link, name, leaf)
        ip.append(f"route add {_network(plan, plan.leafs.index(leaf))} via {_address_of(plan, leaf, name)}")
    return _switch(plan, name, ip)


def _switch(plan: ResolvedLab, name: str, ip: list[str]) -> Namespace:
    sysctls = _QUIET_SYSCTLS[plan.family] | _SWITCH_SYSCTLS[plan.family]
    if plan.ecmp:
        sysctls |= _SPREADING_SYSCTLS[plan.family]
    return Namespace(name, False, sysctls, tuple(ip), _tc(plan, name), _nft(plan, name))


def _server(plan: ResolvedLab, server: LabServer) -> Namespace:
    ip = (
        "link set lo up",
        f"link add name {BRIDGE} {_SILENT}",
        f"addr add {addressing.on_leaf(server.address)} dev {BRIDGE}",
        f"link set {BRIDGE} up gso_max_size {largest_packet_B(plan)}",
        *(bridge_port(other) for _, other in _links_of(plan, server.name)),
    )
    name = server.name
    return Namespace(name, False, _QUIET_SYSCTLS[plan.family], ip, _tc(plan, name), _nft(plan, name))


def _trunk_end(link: LabLink, node: str, other: str) -> list[str]:
    assert link.addresses
    own, peer = link.addresses if link.a == node else reversed(link.addresses)
    return [f"addr add {addressing.on_trunk(own)} dev {other}", f"link set {other} up", _neighbour(peer, other)]


def _network(plan: ResolvedLab, leaf: int) -> str:
    return addressing.leaf_network(plan.family, leaf)


def _address_of(plan: ResolvedLab, node: str, towards: str) -> str:
    """Address of ``node`` on its trunk to ``towards``."""
    for link, other in _links_of(plan, node):
        if other == towards:
            assert link.addresses
            return link.addresses[0 if link.a == node else 1]
    raise KeyError((node, towards))
