"""Peers that are not of the job: refused, told, without effect."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator

import pytest

from .agent_lab import PORT, Agent, Message, Star, agents, config, start

pytestmark = pytest.mark.root

CAPTURE_AND_REPEAT = """
import socket, sys, time
packet = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
packet.bind(("eth0", 0))
packet.settimeout(10)
print("listening", flush=True)
mine = socket.inet_aton(sys.argv[1])
while True:
    frame = packet.recv(2048)
    if frame[12:14] == b"\\x08\\x00" and frame[23] == 17 and frame[26:30] == mine:
        break
frame = bytearray(frame)
frame[40:42] = b"\\0\\0"  # no checksum: what was captured here had left that to the device
for _ in range(5):
    packet.send(bytes(frame))
frame[-1] ^= 1
packet.send(bytes(frame))
"""

DATAGRAMS = """
import os, socket, sys
target = (sys.argv[1], int(sys.argv[2]))
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for size in (0, 1, 23, 39, 40, 56, 100, 9040, 9041, 9100):
    sender.sendto(os.urandom(size), target)
    sender.sendto(b"\\x01" + bytes(size), target)
"""

CONNECTIONS = """
import os, socket, sys
target = (sys.argv[1], int(sys.argv[2]))
for data in (b"", b"GET / HTTP/1.0\\r\\n\\r\\n", os.urandom(340), bytes(4096)):
    stream = socket.create_connection(target, 5, source_address=(sys.argv[3], 0))
    try:
        stream.sendall(data)
        stream.shutdown(socket.SHUT_WR)
        while stream.recv(4096):
            pass
    except OSError:  # refused in the middle of it
        pass
"""

CROWD = """
import socket, sys, time
target, pause_s, most = (sys.argv[1], int(sys.argv[2])), float(sys.argv[3]), int(sys.argv[4])
held = []
while True:
    held.append(socket.create_connection(target, 5))
    if len(held) == most:
        print("crowded", flush=True)
    if len(held) > most:
        held.pop(0).close()
        time.sleep(pause_s)
"""
AS_USER = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]


@pytest.fixture(scope="module")
def star() -> Iterator[Star]:
    star = Star(3)
    star.hosts[2].ip("address add 10.79.0.99/24 dev eth0")
    yield star
    star.close()


def run_on(star: Star, host: int, script: str, *arguments: str) -> None:
    command = star.hosts[host].enter(sys.executable, "-c", script, *arguments)
    subprocess.run(command, check=True, timeout=30)


def rejected(agent: Agent, count: int) -> Message:
    """Reasons and their numbers, of all reports until `count` refusals are told."""
    reasons: dict[str, int] = {}
    while sum(reasons.values()) < count:
        event = agent.event("rejected")
        assert event["count"] == event["datagrams"] + event["connections"] == sum(event["reasons"].values())
        for reason, number in event["reasons"].items():
            reasons[reason] = reasons.get(reason, 0) + number
    return reasons


def assert_works(agent: Agent, peer: int) -> None:
    answer = agent.ask(type="probe", peers=[peer], count=3, interval_s=0.01)
    assert len(answer["results"][0]["round_trip_s"]) == 3
    answer = agent.ask(type="pingpong", peer=peer, sizes_B=[64], exchanges=3, warmup=0)
    assert answer["type"] == "pingpong"


def test_datagrams_of_strangers(star: Star) -> None:
    with agents(star, [0, 1]) as running:
        run_on(star, 2, DATAGRAMS, star.address(1), str(PORT))
        reasons = rejected(running[1], 20)
        assert sum(reasons.values()) == 20
        assert reasons["too short"] == 7
        assert reasons["too long"] == 5
        assert set(reasons) <= {"too short", "too long", "bad version", "wrong address", "unknown sender"}
        assert_works(running[0], 1)


def test_datagrams_repeated_or_changed_under_way(star: Star) -> None:
    with agents(star, [0, 1]) as running:
        command = star.hosts[0].enter(sys.executable, "-c", CAPTURE_AND_REPEAT, star.address(0))
        attacker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert attacker.stdout is not None
        assert attacker.stdout.readline() == "listening\n"
        running[0].ask(type="probe", peers=[1], count=1, interval_s=0)
        assert attacker.wait(10) == 0
        reasons = rejected(running[1], 6)
        assert reasons == {"replayed": 5, "not sealed": 1}
        assert_works(running[0], 1)


def test_connections_of_strangers_and_liars(star: Star) -> None:
    with agents(star, [0, 1]) as running:
        run_on(star, 2, CONNECTIONS, star.address(1), str(PORT), "10.79.0.99")
        assert rejected(running[1], 4) == {"not of the cluster": 4}
        run_on(star, 2, CONNECTIONS, star.address(1), str(PORT), star.address(2))
        assert rejected(running[1], 4) == {"not authenticated": 4}
        assert_works(running[0], 1)


@pytest.mark.parametrize("pause_s", [1.0, 0.001, 0.0], ids=["idle", "renewed", "as fast as they come"])
def test_another_user_of_the_same_host_keeps_its_agent_from_nobody(star: Star, pause_s: float) -> None:
    """His connections come from the same address as the agent's, and never prove anything."""
    with agents(star, [0, 1]) as running:
        words = ["/usr/bin/python3", "-c", CROWD, star.address(1), str(PORT), str(pause_s), "300"]
        crowd = subprocess.Popen(star.hosts[0].enter(*AS_USER, *words), stdout=subprocess.PIPE, text=True)
        try:
            assert crowd.stdout is not None and crowd.stdout.readline() == "crowded\n"
            for _ in range(10):
                assert_works(running[0], 1)
            answer = running[0].ask(type="bulk", peer=1, duration_s=0.1, streams=4)
            assert answer["type"] == "bulk"
            assert crowd.poll() is None
        finally:
            crowd.kill()
            crowd.communicate()
        assert "too many connections" in running[1].event("rejected")["reasons"]


def test_an_agent_with_another_secret(star: Star) -> None:
    with agents(star, [0, 1]) as running:
        stranger = start(star, 2, config(star, 2, secrets.token_hex(32)))
        try:
            assert stranger.answer()["type"] == "ready"
            for command in (
                {"type": "probe", "peers": [1], "count": 2, "interval_s": 0.01},
                {"type": "pingpong", "peer": 1, "sizes_B": [64], "exchanges": 1, "warmup": 0},
                {"type": "bulk", "peer": 1, "duration_s": 0.1, "streams": 1},
            ):
                assert stranger.ask(**command)["type"] == "failed"
            answer = running[0].ask(type="bulk", peer=2, duration_s=0.1, streams=1)
            assert answer["type"] == "failed"
            assert "secret" in answer["reason"]
        finally:
            stranger.close()
        assert rejected(running[1], 3)["not sealed"] >= 2
        assert_works(running[0], 1)
