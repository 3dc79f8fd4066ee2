"""What a lab's network really does, against its description."""

import subprocess

import pytest
from lab_fixtures import (
    LEAF_SPINE,
    MESH,
    MESH6,
    PRIVILEGES,
    RATE_BPS,
    STAR,
    best_tcp_rate_bps,
    private_runtime,
    python,
    round_trip_s,
    run,
    running,
)

from fairlead.lab.description import FRAME_B, MTU_B

__all__ = ["private_runtime"]
TCP_SHARE = (MTU_B - 52) / FRAME_B  # payload of a full frame: IP and TCP headers with timestamps take 52 B


@pytest.mark.parametrize("user_namespace", PRIVILEGES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MESH, id="mesh"),
        pytest.param(MESH6, id="mesh of IPv6"),
        pytest.param(STAR, id="star", marks=pytest.mark.slow),
        pytest.param(LEAF_SPINE, id="leaf-spine", marks=pytest.mark.slow),
    ],
)
def test_a_stream_gets_the_bottleneck_rate_and_every_pair_is_reached(text: str, user_namespace: bool) -> None:
    with running(text, user_namespace=user_namespace) as lab:
        names = [host.name for host in lab.plan.hosts]
        for name in names[1:]:
            assert round_trip_s(lab, names[0], name) < 0.01
        wanted_bps = RATE_BPS * TCP_SHARE
        way = ("h2", "h0") if user_namespace else ("h0", "h2")
        assert best_tcp_rate_bps(lab, *way, 0.95 * wanted_bps) == pytest.approx(wanted_bps, rel=0.05)


@pytest.mark.parametrize("user_namespace", PRIVILEGES)
def test_the_kernel_reports_the_shapers_that_were_described(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        shapers = {
            (node, qdisc["dev"]): qdisc["options"]
            for node, qdiscs in lab.record["qdiscs"].items()
            for qdisc in qdiscs
            if qdisc["kind"] == "tbf"
        }
    assert len(shapers) == 2 * len(lab.plan.links)
    trunk = shapers["leaf0", "leaf1"]
    assert trunk["rate"] * 8 == RATE_BPS
    assert trunk["burst"] == pytest.approx(16 * 1024, rel=0.01)
    # The kernel tells the queue as the time that a full one takes, less the burst (tc-tbf(8)).
    assert trunk["lat"] * 1e-6 == pytest.approx(0.020 - 16384 * 8 / RATE_BPS, rel=0.02)


@pytest.mark.parametrize("user_namespace", PRIVILEGES)
@pytest.mark.parametrize("algorithm", ["cubic", "reno"])
def test_tcp_uses_the_pinned_congestion_control(algorithm: str, user_namespace: bool) -> None:
    text = MESH.replace("[host_link]", f'congestion_control = "{algorithm}"\n[host_link]', 1)
    client = """
    import socket
    s = socket.create_connection(("10.64.1.1", 5000), 5)
    print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
    """
    server = """
import socket
s = socket.create_server(("", 5000)); print("ready", flush=True)
connection, _ = s.accept()
print(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode(), flush=True)
"""
    with running(text, user_namespace=user_namespace) as lab:
        assert lab.record["congestion_control"]["name"] == algorithm
        process = subprocess.Popen(
            lab.enter_command("h1", ["python3", "-c", server]), stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert python(lab, "h0", client) == f"{algorithm}\n"
        assert process.communicate(timeout=10)[0] == f"{algorithm}\n"


@pytest.mark.parametrize("user_namespace", PRIVILEGES)
def test_hosts_can_do_what_overlays_need(user_namespace: bool) -> None:
    """A vxlan device, rules by user and port, and a table of its own (design, section 4)."""
    with running(STAR, user_namespace=user_namespace) as lab:
        script = """
        ip link add fl-test type vxlan id 77 local 10.64.0.1 dstport 4790 nolearning && ip link set fl-test up
        bridge fdb append 02:00:00:00:00:02 dev fl-test dst 10.64.0.2
        ip rule add priority 5001 uidrange 0-0 lookup 5001
        ip rule add priority 5000 ipproto tcp dport 22 lookup main
        ip route add 10.64.0.3/32 via 10.64.0.2 dev eth0 table 5001 protocol 70
        echo 1 > /proc/sys/net/ipv4/conf/fl-test/forwarding
        ip route get 10.64.0.3 uid 0; ip rule show
        """
        text = run(lab, "h0", "sh", "-ec", script)
    assert "via 10.64.0.2" in text
    assert "uidrange 0-0" in text
    assert "ipproto tcp dport 22" in text


@pytest.mark.parametrize("user_namespace", PRIVILEGES)
def test_switches_forward_from_the_start(user_namespace: bool) -> None:
    """The kernel takes up to a second by itself to notice that a link is up, and drops packets until then."""
    for _ in range(3):
        with running(MESH, user_namespace=user_namespace) as lab:
            for leaf in lab.plan.leafs:
                states = [line.split(" state ")[1].split()[0] for line in run(lab, leaf, "bridge", "link").splitlines()]
                assert states == ["forwarding"] * 2
