"""``fairlead profile`` over the hosts of a lab: whose traffic crosses the network, and whose stays inside a host."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.lab import Lab

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCE = Path(__file__).parents[2] / "mpi" / "profile" / "sources" / "cases.c"


def test_traffic_between_hosts_and_inside_them(lab: Lab, tmp_path: Path) -> None:
    cluster = tmp_path / "two.cluster.toml"
    # Two slots on the first host: ranks 0 and 1 share it.
    cluster.write_text(lab.cluster_file_text().replace("slots = 1", "slots = 2", 1))
    program, target = tmp_path / "cases", tmp_path / "profile.json"
    subprocess.run(["mpicc", "-w", "-o", program, SOURCE], check=True)
    done = CliRunner().invoke(
        command,
        ["profile", "--cluster", str(cluster), "-n", "3", "--json", str(target), "--", str(program), "modes"],
        standalone_mode=False,
    )
    assert done.exception is None
    assert done.return_value == 0
    data = json.loads(target.read_text())
    first, second = data["hosts"]
    assert data["host_of_rank"] == [first, first, second]
    ring = [32 + 5 + 4 * (rank + 1) for rank in range(3)]
    assert data["host_bytes_B"] == [[40 + 24 + 5 + 7 + ring[0], ring[1]], [ring[2], 0]]
    assert data["host_messages"] == [[4 + 3 + 1, 3], [3, 0]]
    assert [each["end"] for each in data["per_rank"]] == ["finalized"] * 3


def test_the_network_is_measured_at_the_sizes_that_the_program_uses(lab: Lab, tmp_path: Path) -> None:
    cluster, stored = tmp_path / "three.cluster.toml", tmp_path / "nbody.json"
    cluster.write_text(lab.cluster_file_text())
    program = ["nbody", "--particles", "96", "--payload", "0", "--steps", "60"]  # messages of 96 / 3 * 32 B: 1 KiB
    results = str(tmp_path / "results")

    def fairlead(*words: str) -> Result:
        done = CliRunner().invoke(command, words, standalone_mode=False)
        assert done.exception is None, done.output
        return done

    fairlead("profile", "--cluster", str(cluster), "-n", "3", "--json", str(stored), "--", *program)
    measured = ["characterize", str(cluster), "--from-profile", str(stored), "--results", results, "--json"]
    done = fairlead(*measured)
    assert "nbody.json: measured at 64 B, 1 KiB, 2 KiB, between hosts: " in done.stderr.replace("\u00a0", " ")
    latency = json.loads(done.stdout)["latency"]
    assert latency["sizes_B"] == [64, 1024, 2048]
    assert all(latency["median_s"][size][i][j] > 0 for size in range(3) for i in range(3) for j in range(3) if i != j)


def test_sizes_are_given_once(lab: Lab, tmp_path: Path) -> None:
    cluster = tmp_path / "c.toml"
    cluster.write_text(lab.cluster_file_text())
    words = ["characterize", str(cluster), "--sizes", "64", "--from-profile", "p.json"]
    error = CliRunner().invoke(command, words, standalone_mode=False).exception
    assert "--sizes and --from-profile exclude each other" in str(error)
