"""A small Debian for a virtual machine: Debian's kernel and busybox, no disk, up in seconds under emulation."""

import re
import shutil
import stat
import subprocess
from pathlib import Path

# What the cloud kernel needs for a network card, in the order of loading.
MODULES = (
    "drivers/virtio/virtio_ring.ko",
    "drivers/virtio/virtio.ko",
    "drivers/virtio/virtio_pci_legacy_dev.ko",
    "drivers/virtio/virtio_pci_modern_dev.ko",
    "drivers/virtio/virtio_pci.ko",
    "net/core/failover.ko",
    "drivers/net/net_failover.ko",
    "drivers/net/virtio_net.ko",
)
# Port 7 sends back what it gets, port 9 only takes it. `memory` rewrites its memory all the time.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
for module in {modules}; do insmod /lib/$module; done
ip=$(sed -n 's/.*guest_ip=\\([0-9.]*\\).*/\\1/p' /proc/cmdline)
ifconfig lo 127.0.0.1 up; ifconfig eth0 $ip netmask 255.255.255.0 up
nc -ll -p 9 -e /bin/discard &
grep -q memory /proc/cmdline && /bin/rewrite &
echo "guest $ip is up"
exec nc -ll -p 7 -e /bin/cat
"""
DISCARD = "#!/bin/busybox sh\nexec cat >/dev/null\n"
REWRITE = (
    "#!/bin/busybox sh\nwhile :; do dd if=/dev/urandom of=/tmp/memory bs=1M count=8 2>/dev/null; sleep 0.5; done\n"
)


def kernel_package() -> str:
    """The package with the present cloud kernel of this Debian."""
    text = subprocess.run(
        ["apt-cache", "depends", "linux-image-cloud-amd64"], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"Depends: (linux-image-\S+)", text)
    assert found, text
    return found[1]


def make(directory: Path) -> tuple[Path, Path]:
    """Kernel and initial file system, made in ``directory`` from Debian's packages."""
    unpacked = directory / "package"
    subprocess.run(["apt-get", "download", "-qq", kernel_package()], cwd=directory, check=True, capture_output=True)
    (package,) = directory.glob("linux-image-*.deb")
    subprocess.run(["dpkg", "-x", package, unpacked], check=True)
    (kernel,) = unpacked.glob("boot/vmlinuz-*")
    (modules,) = unpacked.glob("lib/modules/*/kernel")
    root = directory / "root"
    for name in ("bin", "lib", "proc", "sys", "dev", "tmp"):
        (root / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", root / "bin")
    for module in MODULES:
        shutil.copy(modules / module, root / "lib")
    init = INIT.format(modules=" ".join(Path(module).name for module in MODULES))
    for path, text in (("init", init), ("bin/discard", DISCARD), ("bin/rewrite", REWRITE)):
        (root / path).write_text(text)
        (root / path).chmod((root / path).stat().st_mode | stat.S_IXUSR)
    files = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = subprocess.run(
        ["busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=files.encode(), capture_output=True, check=True
    )
    initial = directory / "initrd"
    initial.write_bytes(archive.stdout)
    return kernel, initial
