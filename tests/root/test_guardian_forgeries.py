"""Who else on a job's host can put packets into its overlay, and who cannot."""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Iterator

import pytest

from .guardian_lab import AS_USER, JOB_SIZE, Guardian, Host, Mesh, Namespace, job, vxlan_packet

pytestmark = pytest.mark.root

FORGED = 20
FORGE = f"""
import socket, sys
address, source_port, packet = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.bind(("", source_port))
for _ in range({FORGED}):
    out.sendto(packet, (address, 28000))
"""
PRIVILEGED_PORT = 700


@pytest.fixture(scope="module")
def mesh() -> Iterator[Mesh]:
    mesh = Mesh(JOB_SIZE)
    yield mesh
    mesh.close()


def forge(sender: Namespace, victim: Host, *, port: int = 0, prefix: tuple[str, ...] = tuple(AS_USER)) -> None:
    """A process of an ordinary user sends packets that seem to come from h2."""
    packet = vxlan_packet(4242, "10.77.2.2", victim.address, 5005).hex()
    sender.run(*prefix, "/usr/bin/python3", "-c", FORGE, victim.address, str(port), packet)


def delivered(listener: socket.socket) -> int:
    listener.settimeout(0.3)
    count = 0
    try:
        while listener.recv(100):
            count += 1
    except TimeoutError:
        return count
    raise AssertionError("an empty datagram")


def test_a_users_packets_from_a_jobs_host_are_dropped_and_traffic_goes_on(mesh: Mesh) -> None:
    source, victim, relay = mesh.hosts
    with job(mesh) as guardians, victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 5005))
        assert guardians[0].reroute(destination=1, relay=2).error == 0
        carried = relay.received_packets("fl-test1")
        for sender in (source, victim):  # and from the victim itself, over its loopback device
            forge(sender, victim)
        assert delivered(listener) == 0
        assert victim.counter("fairlead_test1", "forgers") == 2 * FORGED
        assert source.reaches(victim)
        assert relay.received_packets("fl-test1") == carried + 1
        counts = [host.counter("fairlead_test1", name) for host in mesh.hosts for name in ("outsiders", "strangers")]
        assert counts == [0] * 6


EVERYBODY = f"""
import socket, sys
packet = bytes.fromhex(sys.argv[1])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for address in ("255.255.255.255", sys.argv[2], "224.0.0.1"):
    for _ in range({FORGED}):
        out.sendto(packet, (address, 28000))
"""
SEGMENTS = f"""
import socket, sys
first, second = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2])
assert len(first) == len(second)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_UDP, 103, len(first))  # UDP_SEGMENT
for _ in range({FORGED}):
    out.sendto(first + second, (sys.argv[3], 28000))
"""


def test_broadcast_and_multicast_reach_the_overlay_no_more_than_others(mesh: Mesh) -> None:
    """The kernel hands them to every socket of the port. From the victim itself: its own copy is looped back."""
    _, victim, _ = mesh.hosts
    broadcast = victim.address.rpartition(".")[0] + ".255"
    victim.ip("route add 224.0.0.0/4 dev eth0", "route add 255.255.255.255 dev eth0")
    try:
        with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
            listener.bind(("0.0.0.0", 5005))
            packet = vxlan_packet(4242, "10.77.2.2", victim.address, 5005).hex()
            victim.run(*AS_USER, "/usr/bin/python3", "-c", EVERYBODY, packet, broadcast)
            assert delivered(listener) == 0
            assert victim.counter("fairlead_test1", "forgers") >= 2 * FORGED
    finally:
        victim.ip("route del 224.0.0.0/4 dev eth0", "route del 255.255.255.255 dev eth0")


def test_a_segment_behind_one_of_another_network_is_dropped_with_it(mesh: Mesh) -> None:
    """Segments of one buffer pass the filter as one packet, and the overlay's socket one by one."""
    source, victim, _ = mesh.hosts
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 5005))
        first, second = (vxlan_packet(number, "10.77.2.2", victim.address, 5005).hex() for number in (4243, 4242))
        for sender in (source, victim):
            sender.run(*AS_USER, "/usr/bin/python3", "-c", SEGMENTS, first, second, victim.address)
        assert delivered(listener) == 0
        assert victim.counter("fairlead_test1", "forgers") >= 2 * FORGED


def test_where_ports_below_1024_are_for_everybody_it_protects_nothing_and_that_is_told(mesh: Mesh, binary: str) -> None:
    source, victim, _ = mesh.hosts
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 5005))
        with pytest.raises(AssertionError, match="PermissionError"):
            forge(source, victim, port=PRIVILEGED_PORT)
        assert low_ports(source, binary) == []
        source.sysctl("ip_unprivileged_port_start", 512)
        try:
            forge(source, victim, port=PRIVILEGED_PORT)
            assert delivered(listener) == FORGED
            (told,) = low_ports(source, binary)
        finally:
            source.sysctl("ip_unprivileged_port_start", 1024)
    assert told == {
        "name": "low_ports",
        "ok": None,
        "detail": "net.ipv4.ip_unprivileged_port_start is 512: every user of this host can inject packets into the "
        "rerouted traffic of all jobs on it",
        "fix": "sysctl -w net.ipv4.ip_unprivileged_port_start=1024",
    }


def low_ports(host: Host, binary: str) -> list[dict[str, object]]:
    checks = json.loads(host.run(binary, "--check"))["checks"]
    return [check for check in checks if check["name"] == "low_ports"]


def test_who_may_execute_the_guardian_has_no_second_device_of_the_same_overlay(mesh: Mesh, binary: str) -> None:
    with job(mesh):
        other = Guardian(binary, mesh.hosts[0], options=["--user", "1234"])
        reply = other.exchange(mesh.setup_request(mesh.hosts[0], job="other", uid_first=1234, uid_last=1234))
        assert reply.error == errno.EEXIST, reply
        other.close()
        assert other.wait() == 0


@pytest.fixture
def container(mesh: Mesh) -> Iterator[Namespace]:
    """Behind h0, whose address its packets leave with; its root may use every port of its own."""
    container, host = Namespace(), mesh.hosts[0]
    host.ip(f"link add docker0 type veth peer name eth0 netns {container.pid}")
    host.ip("address add 10.99.0.1/24 dev docker0", "link set docker0 up")
    container.ip("address add 10.99.0.2/24 dev eth0", "link set eth0 up", "route add default via 10.99.0.1")
    host.sysctl("ip_forward", 1)
    masquerade = 'type nat hook postrouting priority 100; oifname "eth0" ip saddr 10.99.0.0/24 masquerade;'
    host.run("nft", f"table ip nat {{ chain postrouting {{ {masquerade} }}; }}")
    yield container
    host.run("nft", "delete table ip nat")
    host.sysctl("ip_forward", 0)
    container.close()


def test_containers_behind_the_address_of_a_jobs_host(mesh: Mesh, container: Namespace) -> None:
    """Their packets keep a source port below 1024 when the host's address is put on them."""
    host, victim, _ = mesh.hosts
    with victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 28000))
        forge(container, victim, port=PRIVILEGED_PORT, prefix=())
        assert listener.recvfrom(1000)[1] == (host.address, PRIVILEGED_PORT)
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("0.0.0.0", 5005))
        forge(container, victim, port=PRIVILEGED_PORT, prefix=())
        assert delivered(listener) == 0
        assert host.counter("fairlead_test1", "outsiders") == FORGED
