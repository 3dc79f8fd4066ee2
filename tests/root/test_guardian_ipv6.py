"""The guardian on hosts with IPv6 addresses: what it makes in the kernel, and whose packets it leads where."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .guardian_lab import (
    LAST_HOP_TABLE,
    REROUTED_TABLE,
    Guardian,
    Host,
    Mesh,
    Mesh6,
    Namespace,
    clean,
    filters,
    job,
    status,
)

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(
        not Path("/proc/sys/net/ipv6/conf/all/force_forwarding").exists(),
        reason="before Linux 6.17 a host forwards IPv6 on all devices or on none",
    ),
]


@pytest.fixture(scope="module")
def mesh() -> Iterator[Mesh]:
    """In place of that with IPv4."""
    mesh = Mesh6(3)
    yield mesh
    mesh.close()


REVERSE_PATHS = """
table inet reverse_paths {
    chain prerouting {
        type filter hook prerouting priority mangle + 10; policy accept;
        icmpv6 type { nd-router-advert, nd-neighbor-solicit } accept
        meta nfproto ipv6 fib saddr . mark . iif oif missing drop
    }
}
"""


def passed(relay: Namespace) -> int:
    """Packets that have come to a host on its overlay."""
    return relay.received_packets("fl-test1")


def test_what_is_in_the_kernel(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host, uid_first=1000, uid_last=1001))
    rules = [rule for rule in host.ip_json("-6", "rule") if rule.get("protocol") == "70"]
    assert [rule["priority"] for rule in rules] == [5000, 5000, 5020, 5020, 5020, 5040, 5080]
    assert [rule for rule in host.ip_json("rule") if rule.get("protocol") == "70"] == []
    last_hops = host.ip_json("-6", "route", "show", "table", str(LAST_HOP_TABLE))
    assert {(route["dst"], route.get("gateway")) for route in last_hops} == {
        ("default", None),
        (mesh.hosts[1].address, "fe80::246:4c00:1"),
        (mesh.hosts[2].address, "fe80::246:4c00:2"),
    }
    (link,) = host.ip_json("link", "show", "fl-test1")
    assert link["mtu"] == 1500 - 70
    assert host.ip_json("address", "show", "fl-test1")[0]["addr_info"] == []
    assert host.run("sysctl", "-n", "net.ipv6.conf.all.forwarding").strip() == "0"
    assert host.run("sysctl", "-n", "net.ipv6.conf.fl-test1.force_forwarding").strip() == "1"


def test_the_filter_is_what_nft_would_make(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    made, reference = filters(mesh, host)
    assert made == reference


def test_packets_travel_over_the_relay_and_back_on_the_direct_path(mesh: Mesh, host: Host, binary: str) -> None:
    source, destination, relay = mesh.hosts
    with job(mesh) as (guardian, _, _):
        assert source.reaches(destination)
        assert passed(relay) == 0
        assert guardian.reroute(1, 2).error == 0
        (known,) = status(source, binary)
        assert known["rerouted"] == [{"destination": destination.address, "relay": relay.address}]
        assert source.reaches(destination)
        assert passed(relay) == passed(destination) == 1
        assert source.reaches(destination, size_B=1430 - 48)
        assert source.reaches(destination, size_B=4000, fragment=True)
        with pytest.raises(OSError, match="too long"):
            source.reaches(destination, size_B=1430 - 47)
        before = passed(relay)
        assert destination.reaches(source), "the other way is its own affair"
        assert guardian.give_back(1).error == 0
        assert source.reaches(destination)
        assert passed(relay) == before
        assert json.loads(relay.run("nft", "--json", "list", "counter", "inet", "fairlead_test1", "strangers"))


def test_a_packet_filter_that_looks_at_reverse_paths_lets_a_detour_pass(mesh: Mesh) -> None:
    """As firewalld's does by default (IPv6_rpfilter): its rules come before those of zones."""
    source, destination, relay = mesh.hosts
    for each in mesh.hosts:
        each.run("nft", "-f", "-", text_in=REVERSE_PATHS)
    try:
        with job(mesh) as (guardian, _, _):
            assert source.reaches(destination)
            assert guardian.reroute(1, 2).error == 0
            assert source.reaches(destination)
            assert passed(relay) == passed(destination) == 1
    finally:
        for each in mesh.hosts:
            each.run("nft", "delete", "table", "inet", "reverse_paths")


def test_an_open_connection_changes_its_path(mesh: Mesh, host: Host) -> None:
    source, destination, relay = mesh.hosts
    with (
        job(mesh) as (guardian, _, _),
        destination.socket(socket.SOCK_STREAM) as listener,
        source.socket(socket.SOCK_STREAM) as client,
    ):
        listener.bind((destination.address, 5002))
        listener.listen(1)
        client.connect((destination.address, 5002))
        server, _ = listener.accept()
        with server:

            def carries() -> int:
                """How many packets the relay sees of a transfer."""
                before = passed(relay)
                client.sendall(bytes(100_000))
                left = 100_000
                while left:
                    left -= len(server.recv(left))
                time.sleep(0.05)
                return passed(relay) - before

            assert carries() == 0
            assert guardian.reroute(1, 2).error == 0
            assert carries() > 0
            assert guardian.give_back(1).error == 0
            assert carries() == 0
            assert guardian.reroute(1, 2).error == 0
            assert carries() > 0


def test_a_dead_agent_takes_its_routes_along(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host, grace_ms=100))
    assert guardian.reroute(1, 2).error == 0
    assert host.ip_json("-6", "route", "show", "table", str(REROUTED_TABLE)) != []
    guardian.close()
    assert guardian.wait() == 0


def test_what_a_killed_guardian_left_is_cleaned(
    mesh: Mesh, host: Host, binary: str, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert guardian.reroute(1, 2).error == 0
    guardian.kill()
    guardian.wait()
    removed = clean(host, binary)
    assert {str(item["kind"]) for item in removed} == {"rule", "route", "device", "filter"}
