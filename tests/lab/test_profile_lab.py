"""``fairlead profile`` over the hosts of a lab: whose traffic crosses the network, and whose stays inside a host."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.lab import Lab

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCE = Path(__file__).parents[1] / "mpi" / "profile_cases.c"


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
