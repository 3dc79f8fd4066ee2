"""What others on the host can hold or own: locks, ports, readers. It neither stops the guardian nor comes to harm."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import pytest

from .guardian_lab import (
    AS_USER,
    LOCK_FILE,
    Guardian,
    Host,
    Mesh,
    clean,
    holding_lock,
    rerouted_routes,
    status,
    wait_until,
)


@pytest.mark.parametrize("end", ["sigterm", "agent's death"])
def test_a_held_lock_keeps_nothing_in_the_kernel(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], end: str
) -> None:
    before = host.state()
    guardian = start(host, mesh.setup_request(host, grace_ms=0))
    assert guardian.reroute(destination=1, relay=2).error == 0
    with holding_lock(host):
        if end == "sigterm":
            guardian.process.terminate()
        else:
            guardian.close()
        wait_until(lambda: rerouted_routes(host) == [], within_s=5.0)  # SIGTERM leaves the agent 0.3 s
        assert guardian.wait() == 0
        assert host.state() == before


def test_guardians_that_end_side_by_side_restore_the_reverse_path_filter(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    """None gets the lock, so all look at the others' devices and delete their own at the same time."""
    before = host.sysctl("conf.eth0.rp_filter")
    guardians = [
        start(host, mesh.setup_request(host, job=f"j{n}", network_id=n + 1, overlay_port=28000 + n)) for n in range(8)
    ]
    assert host.sysctl("conf.eth0.rp_filter") == 2
    with holding_lock(host):
        for guardian in guardians:
            guardian.process.terminate()
        assert [guardian.wait() for guardian in guardians] == [0] * 8
    assert host.sysctl("conf.eth0.rp_filter") == before != 2


@pytest.mark.slow
def test_a_setup_does_not_wait_for_the_lock_for_ever(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    with holding_lock(host):
        reply = start(host).exchange(mesh.setup_request(host))
    assert (reply.error, LOCK_FILE in reply.reason) == (errno.ETIMEDOUT, True)


def test_an_ordinary_user_holds_up_nothing(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    """Abstract sockets of whatever name are for everybody in the network namespace; the lock is not."""
    dead = start(host, mesh.setup_request(host, job="dead"))
    dead.kill()
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


def test_a_guardian_of_whose_end_nobody_took_note_is_dead(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    """As one whose agent lives: the kernel keeps its number. A user has taken its name."""
    dead = start(host, mesh.setup_request(host, job="dead"))
    dead.kill()
    os.waitid(os.P_PID, dead.process.pid, os.WEXITED | os.WNOWAIT)
    bind = "import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
    bind += "s.bind('\\0fairlead-guardian-dead'); print('held', flush=True); input()"
    squatter = host.start(*AS_USER, "/usr/bin/python3", "-c", bind, stdin=PIPE, stdout=PIPE)
    assert squatter.stdin is not None and squatter.stdout is not None
    try:
        assert squatter.stdout.readline() == "held\n"
        assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("dead", False)]
        assert {line["job"] for line in clean(host, binary)} == {"dead"}
    finally:
        squatter.communicate("\n")
        dead.wait()


def test_who_takes_a_dead_guardians_name_keeps_no_other_from_the_job(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    """The agent of the job, or its next one, starts it; names of its job's do not end with those of others either."""
    dead = start(host, mesh.setup_request(host))
    names = host.run("grep", "-o", "@fairlead-guardian-test1.*", "/proc/net/unix").split()
    assert len(names) == 1 and names[0] != "@fairlead-guardian-test1"
    dead.kill()
    dead.wait()
    bind = f"import socket; s = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in {names}]; "
    bind += (
        f"[a.bind(chr(0) + n[1:]) for a, n in zip(s, {names})]; t = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
    )
    bind += "t.bind('\\0fairlead-guardian-test1'); print('held', flush=True); input()"
    squatter = host.start(*AS_USER, "/usr/bin/python3", "-c", bind, stdin=PIPE, stdout=PIPE)
    assert squatter.stdin is not None and squatter.stdout is not None
    try:
        assert squatter.stdout.readline() == "held\n"
        reply = start(host).exchange(mesh.setup_request(host))
        assert (reply.error, reply.reason) == (0, "")
    finally:
        squatter.communicate("\n")
    assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("test1", True)]
    assert clean(host, binary) == []
    assert start(host).exchange(mesh.setup_request(host)).error == errno.EADDRINUSE


def test_a_stopped_guardian_that_its_agent_left_is_gone_after_a_clean(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    """It is woken and does the rest itself; so is one that holds the lock."""
    before = host.state()
    guardian = start(host, mesh.setup_request(host, grace_ms=300))
    assert guardian.reroute(destination=1, relay=2).error == 0
    guardian.stop()
    guardian.close()
    assert clean(host, binary, "--dry-run") == []
    assert len(rerouted_routes(host)) == 1
    assert clean(host, binary, "--job", "other") == []
    assert len(rerouted_routes(host)) == 1
    assert clean(host, binary, "--job", "test1") == []
    assert host.state() == before
    assert guardian.wait() == 0


def test_a_stopped_guardian_of_a_living_agent_serves_on_after_a_clean(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert guardian.reroute(destination=1, relay=2).error == 0
    guardian.stop()
    assert clean(host, binary) == []
    assert len(rerouted_routes(host)) == 1
    assert guardian.tear_down().error == 0


def test_what_a_user_may_not_wake_is_told_where_it_was_asked_for(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    """An ordinary user with the guardian's privilege: here as a user who kept the capability."""
    guardian = start(host, mesh.setup_request(host))
    guardian.stop()
    try:
        as_other = (*AS_USER, "--inh-caps=+net_admin", "--ambient-caps=+net_admin", binary, "--clean")
        assert host.run(*as_other) == ""
        asked = subprocess.run(host.enter(*as_other, "--job", "test1"), capture_output=True, text=True, check=False)
        assert asked.returncode == 1
        assert (
            f"the guardian of job test1, process {guardian.process.pid}, is stopped and does not go on" in asked.stderr
        )
        assert "end it as root" in asked.stderr
    finally:
        guardian.process.send_signal(signal.SIGCONT)
    assert guardian.tear_down().error == 0


def test_two_overlays_never_share_a_port(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    """Each filter would drop what comes to the other from a host that is not of its own job."""
    one = start(host, mesh.setup_request(host, members=2, job="one", network_id=1))
    reply = start(host).exchange(mesh.setup_request(host, job="two", network_id=2))
    assert (reply.error, reply.reason) == (
        errno.EADDRINUSE,
        "overlay device up: its UDP port, 28000, is that of fl-one",
    )
    assert one.tear_down().error == 0
    host.ip("link add others type vxlan id 7 dstport 28000 dev eth0")
    try:
        reply = start(host).exchange(mesh.setup_request(host))
        assert (reply.error, "is that of others" in reply.reason) == (errno.EADDRINUSE, True)
    finally:
        host.ip("link del others")
    assert start(host).exchange(mesh.setup_request(host)).error == 0


def test_one_user_cannot_have_all_slots_of_a_host(mesh: Mesh, host: Host, binary: str) -> None:
    """Each may have as many jobs as he leaves slots for others."""
    guardians: list[Guardian] = []

    def set_up(uid: int) -> tuple[int, str]:
        number = len(guardians)
        guardians.append(Guardian(binary, host, options=["--user", str(uid)] if uid else []))
        names = {"job": f"j{number}", "network_id": number + 1, "overlay_port": 28000 + number}
        reply = guardians[-1].exchange(mesh.setup_request(host, uid_first=uid, uid_last=uid, **names))
        return reply.error, reply.reason

    def jobs_of(uid: int) -> int:
        count = 0
        while (reply := set_up(uid)) == (0, ""):
            count += 1
        assert reply[0] == errno.ENOSPC
        told.append(reply[1])
        return count

    told: list[str] = []
    try:
        assert [jobs_of(uid) for uid in (1000, 1001, 1002, 1003, 1004, 1005)] == [10, 5, 3, 1, 1, 0]
        assert told[0] == "user 1000 has 10 jobs on this host, and the last 10 of 20 slots are reserved for others"
        assert told[-1] == "all 20 slots for jobs on this host are in use"
    finally:
        for guardian in guardians:
            guardian.process.terminate()
            guardian.close()
        for guardian in guardians:
            assert guardian.wait() == 0


@pytest.mark.parametrize("option", ["--check", "--clean"])
def test_a_reader_who_does_not_read_does_not_hold_the_lock(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str, option: str
) -> None:
    dead = start(host, mesh.setup_request(host, job="dead"))
    dead.kill()
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
        taken.settimeout(5)
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
        last = "add table inet watched_last"
        host.run("nft", f"{last}; delete table inet watched_last")
        while last not in lines:  # on a busy machine it tells what happened a moment later
            line = monitor.stdout.readline() if monitor.stdout else ""
            assert line, lines
            lines.append(line.strip())
        monitor.terminate()
        monitor.communicate()
        return lines

    try:
        yield said
    finally:
        if monitor.poll() is None:
            monitor.kill()
            monitor.communicate()
