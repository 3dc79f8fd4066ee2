"""Checks of interfaces, packet sizes, paths and firewalls."""

import re
from collections.abc import Iterable, Sequence

from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts, addresses_of
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.parts import OVERLAY_PORTS


@check
def interface(facts: ClusterFacts) -> Iterable[Finding]:
    """The interface that MPI shall use exists, is up, and has the cluster file's address."""
    for host in facts.reached():
        found = host.interface()
        name, address = host.host.interface, host.host.address
        if found is None:
            yield error(
                "interface", [host.name], f"there is no interface {name}: {_names(host)}", _whose(host, address)
            )
        elif not found["up"] or not found["carrier"]:
            state = "has no link" if found["up"] else "is down"
            yield error(
                "interface",
                [host.name],
                f"interface {name} {state}",
                f"ip link set {name} up" if not found["up"] else "check cable, switch port or virtual network",
            )
        elif address not in addresses_of(found):
            has = ", ".join(found["addresses"]) or "none"
            yield error(
                "interface",
                [host.name],
                f"interface {name} does not have address {address}; it has {has}",
                _whose(host, address),
            )


def _names(host: HostFacts) -> str:
    shown = [f"{item['name']} {' '.join(item['addresses'])}".strip() for item in host.facts["interfaces"]]
    return "it has " + ", ".join(shown)


def _whose(host: HostFacts, address: str) -> str:
    """Which interface the cluster file should have named."""
    for item in host.facts["interfaces"]:
        if address in addresses_of(item):
            return f'{address} is on {item["name"]}: write interface = "{item["name"]}" in the cluster file'
    return f"no interface there has {address}: correct `address` of {host.name} in the cluster file"


@check
def other_interfaces(facts: ClusterFacts) -> Iterable[Finding]:
    """Interfaces that an MPI left to itself might take: docker0, virbr0, management networks."""
    owners: dict[str, set[str]] = {}
    for host in facts.reached():
        for item in _others(host):
            for address in addresses_of(item):
                owners.setdefault(address, set()).add(host.name)
    for host in facts.reached():
        for item in _others(host):
            same = any(len(owners[address]) > 1 for address in addresses_of(item))
            why = (
                "has the same address on several hosts, so that connections go astray" if same else "has an address too"
            )
            yield note(
                "other_interfaces",
                [host.name],
                f"{item['name']} {why}; fairlead keeps MPI off it",
                "in launch lines of your own: --mca btl_tcp_if_include "
                f"{host.host.interface} (Open MPI), UCX_NET_DEVICES={host.host.interface} (MPICH)",
            )


def _others(host: HostFacts) -> list[dict[str, object]]:
    return [
        item
        for item in host.facts["interfaces"]
        if item["up"] and not item["loopback"] and item["addresses"] and item["name"] != host.host.interface
    ]


@check
def mtu(facts: ClusterFacts) -> Iterable[Finding]:
    """Interfaces agree on the packet size, and packets of that size arrive."""
    sizes = {host.name: found["mtu_B"] for host in facts.reached() if (found := host.interface())}
    if len(set(sizes.values())) > 1:
        groups = [
            f"{size_B} B on {', '.join(n for n in sizes if sizes[n] == size_B)}"
            for size_B in sorted(set(sizes.values()))
        ]
        yield warning(
            "mtu",
            list(sizes),
            f"interfaces have different MTUs: {'; '.join(groups)}",
            f"set the same on all (ip link set DEV mtu {min(sizes.values())})",
        )
    whole = True
    for host in facts.reached():
        for peer, path in host.paths.items():
            reached_B, own_B = path["path_mtu_B"], sizes.get(host.name)
            if reached_B is not None and own_B is not None and reached_B < own_B:
                whole = False
                yield error(
                    "mtu",
                    [host.name],
                    f"packets of {own_B} B do not arrive at {peer}; the largest tried that does is {reached_B} B: "
                    "connections will open and then hang",
                    f"ip link set {host.host.interface} mtu {reached_B} on both, or repair the path between them",
                )
    if whole and sizes and len(set(sizes.values())) == 1 and any(host.paths for host in facts.reached()):
        yield ok("mtu", list(sizes), f"packets of {min(sizes.values())} B arrive whole on every path")


@check
def paths(facts: ClusterFacts) -> Iterable[Finding]:
    """Every host reaches every other one: on the agents' ports, and on any port, as MPI needs."""
    tried = broken = 0
    for host in facts.reached():
        for peer, path in host.paths.items():
            tried += 1
            failures = {key: path[key] for key in ("tcp_any", "tcp_agent", "udp_agent") if path[key]}
            if failures:
                broken += 1
                yield error("paths", [host.name], f"to {peer}: {_words(failures)}", _path_fix(facts, failures, peer))
    if tried and not broken:
        yield ok("paths", [], f"all {tried} directed paths work, TCP and UDP")


def _words(failures: dict[str, str]) -> str:
    if len(failures) == 3:
        return f"nothing gets there (TCP: {failures['tcp_any']})"
    what = {
        "tcp_any": "TCP on MPI's ports",
        "tcp_agent": "TCP on the agents' port",
        "udp_agent": "UDP on the agents' port",
    }
    return "; ".join(f"{what[key]}: {reason}" for key, reason in failures.items())


def _path_fix(facts: ClusterFacts, failures: dict[str, str], peer: str) -> str:
    if len(failures) == 3:
        return f"check routes and {peer}'s interface; then its firewall"
    first, last = facts.cluster.ports
    if "tcp_any" in failures:
        return (
            f"let {peer}'s firewall admit TCP from the cluster's addresses: MPI listens on ports of the kernel's choice"
        )
    return f"let {peer}'s firewall admit TCP and UDP {first} to {last} from the cluster's addresses, or change `ports`"


@check
def overlay(facts: ClusterFacts) -> Iterable[Finding]:
    """Moved traffic would get through: it travels by UDP to a port that no agent and no MPI uses."""
    first, last = OVERLAY_PORTS
    for host in facts.reached():
        lost = [peer for peer, path in host.paths.items() if path["udp_overlay"] and not path["udp_agent"]]
        if lost:
            yield error(
                "overlay",
                [host.name],
                f"to {', '.join(lost)}: UDP on the overlay's ports: {host.paths[lost[0]]['udp_overlay']}: what is "
                "moved there by kernel routes would be lost",
                f"let firewalls admit UDP {first} to {last} from the cluster's addresses, or run with --plane relay",
            )


@check
def agent_ports(facts: ClusterFacts) -> Iterable[Finding]:
    """An agent could listen: the address is there and a port of the range is free."""
    for host in facts.reached():
        if "error" in host.ports:
            first, last = facts.cluster.ports
            yield error(
                "agent_ports",
                [host.name],
                f"cannot listen on {host.host.address}, ports {first} to {last}: {host.ports['error']}",
                "correct `address`, or choose other `ports` in the cluster file",
            )


@check
def connection_ports(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel does not give the ports that fairlead listens on to connections that programs open."""
    for host in facts.reached():
        for what, wanted, then in (
            ("agents", facts.cluster.ports, "an agent that finds its port taken takes another"),
            ("overlay", OVERLAY_PORTS, "a host whose port is in use cannot reroute traffic"),
        ):
            given = [given for given in host.facts["connection_ports"] if _overlap(wanted, given)]
            kept = any(first <= wanted[0] and wanted[1] <= last for first, last in host.facts["reserved_ports"])
            if kept or not given:
                continue
            (first, last), words = given[0], f"{wanted[0]}-{wanted[1]}"
            yield note(
                "connection_ports",
                [host.name],
                f"ports {wanted[0]} to {wanted[1]} ({what}) lie among those that the kernel gives to connections "
                f"({first} to {last}): {then}",
                f"sysctl -w net.ipv4.ip_local_reserved_ports={words} (add what it has already)"
                + (", or choose other `ports` in the cluster file" if what == "agents" else ""),
            )


def _overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


@check
def firewall(facts: ClusterFacts) -> Iterable[Finding]:
    """Filters that refuse what they do not know. Trials (`paths`, `overlay`) decide for input; forwarding cannot be
    tried. Those of nftables alone, such as firewalld's, are the guardian's to find (`route_plane`)."""
    for host in facts.reached():
        rules = host.facts["firewall"]
        if why := _refuses(rules["forward"] or ()):
            yield warning(
                "firewall",
                [host.name],
                f"FORWARD {why}: this host could not relay rerouted traffic",
                "iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT",
            )
        if why := _refuses(rules["input"] or ()):
            yield note("firewall", [host.name], f"INPUT {why}; what `paths` and `overlay` say was tried with it", "")


def _refuses(rules: Sequence[str]) -> str:
    """How a chain, as `iptables -S` shows it, refuses what no rule admits; empty if it does not."""
    if any(re.match(r"-P \w+ DROP\b", line) for line in rules):
        return "has the policy DROP (Docker sets it so)"
    last = rules[-1] if rules else ""
    return "ends with a rule that refuses all" if re.match(r"-A \w+ -j (DROP|REJECT)\b", last) else ""


@check
def congestion_control(facts: ClusterFacts) -> Iterable[Finding]:
    """All hosts use the same congestion control: with different ones the pairs cannot be compared."""
    used: dict[str, list[str]] = {}
    for host in facts.reached():
        for name in sorted({path["congestion_control"] for path in host.paths.values() if path["congestion_control"]}):
            used.setdefault(name, []).append(host.name)
    if len(used) > 1:
        groups = "; ".join(f"{name} on {', '.join(hosts)}" for name, hosts in used.items())
        yield warning(
            "congestion_control",
            [host.name for host in facts.reached()],
            f"TCP congestion control differs: {groups}",
            "sysctl net.ipv4.tcp_congestion_control=cubic on all",
        )
    if "bbr" in used:
        yield note(
            "congestion_control",
            used["bbr"],
            "TCP congestion control is bbr, which gives way differently under foreign traffic than cubic does",
            "compare results only among runs with the same one",
        )
