"""Checks of interfaces, routes, packet sizes and paths."""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence

from fairlead.cluster.doctor.answers import Interface, Path
from fairlead.cluster.doctor.checks.mpi import mpis
from fairlead.cluster.doctor.checks.packet_filters import admit
from fairlead.cluster.doctor.facts import RELAY, ClusterFacts, HostFacts, addresses_of
from fairlead.cluster.doctor.findings import Finding, check, error, for_kernel_routes, note, ok, warning
from fairlead.cluster.host_binaries import OVERLAY_PORTS
from fairlead.cluster.launchers.detect import Mpi

# Beginnings of names of networks inside a host, and whose they are.
INTERNAL_NETWORKS = {
    "docker": "Docker's bridge",
    "br-": "a bridge of Docker's",
    "virbr": "libvirt's bridge",
    "lxcbr": "LXC's bridge",
    "lxdbr": "LXD's bridge",
    "podman": "Podman's bridge",
    "cni": "Kubernetes' bridge",
    "flannel": "Kubernetes' overlay",
    "cali": "Kubernetes' network",
    "veth": "a container's link",
    "vnet": "a virtual machine's link",
}


@check
def interface(facts: ClusterFacts) -> Iterable[Finding]:
    """The interface that MPI shall use exists, is up, and has the cluster file's address."""
    for host in facts.reached():
        found = host.interface()
        name, address = host.host.interface, host.host.address
        if found is None:
            yield error([host.name], f"there is no interface {name}: {_names(host)}", _whose(host, address))
        elif not found["up"] or not found["carrier"]:
            state = "has no link" if found["up"] else "is down"
            yield error(
                [host.name],
                f"interface {name} {state}",
                f"ip link set {name} up"
                if not found["up"]
                else f"plug in the cable of {name} or enable its switch port: `ethtool {name}` then says Link detected",
            )
        elif address not in addresses_of(found):
            has = ", ".join(found["addresses"]) or "none"
            yield error(
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
    """Interfaces that an MPI left to itself might take: docker0, virbr0, management networks.

    Open MPI spreads messages over all interfaces that look connected (its FAQ, "Tuning the run-time characteristics of
    MPI TCP communications"; issues 6240 and 6377: docker0 and virbr0 have the same address on every host).
    """
    owners: dict[str, set[str]] = {}
    for host in facts.reached():
        for item in _others(host):
            for address in addresses_of(item):
                owners.setdefault(address, set()).add(host.name)
    known = mpis(facts)
    for host in facts.reached():
        own = host.interface()
        if own is not None and own["loopback"]:
            continue  # ranks of this machine alone
        for item in _others(host):
            same = any(len(owners[address]) > 1 for address in addresses_of(item))
            what = _internal(item)
            if same:
                why = "has the same address on several hosts, so connections reach the wrong host"
            elif what:
                why = "leads to no other host: Open MPI would try to use it and hang"
            else:
                why = "has an address too, and Open MPI would use both networks"
            yield note(
                [host.name],
                f"{item['name']}{f' ({what})' if what else ''} {why}; fairlead keeps MPI off it",
                _launch_options(host.host.interface, known.get(host.name)),
            )


def _internal(item: Interface) -> str:
    """What kind of network inside its host an interface is; empty where it leads outside, or may."""
    for start, what in INTERNAL_NETWORKS.items():
        if item["name"].startswith(start):
            return what
    return {"bridge": "a bridge", "tunnel": "a tunnel"}.get(item.get("kind", ""), "")


def _launch_options(interface: str, mpi: Mpi | None) -> str:
    """What keeps each MPI to one interface where the launch line is the user's own."""
    options = {
        "openmpi4": f"mpirun --mca btl_tcp_if_include {interface} --mca oob_tcp_if_include {interface}",
        "openmpi5": f"mpirun --mca btl_tcp_if_include {interface} --prtemca prte_if_include {interface}",
        "mpich": f"mpiexec -iface {interface} -genv UCX_NET_DEVICES {interface} -genv FI_TCP_IFACE {interface}",
    }
    for name, words in options.items():
        if mpi is not None and mpi.launcher.startswith(name):
            return f"in your own launch lines: {words}"
    return f"in your own launch lines: {options['openmpi4']} (Open MPI), {options['mpich']} (MPICH)"


@check
def same_network(facts: ClusterFacts) -> Iterable[Finding]:
    """No two interfaces of a host are in one network: the kernel answers for either on both, and sends by one."""
    for host in facts.reached():
        own = host.interface()
        if own is None or (host.facts.get("routing") or {}).get("arp_ignore"):
            continue
        mine = {_network(entry) for entry in own["addresses"]}
        keep = (
            "; or, to keep both: sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2"
            if facts.cluster.family == 4
            else ""
        )
        for item in _others(host):
            shared = [entry for entry in item["addresses"] if _network(entry) in mine]
            if shared:
                yield warning(
                    [host.name],
                    f"{item['name']} ({shared[0]}) is in the network of {own['name']}: the kernel sends through "
                    "one of them regardless of what MPI binds to, and neighbours learn the wrong one",
                    f"ip address del {shared[0]} dev {item['name']}{keep}",
                )


def _network(entry: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_interface(entry).network


@check
def route_source(facts: ClusterFacts) -> Iterable[Finding]:
    """Routes to the other hosts leave by the interface that the cluster file names."""
    hosts = {host.name: host for host in facts.hosts}
    for host in facts.reached():
        for peer, path in host.paths.items():
            source, address = path.get("source"), host.host.address
            if source is None or source == address:
                continue
            device = next((item["name"] for item in host.facts["interfaces"] if source in addresses_of(item)), "?")
            yield warning(
                [host.name],
                f"the route to {peer} ({hosts[peer].host.address}) leaves by {device} from {source}, not by "
                f"{host.host.interface} from {address}: messages do not use the managed network",
                _route_by(host, hosts[peer].host.address),
            )


def _route_by(host: HostFacts, peer: str) -> str:
    """The command for a route to a peer that leaves by the interface of MPI: by a router, where it is in no network of
    that one's."""
    own, address = host.interface(), host.host.address
    there = own is not None and any(ipaddress.ip_address(peer) in _network(entry) for entry in own["addresses"])
    whom = ipaddress.ip_network(peer)  # this address alone
    if there:
        return f"ip route replace {whom} dev {host.host.interface} src {address}"
    return (
        f"ip route replace {whom} via GATEWAY dev {host.host.interface} src {address}, with the router in the network "
        "of that interface as GATEWAY"
    )


@check
def reverse_path(facts: ClusterFacts) -> Iterable[Finding]:
    """No strict filter drops what comes in by another interface than the answer would leave by (ip-sysctl: rp_filter).

    The guardian loosens it on the devices that it uses, while it uses them. IPv6 has none.
    """
    if facts.cluster.family == 6:
        return
    for host in facts.reached():
        settings, interface = host.facts.get("routing") or {}, host.host.interface
        strict = max(settings.get("rp_filter_all") or 0, settings.get("rp_filter") or 0) == 1
        outside = [item["name"] for item in _others(host) if not _internal(item)]
        if strict and outside:
            yield note(
                [host.name],
                f"the reverse-path filter of {interface} is strict, and {', '.join(outside)} leads outside too: "
                "packets whose answer would leave by the other one are dropped silently (fairlead's own routes "
                "are not affected)",
                f"sysctl -w net.ipv4.conf.all.rp_filter=2 net.ipv4.conf.{interface}.rp_filter=2",
            )


@check
def forwarding(facts: ClusterFacts) -> Iterable[Finding]:
    """What a relay forwards. Fairlead's own device forwards by itself; routes made by hand need the host to."""
    if facts.cluster.family == 6:
        return
    for host in facts.reached():
        settings = host.facts.get("routing") or {}
        if host.host.role == "relay" and settings.get("ip_forward") == 0:
            yield note(
                [host.name],
                "net.ipv4.ip_forward is 0: fairlead's reroutes through this relay work (their device forwards "
                "by itself), but routes that you set up by hand do not",
                "sysctl -w net.ipv4.ip_forward=1 && echo net.ipv4.ip_forward=1 > /etc/sysctl.d/60-relay.conf",
            )


@check
@for_kernel_routes
def ipv6_forwarding(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel can forward what is rerouted on IPv6 (ip-sysctl: force_forwarding)."""
    for host in facts.reached():
        if facts.cluster.family == 6 and (host.facts.get("routing") or {}).get("ipv6_forward") == 0:
            yield warning(
                [host.name],
                "this kernel (before 6.17) forwards IPv6 on all devices or on none, and net.ipv6.conf.all.forwarding "
                "is 0: kernel routes cannot reroute anything here",
                "--plane relay; or sysctl -w net.ipv6.conf.all.forwarding=1, before it accept_ra=2 on interfaces that "
                "learn their routes from router advertisements",
            )


def _others(host: HostFacts) -> list[Interface]:
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
            list(sizes),
            f"interfaces have different MTUs: {'; '.join(groups)}",
            _same_mtu(facts, sizes),
        )
    whole = True
    for host in facts.reached():
        for peer, path in host.paths.items():
            reached_B, own_B = path["path_mtu_B"], sizes.get(host.name)
            if reached_B is not None and own_B is not None and reached_B < own_B:
                whole = False
                yield _small_path(host, peer, path, own_B)
    if whole and sizes and len(set(sizes.values())) == 1 and any(host.paths for host in facts.reached()):
        tried = " that was tried" if _only_some(facts) else ""
        yield ok(list(sizes), f"packets of {min(sizes.values())} B arrive whole on every path{tried}")


def _same_mtu(facts: ClusterFacts, sizes: Mapping[str, int]) -> str:
    """The command for each host whose MTU is larger than the least: that one, all can receive."""
    least_B = min(sizes.values())
    interfaces: dict[str, list[str]] = {}
    for host in facts.reached():
        if sizes.get(host.name, least_B) > least_B:
            interfaces.setdefault(host.host.interface, []).append(host.name)
    return "; ".join(
        f"on {', '.join(hosts)}: ip link set {interface} mtu {least_B}" for interface, hosts in interfaces.items()
    )


def _small_path(host: HostFacts, peer: str, path: Path, own_B: int) -> Finding:
    """A path that takes less than the interface sends: the kernel is told on the way (ICMP), or it is a black hole."""
    reached_B, interface = path["path_mtu_B"], host.host.interface
    text = f"packets of {own_B} B do not arrive at {peer}; the largest tested that do have {reached_B} B"
    fix = f"ip link set {interface} mtu {reached_B} on both hosts"
    learned_B = path.get("learned_mtu_B")
    if learned_B is not None and learned_B < own_B:
        text += f": a router reports it (MTU {learned_B}), and each connection loses its first large packets"
        return warning([host.name], text, f"{fix}, or raise the MTU along the path")
    fix += "; or, if it must stay: sysctl -w net.ipv4.tcp_mtu_probing=1"
    return error([host.name], f"{text}: connections will open and then hang", fix)


@check
def paths(facts: ClusterFacts) -> Iterable[Finding]:
    """Every host reaches every other one that it tried: on the agents' ports, and on any port, as MPI needs."""
    tried = broken = 0
    for host in facts.reached():
        for peer, path in host.paths.items():
            tried += 1
            failures = {key: why for key in ("tcp_any", "tcp_agent", "udp_agent") if (why := path[key])}
            if failures:
                broken += 1
                yield error([host.name], f"to {peer}: {_words(failures)}", _path_fix(facts, failures, peer))
    some = _only_some(facts)
    if broken and some:
        yield note([], f"{some}: other paths may be broken, too", "mend these, then run the doctor again")
    elif tried and not broken:
        all_work = f"all {tried} directed paths{' that were tried' if some else ''} work, TCP and UDP"
        yield ok([], f"{all_work}: {some}" if some else all_work)


def _only_some(facts: ClusterFacts) -> str:
    """What was tried of a cluster that is too large for all pairs of hosts, in words; else empty."""
    tried = [len(host.paths) for host in facts.reached() if host.paths]
    hosts = {name for host in facts.reached() for name in (host.name, *host.paths) if host.paths}
    if not tried or min(tried) >= len(hosts) - 1:
        return ""
    return f"each of {len(hosts)} hosts tried {min(tried)} others, and they tried it"


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
    other = next(host for host in facts.hosts if host.name == peer)
    if len(failures) == 3:
        return (
            f"ip route get {other.host.address} (a route by {other.host.interface}?) and ping -c 3 "
            f"{other.host.address}; if pings are answered, on {peer}: {admit(facts, other)}"
        )
    if "tcp_any" in failures:
        return f"on {peer}: {admit(facts, other)} (MPI listens on ports of the kernel's choice)"
    first, last = facts.cluster.ports
    return f"on {peer}: {admit(facts, other)}, for TCP and UDP {first} to {last} at least"


@check
@for_kernel_routes
def overlay(facts: ClusterFacts) -> Iterable[Finding]:
    """Traffic on kernel routes would get through: it travels by UDP to a port that no agent and no MPI uses."""
    first, last = OVERLAY_PORTS
    hosts = {host.name: host for host in facts.hosts}
    for host in facts.reached():
        lost = [peer for peer, path in host.paths.items() if path["udp_overlay"] and not path["udp_agent"]]
        if lost:
            yield error(
                [host.name],
                f"to {', '.join(lost)}: UDP on the overlay's ports: {host.paths[lost[0]]['udp_overlay']}: "
                "traffic rerouted there by kernel routes would be lost",
                f"on {lost[0]}: {admit(facts, hosts[lost[0]])}, for UDP {first} to {last} at least; or run with "
                "--plane relay",
            )


@check
def agent_ports(facts: ClusterFacts) -> Iterable[Finding]:
    """An agent could listen: the address is there and a port of the range is free."""
    for host in facts.reached():
        if "error" in host.ports:
            first, last = facts.cluster.ports
            yield error(
                [host.name],
                f"cannot listen on {host.host.address}, ports {first} to {last}: {host.ports['error']}",
                "correct `address`, or choose other `ports` in the cluster file",
            )


@check
def connection_ports(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel does not give the ports that fairlead listens on to connections that programs open."""
    for host in facts.reached():
        for what, wanted, then in (
            ("agents", facts.cluster.ports, "an agent whose port is taken uses another"),
            ("overlay", OVERLAY_PORTS, "a host whose port is in use cannot reroute traffic"),
        ):
            given = [given for given in host.facts["connection_ports"] if _overlap(wanted, given)]
            if what == "overlay" and facts.plane == RELAY:
                continue
            kept = any(first <= wanted[0] and wanted[1] <= last for first, last in host.facts["reserved_ports"])
            if kept or not given:
                continue
            (first, last), words = given[0], f"{wanted[0]}-{wanted[1]}"
            yield note(
                [host.name],
                f"ports {wanted[0]} to {wanted[1]} ({what}) lie in the kernel's ephemeral range ({first} to "
                f"{last}): {then}",
                f"sysctl -w net.ipv4.ip_local_reserved_ports={words} (keep what it already lists)"
                + (", or choose other `ports` in the cluster file" if what == "agents" else ""),
            )


def _overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


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
            [host.name for host in facts.reached()],
            f"TCP congestion control differs: {groups}",
            "sysctl -w net.ipv4.tcp_congestion_control=cubic on all hosts",
        )
    if "bbr" in used:
        yield note(
            used["bbr"],
            "TCP congestion control is bbr, which reacts to cross-traffic differently from cubic",
            "compare only results of runs with the same congestion control",
        )
