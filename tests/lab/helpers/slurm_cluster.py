"""A real Slurm whose nodes are hosts of a lab; they share the user's home directory, as clusters do."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import managed_runs
import pytest

import slurm_nodes
from fairlead import lab as labs

PROGRAMS = ("munged", "slurmctld", "slurmd", "salloc", "sshd")
MISSING = [name for name in PROGRAMS if shutil.which(name, path="/usr/sbin:/usr/bin") is None]
MARKS = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons run as root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; `make verify` installs them"),
]
FAIRLEAD = f'{sys.executable} -c "from fairlead.cli.main import main; main()"'
NODES = ("h0", "h1", "h2")
SSHD = "exec /usr/sbin/sshd -D -h {shared}/host -o UsePAM=no -o StrictModes=no -o PidFile=none"


def files(lab: labs.Lab, shared: Path, configuration: str = "") -> None:
    """Write keys, configuration and home directory, which all nodes see.

    Args:
        configuration: more lines of slurm.conf.
    """
    slurm_nodes.write(shared, {name: lab.plan.host_by_name[name].address for name in NODES}, configuration)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", shared / key], check=True)
    ssh = shared / "home/.ssh"
    ssh.mkdir(parents=True, mode=0o700)
    shutil.copy(shared / "user", ssh / "id_ed25519")
    shutil.copy(shared / "user.pub", ssh / "authorized_keys")
    (ssh / "known_hosts").write_text(f"* {(shared / 'host.pub').read_text()}")


@contextmanager
def running(lab: labs.Lab, shared: Path, login: Sequence[str] = ()) -> Iterator[labs.Lab]:
    """The lab while Slurm runs on it and all its nodes are idle; see `files`.

    Args:
        login: hosts that are no nodes, where users call Slurm's commands.
    """
    for name in (*NODES, *login):
        for script in ('mount --bind "$1/home" /root', slurm_nodes.OWN_FILES):
            subprocess.run(lab.enter_command(name, ["sh", "-c", script, "sh", str(shared)]), check=True)
    foreground = f"exec {slurm_nodes.MUNGED} -F"
    daemons = [(name, foreground) for name in (*NODES, *login)]
    daemons += [(name, SSHD.format(shared=shared)) for name in NODES]
    daemons += [("h0", "exec slurmctld -D"), *((name, "exec slurmd -D") for name in NODES)]
    with ExitStack() as stack:
        for name, command in daemons:
            daemon = subprocess.Popen(lab.enter_command(name, ["sh", "-c", command]), stderr=subprocess.DEVNULL)
            stack.callback(daemon.wait)
            stack.callback(daemon.kill)
            if "munged" in command:
                socket = lab.enter_command(name, ["test", "-S", "/run/munge/munge.socket.2"])
                managed_runs.wait_for(lambda s=socket: not subprocess.run(s, check=False).returncode, "munged", 10)
        wait_until_idle(lab)
        yield lab


def wait_until_idle(lab: labs.Lab) -> None:
    """Wait until no node has a job."""
    managed_runs.wait_for(lambda: sinfo(lab) == "h[0-2] idle", "Slurm's nodes being idle")


def in_allocation(
    lab: labs.Lab, options: str, script: str, host: str = "h0", **env: str
) -> "subprocess.CompletedProcess[str]":
    """Run a script by salloc, in the user's home directory; the host is where salloc is called."""
    words = ["sh", "-c", 'cd ~ && exec timeout 60 salloc -Q $0 sh -c "$1"', options, script]
    return subprocess.run(
        lab.enter_command(host, words), capture_output=True, text=True, check=False, env={**os.environ, **env}
    )


def batch(lab: labs.Lab, shared: Path, script: str, *options: str) -> str:
    """Run a batch script to its end; what it printed. The user's home directory is where it starts."""
    (shared / "home/job.sh").write_text(f"#!/bin/sh\n{script}\n")
    (shared / "home/job.out").unlink(missing_ok=True)
    words = ["sbatch", "--wait", "--open-mode=append", "--output=job.out", *options, "job.sh"]
    command = lab.enter_command("h0", ["sh", "-c", 'cd ~ && exec timeout 90 "$@"', "sh", *words])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (shared / "home/job.out").read_text()
    assert done.returncode == 0, done.stderr + said
    return said


def sinfo(lab: labs.Lab) -> str:
    command = lab.enter_command("h0", ["sinfo", "-h", "-o", "%N %T"])
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
