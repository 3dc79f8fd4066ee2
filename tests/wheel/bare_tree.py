"""A Debian tree that holds Python and little else, and commands that an ordinary user runs in it, or root."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER = 1000
HOME = "/home/user"
ACCOUNT = f"user:x:{USER}:{USER}::{HOME}:/bin/bash\n"

UNPRIVILEGED = (f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs")

# Beside Debian's essential packages. iproute2: links of labs. openssh: hosts of a cluster.
PACKAGES = ("python3", "python3-venv", "iproute2", "openssh-client", "openssh-server")

# $1: the tree. Its root becomes that of the namespace: a process in a chroot may make no user namespaces, as labs do.
_HOLD = """
set -e
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 fairlead dev
for device in null zero full random urandom tty; do touch "dev/$device"; mount --bind "/dev/$device" "dev/$device"; done
ln -s /proc/self/fd dev/fd
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 fairlead dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 fairlead tmp
ip link set lo up
pivot_root . mnt
cd /
umount -l mnt
echo ready
while :; do sleep 3600 & wait; done  # process 1 takes in what loses its parent
"""


def make(directory: Path, suite: str, packages: Sequence[str] = PACKAGES) -> None:
    """Unpack a suite's packages into a directory that is not there, from where this machine's packages come from."""
    options = ["--variant=minbase", f"--include={','.join(packages)}", "--quiet"]
    sources = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True)
    sites = list(dict.fromkeys(sources.stdout.split()))
    debian = next(site for site in sites if site.rstrip("/").endswith("debian"))
    subprocess.run(["mmdebstrap", *options, suite, directory, debian], check=True)


@dataclass
class Tree:
    """A tree that commands run in, without a network, until `running` ends.

    Attributes:
        root: its directory.
        pid: of the process that holds its namespaces.
    """

    root: Path
    pid: int

    def run(
        self, *command: str, limit_s: float = 300.0, credentials: Sequence[str] = UNPRIVILEGED, **env: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command as the ordinary user, in the user's home directory.

        Args:
            credentials: other options of setpriv(1).
        """
        entered = ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--net", "--ipc", "--uts", f"--wdns={HOME}"]
        variables = {"HOME": HOME, "PATH": f"{HOME}/venv/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "user", **env}
        words = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), *command]
        return subprocess.run(
            [*entered, "setpriv", *credentials, *words],
            capture_output=True,
            text=True,
            timeout=limit_s,
            stdin=subprocess.DEVNULL,
        )

    def as_root(self, *command: str, limit_s: float = 300.0) -> "subprocess.CompletedProcess[str]":
        """Run a command as root."""
        path = "/usr/sbin:/usr/bin:/sbin:/bin"
        return self.run(*command, limit_s=limit_s, credentials=("--reuid=0",), PATH=path, HOME="/root", USER="root")

    def output(self, *command: str, limit_s: float = 300.0, **env: str) -> str:
        """What a command prints that must succeed."""
        done = self.run(*command, limit_s=limit_s, **env)
        assert done.returncode == 0, f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @property
    def home(self) -> Path:
        """The user's home directory, as this machine sees it."""
        return self.root / HOME.lstrip("/")


@contextmanager
def running(root: Path) -> Iterator[Tree]:
    """Namespaces in which a tree is the root; all that runs in them ends with the block."""
    home = root / HOME.lstrip("/")
    home.mkdir(parents=True, exist_ok=True)
    os.chown(home, USER, USER)
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n")  # which every installed system has
    accounts = root / "etc/passwd"
    if ACCOUNT not in accounts.read_text():
        accounts.write_text(accounts.read_text() + ACCOUNT)
    unshare = [
        "unshare",
        "--mount",
        "--pid",
        "--net",
        "--ipc",
        "--uts",
        "--fork",
        "--kill-child",
        "--propagation=private",
    ]
    holder = subprocess.Popen([*unshare, "sh", "-c", _HOLD, "sh", root], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n", "the tree's namespaces could not be made"
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
        yield Tree(root, int(children[0]))
    finally:
        holder.kill()
        holder.wait()


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2], sys.argv[3:] or PACKAGES)
