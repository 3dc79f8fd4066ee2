"""A real Slurm whose nodes are hosts of a lab: its configuration, what each node has of its own, munge's daemon."""

import os
from collections.abc import Mapping
from pathlib import Path

# No cgroups: they are the machine's, and all nodes are on it. Oversubscribed: nodes of two tasks, tests of a few ranks.
_SLURM = """
ClusterName=lab
SlurmctldHost={controller}({address})
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
{nodes}PartitionName=all Nodes=ALL Default=YES State=UP
"""
_NODE = "NodeName={name} NodeAddr={address} CPUs=2 State=UNKNOWN\n"
# $1: the directory that `write` has filled.
OWN_FILES = """
set -e
mount -t tmpfs run /run && mkdir -p /run/sshd /run/slurm /run/slurmctld /run/slurmd /run/munge /run/key
mount -t tmpfs slurm /etc/slurm && cp "$1"/*.conf /etc/slurm/
cp "$1/hosts" /run/hosts && mount --bind /run/hosts /etc/hosts
chown munge /run/munge /run/key && chmod 0711 /run/munge && install -m 0400 -o munge "$1/munge.key" /run/key/key
"""
"""Script for each node: /run, the names of all nodes, Slurm's configuration, munge's key."""

MUNGED = "runuser -u munge -- munged --key-file=/run/key/key --seed-file=/run/key/seed --log-file=/run/key/log"
"""Needs `OWN_FILES`, as the daemons of Slurm do."""


def write(directory: Path, addresses: Mapping[str, str], more: str = "") -> None:
    """Write what all nodes copy from a directory: configuration, their names, munge's key.

    Args:
        addresses: by node; the first has the controller.
        more: further lines of slurm.conf.
    """
    controller = next(iter(addresses))
    nodes = "".join(_NODE.format(name=name, address=address) for name, address in addresses.items())
    text = _SLURM.format(controller=controller, address=addresses[controller], nodes=nodes)
    (directory / "slurm.conf").write_text(text + more)
    (directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    names = "".join(f"{address} {name}\n" for name, address in addresses.items())
    (directory / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
    (directory / "munge.key").write_bytes(os.urandom(64))
