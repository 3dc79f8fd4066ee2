"""Hosts of `ssh_hosts` that are nodes of a real Slurm, too: an ordinary user gets them by allocations."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ssh_hosts import SshHosts, ssh_hosts

import slurm_nodes

if TYPE_CHECKING:
    from bare_tree import Tree

_FILES = "/root/slurm"
_LIMIT_S = 60.0
# By which ssh leads from node to node without further options, as on a cluster that its administrators prepared.
_SSH = """\
Port 2222
IdentityFile ~/.ssh/id
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""


@contextmanager
def slurm_hosts(
    tree: "Tree", fairlead: str, name: str, description: str, addresses: dict[str, str]
) -> Iterator[SshHosts]:
    """Start the hosts and Slurm's daemons on them; the first has the controller. See `ssh_hosts`."""
    with ssh_hosts(tree, fairlead, name, description, addresses) as hosts:
        _write_ssh_configuration(tree)
        files = tree.root / _FILES.lstrip("/")
        files.mkdir(exist_ok=True)
        slurm_nodes.write(files, addresses)
        try:
            _start(hosts, list(addresses))
            yield hosts
        finally:
            tree.as_root("rm", "-r", _FILES)


def _write_ssh_configuration(tree: "Tree") -> None:
    from bare_tree import USER

    path = tree.home / ".ssh/config"
    path.write_text(_SSH)
    path.chmod(0o600)
    os.chown(path, USER, USER)


def _start(hosts: SshHosts, nodes: list[str]) -> None:
    """Start the daemons, which then are in the background, and wait for the nodes."""
    for node in nodes:
        _on(hosts, node, f"{slurm_nodes.OWN_FILES}\n{slurm_nodes.MUNGED}", _FILES)
    _on(hosts, nodes[0], "slurmctld")
    for node in nodes:
        _on(hosts, node, "slurmd")
    idle = ["idle"] * len(nodes)
    deadline_s = time.monotonic() + _LIMIT_S
    while (told := hosts.as_user("sinfo", "-h", "-N", "-o", "%T")).stdout.split() != idle:
        assert time.monotonic() < deadline_s, f"Slurm's nodes are not idle: {told.stdout}{told.stderr}"
        time.sleep(0.5)


def _on(hosts: SshHosts, node: str, script: str, *words: str) -> None:
    path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
    hosts.as_root("lab", "exec", hosts.lab, node, "--", "env", path, "sh", "-c", script, "sh", *words)
