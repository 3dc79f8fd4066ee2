"""Runs as the first process inside User Mode Linux: `fairlead net` on a host whose eth1 a real DHCP client configured.

The argument says which. eth1 and eth2 lead to a bridge in a network namespace of its own, where dnsmasq gives leases of
two minutes, a default gateway and a route. Tells what was there before, while and after there was a bond.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.executors import executor_of
from fairlead.errors import FairleadError
from fairlead.net import apply as on_hosts
from fairlead.net.change import Wanted
from fairlead.net.journal import JOURNAL

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from inside_uml import run, tell

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
NICS = ("eth1", "eth2")
CLUSTER = (
    '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "eth1"\n[[hosts]]\nname = "a"\naddress = "10.1.0.1"\n'
)
WANTED = Wanted("bond7", NICS, "active-backup")
SERVER = """
ip link set lo up
ip link add switch0 type bridge
ip link set port1 master switch0
ip link set port2 master switch0
ip address add 10.1.0.254/24 dev switch0
ip link set switch0 up
exec dnsmasq --no-daemon --conf-file=/dev/null --port=0 --interface=switch0 --bind-interfaces --dhcp-authoritative \
  --dhcp-range=10.1.0.50,10.1.0.60,255.255.255.0,120 --dhcp-leasefile=/run/leases --log-dhcp --user=root --no-ping
"""
OWN = ("/tmp", "/var/lib/dhcp", "/var/lib/dhcpcd", "/var/lib/NetworkManager", "/etc/NetworkManager/system-connections")
PROFILE = """[connection]
id=e1
uuid=11111111-1111-1111-1111-111111111111
type=ethernet
interface-name=eth1
[ipv4]
method=auto
[ipv6]
method=disabled
"""
UDHCPC = """#!/bin/sh
case $1 in bound | renew)
  ip address replace "$ip/$mask" dev "$interface" valid_lft "$lease" preferred_lft "$lease"
  ip route replace default via "$router" dev "$interface" ;;
esac
"""


def begin(log: str, *argv: str) -> "subprocess.Popen[bytes]":
    with Path(log).open("wb") as file:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True)


def network() -> None:
    for place in OWN:
        if Path(place).is_dir():
            run("mount", "-t", "tmpfs", "tmpfs", place)
    if Path("/etc/resolv.conf").is_file():  # this machine's own
        Path("/run/resolv.conf").touch()
        run("mount", "--bind", "/run/resolv.conf", "/etc/resolv.conf")
    run("ip", "netns", "add", "switch")
    for k, nic in enumerate(NICS, 1):
        run(*("ip", "link", "add", nic, "address", f"02:00:00:00:00:0{k}", "type", "veth"), "peer", "name", f"port{k}")
        run("ip", "link", "set", f"port{k}", "netns", "switch", "up")
        run("ip", "link", "set", nic, "up")
    begin("/run/server.log", "ip", "netns", "exec", "switch", "sh", "-c", SERVER)
    time.sleep(2)


def bus() -> None:
    """What systemd-networkd and NetworkManager speak by; with a /sys that is not writable they need no udev."""
    Path("/run/dbus").mkdir()
    begin("/run/bus.log", "dbus-daemon", "--system", "--nofork", "--nopidfile")
    time.sleep(1)
    run("mount", "-o", "remount,ro", "/sys")


def networkd(nics: str = "eth1") -> None:
    bus()
    Path("/run/systemd/network").mkdir(parents=True)
    Path("/run/systemd/network/10-eth.network").write_text(
        f"[Match]\nName={nics}\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\n"
    )
    Path("/run/systemd/netif").mkdir()
    run("chown", "systemd-network", "/run/systemd/netif")
    begin("/run/client.log", "/lib/systemd/systemd-networkd")


def network_manager() -> None:
    bus()
    profile = Path("/etc/NetworkManager/system-connections/e1.nmconnection")
    profile.write_text(PROFILE)
    profile.chmod(0o600)
    Path("/run/manager.conf").write_text("[main]\nplugins=keyfile\n")
    begin(
        *("/run/client.log", "NetworkManager", "--debug", "--config=/run/manager.conf", "--config-dir=/run/none"),
        "--system-config-dir=/run/none",
    )


def udhcpc() -> None:
    Path("/run/lease.sh").write_text(UDHCPC)
    Path("/run/lease.sh").chmod(0o755)
    begin("/run/client.log", "udhcpc", "-f", "-i", "eth1", "-s", "/run/lease.sh")


CLIENTS: dict[str, Callable[[], object]] = {
    "dhclient": lambda: begin("/run/client.log", "dhclient", "-4", "-d", "-v", "eth1"),
    "udhcpc": udhcpc,
    "dhcpcd": lambda: begin("/run/client.log", "dhcpcd", "-4", "-B", "eth1"),
    "systemd-networkd": networkd,
    "systemd-networkd-of-two": lambda: networkd("eth1 eth2"),
    "NetworkManager": network_manager,
}


def said(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


def state() -> Any:
    """Addresses and routes by interface, and how long leased addresses are valid."""
    addresses = {
        each["ifname"]: [
            (one["local"], one["prefixlen"], one["valid_life_time"])
            for one in each["addr_info"]
            if one["family"] == "inet" and one["scope"] == "global"
        ]
        for each in json.loads(said("ip", "-json", "address"))
        if each["ifname"] in (*NICS, WANTED.name)
    }
    return {"addresses": addresses, "routes": sorted(line.strip() for line in said("ip", "-4", "route").splitlines())}


def answers() -> bool:
    """Whether the server is reached from here."""
    script = "import socket; socket.create_server(('10.1.0.254', 99)).accept()"
    server = begin("/run/answer.log", "ip", "netns", "exec", "switch", sys.executable, "-c", script)
    try:
        for _ in range(20):
            time.sleep(0.5)
            connect = "import socket; socket.create_connection(('10.1.0.254', 99), 2)"
            if subprocess.run([sys.executable, "-c", connect], capture_output=True, check=False).returncode == 0:
                return True
        return False
    finally:
        server.kill()
        server.wait()


def wait_for(what: Callable[[], object], within_s: float) -> bool:
    deadline_s = time.monotonic() + within_s
    while not what():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(0.5)
    return True


def has_lease() -> bool:
    addresses = state()["addresses"]
    return bool(addresses["eth1"]) and any(route.startswith("default") for route in state()["routes"])


def acknowledged() -> int:
    return Path("/run/server.log").read_text().count("DHCPACK(switch0)")


def bonded(told: dict[str, Any], act: Callable[[], object]) -> None:
    told["before"], told["acknowledged"] = state(), [acknowledged()]
    executor = executor_of(parse_cluster(CLUSTER))
    try:
        found = on_hosts.apply(executor, ["a"], WANTED, within_s=60, settle_s=10)["a"]
        told["begun at"] = time.monotonic()
        told["ends in"] = found.until_s - found.uptime_s if found.until_s is not None else None
        time.sleep(3)
        told["during"], told["answers"] = state(), answers()
        told["acknowledged"].append(acknowledged())
        act()
        told["renewed while bonded"] = acknowledged() - told["acknowledged"][-1]
        told["acknowledged"].append(acknowledged())
    except FairleadError as error:
        told["error"] = f"{error}"
    told["journal"] = Path(JOURNAL).exists()
    # Some clients take address and routes away and ask for them again.
    told["again"] = wait_for(lambda: has_lease() and state()["routes"] == told["before"]["routes"], 30)
    told["after"], told["answers after"] = state(), answers()
    told["renewed"] = wait_for(lambda: acknowledged() > told["acknowledged"][-1], 75)
    told["at the end"] = state()


def work() -> dict[str, Any]:
    told: dict[str, Any] = {"error": None}
    try:
        network()
        CLIENTS[sys.argv[2]]()
        told["leased"] = wait_for(has_lease, 40)
        time.sleep(2)
        executor = executor_of(parse_cluster(CLUSTER))

        def restored() -> None:
            on_hosts.restore(executor, ["a"])

        def outlived() -> None:
            """The lease that was there when the bond was made has ended."""
            time.sleep(130)
            now = on_hosts.show(executor, ["a"])["a"]
            told["outlived"] = {**state(), "ends in": (now.until_s or 0) - now.uptime_s, "answers": answers()}
            restored()

        # "ends": nobody takes it back, but the guard does when the lease ends
        acts = {"ends": lambda: wait_for(lambda: not Path(JOURNAL).exists(), 120), "outlives": outlived}
        bonded(told, acts[sys.argv[3]] if sys.argv[3:] else restored)
    finally:
        for log in ("server", "client"):
            path = Path(f"/run/{log}.log")
            told[log] = path.read_text(errors="replace") if path.exists() else None
        told["leases"] = said("cat", "/run/leases")
    return told


if __name__ == "__main__":
    os.environ["PATH"] = PATH
    tell(work)
