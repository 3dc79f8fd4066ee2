"""A real Slurm whose nodes are the hosts of a lab; they share the user's home directory, as clusters do."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import managed_runs
import pytest

from fairlead import lab as labs

PROGRAMS = ("munged", "slurmctld", "slurmd", "salloc", "sshd")
MISSING = [name for name in PROGRAMS if shutil.which(name, path="/usr/sbin:/usr/bin") is None]
pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons run as root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; `make verify` installs them"),
]
FAIRLEAD = f'{sys.executable} -c "from fairlead.cli.main import main; main()"'
NODES = ("h0", "h1", "h2")
# No cgroups: they are the machine's, and all nodes are on it. Oversubscribed: nodes of two tasks, tests of a few ranks.
SLURM = """
ClusterName=lab
SlurmctldHost=h0({controller})
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=/run/slurmctld
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/run/slurmctld.log
SlurmdLogFile=/run/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
KillWait=1
ReturnToService=2
PartitionName=all Nodes=ALL Default=YES State=UP
"""
NODE = "NodeName={name} NodeAddr={address} CPUs=2 State=UNKNOWN\n"
# What a node has of its own: /run, the names of all nodes, munge's key and socket. Home is shared.
NODE_FILES = """
set -e
mount --bind {shared}/home /root
mount -t tmpfs run /run && mkdir -p /run/sshd /run/slurm /run/slurmctld /run/slurmd /run/munge /run/key
mount -t tmpfs slurm /etc/slurm && cp {shared}/slurm.conf {shared}/cgroup.conf /etc/slurm/
cp {shared}/hosts /run/hosts && mount --bind /run/hosts /etc/hosts
chown munge /run/munge /run/key && chmod 0711 /run/munge && install -m 0400 -o munge {shared}/munge.key /run/key/key
"""
MUNGED = "exec runuser -u munge -- munged -F --key-file=/run/key/key --seed-file=/run/key/seed --log-file=/run/key/log"
SSHD = "exec /usr/sbin/sshd -D -h {shared}/host -o UsePAM=no -o StrictModes=no -o PidFile=none"
SHOW = "hostname; sleep 2; ip route get {address} uid 0 | head -1"


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with managed_runs.star("slurm", tmp_path_factory.getbasetemp()) as lab:
        yield lab


@pytest.fixture(scope="module")
def shared(lab: labs.Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, configuration and home directory, which all nodes see."""
    shared = tmp_path_factory.mktemp("slurm")
    addresses = {name: lab.plan.host_by_name[name].address for name in NODES}
    nodes = "".join(NODE.format(name=name, address=address) for name, address in addresses.items())
    (shared / "slurm.conf").write_text(
        SLURM.format(controller=addresses["h0"]).replace("Partition", nodes + "Partition")
    )
    (shared / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    (shared / "hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{a} {name}\n" for name, a in addresses.items()))
    (shared / "munge.key").write_bytes(os.urandom(64))
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", shared / key], check=True)
    ssh = shared / "home/.ssh"
    ssh.mkdir(parents=True, mode=0o700)
    shutil.copy(shared / "user", ssh / "id_ed25519")
    shutil.copy(shared / "user.pub", ssh / "authorized_keys")
    (ssh / "known_hosts").write_text(f"* {(shared / 'host.pub').read_text()}")
    return shared


@pytest.fixture(scope="module")
def slurm(lab: labs.Lab, shared: Path) -> Iterator[labs.Lab]:
    """The lab while Slurm runs on it and all its nodes are idle."""
    for name in NODES:
        subprocess.run(lab.enter_command(name, ["sh", "-c", NODE_FILES.format(shared=shared)]), check=True)
    daemons = [("h0", "exec slurmctld -D")]
    daemons = [(name, what) for name in NODES for what in (MUNGED, SSHD.format(shared=shared))] + daemons
    with ExitStack() as stack:
        for name, command in [*daemons, *((name, "exec slurmd -D") for name in NODES)]:
            daemon = subprocess.Popen(lab.enter_command(name, ["sh", "-c", command]), stderr=subprocess.DEVNULL)
            stack.callback(daemon.wait)
            stack.callback(daemon.kill)
            if "munged" in command:
                socket = lab.enter_command(name, ["test", "-S", "/run/munge/munge.socket.2"])
                managed_runs.wait_for(lambda s=socket: not subprocess.run(s, check=False).returncode, "munged", 10)
        managed_runs.wait_for(lambda: sinfo(lab) == "h[0-2] idle", "Slurm's nodes being idle")
        yield lab


def sinfo(lab: labs.Lab) -> str:
    command = lab.enter_command("h0", ["sinfo", "-h", "-o", "%N %T"])
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def in_allocation(slurm: labs.Lab, options: str, script: str) -> str:
    """What a script printed inside an allocation, standard error after standard output; it must succeed."""
    command = ["sh", "-c", f"cd ~ && exec timeout 60 salloc -Q {options} sh -c '{script}'"]
    done = subprocess.run(slurm.enter_command("h0", command), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_managed_run_on_the_nodes_of_an_allocation(slurm: labs.Lab) -> None:
    address = slurm.plan.host_by_name["h1"].address
    run = f'{FAIRLEAD} run slurm --no-detection --move h0:h1:h2 -- sh -c "{SHOW.format(address=address)}"'
    said = in_allocation(slurm, "-N3 --ntasks-per-node=1", run.replace("'", "'\\''"))
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
    assert "plane: route, by the kernel's routes (the guardian may on all 3 hosts)" in said
    assert "verification passed" in said
    again = in_allocation(slurm, "-N2 --ntasks-per-node=1", run)
    assert "2 of 2 paths are known from earlier runs (" in again
    assert not any(managed_runs.kernel_state(slurm, host) for host in NODES)


def test_nodes_and_tasks_are_those_of_the_allocation(slurm: labs.Lab) -> None:
    said = in_allocation(slurm, "-N2 --ntasks-per-node=2", f"{FAIRLEAD} run slurm --no-detection -- hostname")
    assert sorted(re.findall(r"^h\d$", said, re.MULTILINE)) == ["h0", "h0", "h1", "h1"]


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
    script.write_text(f"#!/bin/sh\nexec {FAIRLEAD} run slurm --no-detection --move h0:h1:h2 -- sleep 120\n")
    submit = slurm.enter_command("h0", ["sh", "-c", "cd ~ && sbatch --parsable -N3 -o job.out job.sh"])
    job = subprocess.run(submit, capture_output=True, text=True, check=True).stdout.strip()
    told = shared / "home/job.out"
    managed_runs.wait_for(lambda: told.exists() and "rerouted over h2" in told.read_text(), "the move")
    assert all(managed_runs.processes(slurm, host, "fairlead-agent") for host in NODES)
    assert managed_runs.kernel_state(slurm, "h0")
    subprocess.run(slurm.enter_command("h0", ["scancel", job]), check=True)
    names = ("fairlead-agent", "fairlead-guardian", "sleep")
    managed_runs.wait_for(
        lambda: not any(managed_runs.processes(slurm, host, name) for host in NODES for name in names), "the end of all"
    )
    managed_runs.wait_for(lambda: not any(managed_runs.kernel_state(slurm, host) for host in NODES), "the clean-up")
    managed_runs.wait_for(lambda: sinfo(slurm) == "h[0-2] idle", "the nodes being idle again")
