"""Two libvirt daemons on one machine that take each other for another machine, in two hosts of a lab."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lab_fixtures import run, running
from managed_runs import wait_for

from fairlead.cloud.libvirt import LibvirtDriver
from fairlead.cluster.cloud_table import LibvirtTable
from fairlead.cluster.cluster_file import load_cluster
from fairlead.lab import Lab

LAB = """
[lab]
name = "libvirt"
topology = "star"
hosts_per_leaf = 3
[host_link]
rate = "200mbit"
queue = "20ms"
"""
# Directories that libvirt takes for granted, and users that its Debian package would have made, are this daemon's own.
START = """set -e
mkdir -p {home}/etc {home}/lib {home}/cache {home}/log {home}/run /run/libvirt /var/log/libvirt /var/cache/libvirt
mkdir -p /var/lib/libvirt
cp {home}/*.conf {home}/etc
(cat /etc/passwd; echo "libvirt-qemu:x:64055:64055::/nonexistent:/usr/sbin/nologin") >{home}/passwd
(cat /etc/group; echo "libvirt-qemu:x:64055:"; echo "kvm:x:64056:") >{home}/group
mount --bind {home}/etc /etc/libvirt; mount --bind {home}/lib /var/lib/libvirt
mount --bind {home}/cache /var/cache/libvirt; mount --bind {home}/log /var/log/libvirt
mount --bind {home}/run /run/libvirt
mount --bind {home}/passwd /etc/passwd; mount --bind {home}/group /etc/group
exec libvirtd --pid-file {home}/libvirtd.pid
"""
DAEMON = """listen_tls = 0
listen_tcp = 0
auth_unix_rw = "none"
host_uuid = "00000000-0000-4000-8000-00000000000{number}"
log_outputs = "2:file:{home}/log/libvirtd.log"
"""
QEMU = """user = "root"
group = "root"
security_driver = "none"
namespaces = []
cgroup_controllers = []
remember_owner = 0
stdio_handler = "file"
"""
DOMAIN = """<domain type="qemu"><name>{name}</name><memory unit="MiB">{memory_MiB}</memory><vcpu>1</vcpu>
<os><type arch="x86_64" machine="pc">hvm</type><kernel>{kernel}</kernel><initrd>{initial}</initrd>
<cmdline>console=ttyS0 quiet guest_ip={address} {options}</cmdline></os>
<devices><emulator>/usr/bin/qemu-system-x86_64</emulator>
<interface type="bridge"><mac address="52:54:00:00:00:01"/><source bridge="br0"/><model type="virtio"/></interface>
<serial type="file"><source path="{console}"/></serial><memballoon model="none"/></devices></domain>
"""
CLUSTER = """[cluster]
name = "site"
executor = "lab"
lab = "{lab}"
interface = "eth0"
[[hosts]]
name = "guest"
address = "10.64.0.100"
[[hosts]]
name = "h2"
address = "10.64.0.3"
[cloud]
driver = "libvirt"
uplink = "200mbit"
"""
SERVERS = ("h0", "h1")


@dataclass
class Site:
    """Servers h0 and h1, and a client h2, in a lab."""

    lab: Lab
    directory: Path
    kernel: Path
    initial: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start_daemon(self, server: str) -> None:
        """Until it answers. Its machines outlive it."""
        home = self.directory / server
        home.mkdir(exist_ok=True)
        (home / "libvirtd.conf").write_text(DAEMON.format(number=SERVERS.index(server), home=home))
        (home / "qemu.conf").write_text(QEMU)
        (home / "libvirtd.pid").unlink(missing_ok=True)
        argv = self.lab.enter_command(server, ["unshare", "-m", "sh", "-c", START.format(home=home)])
        with (home / "start.log").open("wb") as log:
            self.daemons[server] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(lambda: self._answers(server), f"libvirtd on {server} ({home}/start.log) to answer")

    def socket_of(self, server: str) -> Path:
        return self.directory / server / "run/libvirt-sock"

    def _answers(self, server: str) -> bool:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
            return probe.connect_ex(str(self.socket_of(server))) == 0

    def daemon_pid(self, server: str) -> int:
        """libvirtd is the last of the chain of children that begins with what enters the lab host."""
        pid = self.daemons[server].pid
        while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            pid = int(children[0])
        return pid

    def kill_daemon(self, server: str) -> None:
        os.kill(self.daemon_pid(server), signal.SIGKILL)
        self.daemons.pop(server).wait()

    def bridge(self, server: str) -> None:
        """Puts the server's interface into a bridge that machines can be put into too; its address moves along."""
        address = next(host.address for host in self.lab.plan.hosts if host.name == server)
        for line in (
            "ip link add br0 type bridge forward_delay 0",  # else it drops a newcomer's frames for 15 s
            "ip link set br0 up",
            "ip addr flush dev eth0",
            "ip link set eth0 master br0",
            f"ip addr add {address}/24 dev br0",
        ):
            run(self.lab, server, *line.split())

    def cluster_file(self) -> Path:
        """A cluster file whose hosts are the guest and h2."""
        text = CLUSTER.format(lab=self.lab.name)
        for number, server in enumerate(SERVERS):
            uri = f"qemu+unix:///system?socket={self.socket_of(server)}"
            text += f'[[cloud.servers]]\nuri = "{uri}"\nreceive = "tcp://10.64.0.{number + 1}"\n'
        path = self.directory / "site.toml"
        path.write_text(text)
        return path

    def driver(self) -> LibvirtDriver:
        table = load_cluster(self.cluster_file()).cloud
        assert isinstance(table, LibvirtTable)
        return LibvirtDriver(table)

    def virsh(self, server: str, *argv: str) -> str:
        uri = f"qemu+unix:///system?socket={self.socket_of(server)}"
        done = subprocess.run(["virsh", "-q", "-c", uri, *argv], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start_guest(self, server: str, *, memory_MiB: int = 128, options: str = "") -> None:
        """Until its programs are up."""
        console = self.directory / "guest.console"
        console.unlink(missing_ok=True)
        domain = self.directory / "guest.xml"
        domain.write_text(
            DOMAIN.format(
                name="guest",
                memory_MiB=memory_MiB,
                kernel=self.kernel,
                initial=self.initial,
                address="10.64.0.100",
                options=options,
                console=console,
            )
        )
        self.virsh(server, "create", str(domain))
        wait_for(lambda: console.exists() and "10.64.0.100 is up" in console.read_text(), "the guest to come up")

    def end_guest(self) -> None:
        for server in SERVERS:
            if "guest" in self.virsh(server, "list", "--name"):
                self.virsh(server, "destroy", "guest")


@contextlib.contextmanager
def site(directory: Path, kernel: Path, initial: Path) -> Iterator[Site]:
    with running(LAB, user_namespace=False, share=[directory]) as lab:
        made = Site(lab, directory, kernel, initial)
        for server in SERVERS:
            made.bridge(server)
            made.start_daemon(server)
        try:
            yield made
        finally:
            made.end_guest()
