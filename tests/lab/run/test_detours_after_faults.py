"""A congested pair whose detour a fault ends: it is on a detour again soon, by detection, and stays there."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import Command, assert_all_gone, cluster_file, finish, hit, mesh, once, run, states, wait_for

from fairlead import lab as labs
from fairlead.agents.group import LEASE_S
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="kernel state is looked at as root"),
]
AGAIN_S = 4.0  # 2 s by design: half a second until an agent is started again, its start, a search
PAIR = "h0→h1"
OVER = re.compile(rf"{PAIR} rerouted over (h[23])")
# On two hosts the ranks talk to each other all the time, both ways.
TRAFFIC = ["random-traffic", "--seconds", "90", "--bytes", "65536", "--interval", "0.1", "--seed", "1"]
PLANES = {"route": [], "relay": ["--plane", "relay"]}


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    """Two relays for the pair; slow trunks, so that the network limits and not the processors."""
    with mesh("after-faults", tmp_path_factory.getbasetemp(), leafs=4, trunk="40mbit") as lab:
        yield lab


@pytest.fixture(scope="module")
def characterized(lab: labs.Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The cluster file, and the results that know the network."""
    directory = tmp_path_factory.mktemp("characterized")
    cluster = cluster_file(lab, directory)
    done = once("characterize", cluster, "--results", directory / "results")
    assert done.returncode == 0, done.stderr
    return cluster, directory / "results"


@pytest.fixture
def congested(lab: labs.Lab, characterized: tuple[Path, Path]) -> Iterator[None]:
    with congestion.make(lab, Streams(kind="streams", between=("leaf0", "leaf1"), streams=2)):
        yield
    assert_all_gone(lab, characterized[0])


def relay_after(command: Command, since_s: float) -> tuple[str, float] | None:
    """The relay over which the pair was rerouted first after that moment, and how long after."""
    for at_s, line in list(command.told):
        if at_s > since_s and (found := OVER.search(line)):
            return found.group(1), at_s - since_s
    return None


def detour() -> str | None:
    """The pair's relay now; None: it is on its direct path."""
    relay: str | None = states()[0]["detours"].get(PAIR)
    return relay


def settled_detour() -> str:
    """The same, once it is on a detour."""
    begin_s = time.monotonic()
    while (relay := detour()) is None:
        assert time.monotonic() - begin_s < 5, "the pair is on its direct path"
    return relay


def stopped_for_longer_than_its_lease(lab: labs.Lab, host: str) -> float:
    """An agent; since when it runs on."""
    hit(lab, host, "fairlead-agent", signal.SIGSTOP)
    time.sleep(LEASE_S + 2)
    return hit(lab, host, "fairlead-agent", signal.SIGCONT)


FAULTS = [
    ("route", "source", "fairlead-agent"),
    ("route", "relay", "fairlead-agent"),
    ("route", "destination", "fairlead-agent"),
    ("route", "source", "fairlead-guardian"),
    ("route", "destination", "fairlead-guardian"),
    ("route", "source", ""),
    ("relay", "source", "fairlead-agent"),
    ("relay", "relay", "fairlead-agent"),
]


@pytest.mark.parametrize(("plane", "place", "killed"), FAULTS, ids=["-".join(filter(None, each)) for each in FAULTS])
def test_the_pair_has_a_detour_again(
    lab: labs.Lab, characterized: tuple[Path, Path], congested: None, plane: str, place: str, killed: str
) -> None:
    """``killed``: what is killed on that host; empty: its agent is stopped for longer than its lease."""
    cluster, results = characterized
    with run(cluster, "-n", "2", *PLANES[plane], program=TRAFFIC, results=results) as command:
        wait_for(lambda: relay_after(command, 0.0), "the pair's reroute")
        time.sleep(1)
        host = {"source": "h0", "destination": "h1", "relay": settled_detour()}[place]
        since_s = hit(lab, host, killed) if killed else stopped_for_longer_than_its_lease(lab, host)
        wait_for(lambda: relay_after(command, since_s), "the pair's next reroute", 20)
        relay, after_s = relay_after(command, since_s) or ("", 0.0)
        print(f"{PAIR} over {relay} {after_s:.2f} s after the fault")
        assert after_s < AGAIN_S, command.text()
        if killed:
            wait_for(lambda: command.heard(f"the agent of {host} is running again"), "the agent's return", 5)
        time.sleep(1)
        settled_detour()
        finish(lab)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert command.events("rejected") == []


def rerouted_pairs() -> set[str]:
    return {pair for state in states() for pair in state["detours"] if pair in ("h0→h1", "h1→h0")}


def test_an_agent_of_the_relay_plane_that_was_stopped_goes_on(
    lab: labs.Lab, characterized: tuple[Path, Path], congested: None
) -> None:
    """Its detour is in use again at once, and what others took off it is back soon. None is left as if in vain."""
    cluster, results = characterized
    with run(cluster, "-n", "2", *PLANES["relay"], program=TRAFFIC, results=results) as command:
        wait_for(lambda: len(rerouted_pairs()) == 2, "the reroutes of both directions")
        time.sleep(3)  # in which a detour would be judged
        assert len(rerouted_pairs()) == 2, command.text()
        stopped_for_longer_than_its_lease(lab, "h0")
        wait_for(lambda: len(rerouted_pairs()) == 2, "the reroutes of both directions again", 10)
        finish(lab)
        assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert "in_vain" not in [event.data["reason"] for event in command.events("restored")]
