"""Advice to the user while a program runs, on two switches with one trunk: on mapping, on decomposition, or none."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from managed_runs import cluster_file, mesh, once, run

from fairlead.lab import Lab, congestion
from fairlead.lab.congestion import Streams

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]
LINE = "more in transmission than in processing"
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """h0 and h1 on one switch, h2 and h3 on the other."""
    with mesh("rows-mitigation", tmp_path_factory.getbasetemp(), 2, leafs=2, trunk="40mbit") as found:
        yield found


@pytest.fixture(scope="module")
def ground(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """Cluster file, results with a characterization, and the directory of the programs."""
    directory = tmp_path_factory.mktemp("mitigation")
    cluster, results = cluster_file(lab, directory), directory / "results"
    for program in ("exchange", "halo"):
        source = Path(__file__).parent / "sources" / f"{program}.c"
        subprocess.run(["mpicc.openmpi", "-O2", "-o", directory / program, source], check=True)
    done = once("characterize", cluster, "--results", results, "--large-budget", "10")
    assert done.returncode == 0, done.stderr
    return cluster, results, str(directory)


def advised(
    lab: Lab, ground: tuple[Path, Path, str], program: str, *words: str, congested: bool = False
) -> tuple[list[str], dict[str, Any] | None]:
    """What ``run --monitor`` says of its ranks, and what the JSON of its report has."""
    cluster, results, programs = ground
    with (
        congestion.make(lab, FOREIGN) if congested else nullcontext(),
        run(cluster, "--monitor", program=[f"{programs}/{program}", *words], results=results) as command,
    ):
        assert command.end(120) == 0, command.text()
    said = [line for _, line in command.told if LINE in line]
    done = once("report", results, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["program"][1:] == list(words)
    page = (results / "report.html").read_text()
    assert ('<h2 id="mitigation">' in page) == (figures["advice"] is not None)
    return said, figures["advice"]


def test_ranks_that_are_far_from_their_partners_are_told_to_move(lab: Lab, ground: tuple[Path, Path, str]) -> None:
    said, advice = advised(lab, ground, "exchange", "far", "262144", "2000", "140")
    assert len(said) == 1
    assert "another placement of the ranks would save about" in said[0]
    assert advice is not None
    assert advice["remedy"] == "mapping"
    pairs = {(each["source_rank"], each["rank"]) for each in advice["pairs"]}
    assert pairs == {(0, 2), (2, 0), (1, 3), (3, 1)}
    assert all(each["transmission_s"] > each["processing_s"] for each in advice["pairs"])
    leaf = {"h0": 0, "h1": 0, "h2": 1, "h3": 1}
    moved = [leaf[host] for host in advice["host_of_rank"]]
    assert moved[0] == moved[2] != moved[1] == moved[3]
    assert 0.5 * advice["cost_s_per_min"] < advice["saving_s_per_min"] <= advice["cost_s_per_min"] < 60
    assert advice["observed_s"] >= 10


def test_ranks_with_too_little_to_compute_are_told_that_no_placement_helps(
    lab: Lab, ground: tuple[Path, Path, str]
) -> None:
    said, advice = advised(lab, ground, "exchange", "all", "4096", "0", "12000")
    assert len(said) == 1
    assert "no other placement is much better: more work per rank" in said[0]
    assert advice is not None
    assert (advice["remedy"], advice["host_of_rank"]) == ("decomposition", [])
    assert advice["cost_s_per_min"] > 3


def test_a_domain_that_is_cut_lengthwise_is_told_that_its_decomposition_costs(
    lab: Lab, ground: tuple[Path, Path, str]
) -> None:
    # Its strips have long borders of different lengths. Only that in the middle crosses the trunk: no other placement
    # has a single one there.
    said, advice = advised(lab, ground, "halo", "131072,98304,65536", "8000", "500")
    assert len(said) == 1
    assert "no other placement is much better: more work per rank" in said[0]
    assert advice is not None
    assert (advice["remedy"], advice["host_of_rank"]) == ("decomposition", [])
    assert {(each["source_rank"], each["rank"]) for each in advice["pairs"]} == {(1, 2), (2, 1)}
    assert all(each["transmission_s"] > each["processing_s"] for each in advice["pairs"])
    assert 3 < advice["cost_s_per_min"] < 60
    assert advice["observed_s"] >= 10


def test_the_same_domain_cut_crosswise_is_told_nothing(lab: Lab, ground: tuple[Path, Path, str]) -> None:
    assert advised(lab, ground, "halo", "512,512,256", "8000", "1400") == ([], None)


def test_a_program_that_computes_is_told_nothing(lab: Lab, ground: tuple[Path, Path, str]) -> None:
    assert advised(lab, ground, "exchange", "far", "1024", "50000", "240") == ([], None)


def test_what_others_slow_down_is_no_fault_of_the_program(lab: Lab, ground: tuple[Path, Path, str]) -> None:
    # Alone these messages take less than what is computed between them; under congestion forty times as long.
    assert advised(lab, ground, "exchange", "far", "1024", "4000", "300", congested=True) == ([], None)


@pytest.mark.parametrize("policy", ["waited", "always", "never"])
def test_whatever_is_acknowledged_every_message_is_in_the_table(ground: tuple[Path, Path, str], policy: str) -> None:
    cluster, results, programs = ground
    words = [f"{programs}/exchange", "late", "256", "5000", "200"]
    with run(cluster, "--monitor", "--acknowledge", policy, program=words, results=results) as command:
        assert command.end(120) == 0, command.text()
    seen = command.events("communication")
    assert sum(event.data["messages"] for event in seen) == 400
    assert sum(event.data["waits"] for event in seen) <= 400
    assert sum(event.data["mismatches"] for event in seen) == 0
