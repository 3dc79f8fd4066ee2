"""Every MPI on this machine alone, through the local executor: what a user without a cluster tries first."""

import os
from pathlib import Path

import pytest
from mpi_libraries import Mpi, every_launcher

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.jobs.launch import prepare, run

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "ring.c"
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


@every_launcher
def test_ranks_on_this_machine(mpi: Mpi, tmp_path: Path) -> None:
    mpi.need().compile(SOURCE, tmp_path / "ring")
    (tmp_path / "in").write_text("typed\nend\n")
    cluster = parse_cluster(HERE).with_mpirun(mpi.mpirun)
    job_id = os.urandom(4).hex()
    launcher, job = prepare(
        cluster, ["./ring", "exit", "7"], 2, job_id=job_id, cwd=str(tmp_path), env={"GREETING": "hi"}
    )
    assert launcher.name == mpi.name
    assert job.cores_shared  # two ranks on one slot
    with (tmp_path / "in").open() as source, (tmp_path / "out").open("w") as out:
        assert run(cluster, launcher, job, stdin=source.fileno(), stdout=out.fileno(), timeout_s=60) == 7
    name = os.uname().nodename
    expected = f"sum 1\nrank 0 on {name}\nrank 1 on {name}\ngreeting hi\nstdin typed\n"
    assert (tmp_path / "out").read_text() == expected
