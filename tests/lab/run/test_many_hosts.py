"""64 ranks on 64 hosts, managed without a characterization beside cross-traffic: every host has its
agent, pairs that the cross-traffic slows are rerouted over other switches, and nothing is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import Command, cluster_file, mesh_text, nothing_left, run, wait_for

from fairlead import lab as labs
from fairlead.config import parse
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.lab.description import Description

pytestmark = [pytest.mark.root, pytest.mark.mpi, pytest.mark.slow, pytest.mark.timeout(900)]
SCALE = 0.05  # trunks of 10 Mbit/s: two cores carry them
HOSTS, PER_LEAF = 64, 8
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
PROGRAM = ["cg", "--class", "A", "--iterations", "15"]  # h1 and h8 exchange in every step, among others


@pytest.fixture
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    described = parse(mesh_text("many", PER_LEAF, leafs=HOSTS // PER_LEAF), Description, source="many.toml")
    lab = labs.up(described, scale=SCALE, share=[tmp_path_factory.getbasetemp()])
    try:
        yield lab
    finally:
        lab.down()


def leaf(host: str) -> int:
    return int(host.removeprefix("h")) // PER_LEAF


def crossing(command: Command) -> set[tuple[int, int, int]]:
    """Switches of source, destination and relay of detours between the two switches with the cross-traffic."""
    found = [event.data for event in command.events("rerouted")]
    ends = {(leaf(each["source"]), leaf(each["destination"]), leaf(each["relay"])) for each in found}
    return {each for each in ends if set(each[:2]) == {0, 1}}


def test_a_program_of_64_hosts_is_managed(lab: labs.Lab, tmp_path: Path) -> None:
    cluster, results = cluster_file(lab, tmp_path), tmp_path / "results"
    with congestion.make(lab, FOREIGN), run(cluster, program=PROGRAM, results=results) as command:
        assert command.end(600) == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert command.record()[0].status == "ok"
    assert {event.data["host"] for event in command.events("stats")} == {f"h{host}" for host in range(HOSTS)}
    assert command.events("died") == command.events("not_started") == []
    detours = crossing(command)
    assert detours
    assert all(relay not in (0, 1) for *_, relay in detours), "a relay behind the same trunk is no way around"
    wait_for(lambda: nothing_left(lab), "the end of all that was started")
