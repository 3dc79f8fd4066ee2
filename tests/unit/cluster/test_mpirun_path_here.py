"""The path of mpirun, in a job whose environment has it and the log-ins of its hosts have not."""

from dataclasses import replace
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.launchers.path_here import with_path_here

HOSTS = (Host("n1", "10.1.0.1"), Host("n2", "10.1.0.2"))
JOB = Cluster("slurm-1", "ssh", HOSTS, mpirun="mpirun.site")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    program = tmp_path / "mpirun.site"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr("fairlead.cluster.addresses.is_own", lambda address: address == "10.1.0.1")
    return str(program)


def test_in_the_job_it_is_known_by_its_path(module: str) -> None:
    assert with_path_here(JOB).mpirun == module


@pytest.mark.parametrize(
    "cluster",
    [
        replace(JOB, mpirun="mpirun.absent"),
        replace(JOB, mpirun="/opt/mpirun"),
        replace(JOB, launch_from="n1"),
        replace(JOB, hosts=HOSTS[1:]),
        replace(JOB, ssh=Ssh(shared_files=False)),
    ],
    ids=["not here", "by its path", "on another host", "beside the hosts", "files are not shared"],
)
def test_elsewhere_it_is_as_the_cluster_file_has_it(module: str, cluster: Cluster) -> None:
    assert with_path_here(cluster) == cluster
