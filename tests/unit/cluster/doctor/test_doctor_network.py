"""Checks of interfaces, routes, packet sizes and paths."""

from dataclasses import replace
from typing import Any

import pytest

from fairlead.cluster.doctor.facts import ClusterFacts
from fairlead.cluster.doctor.findings import Severity, judge

from .doctor_facts import (
    ERROR,
    MPICH_4,
    NAMES,
    NOTE,
    OPEN_MPI,
    WARNING,
    Case,
    check_case,
    healthy,
    named,
    one,
    setting,
    several,
    with_host,
)


def more_interfaces(data: dict[str, Any]) -> None:
    docker = {"name": "docker0", "addresses": ["172.17.0.1/16"], "mtu_B": 1500, "up": True, "carrier": True}
    data["facts"]["interfaces"].append(docker | {"loopback": False})


def moved_address(data: dict[str, Any]) -> None:
    eth0 = data["facts"]["interfaces"][1]
    data["facts"]["interfaces"].append(eth0 | {"name": "ens5"})
    eth0["addresses"] = ["192.168.1.7/24"]


def unreachable_peer(data: dict[str, Any]) -> None:
    for key in ("tcp_agent", "tcp_any", "udp_agent", "udp_overlay"):
        data["paths"]["h2"][key] = "no answer"
    data["paths"]["h2"]["path_mtu_B"] = None


def another(name: str, address: str, kind: str = "physical") -> dict[str, Any]:
    """One more interface that is up."""
    state = {"mtu_B": 1500, "up": True, "carrier": True, "loopback": False, "kind": kind}
    return {"name": name, "addresses": [address]} | state


def with_interface(name: str, address: str, kind: str = "physical") -> Any:
    def change(data: dict[str, Any]) -> None:
        data["facts"]["interfaces"].append(another(name, address, kind))

    return change


CASES: list[Case] = [
    (
        "interface",
        ERROR,
        setting("facts", "interfaces", 1, "name", value="ens5"),
        "no interface eth0",
        "on ens5: write",
    ),
    ("interface", ERROR, setting("facts", "interfaces", 1, "up", value=False), "eth0 is down", "ip link set eth0 up"),
    (
        "interface",
        ERROR,
        setting("facts", "interfaces", 1, "carrier", value=False),
        "has no link",
        "plug in the cable of eth0",
    ),
    ("interface", ERROR, moved_address, "does not have address 10.64.0.2; it has 192.168.1.7/24", "on ens5"),
    (
        "interface",
        ERROR,
        setting("facts", "interfaces", 1, "addresses", value=[]),
        "it has none",
        "correct `address` of h1",
    ),
    (
        "other_interfaces",
        NOTE,
        more_interfaces,
        "docker0 (Docker's bridge) leads to no other host",
        "btl_tcp_if_include eth0",
    ),
    (
        "mtu",
        WARNING,
        setting("facts", "interfaces", 1, "mtu_B", value=1400),
        "1400 B on h1; 1500 B on h0, h2",
        "mtu 1400",
    ),
    (
        "mtu",
        ERROR,
        setting("paths", "h2", "path_mtu_B", value=1400),
        "open and then hang",
        "eth0 mtu 1400 on both hosts",
    ),
    ("paths", ERROR, unreachable_peer, "to h2: nothing gets there (TCP: no answer)", "ip route get 10.64.0.3"),
    (
        "paths",
        ERROR,
        setting("paths", "h2", "udp_agent", value="no answer"),
        "to h2: UDP on the agents' port: no answer",
        "iptables -I INPUT -s 10.64.0.0/24 -j ACCEPT",
    ),
    (
        "paths",
        ERROR,
        setting("paths", "h2", "tcp_any", value="Connection refused"),
        "TCP on MPI's ports: Connection refused",
        "ports of the kernel's choice",
    ),
    (
        "overlay",
        ERROR,
        setting("paths", "h2", "udp_overlay", value="no answer"),
        "to h2: UDP on the overlay's ports: no answer",
        "UDP 20000 to 29999",
    ),
    (
        "congestion_control",
        WARNING,
        setting("paths", "h2", "congestion_control", value="reno"),
        "differs: cubic on h0, h1, h2; reno on h1",
        "sysctl",
    ),
    (
        "congestion_control",
        NOTE,
        setting("paths", "h2", "congestion_control", value="bbr"),
        "bbr, which reacts to cross-traffic differently",
        "same congestion control",
    ),
    (
        "other_interfaces",
        NOTE,
        with_interface("eth1", "192.168.1.2/24"),
        "eth1 has an address too, and Open MPI would use both networks",
        "mpirun --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0",
    ),
    (
        "other_interfaces",
        NOTE,
        with_interface("br0", "172.20.0.1/16", "bridge"),
        "br0 (a bridge) leads to no other host",
        "mpirun --mca btl_tcp_if_include eth0",
    ),
    (
        "same_network",
        WARNING,
        with_interface("eth1", "10.64.0.77/24"),
        "eth1 (10.64.0.77/24) is in the network of eth0",
        "ip address del 10.64.0.77/24 dev eth1",
    ),
    (
        "route_source",
        WARNING,
        several(with_interface("eth1", "192.168.1.2/24"), setting("paths", "h2", "source", value="192.168.1.2")),
        "the route to h2 (10.64.0.3) leaves by eth1 from 192.168.1.2, not by eth0",
        "ip route replace 10.64.0.3/32 dev eth0 src 10.64.0.2",
    ),
    (
        "reverse_path",
        NOTE,
        several(with_interface("eth1", "192.168.1.2/24"), setting("facts", "routing", "rp_filter", value=1)),
        "the reverse-path filter of eth0 is strict, and eth1 leads outside too",
        "sysctl -w net.ipv4.conf.all.rp_filter=2",
    ),
    (
        "mtu",
        WARNING,
        several(setting("paths", "h2", "path_mtu_B", value=1400), setting("paths", "h2", "learned_mtu_B", value=1400)),
        "a router reports it (MTU 1400)",
        "ip link set eth0 mtu 1400 on both hosts",
    ),
]
TRIED = {case[0] for case in CASES} | {"forwarding"}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


def test_same_address_on_several_hosts() -> None:
    found = one(judge(healthy(more_interfaces, on=("h0", "h1"))), "other_interfaces")
    assert found.hosts == ("h0", "h1")
    assert "same address on several hosts" in found.text


def test_the_larger_mtus_are_lowered_on_their_hosts() -> None:
    jumbo = healthy(setting("facts", "interfaces", 1, "mtu_B", value=9000))
    (found,) = [item for item in judge(jumbo) if item.text.startswith("interfaces have different MTUs")]
    assert found.fix == "on h1: ip link set eth0 mtu 1500"


@pytest.mark.parametrize(
    ("said", "options"),
    [
        (OPEN_MPI.replace("4.1.4", "5.0.3"), "--prtemca prte_if_include eth0"),
        (MPICH_4, "mpiexec -iface eth0 -genv UCX_NET_DEVICES eth0"),
        ("another", "(Open MPI), mpiexec -iface eth0"),
    ],
)
def test_each_mpi_has_its_own_options(said: str, options: str) -> None:
    change = several(
        with_interface("eth1", "192.168.1.2/24"), setting("facts", "tools", "mpirun", "output", value=said)
    )
    assert options in one(judge(healthy(change)), "other_interfaces").fix


def test_ranks_of_one_machine_meet_on_its_loopback() -> None:
    on_lo = healthy(more_interfaces, on=NAMES)
    hosts = tuple(replace(host, host=replace(host.host, interface="lo")) for host in on_lo.hosts)
    assert not [item for item in judge(replace(on_lo, hosts=hosts)) if item.check == "other_interfaces"]


def test_two_interfaces_of_one_network_that_answer_for_themselves() -> None:
    kept = several(with_interface("eth1", "10.64.0.77/24"), setting("facts", "routing", "arp_ignore", value=1))
    assert not [item for item in judge(healthy(kept)) if item.check == "same_network"]


def test_a_strict_filter_hurts_nobody_on_a_host_of_one_network() -> None:
    strict = setting("facts", "routing", "rp_filter", value=1)
    inside = several(strict, with_interface("docker0", "172.17.0.1/16", "bridge"))
    assert not [item for item in judge(healthy(inside)) if item.check == "reverse_path"]


def test_a_route_to_a_peer_behind_a_router_has_the_router() -> None:
    """Without it the host would look for the peer on its own link, and reach it no more."""
    behind = several(
        setting("facts", "interfaces", 1, "addresses", value=["10.64.0.2/31"]),  # the network of h1 and a router
        with_interface("eth1", "192.168.1.2/24"),
        setting("paths", "h0", "source", value="192.168.1.2"),
    )
    found = one(judge(healthy(behind)), "route_source")
    assert found.fix.startswith("ip route replace 10.64.0.1/32 via GATEWAY dev eth0 src 10.64.0.2, with the router")


SIX = "fd00:64::/64"


def test_a_healthy_cluster_of_ipv6() -> None:
    assert {item.severity for item in judge(healthy(network=SIX))} <= {Severity.OK}


def test_settings_of_ipv4_say_nothing_of_ipv6() -> None:
    change = several(with_interface("eth1", "fd00:1::2/64"), setting("facts", "routing", "rp_filter", value=1))
    facts = healthy(change, network=SIX)
    relay = with_host(facts, "h1", host=replace(facts.hosts[1].host, role="relay"))
    assert not {item.check for item in judge(relay)} & {"reverse_path", "forwarding"}


def test_a_kernel_that_cannot_forward_ipv6_for_one_device() -> None:
    cannot = setting("facts", "routing", "ipv6_forward", value=0)
    assert "accept_ra=2" in one(judge(healthy(cannot, network=SIX)), "ipv6_forwarding").fix
    for facts in (healthy(cannot), replace(healthy(cannot, network=SIX), plane="relay")):
        assert not [item for item in judge(facts) if item.check == "ipv6_forwarding"]


def test_networks_and_routes_of_ipv6() -> None:
    twice = healthy(with_interface("eth1", "fd00:64::77/64"), network=SIX)
    assert one(judge(twice), "same_network").fix == "ip address del fd00:64::77/64 dev eth1"
    other = several(with_interface("eth1", "fd00:1::2/64"), setting("paths", "h2", "source", value="fd00:1::2"))
    found = one(judge(healthy(other, network=SIX)), "route_source")
    assert found.fix == "ip route replace fd00:64::3/128 dev eth0 src fd00:64::2"


def test_only_relays_have_to_forward() -> None:
    facts = healthy()
    assert not [item for item in judge(facts) if item.check == "forwarding"]
    relay = with_host(facts, "h1", host=replace(facts.hosts[1].host, role="relay"))
    found = one(judge(relay), "forwarding")
    assert (found.severity, found.hosts) == (NOTE, ("h1",))
    assert found.fix.startswith("sysctl -w net.ipv4.ip_forward=1")


def test_a_peer_that_refuses_is_told_in_the_words_of_its_own_firewall() -> None:
    refused = healthy(setting("paths", "h2", "tcp_any", value="No route to host"))
    h2 = refused.hosts[2]
    walled = with_host(refused, "h2", facts={**h2.facts, "firewall": {**h2.facts["firewall"], "ufw": True}})
    found = one(judge(walled), "paths")
    assert found.fix.startswith("on h2: ufw allow from 10.64.0.0/24")


def test_of_a_large_cluster_it_is_said_how_many_paths_were_tried() -> None:
    """As if each tried some others only: h0 and h2 did not try each other."""

    def some(facts: ClusterFacts) -> ClusterFacts:
        hosts = {host.name: host for host in facts.hosts}
        for one_end, other in (("h0", "h2"), ("h2", "h0")):
            left = {peer: path for peer, path in hosts[one_end].paths.items() if peer != other}
            facts = with_host(facts, one_end, paths=left)
        return facts

    said = {item.check: item.text for item in judge(healthy())}
    assert said["paths"] == "all 6 directed paths work, TCP and UDP"
    assert said["mtu"] == "packets of 1500 B arrive whole on every path"
    said = {item.check: item.text for item in judge(some(healthy()))}
    assert said["paths"] == (
        "all 4 directed paths that were tried work, TCP and UDP: each of 3 hosts tried 1 others, and they tried it"
    )
    assert said["mtu"] == "packets of 1500 B arrive whole on every path that was tried"
    broken = judge(some(healthy(unreachable_peer)))
    assert one(broken, "paths", ERROR).text == "to h2: nothing gets there (TCP: no answer)"
    assert one(broken, "paths", NOTE).text == (
        "each of 3 hosts tried 1 others, and they tried it: other paths may be broken, too"
    )
    lost = with_host(healthy(), "h2", unreachable="it was lost", paths={})
    assert {item.check: item.text for item in judge(lost)}["paths"] == "all 4 directed paths work, TCP and UDP"
