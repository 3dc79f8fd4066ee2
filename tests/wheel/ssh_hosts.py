"""Hosts of a lab of root's, in a bare tree, that its ordinary user reaches by ssh: a cluster that others prepared."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bare_tree import Tree

_CLUSTER = """\
[cluster]
name = "by-ssh"
executor = "ssh"
interface = "eth0"
mpirun = "{mpirun}"
[ssh]
user = "user"
port = 2222
identity = "/home/user/.ssh/id"
options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"]
"""
_HOST = '[[hosts]]\nname = "{name}"\naddress = "{address}"\nreach = "{address}"\n'
_KEYS = """
set -e
umask 077
mkdir -p /home/user/.ssh /root/keys /run/sshd
ssh-keygen -q -t ed25519 -N '' -f /root/keys/host
ssh-keygen -q -t ed25519 -N '' -f /home/user/.ssh/id
cp /home/user/.ssh/id.pub /home/user/.ssh/authorized_keys
chown -R 1000:1000 /home/user/.ssh
"""
_SSHD = "/usr/sbin/sshd -p 2222 -h /root/keys/host -o UsePAM=no -o StrictModes=no -o PidFile=none"
_LAB = "/root/hosts.toml"


@dataclass(frozen=True)
class SshHosts:
    """The hosts while they are there.

    Attributes:
        fairlead: root's command, by which the lab was made.
        lab: its name.
        cluster: text of the user's cluster file, but for its mpirun.
    """

    tree: "Tree"
    fairlead: str
    lab: str
    cluster: str

    def write_cluster(self, name: str, mpirun: str) -> str:
        """Write the user's cluster file; returns its path in the tree."""
        (self.tree.home / name).write_text(self.cluster.format(mpirun=mpirun))
        return f"/home/user/{name}"

    def as_root(self, *words: str) -> str:
        """What a command of fairlead's that root runs prints; it must succeed."""
        done = self.tree.as_root(self.fairlead, *words)
        assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def as_user(
        self, *command: str, path: str = "/usr/bin:/bin", groups: str = "--clear-groups", limit_s: float = 300.0
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command in a shell of the ordinary user on h0, as on the first node of a cluster.

        Args:
            groups: option of setpriv(1).
        """
        user = ["setpriv", "--reuid=1000", "--regid=1000", groups]
        shell = ["env", "--chdir=/home/user", "HOME=/home/user", "USER=user", f"PATH={path}"]
        return self.tree.as_root(
            self.fairlead, "lab", "exec", self.lab, "h0", "--", *user, *shell, *command, limit_s=limit_s
        )


@contextmanager
def ssh_hosts(
    tree: "Tree", fairlead: str, name: str, description: str, addresses: dict[str, str]
) -> Iterator[SshHosts]:
    """Start a lab with ssh daemons on these hosts; nothing of it is left after the block.

    Args:
        description: text of the lab file.
        addresses: by host name.
    """
    hosts = "".join(_HOST.format(name=host, address=address) for host, address in addresses.items())
    there = SshHosts(tree, fairlead, name, _CLUSTER + hosts)
    (tree.root / _LAB.lstrip("/")).write_text(description)
    made = tree.as_root("sh", "-c", _KEYS)
    assert made.returncode == 0, made.stderr
    there.as_root("lab", "up", _LAB, "--output", "/root/hosts.cluster.toml")
    try:
        for host in addresses:
            there.as_root("lab", "exec", name, host, "--", "sh", "-c", _SSHD)
        yield there
    finally:
        tree.as_root(fairlead, "lab", "down", name)
        tree.as_root("sh", "-c", "rm -rf /root/keys /root/hosts* /root/.cache /run/sshd /home/user/.ssh")
