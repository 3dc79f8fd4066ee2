"""A supervisor that says nothing for longer than its agents' lease: it was stopped, or its machine is gone."""

import os
import signal
import time
from pathlib import Path

import pytest
from managed_runs import (
    PROGRAM,
    REROUTED,
    cluster_file,
    finish,
    kernel_state,
    processes,
    rerouted_routes,
    run,
    talking,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.agents.group import LEASE_S

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="kernel state is looked at as root"),
]
HOSTS = ("h0", "h1", "h2")


def test_agents_undo_everything_when_the_lease_runs_out_and_come_back(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        assert rerouted_routes(lab, "h0")
        command.process.send_signal(signal.SIGSTOP)
        begin_s = time.monotonic()
        time.sleep(LEASE_S - 3)
        assert rerouted_routes(lab, "h0")  # not yet
        wait_for(lambda: not any(processes(lab, host, "fairlead-agent") for host in HOSTS), "the agents' end", 10)
        assert time.monotonic() - begin_s < LEASE_S + 3
        wait_for(lambda: not any(kernel_state(lab, host) for host in HOSTS), "the end of all they did", 5)
        assert all(processes(lab, host, PROGRAM) for host in HOSTS)
        command.process.send_signal(signal.SIGCONT)
        back = [f"the agent of {host} is running again" for host in HOSTS]
        wait_for(lambda: all(map(command.heard, back)), "the agents' return")
        wait_for(lambda: rerouted_routes(lab, "h0"), "the manual reroute, made again")
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.heard("nothing was heard from the supervisor for 10 s: all reroutes were undone")
    assert any("verification passed" in line for line in command.output)
    assert sorted(str(event.data["host"]) for event in command.events("restarted")) == list(HOSTS)


def test_a_short_stop_costs_nothing(lab: labs.Lab, tmp_path: Path) -> None:
    """Of the supervisor, or of an agent: what was said meanwhile is heard."""
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(), results=tmp_path) as command:
        talking(lab)
        command.process.send_signal(signal.SIGSTOP)
        time.sleep(LEASE_S - 4)
        command.process.send_signal(signal.SIGCONT)
        (agent,) = processes(lab, "h1", "fairlead-agent")
        os.kill(agent, signal.SIGSTOP)
        time.sleep(LEASE_S + 2)
        os.kill(agent, signal.SIGCONT)
        time.sleep(2)
        assert processes(lab, "h1", "fairlead-agent") == [agent]
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.events("died") == [] == command.events("restarted")
