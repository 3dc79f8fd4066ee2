"""Lab hosts that are reached by ssh: an sshd on each, and a cluster file that leads there."""

import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.faults.hosts import MANAGED, Hosts, ancestors
from fairlead.errors import LabError

PORT = 2222
SSHD_PATH = Path("/usr/sbin/sshd")
_UP_S = 20.0
_END_S = 5.0

# This machine has no route to the lab: bytes are handed over inside a host that has, one that is not hurt.
BRIDGE = """
import os, select, socket, sys
peer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
while True:
    for source in select.select([0, peer], [], [])[0]:
        data = os.read(0, 65536) if source == 0 else peer.recv(65536)
        if not data:
            sys.exit()
        if source == 0:
            peer.sendall(data)
        else:
            while data:
                data = data[os.write(1, data):]
"""
SSHD = """
Port {port}
ListenAddress {address}
HostKey {keys}/host
AuthorizedKeysFile {keys}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
"""
TABLES = """executor = "ssh"

[ssh]
user = "root"
port = {port}
identity = "{keys}/user"
config = "/dev/null"
options = [
  "UserKnownHostsFile={keys}/known_hosts",
  "StrictHostKeyChecking=yes",
  "LogLevel=ERROR",
  "ProxyCommand={proxy} %h %p",
]
"""


@contextmanager
def reached(hosts: Hosts, directory: Path) -> Iterator[Path]:
    """While sshd runs on every managed host: the cluster file that reaches them by it.

    Raises:
        LabError: sshd is not installed, or did not come up.
    """
    if not SSHD_PATH.exists():
        raise LabError("sshd is not installed", hint="apt-get install openssh-server")
    keys = directory / "keys"
    _make_keys(keys)
    bridge = keys / "bridge.py"
    bridge.write_text(BRIDGE)
    neighbour = next(host.name for host in hosts.lab.plan.hosts if host.role == "other")
    proxy = shlex.join([*hosts.lab.enter_command(neighbour, ["python3", "-IS", str(bridge)])])
    path = directory / "ssh.cluster.toml"
    path.write_text(_cluster_text(hosts, keys, proxy))
    with ExitStack() as stack:
        stack.callback(close_connections, directory)
        for host in MANAGED:
            _start(stack, hosts, keys, host)
        yield path


def _make_keys(keys: Path) -> None:
    if keys.exists():
        return
    keys.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True)
    (keys / "known_hosts").write_text(f"* {(keys / 'host.pub').read_text()}")


def _cluster_text(hosts: Hosts, keys: Path, proxy: str) -> str:
    head, _, rest = hosts.cluster_file.read_text().partition("\n[[hosts]]\n")
    lines = [line for line in head.splitlines() if not line.startswith(("executor", "lab "))]
    text = "\n".join(lines) + "\n" + TABLES.format(port=PORT, keys=keys, proxy=proxy) + "\n[[hosts]]\n" + rest
    for host in MANAGED:
        address = hosts.address(host)
        text = text.replace(f'address = "{address}"', f'address = "{address}"\nreach = "{address}"')
    return text


def _start(stack: ExitStack, hosts: Hosts, keys: Path, host: str) -> None:
    config = keys / f"sshd_config.{host}"
    config.write_text(SSHD.format(port=PORT, address=hosts.address(host), keys=keys))
    hosts.run(host, "mountpoint -q /run/sshd || { mount -t tmpfs run /run && mkdir /run/sshd; }")
    server = subprocess.Popen(
        hosts.lab.enter_command(host, [str(SSHD_PATH), "-D", "-e", "-f", str(config)]), stderr=subprocess.DEVNULL
    )
    stack.callback(server.wait)
    stack.callback(server.terminate)
    deadline_s = time.monotonic() + _UP_S
    while f":{PORT}" not in hosts.run(host, "ss -Hltn"):
        if time.monotonic() > deadline_s or server.poll() is not None:
            raise LabError(f"sshd of {host} did not come up")
        time.sleep(0.05)


def environment(directory: Path) -> dict[str, str]:
    """A cache whose path is short enough for the sockets of shared connections, and which hosts see."""
    return {"XDG_CACHE_HOME": str(directory / "c")}


def close_connections(directory: Path) -> None:
    """End the connections that commands share, and that outlive them by design."""
    for path in (directory / "c" / "fairlead" / "ssh").glob("*"):
        words = ["ssh", "-F", "/dev/null", "-o", f"ControlPath={path}", "-O", "exit", "x"]
        subprocess.run(words, capture_output=True, check=False, timeout=_END_S)


def connections(supervisor: int, address: str, program: str) -> list[int]:
    """Our ends of the ssh sessions in which a supervisor runs a program on a host."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        is_ssh = Path(words[0]).name == "ssh" and any(word.endswith(f"@{address}") for word in words)
        if is_ssh and program in words[-2] and supervisor in ancestors(int(path.name)):
            found.append(int(path.name))
    return found
