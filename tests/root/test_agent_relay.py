"""Agents that carry frames between ranks over a third host: three real agents, and two processes in place of ranks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairlead import native

from .agent_lab import Agent, Star, agents

pytestmark = pytest.mark.root

SOURCE, RELAY, DESTINATION = range(3)


@pytest.fixture(scope="module")
def net() -> Iterator[Star]:
    star = Star(3)
    yield star
    star.close()


class Ranks:
    """Two processes on the source's and the destination's host that exchange frames."""

    def __init__(self, net: Star, directories: Path) -> None:
        self._net = net
        self._directories = directories
        self._program = str(native.program("fairlead-relay-frames"))

    def directory(self, host: int) -> str:
        path = self._directories / f"h{host}"
        path.mkdir(exist_ok=True)
        return str(path)

    def _start(self, host: int, self_: int, peer: int, words: list[str]) -> subprocess.Popen[str]:
        ends = ["--directory", self.directory(host), "--self", str(self_), "--peer", str(peer)]
        return subprocess.Popen(
            self._net.hosts[host].enter(self._program, *ends, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def exchange(self, first: str, second: str, *, frames: int, size_B: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """What both say; `first` runs on the source's host."""
        words = ["--frames", str(frames), "--size", str(size_B)]
        both = [
            self._start(SOURCE, 0, 1, [*words, first]),
            self._start(DESTINATION, 1, 0, [*words, second]),
        ]
        said = [process.communicate(timeout=60) for process in both]
        assert [process.returncode for process in both] == [0, 0], said
        return json.loads(said[0][0]), json.loads(said[1][0])


def _reroute(agent: Agent, peer: int) -> None:
    answer = agent.ask(type="reroute", peer=peer, relay=RELAY)
    assert answer["type"] == "done", answer


def _counts(agents_: list[Agent]) -> list[dict[str, int]]:
    """What agents have carried, once two reports of each are the same: nothing is on its way."""
    for agent in agents_:
        while not agent.events.empty():
            agent.events.get()
    counts = []
    for agent in agents_:
        last = agent.event("stats")["relay"]
        while (now := agent.event("stats")["relay"]) != last:
            last = now
        counts.append(last)
    return counts


def test_frames_go_over_the_relay_and_back_to_the_direct_way(net: Star, tmp_path: Path) -> None:
    ranks = Ranks(net, tmp_path)
    with agents(net, relay=lambda host: {"directory": ranks.directory(host)}, plane="relay") as running:
        _reroute(running[SOURCE], DESTINATION)
        _reroute(running[DESTINATION], SOURCE)
        ping, pong = ranks.exchange("ping", "pong", frames=200, size_B=64)
        assert len(ping["round_trip_s"]) == 200
        assert ping["relayed"] and pong["relayed"]
        sent, taken = ranks.exchange("send", "take", frames=2000, size_B=30_000)
        assert (sent["frames"], taken["frames"]) == (2000, 2000)
        source, relay, destination = _counts(running)
        assert relay["passed"] == source["sent"] + destination["sent"] >= 400 + 2001
        assert (relay["sent"], relay["arrived"]) == (0, 0)
        # A process greets the other one until it is there; meanwhile its frames find nobody.
        assert destination["arrived"] + destination["absent"] == source["sent"]
        assert source["arrived"] + source["absent"] == destination["sent"]

        for agent, peer in ((running[SOURCE], DESTINATION), (running[DESTINATION], SOURCE)):
            assert agent.ask(type="restore", peer=peer)["type"] == "done"
        ping, pong = ranks.exchange("ping", "pong", frames=50, size_B=64)
        assert not ping["relayed"] and not pong["relayed"]
        now = _counts(running)
        assert now[RELAY]["passed"] == relay["passed"], "nothing came this way any more"
        assert now[SOURCE]["sent"] >= source["sent"] + 50
        assert {now[SOURCE][key] for key in ("unplaced", "unreachable")} == {0}


def test_a_killed_relay_leaves_the_direct_way(net: Star, tmp_path: Path) -> None:
    ranks = Ranks(net, tmp_path)
    with agents(net, relay=lambda host: {"directory": ranks.directory(host)}, plane="relay") as running:
        _reroute(running[SOURCE], DESTINATION)
        running[RELAY].kill()
        running[SOURCE].event("restored", where=lambda event: event["reason"] == "relay_dead")
        ping, _ = ranks.exchange("ping", "pong", frames=50, size_B=1000)
        assert len(ping["round_trip_s"]) == 50
        assert not ping["relayed"]
        answer = running[SOURCE].ask(type="reroute", peer=DESTINATION, relay=RELAY)
        assert answer["type"] == "failed", answer


def test_a_frame_stream_is_for_those_who_know_the_secret(net: Star, tmp_path: Path) -> None:
    ranks = Ranks(net, tmp_path)
    relay = {host: {"directory": ranks.directory(host)} for host in range(3)}
    with (
        agents(net, [RELAY, DESTINATION], relay=relay.get, plane="relay") as running,
        agents(net, [SOURCE], relay=relay.get, plane="relay") as strangers,
    ):
        answer = strangers[0].ask(type="reroute", peer=DESTINATION, relay=RELAY)
        assert answer["type"] == "failed", answer
        refused = running[0].event("rejected", where=lambda event: "not authenticated" in event["reasons"])
        assert refused["connections"] >= 1
