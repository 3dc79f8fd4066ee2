"""Hosts of a Slurm step, from srun's environment, and how steps of the job reach them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.site import Site
from fairlead.cluster.inventory.slurm_step import Nodes, from_step
from fairlead.errors import ConfigError

# srun -N2 in a job of four nodes, Slurm 22.05: the variables that matter.
ENVIRONMENT = {
    "SLURM_JOB_ID": "4711",
    "SLURM_STEP_ID": "3",
    "SLURM_JOB_NODELIST": "n1,n2,n3,n4",
    "SLURM_NODELIST": "n2,n3",
}
HETEROGENEOUS = {
    "SLURM_JOB_ID": "4711",
    "SLURM_HET_SIZE": "2",
    "SLURM_JOB_ID_HET_GROUP_0": "4711",
    "SLURM_JOB_NODELIST_HET_GROUP_0": "n1",
    "SLURM_JOB_ID_HET_GROUP_1": "4712",
    "SLURM_JOB_NODELIST_HET_GROUP_1": "n2,n3",
    "SLURM_NODELIST": "n2,n3",
}


def step(environment: dict[str, str], nodes: Nodes = "job") -> Cluster:
    return from_step(
        environment,
        nodes=nodes,
        interface="ib0",
        expand=lambda text: text.split(","),
        resolve=lambda name: f"10.0.0.{name[1:]}",
    )


def test_the_steps_nodes_come_first_and_the_jobs_others_may_relay() -> None:
    cluster = step(ENVIRONMENT)
    assert cluster.name == "slurm-4711.3"
    assert [(host.name, host.address, host.role, host.reach) for host in cluster.hosts] == [
        ("n2", "10.0.0.2", "compute", "n2@4711"),
        ("n3", "10.0.0.3", "compute", "n3@4711"),
        ("n1", "10.0.0.1", "relay", "n1@4711"),
        ("n4", "10.0.0.4", "relay", "n4@4711"),
    ]
    assert {host.interface for host in cluster.hosts} == {"ib0"}
    assert [host.name for host in step(ENVIRONMENT, "step").hosts] == ["n2", "n3"]


def test_a_heterogeneous_jobs_nodes_are_reached_by_their_own_component() -> None:
    reached = ["n1@4711+0", "n2@4711+1", "n3@4711+1"]
    assert [host.reach for host in step(HETEROGENEOUS).hosts] == reached
    made_by_srun = {name.replace("_HET_GROUP", "_PACK_GROUP"): value for name, value in HETEROGENEOUS.items()}
    assert [host.reach for host in step(made_by_srun, "step").hosts] == reached


def test_outside_of_a_step() -> None:
    with pytest.raises(ConfigError, match="no Slurm step here"):
        step({})
    with pytest.raises(ConfigError, match=r"no Slurm job here \(SLURM_JOB_ID is not set\)"):
        step({"SLURM_NODELIST": "n1"})
    partial = {name: value for name, value in HETEROGENEOUS.items() if name != "SLURM_JOB_NODELIST_HET_GROUP_1"}
    with pytest.raises(ConfigError, match=r"SLURM_JOB_NODELIST_HET_GROUP_1 is not set, though SLURM_HET_SIZE='2'"):
        step(partial)
    with pytest.raises(ConfigError, match="SLURM_HET_SIZE='' is not a number of components"):
        step(HETEROGENEOUS | {"SLURM_HET_SIZE": ""})
    with pytest.raises(ConfigError, match="n9: SLURM_NODELIST='n1,n9' has nodes that are not the job's"):
        step(ENVIRONMENT | {"SLURM_NODELIST": "n1,n9"})


def test_a_step_becomes_a_cluster_file() -> None:
    cluster = step(ENVIRONMENT)
    loaded = parse_cluster(to_toml(cluster))
    assert (loaded.hosts, loaded.executor, loaded.launch_from) == (cluster.hosts, "slurm", None)
    assert loaded.slurm.shared_files
    told = Site({"guardian": "/opt/guard"}, {"shared_files": False, "options": ["A=b"]})
    loaded = parse_cluster(to_toml(cluster, told))
    assert loaded.guardian == ("/opt/guard",)
    assert not loaded.slurm.shared_files


def test_a_host_needs_its_job() -> None:
    text = to_toml(step(ENVIRONMENT)).replace("n3@4711", "n3")
    with pytest.raises(ConfigError, match="NODE@JOB"):
        parse_cluster(text)
    with pytest.raises(ConfigError, match='must be "here" with executor = "slurm"'):
        parse_cluster(to_toml(step(ENVIRONMENT)).replace('launch_from = "here"', 'launch_from = "n2"'))


def test_a_command_is_a_step_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What an srun around us has told its tasks is not for the one that starts an agent."""
    srun = tmp_path / "srun"
    srun.write_text('#!/bin/sh\nenv | grep SLURM | sort\nprintf "%s\\n" "$@"\n')
    srun.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for name in ("SLURM_NTASKS", "SLURM_MEM_PER_CPU", "_SLURM_SPANK_OPTION_fairlead_fairlead", "SLURM_CONF"):
        monkeypatch.setenv(name, "9")
    executor = executor_of(step(ENVIRONMENT))
    said = _output(executor.command("n3", ["agent", "a b"]))
    assert said[:2] == ["SLURM_CONF=9", "SLURM_EXIT_ERROR=255"]
    assert said[2:5] == ["--jobid=4711", "--nodelist=n3", "--overlap"]
    assert said[-2:] == ["agent", "a b"]
    assert executor_of(step(HETEROGENEOUS)).command("n2", ["agent"]).count("--het-group=1") == 1
    assert _output(executor.command("n3", ["agent"], env={"A": "1"}, cwd="/srv"))[-4:] == [
        "env", "--chdir=/srv", "A=1", "agent",
    ]  # fmt: skip
    said = _output([str(executor.rsh_agent()), "-x", "n3", "orted", "a;b"])
    assert said[:5] == ["SLURM_CONF=9", "SLURM_EXIT_ERROR=255", "--jobid=4711", "--nodelist=n3", "--overlap"]
    assert said[-3:] == ["sh", "-c", "orted a;b"]


def _output(command: Sequence[str]) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_whether_slurm_failed_or_the_command() -> None:
    executor = executor_of(step(ENVIRONMENT))
    assert executor.lost_by("n2", 255, b"srun: error: Unable to create step for job 4711: Invalid job id") == "srun"
    assert executor.lost_by("n2", 1, b"srun: error: n2: task 0: Exited with exit code 1") is None
    assert executor.lost_by("n2", 255, b"its own") is None
