"""Real LXC containers on a bridge, with this machine's programs in their own places."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[1]
NUMBER = 4
LIMIT_S = 40.0

# Process 1 takes in what loses its parent.
INIT = """#!/bin/sh
trap 'exit 0' TERM PWR
while :; do sleep 3600 & wait; done
"""
CONFIG = """
lxc.uts.name = {name}
lxc.rootfs.path = dir:{root}
lxc.init.cmd = /init
lxc.apparmor.profile = unconfined
lxc.autodev = 1
lxc.mount.auto = proc:mixed sys:mixed
lxc.mount.entry = tmpfs tmp tmpfs mode=1777 0 0
lxc.mount.entry = tmpfs run tmpfs mode=755 0 0
lxc.mount.entry = tmpfs dev/shm tmpfs mode=1777,create=dir 0 0
lxc.net.0.type = veth
lxc.net.0.link = {bridge}
lxc.net.0.name = eth0
lxc.net.0.flags = up
lxc.net.0.ipv4.address = {address}/24
"""
CLUSTER = """
[cluster]
name = "containers"
executor = "lxc"
interface = "eth0"
mpirun = "mpirun.openmpi"
cores_shared = true

[lxc]
path = "{path}"
"""
HOST = '\n[[hosts]]\nname = "n{number}"\naddress = "{address}"\nreach = "{reach}"\n'


@dataclass(frozen=True)
class Containers:
    """Containers c1, c2, .. that run, and their addresses."""

    path: Path
    addresses: list[str]

    def text(self, reach: str = "c{number}") -> str:
        """A cluster file of them: hosts n1, n2, .."""
        hosts = [
            HOST.format(number=number, address=address, reach=reach.format(number=number))
            for number, address in enumerate(self.addresses, 1)
        ]
        return CLUSTER.format(path=self.path) + "".join(hosts)

    def processes(self, number: int) -> list[str]:
        """Command lines of what runs in a container, but for its own."""
        script = 'for p in /proc/[0-9]*; do [ "$p" = /proc/$$ ] || tr "\\0" " " <$p/cmdline; echo; done 2>/dev/null'
        attach = ["lxc-attach", "-P", str(self.path), "-n", f"c{number}", "--", "sh", "-c", script]
        lines = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.splitlines()
        return [line for line in lines if line.strip() and not line.startswith(("/bin/sh /init", "sleep 3600", "tr "))]


@contextmanager
def running(path: Path) -> Iterator[Containers]:
    """Containers below a directory, until the block ends."""
    bridge, network = f"fl{os.getpid()}", f"10.86.{os.getpid() % 250}"
    addresses = [f"{network}.{10 + number}" for number in range(1, NUMBER + 1)]
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, f"/run/lxc/lock{path}", ignore_errors=True)
        call("ip", "link", "add", bridge, "type", "bridge")
        stack.callback(call, "ip", "link", "del", bridge)
        call("ip", "address", "add", f"{network}.1/24", "dev", bridge)
        call("ip", "link", "set", bridge, "up")
        for number, address in enumerate(addresses, 1):
            name = f"c{number}"
            furnish(path / name, name, bridge, address)
            call("lxc-start", "-P", path, "-n", name)
            stack.callback(call, "lxc-stop", "-k", "-P", path, "-n", name)
        made = Containers(path, addresses)
        for number in range(1, NUMBER + 1):
            wait_for_address(made, number)
        yield made


def call(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True)


def furnish(directory: Path, name: str, bridge: str, address: str) -> None:
    """A file system of its own, into which this machine's programs and this project are mounted, read-only."""
    root = directory / "rootfs"
    shown = {Path("/usr"), Path("/etc"), TESTS.parent.resolve(), Path(sys.prefix).resolve()}
    shown = {path for path in shown if not any(path != other and path.is_relative_to(other) for other in shown)}
    for inside in ["proc", "sys", "dev", "tmp", "root", "run", "var", *(str(path)[1:] for path in shown)]:
        (root / inside).mkdir(parents=True, exist_ok=True)
    for link in ("bin", "lib", "lib64", "sbin"):
        (root / link).symlink_to(f"usr/{link}")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    mounts = "".join(
        f"lxc.mount.entry = {path} {str(path)[1:]} none rbind,ro 0 0\n"
        for path in sorted(shown)
        if not path.is_relative_to("/tmp")
    )
    # What is below /tmp comes after the container's own.
    below = "".join(
        f"lxc.mount.entry = {path} {str(path)[1:]} none rbind,ro,create=dir 0 0\n"
        for path in sorted(shown)
        if path.is_relative_to("/tmp")
    )
    (directory / "config").write_text(
        CONFIG.format(name=name, root=root, bridge=bridge, address=address) + mounts + below
    )


def wait_for_address(containers: Containers, number: int) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    attach = ["lxc-attach", "-P", str(containers.path), "-n", f"c{number}", "--", "ip", "-br", "address"]
    while containers.addresses[number - 1] not in subprocess.run(attach, capture_output=True, text=True).stdout:
        assert time.monotonic() < deadline_s, f"c{number} got no address"
        time.sleep(0.1)
