"""Agents with guardians: manual reroutes, reroutes by themselves, and what is left when somebody dies.

Three hosts whose routers are joined pairwise (guardian_lab.Mesh), every link between routers shaped to 50 Mbit/s.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from fairlead import native

from .agent_lab import Agent, Message, agents
from .guardian_lab import LOCK_FILE, Host, Mesh, best_of, holding_lock, stop, wait_until

pytestmark = pytest.mark.root

RATE_MBPS = 50
USER = 12345  # whose traffic is managed
STRANGER = 54321  # whose traffic is in the way
OUR_DEATH_BELL = ("relay_dead", "relay_revoked")


@dataclass
class Net:
    """A mesh as agent_lab wants to see it."""

    mesh: Mesh

    @property
    def hosts(self) -> list[Host]:
        return self.mesh.hosts

    def address(self, host: int) -> str:
        return self.mesh.hosts[host].address


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with shaped(3) as net:
        yield net


@pytest.fixture
def four(guardian: list[str]) -> Iterator[Net]:
    with shaped(4) as net:
        yield net


@contextmanager
def shaped(size: int) -> Iterator[Net]:
    mesh = Mesh(size)
    for source, destination in permutations(range(size), 2):
        mesh.shape(source, destination, RATE_MBPS)
    yield Net(mesh)
    mesh.close()


@pytest.fixture(scope="module")
def guardian() -> list[str]:
    return [str(native.program("fairlead-guardian"))]


def tables(size: int = 3) -> Message:
    """What a characterization of the mesh finds: no two paths of different hosts share anything."""

    def of_pairs(value: float) -> list[list[float | None]]:
        return [[None if i == j else value for j in range(size)] for i in range(size)]

    goodput_bps = 0.95 * RATE_MBPS * 1e6
    sizes_B = [64, 8192, 65536]
    latency_s = [of_pairs(1e-4 + 8 * size_B / goodput_bps) for size_B in sizes_B]
    pairs = list(permutations(range(size), 2))
    return {
        "base": {"age_s": 1.0, "sizes_B": sizes_B, "latency_s": latency_s, "rate_bps": of_pairs(goodput_bps)},
        "shares": [[i, j, [[i, j]]] for i, j in pairs],
        "settings": {"detour.dwell_s": 1.0},
    }


class Program:
    """Exchanges messages between two hosts, as two ranks would."""

    def __init__(self, net: Net, source: int, destination: int, *, size_B: int = 8192) -> None:
        self.exchanges = 0
        self._size_B = size_B
        self._stop = threading.Event()
        self._goes_on = threading.Event()
        self._goes_on.set()
        listener = net.hosts[destination].socket(socket.SOCK_STREAM, uid=USER)
        listener.bind((net.address(destination), 0))
        listener.listen(1)
        self._client = net.hosts[source].socket(socket.SOCK_STREAM, uid=USER)
        self._client.connect(listener.getsockname())
        self._server, _ = listener.accept()
        listener.close()
        for end in (self._client, self._server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._threads = [threading.Thread(target=part) for part in (self._answer, self._ask)]
        for thread in self._threads:
            thread.start()

    def _receive(self, end: socket.socket) -> bool:
        left_B = self._size_B
        while left_B:
            got_B = len(end.recv(left_B))
            if not got_B:
                return False
            left_B -= got_B
        return True

    def _ask(self) -> None:
        while not self._stop.is_set():
            if not self._goes_on.wait(0.01):
                continue
            self._client.sendall(bytes(self._size_B))
            assert self._receive(self._client)
            self.exchanges += 1
            time.sleep(0.002)
        self._client.shutdown(socket.SHUT_WR)

    def _answer(self) -> None:
        while self._receive(self._server):
            self._server.sendall(bytes(self._size_B))

    def pause(self) -> None:
        self._goes_on.clear()
        time.sleep(0.05)  # the exchange under way

    def go_on(self) -> None:
        self._goes_on.set()

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()
        self._client.close()
        self._server.close()


@contextmanager
def program(net: Net, source: int, destination: int) -> Iterator[Program]:
    running = Program(net, source, destination)
    try:
        yield running
    finally:
        running.close()


@contextmanager
def congestion(net: Net, source: int, destination: int, streams: int = 4) -> Iterator[None]:
    """Bulk streams of another user between two hosts."""
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def pump(end: socket.socket, work: Any) -> None:
        try:
            while work(end):
                pass
        except OSError:
            pass  # closed below

    for _ in range(streams):
        listener = net.hosts[destination].socket(socket.SOCK_STREAM, uid=STRANGER)
        listener.bind((net.address(destination), 0))
        listener.listen(1)
        client = net.hosts[source].socket(socket.SOCK_STREAM, uid=STRANGER)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
        ends += [client, server, listener]
        data = bytes(65536)
        threads.append(threading.Thread(target=pump, args=(client, lambda end, data=data: end.send(data))))
        threads.append(threading.Thread(target=pump, args=(server, lambda end: end.recv(1 << 18))))
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for thread in threads:
            thread.join(10)
        for end in ends:
            end.close()


def transit_packets(net: Net, relay: int) -> int:
    return net.hosts[relay].received_packets("eth0")


def test_rerouted_by_hand_and_back(net: Net, guardian: list[str]) -> None:
    def relayed_packets() -> int:
        """What has come to the relay on the overlay: nothing of the agents' own but echoes, during a detour."""
        return net.hosts[2].received_packets("fl-0badc0de")

    before = net.hosts[0].state()
    with agents(net, guardian=guardian, uid=USER, job="0badc0de") as running:
        with program(net, 0, 1) as ranks:
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
            rerouted = running[0].event("rerouted")
            assert (rerouted["source"], rerouted["destination"], rerouted["relay"], rerouted["manual"]) == (
                0,
                1,
                2,
                True,
            )
            first, first_exchanges = relayed_packets(), ranks.exchanges
            wait_until(lambda: ranks.exchanges > first_exchanges + 50, within_s=20)
            exchanged = ranks.exchanges - first_exchanges
            assert relayed_packets() - first >= exchanged
            assert running[0].ask(type="restore", peer=1)["type"] == "done"
            restored = running[0].event("restored")
            assert (restored["destination"], restored["relay"], restored["reason"]) == (1, 2, "manual")
            second, second_exchanges = relayed_packets(), ranks.exchanges
            wait_until(lambda: ranks.exchanges > second_exchanges + 50, within_s=20)
            assert relayed_packets() - second < 20  # what was on its way
        assert running[0].ask(type="restore", peer=1)["type"] == "done", "already direct: not an error"
    assert net.hosts[0].state() == before


@contextmanager
def route_of_relay(net: Net, mtu_B: int) -> Iterator[None]:
    """The relay's route to the destination takes packets of this size."""
    relay = net.hosts[2]
    relay.ip(f"route add {net.address(1)}/32 via 10.77.2.1 dev eth0 mtu {mtu_B}")
    try:
        yield
    finally:
        relay.ip(f"route delete {net.address(1)}/32")


def shown_mtu_B(net: Net) -> int | None:
    """Of packets from h0 to h1, if they are rerouted."""
    (route,) = net.hosts[0].ip_json("route", "get", net.address(1), "uid", str(USER))
    return route["metrics"][0]["mtu"] if route["dev"].startswith("fl-") else None


def test_the_relay_tells_how_long_packets_to_the_destination_may_be(net: Net, guardian: list[str]) -> None:
    with route_of_relay(net, 1300), agents(net, guardian=guardian, uid=USER) as running:
        with program(net, 0, 1) as ranks:
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
            wait_until(lambda: shown_mtu_B(net) == 1250, within_s=5)
            exchanges = ranks.exchanges
            wait_until(lambda: ranks.exchanges > exchanges, within_s=5)
        # The agent knows it now, and makes the next reroute with it at once.
        assert running[0].ask(type="restore", peer=1)["type"] == "done"
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        assert shown_mtu_B(net) == 1250


def test_a_detour_that_has_room_for_next_to_nothing_is_given_up(net: Net, guardian: list[str]) -> None:
    with route_of_relay(net, 600), agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        reason = running[0].event("log")["text"]
        assert reason.endswith("over 10.77.2.2 has room for packets of 550 bytes, fewer than 576")
        wait_until(lambda: shown_mtu_B(net) is None, within_s=5)
        answer = running[0].ask(type="reroute", peer=1, relay=2)
        assert (answer["type"], "550 bytes" in answer["reason"]) == ("failed", True)


def test_what_a_relay_tells_after_a_reroute_that_failed_reroutes_nothing(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=USER) as running:
        with route_of_relay(net, 600):
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
            running[0].event("log")
            wait_until(lambda: shown_mtu_B(net) is None, within_s=5)
        # The relay's answer to this one tells that there is room again: too late for it.
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "failed"
        for _ in range(10):
            time.sleep(0.05)
            assert shown_mtu_B(net) is None
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        assert shown_mtu_B(net) == 1450


def test_agents_that_can_open_nothing_keep_a_detour(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        for agent in running:
            _, hard = resource.prlimit(agent.process.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(agent.process.pid, resource.RLIMIT_NOFILE, (3, hard))
        with program(net, 0, 1) as ranks:
            time.sleep(2.0)
            assert ranks.exchanges > 10
        assert not [e for e in running[0].seen if e["type"] == "restored"]


def test_measurements_stay_on_the_direct_path(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=os.getuid()) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        first, begin_s = transit_packets(net, 2), time.monotonic()
        running[0].ask(type="pingpong", peer=1, sizes_B=[8192], exchanges=50, warmup=0)
        running[0].ask(type="probe", peers=[1], count=50, interval_s=0.001)
        second, second_s = transit_packets(net, 2), time.monotonic()
        time.sleep(second_s - begin_s)  # heartbeats and echoes go that way all the time
        assert second - first < transit_packets(net, 2) - second + 50


def test_end_of_input_withdraws_everything(net: Net, guardian: list[str]) -> None:
    before = [host.state() for host in net.hosts]
    with agents(net, guardian=guardian, uid=USER) as running:
        for source, destination, relay in ((0, 1, 2), (1, 2, 0), (2, 1, 0)):
            assert running[source].ask(type="reroute", peer=destination, relay=relay)["type"] == "done"
        for agent in running:
            assert agent.end_input(timeout_s=5.0) == 0
        assert [host.state() for host in net.hosts] == before


def test_a_dead_relay_is_left_within_a_second(net: Net, guardian: list[str]) -> None:
    def taken_s() -> float:
        with agents(net, guardian=guardian, uid=USER) as running:
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
            begin_s = time.monotonic()
            running[2].kill()
            assert running[0].event("restored")["reason"] == "relay_dead"
            return time.monotonic() - begin_s

    assert best_of(taken_s, 1.0) < 1.0


def test_a_relay_that_stops_says_so(net: Net, guardian: list[str]) -> None:
    def taken_s() -> float:
        with agents(net, guardian=guardian, uid=USER) as running:
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
            begin_s = time.monotonic()
            running[2].process.send_signal(signal.SIGTERM)
            assert running[0].event("restored")["reason"] == "peer_stopped"
            passed_s = time.monotonic() - begin_s
            assert running[2].process.wait(5) == 0
            return passed_s

    assert best_of(taken_s, 0.2) < 0.2


def guardian_of(agent: Agent) -> int:
    children = Path(f"/proc/{agent.process.pid}/task/{agent.process.pid}/children").read_text()
    return int(children.split()[0])


def watches_signals(agent: Agent) -> bool:
    """Whether its event loop would wake for a signal."""
    process = Path(f"/proc/{agent.process.pid}")
    kinds = {fd.name: str(fd.readlink()) for fd in (process / "fd").iterdir()}
    (signals,) = (fd for fd, kind in kinds.items() if kind.endswith("[signalfd]"))
    (loop,) = (fd for fd, kind in kinds.items() if kind.endswith("[eventpoll]"))
    watched = [
        line.split()[1] for line in (process / "fdinfo" / loop).read_text().splitlines() if line.startswith("tfd")
    ]
    return signals in watched


def test_a_signal_does_not_wake_it_again_and_again(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        assert watches_signals(running[0])
        slow = guardian_of(running[0])
        os.kill(slow, signal.SIGSTOP)
        try:
            running[0].process.send_signal(signal.SIGTERM)
            deadline_s = time.monotonic() + 0.9  # it waits for the guardian for a second
            while watches_signals(running[0]):
                assert time.monotonic() < deadline_s
            assert running[0].process.poll() is None
        finally:
            os.kill(slow, signal.SIGCONT)
        assert running[0].process.wait(5) == 0


@pytest.mark.slow
def test_a_guardian_that_does_not_answer_is_ended(net: Net, guardian: list[str]) -> None:
    """Else its routes stay, and whoever removes what dead guardians left takes it for alive."""
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        stopped = guardian_of(running[0])
        os.kill(stopped, signal.SIGSTOP)
        answer = running[0].ask(type="restore", peer=1)
        assert answer["type"] == "failed", answer
        assert "was killed" in running[0].event("plane_lost")["reason"]
        net.hosts[0].run(*guardian, "--clean")
        assert "fl-" not in net.hosts[0].run("ip", "-o", "link")


@pytest.mark.slow
def test_an_agent_that_is_stopped_keeps_no_detour(net: Net, guardian: list[str]) -> None:
    """It watches none. One that lives keeps it beyond the lease that it has of its guardian."""
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        time.sleep(13)
        assert shown_mtu_B(net) is not None
        os.kill(running[0].process.pid, signal.SIGSTOP)
        try:
            assert wait_until(lambda: shown_mtu_B(net) is None, within_s=15) > 6
        finally:
            os.kill(running[0].process.pid, signal.SIGCONT)
        assert running[0].event("plane_lost")["reason"] == "the guardian has ended"


@pytest.mark.slow
def test_a_guardian_that_is_stopped_is_ended_while_something_is_rerouted(net: Net, guardian: list[str]) -> None:
    """Nobody has to ask it for anything else."""
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        os.kill(guardian_of(running[0]), signal.SIGSTOP)
        assert "was killed" in running[0].event("plane_lost", timeout_s=12)["reason"]
        net.hosts[0].run(*guardian, "--clean")
        assert "fl-" not in net.hosts[0].run("ip", "-o", "link")


@pytest.mark.slow
@pytest.mark.parametrize("rerouted", [False, True])
def test_a_guardian_that_is_stopped_is_ended_at_the_end(net: Net, guardian: list[str], rerouted: bool) -> None:
    """And whoever can remove what it made is told of it."""
    with agents(net, guardian=guardian, uid=USER) as running:
        if rerouted:
            assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        stopped = guardian_of(running[0])
        os.kill(stopped, signal.SIGSTOP)
        running[0].process.send_signal(signal.SIGTERM)
        assert "did not answer" in running[0].event("plane_lost", timeout_s=6)["reason"]
        assert running[0].process.wait(5) == 0
        assert wait_until(lambda: not Path(f"/proc/{stopped}/exe").exists(), within_s=2) < 2
        net.hosts[0].run(*guardian, "--clean")
        assert "fl-" not in net.hosts[0].run("ip", "-o", "link")


# As sudo does: a process between the two, which the agent's signals come to.
BETWEEN = ["sh", "-c", 'exec 3<&0; "$0" <&3 3<&- & wait']


@pytest.mark.slow
def test_a_guardian_that_it_cannot_end_is_told_of_and_goes_with_a_clean(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=[*BETWEEN, *guardian], uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        between = guardian_of(running[0])
        (stopped,) = map(int, Path(f"/proc/{between}/task/{between}/children").read_text().split())
        stop(stopped)
        running[0].process.send_signal(signal.SIGTERM)
        assert running[0].event("plane_lost", timeout_s=6)["reason"] == (
            "withdrawing routes: the guardian did not answer within 2000 ms, and could not be killed: "
            "its routes may remain until it goes on or is killed as root"
        )
        assert running[0].process.wait(5) == 0
        assert "fl-" in net.hosts[0].run("ip", "-o", "link")
        net.hosts[0].run(*guardian, "--clean")
        wait_until(lambda: "fl-" not in net.hosts[0].run("ip", "-o", "link"), within_s=5)  # it does that itself


def test_the_agent_survives_its_guardian(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=USER) as running:
        assert running[0].ask(type="reroute", peer=1, relay=2)["type"] == "done"
        os.kill(guardian_of(running[2]), signal.SIGKILL)
        assert "guardian" in running[2].event("plane_lost")["reason"]
        assert running[0].event("restored")["reason"] in OUR_DEATH_BELL
        answer = running[2].ask(type="reroute", peer=1, relay=0)
        assert answer["type"] == "failed"
        assert "no route plane" in answer["reason"]
        assert running[2].ask(type="probe", peers=[0], count=2, interval_s=0.01)["type"] == "probe"
    net.hosts[2].run(*guardian, "--clean")


def test_without_a_working_guardian_it_measures_on(net: Net) -> None:
    with agents(net, guardian=["/nowhere/fairlead-guardian"], plane="none") as running:
        answer = running[0].ask(type="reroute", peer=1, relay=2)
        assert answer["type"] == "failed"
        assert "/nowhere/fairlead-guardian" in answer["reason"]
        assert running[0].ask(type="probe", peers=[1], count=2, interval_s=0.01)["type"] == "probe"


@pytest.mark.slow
def test_who_holds_the_guardians_lock_is_heard_from_the_agent(net: Net, guardian: list[str]) -> None:
    with holding_lock(net.hosts[0]), agents(net, [0], guardian=guardian, plane="none") as running:
        answer = running[0].ask(type="reroute", peer=1, relay=2)
    assert answer["type"] == "failed"
    assert f"another guardian holds the lock on {LOCK_FILE}" in answer["reason"]


def test_congestion_reroutes_a_pair_and_its_end_brings_it_back(net: Net, guardian: list[str]) -> None:
    with agents(net, guardian=guardian, uid=USER, manage=tables()) as running:
        with program(net, 0, 1):
            time.sleep(1.5)
            assert not [e for agent in running for e in agent.seen if e["type"] == "rerouted"]
            with congestion(net, 0, 1):
                rerouted = running[0].event("rerouted")
                assert (rerouted["source"], rerouted["destination"], rerouted["relay"]) == (0, 1, 2)
                assert rerouted["queue_delay_s"] > 1e-3
                assert rerouted["foreign_share"] > 0.5
                assert rerouted["detour_latency_s"] < rerouted["present_latency_s"]
                assert (
                    rerouted["suspected_t_s"] <= rerouted["confirmed_t_s"] <= rerouted["decided_t_s"] <= rerouted["t_s"]
                )
                assert rerouted["t_s"] - rerouted["suspected_t_s"] < 3.0
                latency = running[0].event("path_latency", where=lambda e: e["relay"] == 2)
                assert (latency["source"], latency["destination"]) == (0, 1)
                assert latency["latency_s"] < rerouted["present_latency_s"]
            restored = running[0].event("restored", timeout_s=15)
            assert restored["reason"] == "direct_good"
            assert restored["away_s"] > 1.0
        levels = [
            e["congestion_level"] for e in running[0].seen if e["type"] == "level_changed" and e["destination"] == 1
        ]
        assert levels[0] in ("medium", "high")
        assert not [e for agent in running for e in agent.seen if e["type"] in ("rejected", "plane_lost")]


FORWARDS_NOTHING = "table inet in_the_way { chain it { type filter hook forward priority 0; policy drop; }; }"


def test_where_the_only_relay_forwards_nothing_the_pair_stays(net: Net, guardian: list[str]) -> None:
    net.hosts[2].run("nft", FORWARDS_NOTHING)
    try:
        with agents(net, guardian=guardian, uid=USER, manage=tables()) as running, program(net, 0, 1):
            time.sleep(1.5)
            with congestion(net, 0, 1):
                kept = running[0].event("kept", where=lambda e: e["reason"] == "not_carried")
                assert (kept["source"], kept["destination"]) == (0, 1)
                time.sleep(0.5)
            assert not [e for agent in running for e in agent.seen if e["type"] in ("rerouted", "rejected")]
    finally:
        net.hosts[2].run("nft", "delete table inet in_the_way")


@pytest.mark.parametrize(("broken", "good"), [(2, 3), (3, 2)])
def test_where_one_of_two_relays_forwards_nothing_the_other_is_taken(
    four: Net, guardian: list[str], broken: int, good: int
) -> None:
    """Both are tried in the same moment: each by its own way."""
    four.hosts[broken].run("nft", FORWARDS_NOTHING)
    with agents(four, guardian=guardian, uid=USER, manage=tables(4)) as running, program(four, 0, 1):
        time.sleep(1.5)
        with congestion(four, 0, 1):
            rerouted = running[0].event("rerouted")
            assert (rerouted["source"], rerouted["destination"], rerouted["relay"]) == (0, 1, good)
            time.sleep(0.7)
        assert not [e for e in running[0].seen if e["type"] == "restored" and e["reason"] == "detour_broken"]
        assert {e["relay"] for e in running[0].seen if e["type"] == "rerouted"} == {good}


@pytest.mark.slow
def test_a_pair_that_comes_at_even_intervals_is_rerouted_ahead_of_its_use(net: Net, guardian: list[str]) -> None:
    period_s = 3.0
    manage = tables()
    manage["settings"]["detour.dwell_s"] = 0.3
    with agents(net, guardian=guardian, uid=USER, manage=manage) as running, program(net, 0, 1) as ranks:
        ranks.pause()
        time.sleep(2.5)  # by now the connection is known
        begin_s = time.monotonic()
        for use in range(4):
            time.sleep(max(0.0, begin_s + use * period_s - time.monotonic()))
            ranks.go_on()
            if use < 3:
                time.sleep(0.3)
            else:
                with congestion(net, 0, 1):
                    assert running[0].event("rerouted")["ahead"] is False
            ranks.pause()
        assert running[0].event("restored")["reason"] == "direct_good"
        exchanged = ranks.exchanges
        with congestion(net, 0, 1):
            rerouted = running[0].event("rerouted")
        assert (rerouted["source"], rerouted["destination"], rerouted["relay"], rerouted["ahead"]) == (0, 1, 2, True)
        assert rerouted["reason"].startswith("ahead of its next use: ")
        assert ranks.exchanges == exchanged, "the pair has not been used since"
