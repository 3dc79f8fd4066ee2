"""`fairlead run slurm` in jobs of a real Slurm."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import managed_runs
import pytest
import slurm_cluster
from mpi_libraries import Mpi, every_launcher
from slurm_cluster import FAIRLEAD, NODES

from fairlead import lab as labs
from fairlead import native

pytestmark = slurm_cluster.MARKS
SHOW = "hostname; sleep 2; ip route get {address} uid 0 | head -1"


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with managed_runs.star("slurm", tmp_path_factory.getbasetemp()) as lab:
        yield lab


@pytest.fixture(scope="module")
def shared(lab: labs.Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, configuration and home directory, which all nodes see."""
    shared = tmp_path_factory.mktemp("slurm")
    slurm_cluster.files(lab, shared)
    return shared


@pytest.fixture(scope="module")
def slurm(lab: labs.Lab, shared: Path) -> Iterator[labs.Lab]:
    with slurm_cluster.running(lab, shared):
        yield lab


def in_allocation(slurm: labs.Lab, options: str, script: str) -> str:
    """What a script printed inside an allocation, standard error after standard output; it must succeed."""
    done = slurm_cluster.in_allocation(slurm, options, script)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_managed_run_on_the_nodes_of_an_allocation(slurm: labs.Lab) -> None:
    address = slurm.plan.host_by_name["h1"].address
    run = f'{FAIRLEAD} run slurm --no-detection --reroute h0:h1:h2 -- sh -c "{SHOW.format(address=address)}"'
    said = in_allocation(slurm, "-N3 --ntasks-per-node=1", run)
    assert sorted(re.findall(r"^h\d$", said, re.MULTILINE)) == ["h0", "h1", "h2"]
    assert "h0→h1 rerouted over h2: by hand" in said
    assert f"{address} via {slurm.plan.host_by_name['h2'].address} dev fl-" in said
    assert not any(managed_runs.kernel_state(slurm, host) for host in NODES)


def test_an_allocation_that_nobody_characterized(slurm: labs.Lab) -> None:
    """The program starts, agents learn, and the next job on these nodes begins with what they learnt."""
    program = "random-traffic --seconds 5 --bytes 16384 --interval 0.1 --seed 1"
    run = f"{FAIRLEAD} run slurm --results learnt -- {program}"
    said = in_allocation(slurm, "-N3 --ntasks-per-node=1", run)
    assert re.search(r"slurm-\d+ has no characterization: agents learn how long its paths take", said)
    assert "plane: route, by kernel routes (the guardian has its privilege on all 3 hosts)" in said
    assert "verification passed" in said
    again = in_allocation(slurm, "-N2 --ntasks-per-node=1", run)
    assert "2 of 2 paths are known from earlier runs (" in again
    assert not any(managed_runs.kernel_state(slurm, host) for host in NODES)


def test_nodes_and_tasks_are_those_of_the_allocation(slurm: labs.Lab) -> None:
    said = in_allocation(slurm, "-N2 --ntasks-per-node=2", f"{FAIRLEAD} run slurm --no-detection -- hostname")
    assert sorted(re.findall(r"^h\d$", said, re.MULTILINE)) == ["h0", "h0", "h1", "h1"]


def test_all_components_of_a_heterogeneous_allocation_have_ranks(slurm: labs.Lab) -> None:
    """Slurm's variables without an ending tell of the first component at most, and so does mpirun by itself."""
    for mpirun in ("mpirun.openmpi", "mpirun.mpich"):
        run = f"{FAIRLEAD} run slurm --no-detection --mpirun {mpirun} -- hostname"
        said = in_allocation(slurm, "-N1 --ntasks-per-node=2 : -N2 --ntasks-per-node=1", run)
        counts = Counter(re.findall(r"^h\d$", said, re.MULTILINE))
        assert sorted(counts) == ["h0", "h1", "h2"]
        assert sorted(counts.values()) == [1, 1, 2]


@every_launcher
def test_every_mpirun_has_all_nodes(slurm: labs.Lab, mpi: Mpi) -> None:
    """Also one that knows Slurm by itself, and of a heterogeneous allocation one component.

    It is in PATH of the job alone, as a module's.
    """
    path = Path(str(shutil.which(mpi.need().mpirun)))
    run = f"PATH={path.parent}:$PATH {FAIRLEAD} run slurm --no-detection --mpirun {path.name} -- hostname"
    for options in ("-N3 --ntasks-per-node=2", "-N1 --ntasks-per-node=2 : -N2 --ntasks-per-node=2"):
        counts = Counter(re.findall(r"^h\d$", in_allocation(slurm, options, run), re.MULTILINE))
        assert dict(counts) == {"h0": 2, "h1": 2, "h2": 2}, options


@every_launcher
def test_a_job_that_hands_no_environment_on(slurm: labs.Lab, mpi: Mpi) -> None:
    """As after sbatch --export=NONE. Ranks on all nodes have that of the script, mpirun's own and others' variables."""
    path = Path(str(shutil.which(mpi.need().mpirun)))
    script = f"export SLURM_EXPORT_ENV=NONE GREETING=hello PATH={path.parent}:$PATH; "
    script += f"{FAIRLEAD} run slurm --no-detection --mpirun {path.name} -- sh -c 'echo $(hostname) says $GREETING'"
    said = in_allocation(slurm, "-N3 --ntasks-per-node=1", script)
    assert sorted(re.findall(r"^h\d says .*$", said, re.MULTILINE)) == [f"{node} says hello" for node in NODES]
    assert ("SLURM_EXPORT_ENV=NONE (sbatch --export) would keep" in said) == ("openmpi" in mpi.launcher)


def test_srun_as_a_launch_line_of_ones_own(slurm: labs.Lab) -> None:
    """It has the environment that carries libfairlead, so the relay plane works, too."""
    program = f"{native.mpi_program('openmpi', 'random-traffic')} --seconds 3 --bytes 16384 --interval 0.1 --seed 1"
    line = f"env OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp srun --mpi=pmix -N3 -n3 {program}"
    for plane, told in (("route", "1 reroute\n"), ("relay", r"1 reroute, [1-9]\d* messages relayed\n")):
        run = f"{FAIRLEAD} run slurm --own-mpirun --plane {plane} --no-detection --reroute h0:h1:h2 -- {line}"
        said = in_allocation(slurm, "-N3 --ntasks-per-node=1", run)
        assert "verification passed" in said
        assert re.search(told, said), said


def test_a_node_that_does_not_start_its_agent(slurm: labs.Lab) -> None:
    """The program runs on all nodes; the others are managed."""
    agent = native.program("fairlead-agent")
    subprocess.run(slurm.enter_command("h1", ["mount", "--bind", "/bin/false", str(agent)]), check=True)
    try:
        said = in_allocation(slurm, "-N3 --ntasks-per-node=1", f"{FAIRLEAD} run slurm --no-detection -- hostname")
    finally:
        subprocess.run(slurm.enter_command("h1", ["umount", str(agent)]), check=True)
    assert sorted(re.findall(r"^h\d$", said, re.MULTILINE)) == ["h0", "h1", "h2"]
    assert "the agent of h1 did not start; the run continues without it" in said


def test_ranks_start_in_the_directory_and_environment_of_the_job(slurm: labs.Lab) -> None:
    script = f"mkdir -p own && cd own && GREETING=hello {FAIRLEAD} run slurm --no-detection -- sh -c "
    script += '"pwd; [ $(hostname) != h0 ] || echo $GREETING"'.replace("$", "\\$")
    said = in_allocation(slurm, "-N2 --ntasks-per-node=1", script)
    assert sorted(re.findall(r"^(?:/root.*|hello)$", said, re.MULTILINE)) == ["/root/own", "/root/own", "hello"]
    own = f"cd own && {FAIRLEAD} run slurm-*.cluster.toml --no-detection -n 1 -- pwd"
    renamed = "sed -i /launch_from/d own/slurm-*.toml; "  # as from a login node: mpirun by ssh
    said = in_allocation(slurm, "-N2 --ntasks-per-node=1", renamed + own)
    assert re.findall(r"^/root.*$", said, re.MULTILINE) == ["/root/own"]


def test_doctor_finds_nothing_wrong_with_an_allocation(slurm: labs.Lab) -> None:
    said = in_allocation(slurm, "-N3", f"{FAIRLEAD} doctor slurm")
    assert "no errors" in said
    assert "all 6 directed paths work, TCP and UDP" in " ".join(said.replace("│", " ").split())


def test_doctor_tells_that_a_node_does_not_share_files(slurm: labs.Lab, shared: Path) -> None:
    """One node has a home directory of its own, as root has on most clusters."""
    own = "mkdir /run/home && cp -r /root/.ssh /run/home/ && mount --bind /run/home /root"
    subprocess.run(slurm.enter_command("h1", ["sh", "-c", own]), check=True)
    try:
        said = in_allocation(slurm, "-N3", f"{FAIRLEAD} doctor slurm; true")
    finally:
        subprocess.run(slurm.enter_command("h1", ["umount", "/root"]), check=True)
    flat = " ".join(re.sub("[│┃]", " ", said).split())
    assert "error h1 do not see this machine's files (/root/.cache/fairlead)" in flat
    assert "1 error," in said


def test_a_cancelled_job_leaves_nothing(slurm: labs.Lab, shared: Path) -> None:
    script = shared / "home/job.sh"
    script.write_text(f"#!/bin/sh\nexec {FAIRLEAD} run slurm --no-detection --reroute h0:h1:h2 -- sleep 120\n")
    submit = slurm.enter_command("h0", ["sh", "-c", "cd ~ && sbatch --parsable -N3 -o job.out job.sh"])
    job = subprocess.run(submit, capture_output=True, text=True, check=True).stdout.strip()
    told = shared / "home/job.out"
    managed_runs.wait_for(lambda: told.exists() and "rerouted over h2" in told.read_text(), "the reroute")
    assert all(managed_runs.processes(slurm, host, "fairlead-agent") for host in NODES)
    assert managed_runs.kernel_state(slurm, "h0")
    subprocess.run(slurm.enter_command("h0", ["scancel", job]), check=True)
    names = ("fairlead-agent", "fairlead-guardian", "sleep")
    managed_runs.wait_for(
        lambda: not any(managed_runs.processes(slurm, host, name) for host in NODES for name in names), "the end of all"
    )
    managed_runs.wait_for(lambda: not any(managed_runs.kernel_state(slurm, host) for host in NODES), "the clean-up")
    slurm_cluster.wait_until_idle(slurm)
