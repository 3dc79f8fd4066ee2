"""An mpirun in a batch job that has not all of its hosts: a heterogeneous one of Slurm, of which it knows one part."""

import os
from pathlib import Path

import pytest
from mpi_libraries import Mpi, every_launcher

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.jobs.launch import prepare, run

pytestmark = pytest.mark.mpi
# What a batch script has of its first component, and how many there are.
BATCH = {
    "SLURM_HET_SIZE": "2",
    "SLURM_JOBID": "4711",
    "SLURM_JOB_ID": "4711",
    "SLURM_NODELIST": "first",
    "SLURM_JOB_NODELIST": "first",
    "SLURM_JOB_NODELIST_HET_GROUP_0": "first",
    "SLURM_JOB_NODELIST_HET_GROUP_1": "second",
    "SLURM_NNODES": "1",
    "SLURM_NPROCS": "1",
    "SLURM_TASKS_PER_NODE": "1",
}
# Both hosts are this machine; which of them a rank is on, its environment says. Each has its own temporary files:
# two of Open MPI 4's daemons on one machine write the same file of its topology, and one that reads meanwhile crashes.
HOSTS = """
[cluster]
name = "het"
executor = "command"
interface = "lo"
[command]
run = ["env", "ON={{reach}}", "TMPDIR={directory}/{{reach}}"]
[[hosts]]
name = "first"
address = "127.0.0.1"
[[hosts]]
name = "second"
address = "127.0.0.2"
"""


@every_launcher
def test_hosts_of_other_components_are_reached_too(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("first", "second"):
        (tmp_path / host).mkdir()
    cluster = parse_cluster(HOSTS.format(directory=tmp_path)).with_mpirun(mpi.need().mpirun)
    for name, value in BATCH.items():
        monkeypatch.setenv(name, value)
    launcher, job = prepare(cluster, ["sh", "-c", "echo on $ON"], 2, job_id=os.urandom(4).hex(), cwd=str(tmp_path))
    with (tmp_path / "out").open("w") as out:
        assert run(cluster, launcher, job, stdout=out.fileno(), timeout_s=60) == 0
    assert sorted((tmp_path / "out").read_text().splitlines()) == ["on first", "on second"]
