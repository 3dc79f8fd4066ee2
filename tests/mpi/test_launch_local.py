"""Every MPI on this machine alone, through the local executor: what a user without a cluster tries first."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster
from fairlead.cluster.launch import prepare, run

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).with_name("launch_ring.c")
BUILT = Path(__file__).parents[2] / "build" / "mpi"  # by scripts/setup.sh
HERE = """
[cluster]
name = "here"
executor = "local"
interface = "lo"
[[hosts]]
name = "localhost"
address = "127.0.0.1"
slots = 1
"""


@pytest.mark.parametrize(
    ("launcher_name", "compiler", "mpirun"),
    [
        ("openmpi4", "mpicc.openmpi", "mpirun.openmpi"),
        ("openmpi5", f"{BUILT}/openmpi5/bin/mpicc", f"{BUILT}/openmpi5/bin/mpirun"),
        ("mpich4", "mpicc.mpich", "mpirun.mpich"),
        ("mpich5", f"{BUILT}/mpich5/bin/mpicc", f"{BUILT}/mpich5/bin/mpirun"),
    ],
    ids=["openmpi4", "openmpi5", "mpich4", "mpich5"],
)
def test_ranks_on_this_machine(launcher_name: str, compiler: str, mpirun: str, tmp_path: Path) -> None:
    if shutil.which(mpirun) is None:
        pytest.skip(f"{mpirun} is not installed: run scripts/setup.sh")
    subprocess.run([compiler, "-o", tmp_path / "ring", SOURCE], check=True)
    (tmp_path / "in").write_text("typed\nend\n")
    cluster = Cluster.parse(HERE).with_mpirun(mpirun)
    job_id = os.urandom(4).hex()
    launcher, job = prepare(
        cluster, ["./ring", "exit", "7"], 2, job_id=job_id, cwd=str(tmp_path), env={"GREETING": "hi"}
    )
    assert launcher.name == launcher_name
    assert job.cores_shared  # two ranks on one slot
    with (tmp_path / "in").open() as source, (tmp_path / "out").open("w") as out:
        assert run(cluster, launcher, job, stdin=source.fileno(), stdout=out.fileno(), timeout_s=60) == 7
    name = os.uname().nodename
    expected = f"sum 1\nrank 0 on {name}\nrank 1 on {name}\ngreeting hi\nstdin typed\n"
    assert (tmp_path / "out").read_text() == expected
