"""Labs whose rates are scaled: what links carry, and ranks that wait asleep."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab_fixtures import STAR, best_tcp_rate_bps, private_runtime, running

from fairlead import native, programs
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.jobs import launch
from fairlead.lab import Lab, idle
from fairlead.lab.description import FRAME_B, MTU_B

__all__ = ["private_runtime"]
pytestmark = [pytest.mark.userns, pytest.mark.usefixtures("private_runtime")]
TCP_SHARE = (MTU_B - 52) / FRAME_B
SCALED = STAR.replace("[host_link]", "scale = 0.2\n[host_link]", 1)


def ran(lab: Lab, argv: list[str], directory: Path) -> str:
    """Output of a program on two hosts of a lab."""
    cluster = parse_cluster(lab.cluster_file_text())
    launcher, job = launch.prepare(cluster, argv, 2, job_id=os.urandom(4).hex())
    with (directory / "output").open("w+") as output:
        code = launch.run(
            cluster, launcher, job, stdin=subprocess.DEVNULL, stdout=output.fileno(), stderr=subprocess.STDOUT
        )
    said = (directory / "output").read_text()
    assert code == 0, said
    return said


def test_a_link_carries_its_rate_times_the_scale() -> None:
    with running(SCALED, user_namespace=True) as lab:
        wanted_bps = 0.2 * 50e6 * TCP_SHARE
        assert best_tcp_rate_bps(lab, "h0", "h1", 0.9 * wanted_bps) == pytest.approx(wanted_bps, rel=0.1)


@pytest.mark.mpi
@pytest.mark.parametrize("text", [STAR, SCALED], ids=["as described", "scaled"])
def test_ranks_sleep_where_rates_are_scaled(text: str, tmp_path: Path) -> None:
    with running(text, user_namespace=True) as lab:
        assert ran(lab, ["env"], tmp_path).count(str(idle.library())) == (2 if text == SCALED else 0)


@pytest.mark.mpi
def test_ranks_that_wait_for_a_slow_network_leave_processors_alone(tmp_path: Path) -> None:
    program = str(native.mpi_program("openmpi", "nbody"))
    argv = ["bash", "-c", 'time -p "$@"', "rank", program, "--payload", "200", "--steps", "12"]
    with running(SCALED, user_namespace=True) as lab:
        said = ran(lab, argv, tmp_path)
    timed_s = programs.verdict(said.encode()).timed_s
    spent_s = [float(seconds) for seconds in re.findall(r"^(?:user|sys) ([0-9.]+)$", said, re.MULTILINE)]
    assert timed_s is not None
    assert timed_s > 1.0, "a message of a rank takes 0.2 s"
    assert len(spent_s) == 4, said
    assert sum(spent_s) / 2 < 0.5 * timed_s, "ranks that spin spend all of it"
