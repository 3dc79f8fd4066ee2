"""64 ranks on 64 hosts, managed, beside cross-traffic between two switches: every host has its agent, congested pairs
are rerouted over other switches, and nothing is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import Command, cluster_file, finish, nothing_left, processes, run, traffic, wait_for

from fairlead import lab as labs
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.lab.description import load

pytestmark = [pytest.mark.root, pytest.mark.mpi, pytest.mark.slow]
EXAMPLE = Path(__file__).parents[3] / "examples" / "mesh64.toml"
SCALE = 0.05  # trunks of 10 Mbit/s: two cores carry them
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
HOSTS, PER_LEAF = 64, 8


@pytest.fixture
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    lab = labs.up(load(EXAMPLE), scale=SCALE, share=[tmp_path_factory.getbasetemp()])
    try:
        yield lab
    finally:
        lab.down()


def leaf(host: str) -> int:
    return int(host.removeprefix("h")) // PER_LEAF


def crossing(command: Command) -> set[tuple[str, str, str]]:
    """Source, destination and relay of pairs between the two congested switches that were rerouted."""
    found = [
        tuple(event.data[name] for name in ("source", "destination", "relay")) for event in command.events("rerouted")
    ]
    return {each for each in found if {leaf(each[0]), leaf(each[1])} == {0, 1}}


def test_a_program_of_64_hosts_is_managed(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    with run(cluster, program=traffic(240), results=tmp_path / "results") as command:
        wait_for(lambda: processes(lab, "h63", "random-traffic"), "the last rank's start", 120)
        wait_for(lambda: len(command.events("base_learnt")) > HOSTS, "paths to be known", 120)
        with congestion.make(lab, FOREIGN):
            wait_for(lambda: len(crossing(command)) >= 4, "reroutes of the congested pairs", 120)
        finish(lab)
        assert command.end(120) == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert command.record()[0].status == "ok"
    assert {event.data["host"] for event in command.events("stats")} == {f"h{host}" for host in range(HOSTS)}
    assert all(leaf(relay) not in (0, 1) for _, _, relay in crossing(command)), "relays are behind other trunks"
    assert command.events("died") == command.events("not_started") == []
    wait_for(lambda: nothing_left(lab), "the end of all that was started")
