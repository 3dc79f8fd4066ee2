"""The guardian alone: what each request does in the kernel, read back by iproute2, and that nothing is left."""

from __future__ import annotations

import errno
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import pytest

from fairlead import native

from .guardian_lab import (
    MAX_PACKET_B,
    MOVE,
    RETURN,
    SETUP,
    TEARDOWN,
    Guardian,
    Host,
    Mesh,
    Namespace,
    encode_setup,
    header,
)

pytestmark = pytest.mark.root

LOCK_FILE = "/proc/sys/net/ipv4/tcp_fastopen_key"
MOVED_TABLE, LAST_HOP_TABLE = 0x464C0000, 0x464C0001
CAP_NET_ADMIN = 12


@pytest.fixture(scope="module")
def binary() -> str:
    return str(native.program("fairlead-guardian"))


@pytest.fixture(scope="module")
def mesh() -> Iterator[Mesh]:
    mesh = Mesh(3)
    yield mesh
    mesh.close()


@pytest.fixture
def host(mesh: Mesh, binary: str) -> Iterator[Host]:
    """h0; its state after the test is compared with that before."""
    before = mesh.hosts[0].state()
    yield mesh.hosts[0]
    assert clean(mesh.hosts[0], binary) == []
    assert mesh.hosts[0].state() == before


@pytest.fixture
def start(binary: str) -> Iterator[Callable[..., Guardian]]:
    """Starts guardians, which are dead after the test."""
    started: list[Guardian] = []

    def start_one(host: Namespace, request: bytes | None = None) -> Guardian:
        started.append(Guardian(binary, host))
        if request is not None:
            assert started[-1].exchange(request).error == 0
        return started[-1]

    yield start_one
    for guardian in started:
        guardian.close()
        if guardian.process.poll() is None:
            guardian.process.terminate()
        guardian.wait()


def clean(host: Namespace, binary: str, *options: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in host.run(binary, "--clean", *options).splitlines()]


def status(host: Namespace, binary: str) -> list[dict[str, object]]:
    return json.loads(host.run(binary, "--status"))["jobs"]


def moved_routes(host: Namespace) -> list[dict[str, object]]:
    return host.ip_json("route", "show", "table", str(MOVED_TABLE))


def wait_until(condition: Callable[[], bool], within_s: float) -> float:
    """Seconds until the condition held."""
    start_s = time.monotonic()
    while not condition():
        assert time.monotonic() - start_s < within_s, "did not come true in time"
    return time.monotonic() - start_s


# Set-up -------------------------------------------------------------------------------------------------------------


def test_setup_makes_the_overlay_as_designed(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    (link,) = host.ip_json("link", "show", "fl-test1")
    vxlan = link["linkinfo"]["info_data"]
    assert (vxlan["id"], vxlan["port"], vxlan["local"], vxlan["link"]) == (4242, 28000, host.address, "eth0")
    assert vxlan["learning"] is False
    assert link["mtu"] == 1450 and "UP" in link["flags"]
    assert link["gso_max_size"] == 65536 - 50  # with the outer headers it still fits the underlay
    # No address: MPI libraries would take it for a network of its own.
    assert host.ip_json("address", "show", "fl-test1")[0]["addr_info"] == []
    peers = [mesh.hosts[1].address, mesh.hosts[2].address]
    entries = json.loads(host.run("bridge", "-json", "fdb", "show", "dev", "fl-test1"))
    assert sorted(entry["dst"] for entry in entries) == peers
    neighbours = host.ip_json("neighbour", "show", "dev", "fl-test1", "nud", "permanent")
    assert {n["dst"]: n["lladdr"] for n in neighbours} == {
        peers[0]: "02:46:4c:00:00:01",
        peers[1]: "02:46:4c:00:00:02",
    }


def test_setup_makes_rules_and_last_hops(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host, uid_first=1000, uid_last=1001))
    rules = [r for r in host.ip_json("rule") if r.get("protocol") == "70"]
    assert [rule["priority"] for rule in rules] == [5000, 5000, 5020, 5020, 5020, 5040, 5080]
    assert rules[0]["iif"] == "fl-test1" and rules[0]["table"] == str(LAST_HOP_TABLE)
    exempt = [(r.get("sport", 0), r.get("dport", 0), r.get("ipproto"), r.get("uid_start")) for r in rules[2:5]]
    assert sorted(exempt, key=str) == [(0, 28000, "udp", None), (0, 47011, None, 1000), (47011, 0, None, 1000)]
    assert (rules[5]["uid_start"], rules[5]["uid_end"], rules[5]["table"]) == (1000, 1001, str(MOVED_TABLE))
    last_hops = host.ip_json("route", "show", "table", str(LAST_HOP_TABLE))
    assert [(r.get("type", "unicast"), r["dst"], r.get("gateway"), r.get("dev")) for r in last_hops] == [
        ("blackhole", "default", None, None),
        ("unicast", mesh.hosts[1].address, mesh.hosts[1].address, "fl-test1"),
        ("unicast", mesh.hosts[2].address, mesh.hosts[2].address, "fl-test1"),
    ]
    assert all(route["protocol"] == "70" for route in last_hops)


def test_forwarding_is_on_for_the_overlay_only(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    assert host.sysctl("conf.fl-test1.forwarding") == 1
    assert (host.sysctl("ip_forward"), host.sysctl("conf.eth0.forwarding")) == (0, 0)


def test_strict_reverse_path_filter_is_loosened_and_restored(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert (host.sysctl("conf.all.rp_filter"), host.sysctl("conf.eth0.rp_filter")) == (1, 2)
    assert guardian.tear_down().error == 0
    assert (host.sysctl("conf.all.rp_filter"), host.sysctl("conf.eth0.rp_filter")) == (1, 1)


@pytest.mark.parametrize("device_value", [0, 2])
def test_reverse_path_filter_that_is_not_strict_is_left(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], device_value: int
) -> None:
    host.sysctl("conf.all.rp_filter", 0)
    host.sysctl("conf.eth0.rp_filter", device_value)
    try:
        guardian = start(host, mesh.setup_request(host))
        assert host.sysctl("conf.eth0.rp_filter") == device_value
        assert guardian.tear_down().error == 0
        assert host.sysctl("conf.eth0.rp_filter") == device_value
    finally:
        host.sysctl("conf.all.rp_filter", 1)
        host.sysctl("conf.eth0.rp_filter", 1)


# Moves --------------------------------------------------------------------------------------------------------------


def test_move_replace_return(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    h1, h2 = mesh.hosts[1].address, mesh.hosts[2].address
    guardian = start(host, mesh.setup_request(host))
    assert guardian.move(destination=1, relay=2).error == 0
    (route,) = moved_routes(host)
    assert (route["dst"], route["gateway"], route["dev"], route["prefsrc"]) == (h1, h2, "fl-test1", host.address)
    assert (route["protocol"], route["metrics"]) == ("70", [{"mtu": 1450}])
    assert "mtu lock 1450" in host.run("ip", "route", "show", "table", str(MOVED_TABLE))
    assert host.ip_json("route", "get", h1, "uid", "0")[0]["gateway"] == h2
    assert status(host, binary)[0]["moved"] == [{"destination": h1, "relay": h2}]

    assert guardian.move(destination=2, relay=1).error == 0
    assert guardian.move(destination=1, relay=2).error == 0  # again: replaced, not added
    assert len(moved_routes(host)) == 2
    assert guardian.give_back(1).error == 0
    assert guardian.give_back(1).error == 0  # already there
    assert [route["dst"] for route in moved_routes(host)] == [h2]
    assert host.ip_json("route", "get", h1, "uid", "0")[0]["dev"] == "eth0"


def test_a_moved_route_keeps_what_was_set_on_the_direct_one(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    """Congestion control, windows: connections made while traffic is away shall be like those made before."""
    h1, h2 = mesh.hosts[1].address, mesh.hosts[2].address
    direct = ("ip", "route", "replace", f"{h1}/32", "dev", "eth0", "src", host.address)
    host.run(*direct, "congctl", "reno", "initcwnd", "20", "advmss", "lock", "1300", "mtu", "1400")
    try:
        guardian = start(host, mesh.setup_request(host))
        for relay in (2, 2):  # the second replaces the first, and finds the moved route as the present one
            assert guardian.move(destination=1, relay=relay).error == 0
            shown = host.run("ip", "route", "show", "table", str(MOVED_TABLE))
            for part in (f"{h1} via {h2}", "congctl reno", "initcwnd 20", "advmss lock 1300", "mtu lock 1450"):
                assert part in shown, shown
        guardian.give_back(1)
    finally:
        host.run("ip", "route", "del", f"{h1}/32", "dev", "eth0")


def test_other_users_and_the_agents_stay(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host, uid_first=1000, uid_last=1000))
    assert guardian.move(destination=1, relay=2).error == 0
    to = ["route", "get", mesh.hosts[1].address, "ipproto", "udp"]
    assert host.ip_json(*to, "uid", "1000", "dport", "7")[0]["dev"] == "fl-test1"
    for stays in (["uid", "1001", "dport", "7"], ["uid", "0", "dport", "7"]):
        assert host.ip_json(*to, *stays)[0]["dev"] == "eth0"
    for agents in (["dport", "47011"], ["sport", "47011"], ["dport", "28000"]):
        assert host.ip_json(*to, "uid", "1000", *agents)[0]["dev"] == "eth0"
    assert (
        host.ip_json("route", "get", mesh.hosts[1].address, "ipproto", "tcp", "uid", "1000", "dport", "47011")[0]["dev"]
        == "eth0"
    )


# Ends ---------------------------------------------------------------------------------------------------------------


def test_teardown_removes_all_and_allows_another_setup(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    before = host.state()
    guardian = start(host, mesh.setup_request(host))
    assert guardian.move(destination=1, relay=2).error == 0
    assert guardian.tear_down().error == 0
    assert host.state() == before
    assert guardian.move(destination=1, relay=2).error == errno.ENOTCONN
    assert guardian.exchange(mesh.setup_request(host)).error == 0


def test_agents_death_withdraws_at_once_and_keeps_the_overlay(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host, grace_ms=1000))
    assert guardian.move(destination=1, relay=2).error == 0
    assert guardian.move(destination=2, relay=1).error == 0
    guardian.close()
    assert wait_until(lambda: moved_routes(host) == [], within_s=0.2) <= 0.2
    time.sleep(0.4)
    assert host.sysctl("conf.fl-test1.forwarding") == 1
    assert guardian.wait(timeout_s=2) == 0
    assert status(host, str(native.program("fairlead-guardian"))) == []


@pytest.mark.parametrize("moment", ["serving", "grace"])
def test_sigterm_removes_all_at_once(mesh: Mesh, host: Host, start: Callable[..., Guardian], moment: str) -> None:
    guardian = start(host, mesh.setup_request(host, grace_ms=60_000))
    if moment == "grace":
        guardian.close()
        time.sleep(0.1)
    guardian.process.terminate()
    assert guardian.wait(timeout_s=1) == 0


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
def test_signals_of_a_terminal_do_not_end_it(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], ignored: signal.Signals
) -> None:
    guardian = start(host, mesh.setup_request(host))
    guardian.process.send_signal(ignored)
    assert guardian.move(destination=1, relay=2).error == 0


def test_clean_removes_exactly_what_the_dead_left(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    before = host.state()
    dead = start(host, mesh.setup_request(host, job="dead"))
    assert dead.move(destination=1, relay=2).error == 0
    dead.process.kill()
    dead.wait()
    host.ip("rule add priority 5010 to 10.99.0.0/16 lookup 99", "link add fl-mine type veth peer name fl-mine2")
    others = host.state()
    (left,) = status(host, binary)
    assert (left["job"], left["alive"], left["rules"]) == ("dead", False, 7)

    announced = clean(host, binary, "--dry-run")
    assert host.state() == others
    assert clean(host, binary, "--job", "other") == []
    removed = clean(host, binary)
    assert [(r["kind"], r["name"]) for r in removed] == [(r["kind"], r["name"]) for r in announced]
    kinds = [str(r["kind"]) for r in removed]
    assert {"rule", "route", "device", "filter", "rp_filter"} == set(kinds)
    assert kinds.index("rp_filter") < kinds.index("device"), "killed in between, nothing would know the old value"
    assert clean(host, binary) == []
    host.ip("rule delete priority 5010", "link delete fl-mine")
    assert host.state() == before


def test_clean_leaves_the_living_alone(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    dead = start(host, mesh.setup_request(host, job="dead"))
    living = start(host, mesh.setup_request(host, job="living", network_id=7, overlay_port=28001))
    assert living.move(destination=1, relay=2).error == 0
    dead.process.kill()
    dead.wait()
    assert {r["job"] for r in clean(host, binary)} == {"dead"}
    assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("living", True)]
    # The other job still needs the underlay loose.
    assert host.sysctl("conf.eth0.rp_filter") == 2
    assert living.tear_down().error == 0
    assert host.sysctl("conf.eth0.rp_filter") == 1


def test_setup_clears_away_the_dead(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    for job in ("dead", "again"):
        dead = start(host, mesh.setup_request(host, job=job))
        dead.process.kill()
        dead.wait()
    start(host, mesh.setup_request(host, job="again"))
    assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("again", True)]


def test_a_failed_setup_leaves_nothing(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    before = host.state()
    with host.socket(socket.SOCK_DGRAM) as taken:
        taken.bind(("0.0.0.0", 28000))
        guardian = start(host)
        reply = guardian.exchange(mesh.setup_request(host))
        assert (reply.error, "UDP port" in reply.reason) == (errno.EADDRINUSE, True)
        assert host.state() == before
    assert guardian.exchange(mesh.setup_request(host)).error == 0


# Names that others can hold ------------------------------------------------------------------------------------------


@contextmanager
def holding_lock(host: Host) -> Iterator[None]:
    """Another guardian that was stopped at the wrong moment."""
    holder = host.start("flock", LOCK_FILE, "sh", "-c", "echo held; read -r end", stdin=PIPE, stdout=PIPE)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        yield
    finally:
        holder.communicate("\n")


@pytest.mark.parametrize("end", ["sigterm", "agent's death"])
def test_a_held_lock_keeps_nothing_in_the_kernel(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], end: str
) -> None:
    before = host.state()
    guardian = start(host, mesh.setup_request(host, grace_ms=0))
    assert guardian.move(destination=1, relay=2).error == 0
    with holding_lock(host):
        if end == "sigterm":
            guardian.process.terminate()
        else:
            guardian.close()
        wait_until(lambda: moved_routes(host) == [], within_s=0.5)
        assert guardian.wait() == 0
        assert host.state() == before


@pytest.mark.slow
def test_a_setup_does_not_wait_for_the_lock_for_ever(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    with holding_lock(host):
        reply = start(host).exchange(mesh.setup_request(host))
    assert (reply.error, LOCK_FILE in reply.reason) == (errno.ETIMEDOUT, True)


def test_an_ordinary_user_holds_up_nothing(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    """Abstract sockets of whatever name are for everybody in the network namespace; the lock is not."""
    dead = start(host, mesh.setup_request(host, job="dead"))
    dead.process.kill()
    dead.wait()
    names = ["\0fairlead-guardian-dead", "\0fairlead-guardian.lock"]
    bind = f"import socket; s = [(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), n) for n in {names}]; "
    bind += "[a.bind(n) for a, n in s]; print('held', flush=True); input()"
    squatter = host.start(*AS_USER, "/usr/bin/python3", "-c", bind, stdin=PIPE, stdout=PIPE)
    assert squatter.stdin is not None and squatter.stdout is not None
    try:
        assert squatter.stdout.readline() == "held\n"
        assert host.run(*AS_USER, "sh", "-c", f"flock {LOCK_FILE} echo locked 2>&1; true").count("denied") == 1
        assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("dead", False)]
        assert {line["job"] for line in clean(host, binary)} == {"dead"}
        guardian = start(host, mesh.setup_request(host))
        assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("test1", True)]
        assert guardian.tear_down().error == 0
    finally:
        squatter.communicate("\n")


@pytest.mark.parametrize("option", ["--check", "--clean"])
def test_a_reader_who_does_not_read_does_not_hold_the_lock(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str, option: str
) -> None:
    dead = start(host, mesh.setup_request(host, job="dead"))
    dead.process.kill()
    dead.wait()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while os.write(writing, bytes(65536)):
            pass
    os.set_blocking(writing, True)
    tool = host.start(binary, option, stdout=writing)
    os.close(writing)
    try:
        wait_until(lambda: "pipe_write" in Path(f"/proc/{tool.pid}/wchan").read_text(), within_s=5)
        assert start(host, mesh.setup_request(host)).tear_down().error == 0
        assert tool.poll() is None
    finally:
        with os.fdopen(reading, "rb") as pipe:
            pipe.read()
        assert tool.wait(5) == 0


def test_a_setup_that_fails_never_drops_what_the_port_belongs_to(mesh: Mesh, host: Host, binary: str) -> None:
    """The filter of a port comes when the device has it."""
    other = mesh.hosts[2]
    with host.socket(socket.SOCK_DGRAM) as taken, other.socket(socket.SOCK_DGRAM) as sender:
        taken.bind((host.address, 28000))
        taken.settimeout(1)
        with watching_filters(host) as watched:
            guardian = Guardian(binary, host)
            assert guardian.exchange(mesh.setup_request(host, members=2)).error == errno.EADDRINUSE
            sender.sendto(b"hello", (host.address, 28000))
            assert taken.recv(100) == b"hello"
            guardian.close()
            assert guardian.wait() == 0
            added = watched()
    assert any("chain inet fairlead_test1 inner" in line for line in added), "what is watched"
    assert not any("chain inet fairlead_test1 outer" in line for line in added)


@contextmanager
def watching_filters(host: Host) -> Iterator[Callable[[], list[str]]]:
    """What `nft monitor` said, once it has ended."""
    monitor = host.start("stdbuf", "-oL", "nft", "monitor", stdout=PIPE)
    assert monitor.stdout is not None
    lines: list[str] = []
    mark = "add table inet watched"
    deadline_s = time.monotonic() + 5
    while mark not in lines:  # not before it listens
        assert time.monotonic() < deadline_s
        host.run("nft", "add table inet watched; delete table inet watched")
        if select.select([monitor.stdout], [], [], 0.05)[0]:
            lines.append(monitor.stdout.readline().strip())

    def said() -> list[str]:
        monitor.terminate()
        lines.extend(line.strip() for line in monitor.communicate()[0].splitlines())
        return lines

    try:
        yield said
    finally:
        if monitor.poll() is None:
            monitor.kill()
            monitor.communicate()


# Requests that must be refused --------------------------------------------------------------------------------------


def refused_requests(mesh: Mesh) -> dict[str, tuple[bytes, int]]:
    host = mesh.hosts[0]
    valid = mesh.setup_request(host)

    def numbers(kind: int, *values: int) -> bytes:
        return header(kind, 1) + struct.pack(f"={len(values)}I", *values)

    return {
        "setup again": (mesh.setup_request(host, job="second"), errno.EALREADY),
        "destination beyond the hosts": (numbers(MOVE, 3, 2), errno.EINVAL),
        "relay beyond the hosts": (numbers(MOVE, 1, 0xFFFFFFFF), errno.EINVAL),
        "relay is the destination": (numbers(MOVE, 1, 1), errno.EINVAL),
        "destination is self": (numbers(MOVE, 0, 1), errno.EINVAL),
        "relay is self": (numbers(MOVE, 1, 0), errno.EINVAL),
        "return beyond the hosts": (numbers(RETURN, 3), errno.EINVAL),
        "truncated move": (numbers(MOVE, 1), errno.EBADMSG),
        "truncated setup": (valid[:-1], errno.EBADMSG),
        "oversized setup": (valid + b"\0", errno.EBADMSG),
        "oversized teardown": (header(TEARDOWN, 1) + b"\0", errno.EBADMSG),
        "far too large": (bytes(100_000), errno.EBADMSG),
        "one byte": (b"\1", errno.EBADMSG),
        "unknown type": (header(77, 1), errno.EBADMSG),
        "no magic": (bytes(12), errno.EBADMSG),
    }


def test_invalid_requests_have_no_effect(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    state = host.state()
    for name, (packet, error) in refused_requests(mesh).items():
        reply = guardian.exchange(packet)
        assert reply.error == error, name
        assert reply.reason, name
    assert host.state() == state
    assert guardian.move(destination=1, relay=2).error == 0


@pytest.mark.parametrize(
    ("changes", "error", "word"),
    [
        ({"job": "Bad"}, errno.EINVAL, "job"),
        ({"job": "../../etc"}, errno.EINVAL, "job"),
        ({"host_count": 5000}, errno.EINVAL, "hosts"),
        ({"host_count": 2}, errno.EBADMSG, "hosts"),
        ({"self_index": 3}, errno.EINVAL, "self"),
        ({"addresses": ["10.77.0.2", "10.77.0.2"]}, errno.EINVAL, "twice"),
        ({"addresses": ["10.77.0.2", "127.0.0.1"]}, errno.EINVAL, "no host's address"),
        ({"device": "eth9"}, errno.ENODEV, "eth9"),
        ({"device": "lo"}, errno.EADDRNOTAVAIL, "10.77.0.2"),
        ({"network_id": 1 << 24}, errno.EINVAL, "network_id"),
        ({"overlay_port": 70000}, errno.EINVAL, "overlay_port"),
        ({"overlay_port": 8472}, errno.EINVAL, "overlay_port"),
        ({"uid_first": 1, "uid_last": 0}, errno.EINVAL, "uid"),
    ],
)
def test_invalid_setups_have_no_effect(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], changes: dict[str, object], error: int, word: str
) -> None:
    before = host.state()
    request = {"self_index": 0, "addresses": [h.address for h in mesh.hosts], **changes}
    reply = start(host).exchange(encode_setup(**request))  # type: ignore[arg-type]
    assert (reply.error, word in reply.reason) == (error, True), reply
    assert host.state() == before


def test_a_second_guardian_of_the_same_job_is_refused(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    first = start(host, mesh.setup_request(host))
    assert start(host).exchange(mesh.setup_request(host)).error == errno.EADDRINUSE
    assert first.move(destination=1, relay=2).error == 0


def test_requests_before_setup_are_refused(host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host)
    for reply in (guardian.move(1, 2), guardian.give_back(1), guardian.tear_down()):
        assert (reply.error, reply.reason) == (errno.ENOTCONN, "not set up")


def test_largest_packet_is_what_the_protocol_says(mesh: Mesh) -> None:
    assert len(mesh.setup_request(mesh.hosts[0])) == MAX_PACKET_B
    assert mesh.setup_request(mesh.hosts[0])[4:8] == struct.pack("=I", SETUP)


# Privileges ---------------------------------------------------------------------------------------------------------


def test_keeps_one_capability_and_no_network_socket(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    process = Path(f"/proc/{guardian.process.pid}")
    fields = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    assert {name: int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")} == {
        "CapPrm": 1 << CAP_NET_ADMIN,
        "CapEff": 1 << CAP_NET_ADMIN,
        "CapBnd": 1 << CAP_NET_ADMIN,
        "CapInh": 0,
        "CapAmb": 0,
    }
    assert fields["NoNewPrivs"] == "1"
    sockets = {
        str(target)[8:-1]
        for target in (fd.readlink() for fd in (process / "fd").iterdir())
        if str(target).startswith("socket:")
    }
    for kind in ("tcp", "udp", "raw", "packet", "tcp6", "udp6"):
        table = process / "net" / kind
        inodes = {word for line in table.read_text().splitlines() for word in line.split()} if table.exists() else set()
        assert not inodes & sockets, kind
    assert os.getsid(guardian.process.pid) == guardian.process.pid


@pytest.fixture
def ordinary(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A guardian installed as docs/route-plane.md says, where an ordinary user can execute it."""
    folder = Path("/var/tmp") / f"fairlead-test-{os.getpid()}"
    folder.mkdir(mode=0o755)
    shutil.copy(binary, folder / "fairlead-guardian")
    subprocess.run(["setcap", "cap_net_admin+ep", folder / "fairlead-guardian"], check=True)
    yield str(folder / "fairlead-guardian")
    shutil.rmtree(folder)


AS_USER = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]


def test_file_capability_lets_an_ordinary_user_move_only_his_own_sockets(mesh: Mesh, host: Host, ordinary: str) -> None:
    guardian = Guardian(ordinary, host, AS_USER, options=["--user", "0"])
    foreign = guardian.exchange(mesh.setup_request(host, uid_first=0, uid_last=0))
    assert (foreign.error, "only his own" in foreign.reason) == (errno.EPERM, True)
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == 0
    assert guardian.move(destination=1, relay=2).error == 0
    assert len(moved_routes(host)) == 1
    assert guardian.tear_down().error == 0
    guardian.close()
    assert guardian.wait() == 0


def test_a_sudo_rule_can_bind_it_to_one_user(mesh: Mesh, host: Host, binary: str) -> None:
    guardian = Guardian(binary, host, options=["--user", "1234"])
    assert guardian.exchange(mesh.setup_request(host, uid_first=0, uid_last=0)).error == errno.EPERM
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == 0
    guardian.process.terminate()
    assert guardian.wait() == 0


def test_without_privilege_setup_is_refused_and_check_says_why(mesh: Mesh, host: Host, ordinary: str) -> None:
    subprocess.run(["setcap", "-r", ordinary], check=True)
    guardian = Guardian(ordinary, host, AS_USER)
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == errno.EPERM
    guardian.close()
    assert guardian.wait() == 0
    report = json.loads(host.run(*AS_USER, ordinary, "--check", check=False))
    assert report["ok"] is False
    assert {c["name"] for c in report["checks"] if c["ok"] is False} == {
        "cap_net_admin",
        "vxlan",
        "rule_uidrange",
        "nftables",
    }
    assert all("setcap" in c["fix"] for c in report["checks"] if c["ok"] is False)


def test_check_works_leaves_nothing_and_hints(host: Host, binary: str) -> None:
    before = host.state()
    report = json.loads(host.run(binary, "--check"))
    assert host.state() == before
    assert report["ok"] is True
    assert [c["name"] for c in report["checks"]] == ["cap_net_admin", "vxlan", "rule_uidrange", "nftables", "rp_filter"]
    # As Docker leaves it:
    host.run(
        "nft", "add table ip filter; add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }"
    )
    report = json.loads(host.run(binary, "--check"))
    host.run("nft", "delete table ip filter")
    assert [c["name"] for c in report["checks"] if c["ok"] is None] == ["forward_policy", "rp_filter"]


def test_started_by_a_person_says_what_it_is(host: Host, binary: str) -> None:
    done = subprocess.run([binary], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "fairlead-agent" in done.stderr
