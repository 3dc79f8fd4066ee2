"""A long run beside cross-traffic compares its progress with and without reroutes, and says what they gave."""

import json
import signal
from pathlib import Path

import pytest
from managed_runs import Command, cluster_file, mesh, once, run, wait_for

from fairlead.lab import congestion
from fairlead.lab.congestion import Streams

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
PROGRAM = ["cg", "--class", "A", "--iterations", "5000"]


def paused_pairs(command: Command) -> set[tuple[str, str]]:
    """Pairs that a comparison put back on their direct paths."""
    events = [event.data for event in command.events("restored")]
    return {(each["source"], each["destination"]) for each in events if each["reason"] == "paused"}


def pairs_again(command: Command) -> set[tuple[str, str]]:
    """Pairs that were rerouted again after a comparison."""
    events = [event.data for event in command.events("rerouted")]
    return {(each["source"], each["destination"]) for each in events if each["again"]}


def test_a_run_finds_out_what_reroutes_give(private_runtime: None, tmp_path: Path) -> None:
    with mesh("benefit", tmp_path, leafs=4, trunk="40mbit") as lab:
        cluster, results = cluster_file(lab, tmp_path), tmp_path / "results"
        done = once("characterize", cluster, "--results", results, "--large-budget", "15")
        assert done.returncode == 0, done.stderr
        with congestion.make(lab, FOREIGN), run(cluster, program=PROGRAM, results=results) as command:
            command.wait_to_hear("rerouted over")
            wait_for(lambda: command.events("benefit"), "a comparison", 90.0)
            wait_for(lambda: pairs_again(command) == paused_pairs(command), "all detours again", 10.0)
            paused, again = paused_pairs(command), pairs_again(command)
            command.process.send_signal(signal.SIGTERM)
            assert command.end(60) == 128 + signal.SIGTERM, command.text()
    (compared,) = command.events("benefit")
    assert compared.data["action"] == "compared"
    assert compared.data["with_bps"] > 1.3 * compared.data["without_bps"]
    assert compared.data["ratio"] == pytest.approx(compared.data["with_bps"] / compared.data["without_bps"])
    assert paused and again == paused, "each detour was taken again"

    said = f"with reroutes the program's traffic moved {compared.data['ratio']:.2f} times as fast as without"
    assert command.heard(said)
    assert not command.heard("paused") and not command.heard("again")
    done = once("report", results, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["benefit"] == {
        "ratio": compared.data["ratio"],
        "low": None,
        "high": None,
        "comparisons": 1,
        "suspended": 0,
    }
    assert any(said in finding.lower() for finding in figures["findings"])
