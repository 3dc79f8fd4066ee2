"""Virtual machines with Debian's own kernel, under QEMU's software emulation, on a bridge of this machine.

Their root is this machine's file system, read-only, with what they write in memory. They have what this machine's
kernel may lack: the bonding driver, netem, soft RoCE (rdma_rxe).
"""

import gzip
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

BUSYBOX = Path("/bin/busybox")
EMULATOR = "qemu-system-x86_64"
PORT = 2222
MEMORY_MiB = 1024
UP_S = 240.0  # emulated, beside other work
# What the first steps need; the rest is loaded from the package's own directory.
EARLY_MODULES = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay")

# The root: this machine's files below, what the guest writes above. cache=loose: nobody writes below meanwhile.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in {early}; do insmod /lib/$module; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro root /low
mount -t tmpfs up /up; mkdir /up/above /up/work
mount -t overlay -o lowerdir=/low,upperdir=/up/above,workdir=/up/work overlay /new
for place in proc sys dev; do mount --move /$place /new/$place; done
mount -t tmpfs run /new/run
mkdir -p /new/dev/pts /new/dev/shm; mount -t devpts pts /new/dev/pts; mount -t tmpfs shm /new/dev/shm
exec switch_root /new /bin/sh {directory}/guest.sh
"""
GUEST = """
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mkdir -p /lib/modules /run/sshd
ln -s {modules} /lib/modules/
address=$(sed -n 's/.*guest=\\([0-9.]*\\).*/\\1/p' /proc/cmdline)
ip link set lo up
ip address add $address/24 dev eth0
ip link set eth0 up
hostname vm-${{address##*.}}
/usr/sbin/sshd -f {directory}/sshd_config -o ListenAddress=$address
echo "guest $address is up"
while :; do sleep 3600 & wait; done
"""
SSHD = """
Port {port}
HostKey {directory}/host
AuthorizedKeysFile {directory}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
"""
CLUSTER = """
[cluster]
name = "virtual-machines"
executor = "ssh"
interface = "eth0"
mpirun = "mpirun.openmpi"

[ssh]
user = "root"
port = {port}
identity = "{directory}/user"
config = "/dev/null"
shared_files = false
options = ["UserKnownHostsFile={directory}/known_hosts", "StrictHostKeyChecking=yes", "LogLevel=ERROR"]
"""
HOST = '\n[[hosts]]\nname = "{name}"\naddress = "{address}"\nreach = "root@{address}"\n'


@dataclass(frozen=True)
class Image:
    """Debian's kernel with its modules, and the file system of the first steps."""

    directory: Path
    kernel: Path
    initial: Path


@dataclass(frozen=True)
class VirtualMachines:
    """Machines v1, v2, .. that run, and their addresses."""

    directory: Path
    addresses: Sequence[str]

    def cluster_text(self) -> str:
        """A cluster file of them."""
        hosts = [HOST.format(name=f"v{number}", address=address) for number, address in enumerate(self.addresses, 1)]
        return CLUSTER.format(directory=self.directory, port=PORT) + "".join(hosts)

    def run(self, number: int, script: str, *, limit_s: float = 60.0) -> str:
        """What a shell script prints on the machine of this number.

        Raises:
            AssertionError: it failed; with its output.
        """
        command = [
            *("ssh", "-F", "/dev/null", "-i", self.directory / "user", "-p", str(PORT), "-o", "BatchMode=yes"),
            *("-o", f"UserKnownHostsFile={self.directory}/known_hosts", f"root@{self.addresses[number - 1]}", script),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
        assert done.returncode == 0, f"{script}: {done.stdout}{done.stderr}"
        return done.stdout


def make_image(directory: Path) -> Image:
    """Unpack the newest kernel package of this Debian; nothing is installed."""
    package = kernel_package()
    _call("apt-get", "download", "-qq", package, cwd=directory)
    (archive,) = directory.glob(f"{package}_*.deb")
    unpacked = directory / "package"
    _call("dpkg", "-x", archive, unpacked)
    archive.unlink()
    (kernel,) = unpacked.glob("boot/vmlinuz-*")
    (modules,) = unpacked.glob("lib/modules/*")
    _call("depmod", "-b", unpacked, modules.name)
    root = directory / "root"
    for name in ("bin", "lib", "proc", "sys", "dev", "new", "low", "up"):
        (root / name).mkdir(parents=True)
    (root / "bin/busybox").write_bytes(BUSYBOX.read_bytes())
    early = _in_order_of_loading(unpacked, modules.name)
    for module in early:
        (root / "lib" / module.name).write_bytes(module.read_bytes())
    (root / "init").write_text(INIT.format(early=" ".join(module.name for module in early), directory=directory))
    for program in ("init", "bin/busybox"):
        (root / program).chmod(0o755)
    (directory / "guest.sh").write_text(GUEST.format(modules=modules, directory=directory))
    files = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    made = subprocess.run(
        [BUSYBOX, "cpio", "-o", "-H", "newc"], cwd=root, input=files.encode(), capture_output=True, check=True
    )
    initial = directory / "initrd"
    initial.write_bytes(gzip.compress(made.stdout, 1))
    return Image(directory, kernel, initial)


def kernel_package() -> str:
    """The package with the present kernel of this Debian."""
    lines = _call("apt-cache", "depends", "linux-image-amd64").splitlines()
    return next(line.split()[-1] for line in lines if "Depends: linux-image-" in line)


@contextmanager
def running(image: Image, number: int) -> Iterator[VirtualMachines]:
    """Machines on a bridge, reached by ssh, until the block ends. They end with this process, too."""
    directory, bridge, network = image.directory, f"fl{os.getpid()}", f"10.87.{os.getpid() % 250}"
    machines = VirtualMachines(directory, [f"{network}.{10 + one}" for one in range(1, number + 1)])
    _make_keys(directory, machines.addresses)
    with ExitStack() as stack:
        _call("ip", "link", "add", bridge, "type", "bridge")
        stack.callback(_call, "ip", "link", "del", bridge)
        _call("ip", "address", "add", f"{network}.1/24", "dev", bridge)
        _call("ip", "link", "set", bridge, "up")
        consoles = []
        for one, address in enumerate(machines.addresses, 1):
            tap, console = f"{bridge}v{one}", directory / f"console.{one}"
            _call("ip", "tuntap", "add", tap, "mode", "tap")
            stack.callback(_call, "ip", "link", "del", tap)
            _call("ip", "link", "set", tap, "master", bridge, "up")
            with console.open("wb") as file:
                command = _emulator(image, one, tap, address)
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
            stack.callback(process.wait)
            stack.callback(process.kill)
            consoles.append((console, process))
        for (console, process), address in zip(consoles, machines.addresses, strict=True):
            _await_text(console, process, f"guest {address} is up")
        yield machines


def _emulator(image: Image, number: int, tap: str, address: str) -> list[str]:
    return [
        *("setpriv", "--pdeathsig", "KILL", "--", EMULATOR),
        *("-machine", "q35,accel=tcg", "-cpu", "max", "-m", str(MEMORY_MiB), "-smp", "1"),
        *("-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initial)),
        *("-append", f"console=ttyS0 quiet no_timer_check panic=-1 guest={address}"),
        *("-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"),
        *("-netdev", f"tap,id=net,ifname={tap},script=no,downscript=no"),
        *("-device", f"virtio-net-pci,netdev=net,romfile=,mac=52:54:00:00:00:{number:02x}"),
    ]


def _make_keys(directory: Path, addresses: Sequence[str]) -> None:
    for name in ("host", "user"):
        _call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name)
    key = (directory / "host.pub").read_text()
    (directory / "known_hosts").write_text("".join(f"[{address}]:{PORT} {key}" for address in addresses))
    (directory / "sshd_config").write_text(SSHD.format(port=PORT, directory=directory))


def _in_order_of_loading(unpacked: Path, release: str) -> list[Path]:
    lines = [
        line
        for module in EARLY_MODULES
        for line in _call("modprobe", "-d", unpacked, "-S", release, "--show-depends", module).splitlines()
        if line.startswith("insmod ")
    ]
    return list(dict.fromkeys(Path(line.split()[1]) for line in lines))


def _await_text(console: Path, process: "subprocess.Popen[bytes]", text: str) -> None:
    """Wait until a machine says this on its console."""
    end = time.monotonic() + UP_S
    while text not in (told := console.read_text(errors="replace")):
        assert process.poll() is None, told[-2000:]
        assert time.monotonic() < end, f"not up after {UP_S:g} s: {told[-2000:]}"
        time.sleep(0.2)


def _call(*words: object, cwd: Path | None = None) -> str:
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout
