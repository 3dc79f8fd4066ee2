"""What the first process inside User Mode Linux does before and after its work. Standard library only."""

import ctypes
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

MARK = "RESULT "
MODULES = (
    *("lib/crc-ccitt", "net/ipv6/ipv6", "net/llc/llc", "net/802/stp", "net/bridge/bridge", "net/tls/tls"),
    *("drivers/net/bonding/bonding", "drivers/net/veth"),
)


def run(*argv: str) -> None:
    subprocess.run(argv, check=True)


def tell(work: Callable[[], Any]) -> None:
    """Set up, print what ``work`` returns as JSON after `MARK`, and power off, whatever happens."""
    try:
        os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
        for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
            run("mount", "-t", kind, kind, place)
        for module in MODULES:
            _load(Path(sys.argv[1], f"{module}.ko"))
        run("ip", "link", "set", "lo", "up")
        Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
        print(MARK + json.dumps(work()), flush=True)
    except BaseException:  # noqa: BLE001 - nobody else could tell it
        print("FAILED", traceback.format_exc(), flush=True)
    os.sync()
    ctypes.CDLL(None).reboot(0x4321FEDC)  # power off


def _load(module: Path) -> None:
    """As insmod(8) does, which need not be installed."""
    with module.open("rb") as file:
        if ctypes.CDLL(None, use_errno=True).syscall(313, file.fileno(), b"", 0) != 0:  # finit_module of x86-64
            raise OSError(ctypes.get_errno(), str(module))
