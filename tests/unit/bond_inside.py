"""Runs as the first process inside User Mode Linux: sends flows over a bond of the real driver, tells each one's link.

Arguments: directory of the kernel's modules, and a file with a JSON list of cases, {"policy", "links", "flows"}, a flow
being [destination address, source port, destination port]. Prints "RESULT " and a JSON list of lists of links.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

MODULES = (
    *("lib/crc-ccitt", "net/ipv6/ipv6", "net/llc/llc", "net/802/stp", "net/bridge/bridge", "net/tls/tls"),
    *("drivers/net/bonding/bonding", "drivers/net/veth"),
)
SOURCE, SOURCE_MAC = "10.9.0.1", "02:00:00:00:00:a5"
COPIES = 20


def run(*argv: str) -> None:
    subprocess.run(argv, check=True)


def load(module: Path) -> None:
    """As insmod(8) does, which need not be installed."""
    with module.open("rb") as file:
        if ctypes.CDLL(None, use_errno=True).syscall(313, file.fileno(), b"", 0) != 0:  # finit_module of x86-64
            raise OSError(ctypes.get_errno(), str(module))


def main() -> None:
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
        run("mount", "-t", kind, kind, place)
    for module in MODULES:
        load(Path(sys.argv[1], f"{module}.ko"))
    run("ip", "link", "set", "lo", "up")
    Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
    cases = json.loads(Path(sys.argv[2]).read_text())
    print("RESULT " + json.dumps([links_of(case) for case in cases]), flush=True)


def links_of(case: dict) -> list[int]:
    """The link of each flow: the only one whose counter of sent packets went up by as many as were sent."""
    names = [f"v{k}" for k in range(case["links"])]
    run("ip", "link", "add", "bond9", "type", "bond", "mode", "balance-xor", "miimon", "100")
    Path("/sys/class/net/bond9/bonding/xmit_hash_policy").write_text(case["policy"])
    run("ip", "link", "set", "bond9", "address", SOURCE_MAC)
    for name in names:
        run("ip", "link", "add", name, "type", "veth", "peer", "name", f"p{name}")
        run("ip", "link", "set", f"p{name}", "up")
        run("ip", "link", "set", name, "master", "bond9")
    run("ip", "link", "set", "bond9", "up")
    run("ip", "address", "add", f"{SOURCE}/16", "dev", "bond9")
    for address in {flow[0] for flow in case["flows"]}:
        run("ip", "neighbour", "replace", address, "lladdr", mac_of(address), "dev", "bond9", "nud", "permanent")
    time.sleep(0.5)  # until miimon has seen all links up
    found = [link_of(names, *flow) for flow in case["flows"]]
    run("ip", "link", "delete", "bond9")
    for name in names:
        run("ip", "link", "delete", name)
    return found


def mac_of(address: str) -> str:
    third, fourth = address.split(".")[2:]
    return f"02:00:00:00:{int(third):02x}:{int(fourth):02x}"


def link_of(names: list[str], address: str, source_port: int, port: int) -> int:
    before = sent(names)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((SOURCE, source_port))
        for _ in range(COPIES):
            sender.sendto(b"x", (address, port))
    grown = [now - then for now, then in zip(sent(names), before, strict=True)]
    assert sorted(grown)[-1] >= COPIES, f"{address}:{port}: counters went up by {grown}"
    return max(range(len(names)), key=lambda k: grown[k])


def sent(names: list[str]) -> list[int]:
    return [int(Path(f"/sys/class/net/{name}/statistics/tx_packets").read_text()) for name in names]


if __name__ == "__main__":
    try:
        main()
    except BaseException as error:  # noqa: BLE001 - nobody else could tell it
        print(f"FAILED {error!r}", flush=True)
    os.sync()
    ctypes.CDLL(None).reboot(0x4321FEDC)  # power off
