"""`fairlead run slurm`, called from where users of Slurm may be: it has the job's nodes and tasks, or says why not."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import managed_runs
import pytest
import slurm_cluster
from slurm_cluster import FAIRLEAD

from fairlead import lab as labs
from fairlead.store import Store

pytestmark = slurm_cluster.MARKS
LOGIN = "h3"
# salloc without a command starts its shell by this, on the first node, as many sites have it.
INTERACTIVE = """
LaunchParameters=use_interactive_step
InteractiveStepOptions="--interactive --preserve-env sh"
"""
RUN = f"{FAIRLEAD} run slurm --no-detection -- hostname"


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with managed_runs.star("callers", tmp_path_factory.getbasetemp(), hosts=4) as lab:
        yield lab


@pytest.fixture(scope="module")
def shared(lab: labs.Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, configuration and home directory, which all nodes see."""
    shared = tmp_path_factory.mktemp("slurm")
    slurm_cluster.files(lab, shared, INTERACTIVE)
    return shared


@pytest.fixture(scope="module")
def slurm(lab: labs.Lab, shared: Path) -> Iterator[labs.Lab]:
    with slurm_cluster.running(lab, shared, login=[LOGIN]):
        yield lab


def ranks(said: str) -> dict[str, int]:
    """How many lines of the program came from which host."""
    return dict(Counter(re.findall(r"^h\d$", said, re.MULTILINE)))


def test_a_shell_on_a_login_node(slurm: labs.Lab, shared: Path) -> None:
    """salloc leaves it there, beside the allocation, where no interface has a node's address."""
    done = slurm_cluster.in_allocation(slurm, "-N2 --ntasks-per-node=2", f"echo $SLURM_JOB_ID; {RUN}", host=LOGIN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ranks(done.stdout) == {"h0": 2, "h1": 2}
    written = (shared / f"home/slurm-{done.stdout.split()[0]}.cluster.toml").read_text()
    assert 'launch_from = "h0"\n' in written
    assert 'interface = "eth0"\n' in written


def test_an_interactive_step(slurm: labs.Lab) -> None:
    command = slurm.enter_command(LOGIN, ["sh", "-c", "cd ~ && exec timeout 60 salloc -Q -N3 --ntasks-per-node=2"])
    script = f"hostname | sed s/^/shell\\ on\\ /\n{RUN}\n"
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "shell on h0\n" in done.stdout
    assert ranks(done.stdout) == {"h0": 2, "h1": 2, "h2": 2}


def test_a_task_of_a_step_that_has_some_of_the_nodes(slurm: labs.Lab) -> None:
    """Its variables tell the tasks of the step, and the nodes of the job."""
    done = slurm_cluster.in_allocation(slurm, "-N3 --ntasks-per-node=2", f"exec srun -N1 -n1 -w h1 {RUN}")
    assert done.returncode != 0
    assert ranks(done.stdout) == {}
    assert "SLURM_TASKS_PER_NODE='1' has 1 nodes, SLURM_JOB_NODELIST='h[0-2]' has 3" in done.stderr


def test_tasks_of_an_array(slurm: labs.Lab, shared: Path) -> None:
    script = f"exec {FAIRLEAD} run slurm --no-detection --results arrayed -- sh -c 'echo task $SLURM_ARRAY_TASK_ID'"
    said = slurm_cluster.batch(slurm, shared, script, "--array=1-2", "-N3", "--ntasks-per-node=1")
    assert sorted(re.findall(r"^task \d$", said, re.MULTILINE)) == ["task 1"] * 3 + ["task 2"] * 3
    with Store.read(shared / "home/arrayed") as store:
        runs = store.runs("run")
    assert [run.status for run in runs] == ["ok", "ok"]
    assert len({run.labels["cluster"] for run in runs}) == 2


def test_a_requeued_job_has_other_nodes(slurm: labs.Lab, shared: Path) -> None:
    """It has its number again, and starts where the file that names its former nodes is."""

    def h0(*words: str) -> str:
        command = slurm.enter_command("h0", ["sh", "-c", 'cd ~ && exec "$@"', "sh", *words])
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    told = shared / "home/requeued.out"
    (shared / "home/requeued.sh").write_text(f"#!/bin/sh\n{RUN}\necho ended\nsleep 60\n")
    options = ["-N2", "--ntasks-per-node=1", "--requeue", "--open-mode=append", f"--output={told.name}"]
    job = h0("sbatch", "--parsable", *options, "requeued.sh")
    managed_runs.wait_for(lambda: told.exists() and "ended" in told.read_text(), "the first start")
    h0("scontrol", "update", "NodeName=h0", "State=DRAIN", "Reason=test")
    try:
        h0("scontrol", "requeue", job)
        managed_runs.wait_for(lambda: h0("squeue", "-h", "-j", job, "-o", "%T %r") == "PENDING BeginTime", "the queue")
        h0("scontrol", "update", f"JobId={job}", "StartTime=now")  # Slurm would wait for two minutes
        managed_runs.wait_for(lambda: told.read_text().count("ended") > 1, "the second start", 150)
    finally:
        h0("scancel", job)
        h0("scontrol", "update", "NodeName=h0", "State=RESUME")
    assert ranks(told.read_text()) == {"h0": 1, "h1": 2, "h2": 1}
