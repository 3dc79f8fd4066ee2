"""How long the packets on a detour may be: as long as the direct path and both legs take them whole."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from .guardian_lab import JOB_SIZE, Guardian, Host, Mesh, Namespace, job, rerouted_routes

pytestmark = pytest.mark.root

SENT_B = 4_000_000


@pytest.fixture(scope="module")
def mesh() -> Iterator[Mesh]:
    mesh = Mesh(JOB_SIZE)
    yield mesh
    mesh.close()


def moved_mtu_B(host: Host, destination: Host) -> int:
    """As the kernel tells the job's user of his next packet."""
    (route,) = host.ip_json("route", "get", destination.address, "uid", "0")
    assert route["dev"] == "fl-test1"
    return int(route["metrics"][0]["mtu"])


def fragments(node: Namespace) -> int:
    names, values = (line.split() for line in node.run("cat", "/proc/net/snmp").splitlines() if line.startswith("Ip:"))
    return int(values[names.index("FragCreates")])


@pytest.mark.parametrize(
    ("to_destination", "to_relay", "leg_mtu_B", "mtu_B"),
    [
        ("", "", 0, 1450),
        ("mtu 1400", "", 0, 1400),
        ("", "mtu 1400", 0, 1350),
        ("mtu 1360", "mtu lock 1400", 0, 1350),
        ("", "", 1300, 1250),
        ("mtu 1240", "mtu 1400", 1300, 1240),
        ("", "", 9000, 1450),
        ("", "", 626, 576),
    ],
)
def test_the_least_of_the_direct_route_and_of_both_legs(
    mesh: Mesh,
    host: Host,
    start: Callable[..., Guardian],
    to_destination: str,
    to_relay: str,
    leg_mtu_B: int,
    mtu_B: int,
) -> None:
    _, destination, relay = mesh.hosts
    set_routes = [(destination, to_destination), (relay, to_relay)]
    for peer, metric in set_routes:
        host.ip(f"route add {peer.address}/32 via 10.77.0.1 dev eth0 {metric}")
    try:
        guardian = start(host, mesh.setup_request(host))
        for _ in range(2):  # the second finds the job's own route in the way
            assert guardian.reroute(destination=1, relay=2, leg_mtu_B=leg_mtu_B).error == 0
            assert moved_mtu_B(host, destination) == mtu_B
        assert guardian.give_back(1).error == 0
    finally:
        for peer, _ in set_routes:
            host.ip(f"route delete {peer.address}/32")


def test_a_device_that_takes_less_than_at_the_set_up(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    host.ip("link set eth0 mtu 1380")
    try:
        assert guardian.reroute(destination=1, relay=2).error == 0
        assert moved_mtu_B(host, mesh.hosts[1]) == 1330
    finally:
        host.ip("link set eth0 mtu 1500")


def test_a_detour_that_leaves_too_little_is_refused(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    reply = guardian.reroute(destination=1, relay=2, leg_mtu_B=625)
    assert reply.error == errno.EMSGSIZE
    assert reply.reason == "the detour over 10.77.2.2 has room for packets of 575 bytes, fewer than 576"
    assert rerouted_routes(host) == []


@pytest.fixture
def narrow(mesh: Mesh, request: pytest.FixtureRequest) -> Iterator[None]:
    """The link between two hosts' routers takes packets of 1300 bytes only."""
    for one, other in (request.param, request.param[::-1]):
        mesh.routers[one].ip(f"link set to{other} mtu 1300")
    yield
    for one, other in (request.param, request.param[::-1]):
        mesh.routers[one].ip(f"link set to{other} mtu 1500")
    for host in mesh.hosts:
        host.ip("route flush cache")


@pytest.mark.parametrize("narrow", [(0, 2)], indirect=True)
def test_what_routers_said_of_the_first_leg(mesh: Mesh, narrow: None) -> None:
    source, destination, relay = mesh.hosts
    with job(mesh) as guardians:
        assert not source.reaches(relay, size_B=1472, timeout_s=0.3)  # the router says why not
        assert guardians[0].reroute(destination=1, relay=2).error == 0
        assert moved_mtu_B(source, destination) == 1250


@pytest.mark.parametrize("narrow", [(1, 2)], indirect=True)
def test_data_goes_whole_over_a_second_leg_that_takes_less(mesh: Mesh, narrow: None) -> None:
    """The relay knows it: from a router, or as its route says. Nothing on the way has to cut packets."""
    source, destination, _ = mesh.hosts
    with job(mesh) as guardians:
        assert guardians[0].reroute(destination=1, relay=2, leg_mtu_B=1300).error == 0
        assert moved_mtu_B(source, destination) == 1250
        before = [fragments(node) for node in (*mesh.hosts, *mesh.routers)]
        transfer(source, destination)
        assert [fragments(node) for node in (*mesh.hosts, *mesh.routers)] == before


def transfer(source: Host, destination: Host) -> None:
    """Sends and checks `SENT_B` over TCP."""
    data = bytes(range(256)) * (SENT_B // 256)
    received = bytearray()
    with destination.socket(socket.SOCK_STREAM) as listener, source.socket(socket.SOCK_STREAM) as sender:
        listener.bind((destination.address, 0))
        listener.listen()
        sender.connect(listener.getsockname())
        receiver, _ = listener.accept()
        thread = threading.Thread(target=lambda: (sender.sendall(data), sender.shutdown(socket.SHUT_WR)))
        thread.start()
        receiver.settimeout(10)
        while piece := receiver.recv(65536):
            received += piece
        thread.join()
        receiver.close()
    assert bytes(received) == data
