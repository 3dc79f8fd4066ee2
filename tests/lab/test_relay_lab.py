"""``fairlead run --plane relay``: the messages of a moved pair go through the agents, and agents may die."""

import os
import signal
import time
from pathlib import Path

import pytest
from managed_runs import MOVED, Command, cluster_file, finish, nothing_left, processes, run, traffic, wait_for

from fairlead import lab as labs

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
RELAYED = ["--plane", "relay", *MOVED]


def carried(command: Command, host: str) -> dict[str, int]:
    """What a host's agent last said of frames, and its ranks of messages."""
    told = [event.data["relay"] for event in command.events("stats") if event.data["host"] == host]
    return {**told[-1], **told[-1]["ranks"]}


def test_messages_of_a_moved_pair_are_relayed(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *RELAYED, program=traffic(1), results=tmp_path) as command:
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert len(command.events("moved")) == 1
    source, relay = carried(command, "h0"), carried(command, "h2")
    assert source["relayed"] > 0
    assert relay["passed"] >= source["relayed"]
    assert relay["relayed"] == 0
    assert command.heard(f", {source['relayed']} messages relayed")
    assert nothing_left(lab)


@pytest.mark.slow
def test_the_plane_is_chosen_by_what_hosts_can(lab: labs.Lab, tmp_path: Path, unprivileged: str) -> None:
    auto = ["--plane", "auto", *MOVED]
    cluster = cluster_file(lab, tmp_path)
    with run(cluster, *auto, program=traffic(1), results=tmp_path, FAIRLEAD_NATIVE_DIR=unprivileged) as command:
        assert command.end() == 0, command.text()
    assert command.heard("3 of 3 hosts cannot move traffic by the kernel (")
    assert carried(command, "h2")["passed"] > 0
    with run(cluster, *auto, program=traffic(1), results=tmp_path) as command:
        assert command.end() == 0, command.text()
    assert not command.heard("cannot move traffic")
    assert all("relay" not in event.data for event in command.events("stats"))
    assert nothing_left(lab)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["h2", "h1", "h0"])  # the relay's agent, the destination's, the source's
def test_a_killed_agent_costs_no_message(lab: labs.Lab, tmp_path: Path, victim: str) -> None:
    with run(cluster_file(lab, tmp_path), *RELAYED, program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        time.sleep(1.5)
        (agent,) = processes(lab, victim, "fairlead-agent")
        os.kill(agent, signal.SIGKILL)
        time.sleep(2)
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert any(event.data["relay"]["ranks"]["relayed"] > 0 for event in command.events("stats"))
