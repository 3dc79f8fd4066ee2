"""Runs on every host of a cluster, by ``python3 -c`` from standard input; standard library only, Python 3.7 and later.

Python and not a shell: most of what is asked needs sockets (who reaches whom, packets that must not be fragmented),
which a POSIX shell does not have. A host without Python is reported as such; agents do not need it.

Standard input: one JSON line of settings, then commands. Standard output: one JSON line of facts, then answers:

    {"serve": {"agent": [first port, last port], "overlay": [first, last]}}
        ->  {"agent_port": N, "any_port": N, "overlay_port": N} or {"error": ...}
    {"try": [{"name", "address", "agent_port", "any_port", "overlay_port", "mtu_B"}, ...]}
        ->  {name: {"tcp_agent": null or why, ...}}

End of input ends it, and with it all that it opened.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TRY_TIMEOUT_S = 1.5
UDP_TRIES = 3
OVERLAY_TRIES = 100
IP_HEADERS_B = 28  # IPv4 and UDP
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3  # linux/in.h: set "don't fragment", ignore what is cached about the path
COMMON_MTUS_B = (9000, 8951, 1500, 1492, 1450, 1400, 1280, 576)
STA_UNSYNC = 0x0040  # linux/timex.h
TCP_CONGESTION = 13  # linux/tcp.h
IFF_UP, IFF_LOOPBACK = 0x1, 0x8  # linux/if.h
KEY = b"fairlead-doctor"
NO_ANSWER = "no answer"


def read(path: str | Path) -> str | None:
    """Content of a file, or None where there is none or it is not for us."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def output_of(argv: list[str], timeout_s: float = 10) -> tuple[int, str]:
    """Exit code and everything printed. 127 and the reason where it could not be run, as a shell has it."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout_s)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def find(name: str) -> str | None:
    """Path of a program; the system's directories too, which an ordinary user's PATH lacks."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def rules(argv: list[str]) -> list[str] | None:
    """Output of a command as lines, or None if it is missing or fails."""
    path = find(argv[0])
    if path is None:
        return None
    code, text = output_of([path, *argv[1:]])
    return text.splitlines() if code == 0 else None


class _Address(ctypes.Structure):
    """struct ifaddrs."""


_Address._fields_ = [
    ("next", ctypes.POINTER(_Address)),
    ("name", ctypes.c_char_p),
    ("flags", ctypes.c_uint),
    ("address", ctypes.c_void_p),
    ("netmask", ctypes.c_void_p),
    ("destination", ctypes.c_void_p),
    ("data", ctypes.c_void_p),
]


def ipv4(pointer: int | None) -> str | None:
    """Dotted IPv4 address of a sockaddr, or None for other families."""
    if not pointer or struct.unpack("H", ctypes.string_at(pointer, 2))[0] != socket.AF_INET:
        return None
    return socket.inet_ntoa(ctypes.string_at(pointer + 4, 4))


def addresses() -> dict[str, list[str]]:
    """Interface name -> list of "address/prefix" (getifaddrs)."""
    libc = ctypes.CDLL(None)
    head = ctypes.POINTER(_Address)()
    found: dict[str, list[str]] = {}
    if libc.getifaddrs(ctypes.byref(head)) != 0:
        return found
    entry = head
    while entry:
        item = entry.contents
        address, mask = ipv4(item.address), ipv4(item.netmask)
        if address and mask:
            prefix = bin(struct.unpack("!I", socket.inet_aton(mask))[0]).count("1")
            found.setdefault(item.name.decode(), []).append(f"{address}/{prefix}")
        entry = item.next
    libc.freeifaddrs(head)
    return found


def interfaces() -> list[dict[str, Any]]:
    """All network interfaces of this host."""
    by_name = addresses()
    result = []
    for _, name in socket.if_nameindex():
        base = Path("/sys/class/net", name)
        flags = int(read(base / "flags") or "0", 16)
        result.append(
            {
                "name": name,
                "addresses": by_name.get(name, []),
                "mtu_B": int(read(base / "mtu") or 0),
                "up": bool(flags & IFF_UP),
                "carrier": read(base / "carrier") == "1",
                "loopback": bool(flags & IFF_LOOPBACK),
            }
        )
    return result


class _Timex(ctypes.Structure):
    """struct timex, up to what is read here."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    )


def clock() -> dict[str, Any] | None:
    """State of the kernel's clock discipline (adjtimex, read only)."""
    state = _Timex()
    if ctypes.CDLL(None).adjtimex(ctypes.byref(state)) < 0:
        return None
    return {
        "synchronised": not state.status & STA_UNSYNC,
        "source": read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    }


def infiniband() -> list[dict[str, str]]:
    """Devices that verbs could use: name and driver (EFA is one of them)."""
    base = Path("/sys/class/infiniband")
    devices = sorted(base.iterdir()) if base.is_dir() else []
    return [{"name": path.name, "driver": (path / "device/driver").resolve().name} for path in devices]


def tools(names: list[str]) -> dict[str, dict[str, str] | None]:
    """Program name -> {"path", "output" of --version}, or None where it is missing."""
    result: dict[str, dict[str, str] | None] = {}
    for name in names:
        path = find(name)
        result[name] = None if path is None else {"path": path, "output": output_of([path, "--version"])[1]}
    return result


def guardian(argv: list[str]) -> dict[str, Any]:
    """What ``fairlead-guardian --check`` says about the route plane here, or {"error": reason}."""
    check = [*argv, "--check"]
    _, text = output_of(check, timeout_s=20)
    try:
        said = json.loads(text)
    except ValueError:
        return {"error": f"`{' '.join(check)}` does not work: {text}"}
    return said if isinstance(said, dict) else {"error": f"`{' '.join(check)}` said {text}"}


def program_version(argv: list[str]) -> dict[str, str]:
    """What ``--version`` prints, or {"error": reason}."""
    code, text = output_of([*argv, "--version"])
    return {"version": text} if code == 0 else {"error": f"{argv[0]} does not run: {text}"}


def free_bytes(path: str) -> int | None:
    """Room left in a file system, or None if there is no such directory."""
    try:
        state = os.statvfs(path)
    except OSError:
        return None
    return state.f_bavail * state.f_frsize


def port_ranges(path: str) -> list[list[int]]:
    """First and last of each range in a setting of the kernel's: "32768 60999", or "80,8000-8010"."""
    words = re.sub(r"(\d+)\s+(\d+)", r"\1-\2", read(path) or "").split(",")
    return [[int(part) for part in (word.split("-") * 2)[:2]] for word in words if word]


def facts(settings: dict[str, Any]) -> dict[str, Any]:
    """Everything that can be seen without talking to another host."""
    return {
        "hostname": socket.gethostname(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "interfaces": interfaces(),
        "tools": tools(settings["tools"]),
        "infiniband": infiniband(),
        "clock": clock(),
        "firewall": {"input": rules(["iptables", "-S", "INPUT"]), "forward": rules(["iptables", "-S", "FORWARD"])},
        "agent": program_version(settings["agent"]) if settings.get("agent") else None,
        "guardian": guardian(settings["guardian"]) if settings.get("guardian") else None,
        # A living guardian holds an abstract socket of its job's name, and those are per network namespace (unix(7)).
        "running_jobs": sorted(set(re.findall(r"@fairlead-guardian-(\w+)", read("/proc/net/unix") or ""))),
        "connection_ports": port_ranges("/proc/sys/net/ipv4/ip_local_port_range"),
        "reserved_ports": port_ranges("/proc/sys/net/ipv4/ip_local_reserved_ports"),
        "shm_free_B": free_bytes("/dev/shm"),
        "tmp_free_B": free_bytes("/tmp"),
        # Opening, not only looking: a network file system may have cached that there is no such name.
        "sees_note": read(settings["shared_note"]) is not None if settings.get("shared_note") else None,
    }


def listen(address: str, ports: Sequence[int]) -> tuple[socket.socket, socket.socket]:
    """A TCP listener and a UDP socket on the first port of ``ports`` that both can have."""
    last = OSError("no port to try")
    for port in ports:
        tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            tcp.bind((address, port))
            udp.bind((address, tcp.getsockname()[1]))
            tcp.listen(64)
            return tcp, udp
        except OSError as error:
            tcp.close()
            udp.close()
            last = error
    raise last


def answer_tcp(listener: socket.socket) -> None:
    """Show every caller that it is us who answer."""
    while True:
        connection, _ = listener.accept()
        connection.sendall(KEY)
        connection.close()


def answer_udp(udp: socket.socket) -> None:
    """Tell the sender how long its datagram was; nothing is answered to others' datagrams."""
    while True:
        data, sender = udp.recvfrom(65536)
        if data.startswith(KEY):
            udp.sendto(KEY + b" %d" % len(data), sender)


def serve(address: str, ranges: dict[str, list[int]]) -> dict[str, Any]:
    """Listen as an agent would (a port of its range), as MPI does (any port), and as the overlay does (one of its)."""
    first, last = ranges["agent"]
    overlay = range(ranges["overlay"][0], ranges["overlay"][1] + 1)
    candidates = {
        "agent_port": range(first, last + 1),
        "any_port": [0],
        "overlay_port": random.sample(overlay, min(len(overlay), OVERLAY_TRIES)),  # any, as for a job
    }
    found = {}
    try:
        for name, ports in candidates.items():
            tcp, udp = listen(address, ports)
            threading.Thread(target=answer_tcp, args=(tcp,), daemon=True).start()
            threading.Thread(target=answer_udp, args=(udp,), daemon=True).start()
            found[name] = tcp.getsockname()[1]
    except OSError as error:
        return {"error": str(error)}
    return found


def reason(error: OSError) -> str:
    """Why a socket call failed, in words; a time-out carries no error number."""
    return os.strerror(error.errno) if error.errno else NO_ANSWER


def try_tcp(own: str, address: str, port: int) -> str | None:
    """None if a connection works, else why not."""
    try:
        with socket.create_connection((address, port), TRY_TIMEOUT_S, (own, 0)) as connection:
            connection.settimeout(TRY_TIMEOUT_S)
            return None if connection.recv(64) == KEY else "somebody else answers"
    except OSError as error:
        return reason(error)


def congestion_control(own: str, address: str, port: int) -> str | None:
    """What a connection to that address really uses: a route may say otherwise than the system's default."""
    try:
        with socket.create_connection((address, port), TRY_TIMEOUT_S, (own, 0)) as connection:
            return connection.getsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, 16).split(b"\0")[0].decode()
    except OSError:
        return None


def try_udp(own: str, address: str, port: int, size_B: int, tries: int = UDP_TRIES) -> str | None:
    """None if a packet of ``size_B`` (IP length, not to be fragmented) arrives, else why not."""
    data = KEY.ljust(size_B - IP_HEADERS_B, b".")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
        udp.settimeout(TRY_TIMEOUT_S / tries)
        udp.bind((own, 0))
        for _ in range(tries):
            try:
                udp.sendto(data, (address, port))
                if udp.recv(64) == KEY + b" %d" % len(data):
                    return None
            except OSError as error:
                if reason(error) != NO_ANSWER:
                    return reason(error)
    return NO_ANSWER


def largest_packet(own: str, address: str, port: int, mtu_B: int) -> int | None:
    """Largest of the usual packet sizes up to ``mtu_B`` that arrives whole, or None."""
    if try_udp(own, address, port, mtu_B) is None:
        return mtu_B
    smaller = [size for size in COMMON_MTUS_B if size < mtu_B]
    if not smaller:
        return None
    with ThreadPoolExecutor(len(smaller)) as pool:  # at the same time: what is lost is waited for once
        lost = pool.map(lambda size_B: try_udp(own, address, port, size_B), smaller)
        return max((size for size, why in zip(smaller, lost) if why is None), default=None)  # noqa: B905


def try_peer(own: str, peer: dict[str, Any]) -> dict[str, Any]:
    """All that is tried towards one peer."""
    address, agent_port, any_port = peer["address"], peer["agent_port"], peer["any_port"]
    with ThreadPoolExecutor(6) as pool:
        tcp_agent = pool.submit(try_tcp, own, address, agent_port)
        tcp_any = pool.submit(try_tcp, own, address, any_port)
        udp_agent = pool.submit(try_udp, own, address, agent_port, 128)
        udp_any = pool.submit(try_udp, own, address, any_port, 128)
        udp_overlay = pool.submit(try_udp, own, address, peer["overlay_port"], 128)
        control = pool.submit(congestion_control, own, address, any_port)
    ports = [port for port, udp in ((agent_port, udp_agent), (any_port, udp_any)) if udp.result() is None]
    return {
        "tcp_agent": tcp_agent.result(),
        "tcp_any": tcp_any.result(),
        "udp_agent": udp_agent.result(),
        "udp_overlay": udp_overlay.result(),
        "path_mtu_B": largest_packet(own, address, ports[0], peer["mtu_B"]) if ports else None,
        "congestion_control": control.result(),
    }


def try_all(own: str, peers: list[dict[str, Any]]) -> dict[str, Any]:
    """All peers at the same time: one that does not answer delays nobody."""
    with ThreadPoolExecutor(max_workers=max(1, len(peers))) as pool:
        found = pool.map(lambda peer: try_peer(own, peer), peers)
        return {peer["name"]: result for peer, result in zip(peers, found)}  # noqa: B905 (strict is Python 3.10)


def say(message: dict[str, Any]) -> None:
    """One JSON line to the doctor."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Facts at once, then answers until the input ends."""
    settings = json.loads(sys.stdin.buffer.readline().decode())
    say(facts(settings))
    for line in iter(sys.stdin.buffer.readline, b""):
        command = json.loads(line.decode())
        if "serve" in command:
            say(serve(settings["address"], command["serve"]))
        else:
            say(try_all(settings["address"], command["try"]))


if __name__ == "__main__":
    main()
