"""Who else on a job's host can put packets into its overlay, and who cannot: on hosts with IPv4, and with IPv6."""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from .guardian_lab import AS_USER, JOB_SIZE, Guardian, Host, Mesh, Mesh6, Namespace, job, vxlan_packet

pytestmark = pytest.mark.root

FORGED = 20
FORGE = f"""
import socket, sys
address, source_port, packet = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
out = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
out.bind(("", source_port))
for _ in range({FORGED}):
    out.sendto(packet, (address, 28000))
"""
PRIVILEGED_PORT = 700
IPV6 = pytest.mark.skipif(
    not Path("/proc/sys/net/ipv6/conf/all/force_forwarding").exists(),
    reason="before Linux 6.17 a host forwards IPv6 on all devices or on none",
)


@pytest.fixture(scope="module", params=[pytest.param(Mesh, id="ipv4"), pytest.param(Mesh6, id="ipv6", marks=IPV6)])
def mesh(request: pytest.FixtureRequest) -> Iterator[Mesh]:
    mesh: Mesh = request.param(JOB_SIZE)
    yield mesh
    mesh.close()


def forge(mesh: Mesh, sender: Namespace, *, port: int = 0, prefix: tuple[str, ...] = tuple(AS_USER)) -> None:
    """A process of an ordinary user sends h1 packets that seem to come from h2."""
    sender.run(*prefix, "/usr/bin/python3", "-c", FORGE, mesh.hosts[1].address, str(port), forged(mesh))


def forged(mesh: Mesh, network_id: int = 4242) -> str:
    _, victim, source = mesh.hosts
    return vxlan_packet(network_id, source.address, victim.address, 5005).hex()


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
        listener.bind(("", 5005))
        assert guardians[0].reroute(destination=1, relay=2).error == 0
        carried = relay.received_packets("fl-test1")
        for sender in (source, victim):  # and from the victim itself, over its loopback device
            forge(mesh, sender)
        assert delivered(listener) == 0
        assert victim.counter("fairlead_test1", "forgers") == 2 * FORGED
        assert source.reaches(victim)
        assert relay.received_packets("fl-test1") == carried + 1
        counts = [host.counter("fairlead_test1", name) for host in mesh.hosts for name in ("outsiders", "strangers")]
        assert counts == [0] * 6


EVERYBODY = f"""
import socket, sys
packet, own, *addresses = sys.argv[1:]
if ":" in own:
    out = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    out.bind((own, 0))  # not the link-local address, which is of no host of the job
else:
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for address in addresses:
    for _ in range({FORGED}):
        out.sendto(bytes.fromhex(packet), (address, 28000))
"""
SEGMENTS = f"""
import socket, sys
first, second, address = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3]
assert len(first) == len(second)
out = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_UDP, 103, len(first))  # UDP_SEGMENT
for _ in range({FORGED}):
    out.sendto(first + second, (address, 28000))
"""


def to_all(victim: Host) -> tuple[list[str], list[str]]:
    """Addresses that a host's packets reach everybody by, itself too, and the routes that this takes."""
    if ":" in victim.address:
        return ["ff02::1%eth0", "ff01::1%eth0"], []
    broadcast = victim.address.rpartition(".")[0] + ".255"
    return ["255.255.255.255", broadcast, "224.0.0.1"], ["224.0.0.0/4", "255.255.255.255"]


def test_broadcast_and_multicast_reach_the_overlay_no_more_than_others(mesh: Mesh) -> None:
    """The kernel hands them to every socket of the port. From the victim itself: its own copy is looped back."""
    _, victim, _ = mesh.hosts
    addresses, routes = to_all(victim)
    victim.ip(*(f"route add {route} dev eth0" for route in routes))
    try:
        with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
            listener.bind(("", 5005))
            victim.run(*AS_USER, "/usr/bin/python3", "-c", EVERYBODY, forged(mesh), victim.address, *addresses)
            assert delivered(listener) == 0
            assert victim.counter("fairlead_test1", "forgers") >= 2 * FORGED
    finally:
        victim.ip(*(f"route del {route} dev eth0" for route in routes))


OTHER_VERSION = """
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
listener, sender = (socket.socket(family, socket.SOCK_DGRAM) for _ in range(2))
listener.bind((sys.argv[1], 28000))
listener.settimeout(5)
sender.sendto(b"not for the overlay", (sys.argv[1], 28000))
print(listener.recv(100).decode())
"""


def test_a_service_with_the_overlays_port_in_the_other_version_of_ip_is_left_alone(mesh: Mesh) -> None:
    """The overlay's socket is of one version, so another program's may have the number in the other one."""
    _, victim, _ = mesh.hosts
    other = "127.0.0.1" if ":" in victim.address else "::1"
    with job(mesh):
        assert victim.run("/usr/bin/python3", "-c", OTHER_VERSION, other) == "not for the overlay\n"


def test_a_segment_behind_one_of_another_network_is_dropped_with_it(mesh: Mesh) -> None:
    """Segments of one buffer pass the filter as one packet, and the overlay's socket one by one."""
    source, victim, _ = mesh.hosts
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("", 5005))
        first, second = forged(mesh, 4243), forged(mesh, 4242)
        for sender in (source, victim):
            sender.run(*AS_USER, "/usr/bin/python3", "-c", SEGMENTS, first, second, victim.address)
        assert delivered(listener) == 0
        assert victim.counter("fairlead_test1", "forgers") >= 2 * FORGED


def test_where_ports_below_1024_are_for_everybody_it_protects_nothing_and_that_is_told(mesh: Mesh, binary: str) -> None:
    source, victim, _ = mesh.hosts
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("", 5005))
        with pytest.raises(AssertionError, match="PermissionError"):
            forge(mesh, source, port=PRIVILEGED_PORT)
        assert low_ports(source, binary) == []
        source.sysctl("ip_unprivileged_port_start", 512)
        try:
            forge(mesh, source, port=PRIVILEGED_PORT)
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
    if ":" in host.address:
        ip, network, length, forwarding = "ip6", "fd00:99::", 64, "net.ipv6.conf.all.forwarding"
    else:
        ip, network, length, forwarding = "ip", "10.99.0.", 24, "net.ipv4.ip_forward"
    host.ip(f"link add docker0 type veth peer name eth0 netns {container.pid}")
    for node, device, last in ((host, "docker0", 1), (container, "eth0", 2)):
        no_detection = "nodad" if ip == "ip6" else ""  # of duplicates, which takes a second
        node.ip(f"address add {network}{last}/{length} dev {device} {no_detection}", f"link set {device} up")
    container.ip(f"route add default via {network}1")
    host.run("sysctl", "-qw", f"{forwarding}=1")
    masquerade = f'type nat hook postrouting priority 100; oifname "eth0" {ip} saddr {network}0/{length} masquerade;'
    host.run("nft", f"table {ip} nat {{ chain postrouting {{ {masquerade} }}; }}")
    yield container
    host.run("nft", f"delete table {ip} nat")
    host.run("sysctl", "-qw", f"{forwarding}=0")
    container.close()


def test_containers_behind_the_address_of_a_jobs_host(mesh: Mesh, container: Namespace) -> None:
    """Their packets keep a source port below 1024 when the host's address is put on them."""
    host, victim, _ = mesh.hosts
    with victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("", 28000))
        forge(mesh, container, port=PRIVILEGED_PORT, prefix=())
        assert listener.recvfrom(1000)[1][:2] == (host.address, PRIVILEGED_PORT)
    with job(mesh), victim.socket(socket.SOCK_DGRAM) as listener:
        listener.bind(("", 5005))
        forge(mesh, container, port=PRIVILEGED_PORT, prefix=())
        assert delivered(listener) == 0
        assert host.counter("fairlead_test1", "outsiders") == FORGED
