"""Equal-cost paths of the guardian: what is in the kernel, where packets go, what gets through, and that nothing is
left."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from .guardian_lab import (
    IP_MTU_DISCOVER,
    IP_PMTUDISC_DO,
    LAST_HOP_TABLE,
    REROUTED_TABLE,
    Guardian,
    Host,
    Mesh,
    clean,
    job,
    rerouted_routes,
    status,
    tried_routes,
    vxlan_packet,
    wait_until,
)

pytestmark = pytest.mark.root

NETWORK_ID, OVERLAY_PORT, WAYS = 4242, 28000, 3
FIRST_WAY_TABLE = 0x464C003C


def ports() -> list[int]:
    """The source port of each way, by `way_source_port` of native/guardian/protocol/names.hpp."""
    return [665 + (NETWORK_ID + 83 * way) % (1023 - 665 + 1) for way in range(1, WAYS + 1)]


@contextmanager
def outer_ports(mesh: Mesh, source: int, destination: int) -> Iterator[Callable[[], dict[int, int]]]:
    """Counts at the source's router the overlay's packets to a destination, by the port that they leave from."""
    router = mesh.routers[source]
    address = mesh.hosts[destination].address
    rules = (
        "table inet watch { set seen { type inet_service; flags dynamic; counter; };"
        " chain forward { type filter hook forward priority 0;"
        f" ip daddr {address} udp dport {OVERLAY_PORT} add @seen {{ udp sport }}; }}; }}"
    )
    router.run("nft", rules)

    def seen() -> dict[int, int]:
        listed = json.loads(router.run("nft", "--json", "list", "set", "inet", "watch", "seen"))
        (known,) = [entry["set"].get("elem", []) for entry in listed["nftables"] if "set" in entry]
        return {each["elem"]["val"]: each["elem"]["counter"]["packets"] for each in known}

    try:
        yield seen
    finally:
        router.run("nft", "delete table inet watch")


def test_each_way_is_a_device_with_one_source_port(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host, ways=WAYS))
    for way, port in enumerate(ports(), start=1):
        (link,) = host.ip_json("link", "show", f"f{way}-test1")
        vxlan = link["linkinfo"]["info_data"]
        assert (vxlan["id"], vxlan["port"], vxlan["local"]) == (NETWORK_ID + way, OVERLAY_PORT, host.address)
        assert vxlan["port_range"] == {"low": port, "high": port + 1}  # the second is not in it
        assert link["mtu"] == 1450 and "UP" in link["flags"]
        assert host.ip_json("address", "show", f"f{way}-test1")[0]["addr_info"] == []
        assert host.sysctl(f"conf.f{way}-test1.forwarding") == 0
        (reverse,) = host.ip_json("route", "show", "table", str(FIRST_WAY_TABLE + way - 1))
        assert (reverse["dst"], reverse["dev"], reverse["protocol"]) == ("default", f"f{way}-test1", "70")
    marks = [(r["fwmark"], r["table"]) for r in host.ip_json("rule") if r["priority"] == 5000 and "fwmark" in r]
    assert sorted(marks) == [
        ("0x46000000", str(LAST_HOP_TABLE)),
        *((f"{0x46000000 + 0x20 * way:#x}", str(FIRST_WAY_TABLE + way - 1)) for way in range(1, WAYS + 1)),
    ]


def test_without_ways_there_is_nothing_of_them(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    assert [link["ifname"] for link in host.ip_json("link") if link["ifname"].startswith("f")] == ["fl-test1"]


def test_reroute_by_a_way_replace_and_return(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    h1, h2 = mesh.hosts[1].address, mesh.hosts[2].address
    guardian = start(host, mesh.setup_request(host, ways=WAYS))
    assert guardian.reroute_by_way(destination=1, way=2).error == 0
    (route,) = rerouted_routes(host)
    assert (route["dst"], route["gateway"], route["dev"], route["prefsrc"]) == (h1, h1, "f2-test1", host.address)
    assert "mtu lock 1450" in host.run("ip", "route", "show", "table", str(REROUTED_TABLE))
    (known,) = status(host, binary)
    assert known["ways"] == WAYS
    assert known["rerouted"] == [{"destination": h1, "way": 2}]
    assert guardian.reroute(destination=1, relay=2).error == 0
    assert [(route["gateway"], route["dev"]) for route in rerouted_routes(host)] == [(h2, "fl-test1")]
    assert guardian.reroute_by_way(destination=1, way=3).error == 0
    assert [(route["gateway"], route["dev"]) for route in rerouted_routes(host)] == [(h1, "f3-test1")]
    assert guardian.attempt_by_way(destination=2, way=1).error == 0
    assert [(route["dst"], route["dev"]) for route in tried_routes(host)] == [(h2, "f1-test1")]
    assert guardian.give_back(1).error == 0
    assert guardian.give_back(2).error == 0
    assert rerouted_routes(host) == tried_routes(host) == []


def test_an_agents_death_takes_its_routes_and_then_the_ways(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host, ways=WAYS, grace_ms=500))
    assert guardian.reroute_by_way(destination=1, way=1).error == 0
    guardian.close()
    wait_until(lambda: not rerouted_routes(host), within_s=5.0)
    assert guardian.wait() == 0
    assert [link["ifname"] for link in host.ip_json("link") if link["ifname"].startswith("f")] == []


def test_what_a_killed_guardian_left_of_its_ways_is_cleaned(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    guardian = start(host, mesh.setup_request(host, ways=WAYS))
    assert guardian.reroute_by_way(destination=1, way=1).error == 0
    assert guardian.attempt_by_way(destination=2, way=2).error == 0
    guardian.kill()
    guardian.wait()
    removed = clean(host, binary)
    assert {each["name"] for each in removed if each["kind"] == "device"} == {
        "fl-test1",
        *(f"f{way}-test1" for way in range(1, WAYS + 1)),
    }  # the host's state is compared with that before by the fixture


def test_packets_leave_from_the_ways_port_whatever_their_own(mesh: Mesh) -> None:
    """One port is one path of switches that hash ports, for echoes and all connections alike."""
    source, destination = mesh.hosts[:2]
    with job(mesh, ways=WAYS) as guardians, outer_ports(mesh, 0, 1) as seen:
        for way, port in enumerate(ports(), start=1):
            assert guardians[0].reroute_by_way(destination=1, way=way).error == 0
            before = seen().get(port, 0)
            for inner in range(5001, 5011):
                assert source.reaches(destination, port=inner)
            assert seen()[port] - before == 10
            assert sum(seen().values()) == 10 * way
        assert destination.received_packets("fl-test1") == 0
        # Back on the direct path nothing is wrapped.
        assert guardians[0].give_back(1).error == 0
        before = seen()
        assert source.reaches(destination)
        assert seen() == before


def test_large_packets_and_answers_get_through(mesh: Mesh) -> None:
    """Both ways, at once with a detour over a relay, though reverse paths are filtered strictly."""
    source, destination, relay = mesh.hosts[:3]
    with job(mesh, ways=WAYS) as guardians:
        assert guardians[0].reroute_by_way(destination=1, way=1).error == 0
        assert guardians[1].reroute_by_way(destination=0, way=3).error == 0
        assert guardians[2].reroute(destination=0, relay=1).error == 0
        assert source.reaches(destination, size_B=1450 - 28)
        assert destination.reaches(source, size_B=1450 - 28)
        assert relay.reaches(source)
        with source.socket(socket.SOCK_DGRAM) as out:
            out.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
            with pytest.raises(OSError, match="Message too long"):
                out.sendto(bytes(1450 - 27), (destination.address, 5001))


@pytest.mark.parametrize(
    ("sender", "port", "inner_source", "inner_destination", "delivered", "counted"),
    [
        (0, 700, "10.77.0.2", "10.77.1.2", True, {}),
        (2, 700, "10.77.2.2", "10.77.0.2", False, {"strangers": 1}),
        (0, 700, "10.77.3.2", "10.77.1.2", False, {"strangers": 1}),
        (0, 5000, "10.77.0.2", "10.77.1.2", False, {"forgers": 1}),
    ],
    ids=["valid", "for another host of the job", "inner source of a stranger", "from a user's port"],
)
def test_a_way_delivers_what_the_jobs_hosts_send_here_and_nothing_else(
    mesh: Mesh,
    sender: int,
    port: int,
    inner_source: str,
    inner_destination: str,
    delivered: bool,
    counted: dict[str, int],
) -> None:
    victim = mesh.hosts[1]
    with (
        job(mesh, ways=WAYS),
        victim.socket(socket.SOCK_DGRAM) as listener,
        mesh.hosts[sender].socket(socket.SOCK_DGRAM) as out,
    ):
        listener.bind(("0.0.0.0", 5005))
        listener.settimeout(5 if delivered else 0.3)
        out.bind(("0.0.0.0", port))
        packet = vxlan_packet(NETWORK_ID + 2, inner_source, inner_destination, 5005)
        out.sendto(packet, (victim.address, OVERLAY_PORT))
        try:
            arrived = listener.recv(100) == b"hello"
        except TimeoutError:
            arrived = False
        counters = ("outsiders", "strangers", "forgers")
        found = {name: victim.counter("fairlead_test1", name) for name in counters}
    assert arrived is delivered
    assert found == {name: counted.get(name, 0) for name in counters}
