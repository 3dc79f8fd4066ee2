"""``fairlead run`` on a cluster that nobody characterized: it learns, reroutes what is congested, and returns."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from lab_fixtures import PRIVILEGES
from managed_runs import Command, cluster_file, finish, mesh_text, nothing_left, run, talking, traffic, wait_for

from fairlead import lab as labs
from fairlead.config import parse
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.lab.description import Description

pytestmark = pytest.mark.mpi
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
PATHS = 6  # between three hosts


@pytest.fixture(params=PRIVILEGES)
def lab(
    private_runtime: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[labs.Lab]:
    """Three hosts joined pairwise; slow trunks, so that the network limits and not the processors."""
    kind = "learning-user" if request.param else "learning-root"
    description = parse(mesh_text(kind, trunk="40mbit"), Description, source="mesh.toml")
    lab = labs.up(description, share=[tmp_path_factory.getbasetemp()], user_namespace=request.param)
    try:
        yield lab
    finally:
        lab.down()


def learnt(command: Command) -> set[tuple[str, str]]:
    """Paths whose baseline was told."""
    return {(event.data["source"], event.data["destination"]) for event in command.events("base_learnt")}


def first_rerouted(command: Command) -> list[set[str]]:
    """Both ends of the first two pairs that were rerouted; on a busy machine another may be tried."""
    return [{event.data["source"], event.data["destination"]} for event in command.events("rerouted")[:2]]


@pytest.mark.slow
def test_congestion_from_the_start_is_left_and_what_was_learnt_is_kept(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    with ExitStack() as stack:
        loaded = stack.enter_context(ExitStack())
        loaded.enter_context(congestion.make(lab, FOREIGN))
        command = stack.enter_context(run(cluster, program=traffic(), results=tmp_path))
        command.wait_to_hear("rerouted over h2")
        loaded.close()
        command.wait_to_hear("back on its direct path")
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.heard("has no characterization: agents learn how long its paths take while the program runs")
    assert any("verification passed" in line for line in command.output)
    assert {"h0", "h1"} in first_rerouted(command)
    assert len(learnt(command)) == PATHS
    assert nothing_left(lab)
    with run(cluster, program=traffic(1), results=tmp_path) as again:
        assert again.end() == 0, again.text()
    assert again.heard("6 of 6 paths are known from earlier runs (")


@pytest.mark.slow
def test_congestion_that_comes_later_is_left(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), program=traffic(), results=tmp_path) as command:
        talking(lab)
        wait_for(lambda: len(learnt(command)) == PATHS, "all paths being known")
        with congestion.make(lab, FOREIGN):
            command.wait_to_hear("rerouted over h2")
        finish(lab)
        assert command.end() == 0, command.text()
    assert {"h0", "h1"} in first_rerouted(command)
