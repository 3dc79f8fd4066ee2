"""Interfaces, and what the one that MPI uses says of its link: speed, duplex, errors.

Sources: the kernel's Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-statistics, Documentation/networking
(statistics, bonding), ethtool(8).
"""

from __future__ import annotations

import ctypes
import re
import socket
import struct
from pathlib import Path
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of, number, text_of

IFF_UP, IFF_LOOPBACK = 0x1, 0x8  # linux/if.h
NETWORKS = "/sys/class/net"
_LINK_LOCAL = b"\xfe\x80"
COUNTERS = (
    "rx_packets",
    "tx_packets",
    "rx_errors",
    "tx_errors",
    "rx_crc_errors",
    "rx_frame_errors",
    "rx_missed_errors",
    "rx_fifo_errors",
    "rx_dropped",
    "tx_dropped",
    "tx_carrier_errors",
    "collisions",
)


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


def address_of(pointer: int | None, family: int) -> bytes | None:
    """Address in a sockaddr, or None for other families."""
    if not pointer or struct.unpack("H", ctypes.string_at(pointer, 2))[0] != family:
        return None
    return ctypes.string_at(pointer + 4, 4) if family == socket.AF_INET else ctypes.string_at(pointer + 8, 16)


def addresses(family: int) -> dict[str, list[str]]:
    """Interface name -> list of "address/prefix" (getifaddrs); none of IPv6 that is of its link only."""
    libc = ctypes.CDLL(None)
    head = ctypes.POINTER(_Address)()
    found: dict[str, list[str]] = {}
    if libc.getifaddrs(ctypes.byref(head)) != 0:
        return found
    entry = head
    while entry:
        item = entry.contents
        address, mask = address_of(item.address, family), address_of(item.netmask, family)
        if address and mask and not address.startswith(_LINK_LOCAL):
            prefix = bin(int.from_bytes(mask, "big")).count("1")
            device = item.name.decode().partition(":")[0]  # of IPv4 it is the address's label, such as eth0:1
            found.setdefault(device, []).append(f"{socket.inet_ntop(family, address)}/{prefix}")
        entry = item.next
    libc.freeifaddrs(head)
    return found


def kind(base: Path) -> str:
    """What an interface is: ``physical`` (a virtual machine's counts), ``bridge``, ``bond``, ``vlan``, ``tunnel``."""
    if (base / "bridge").is_dir():
        return "bridge"
    if (base / "bonding").is_dir():
        return "bond"
    if (base / "tun_flags").exists():
        return "tunnel"
    named = re.search(r"^DEVTYPE=(\w+)", content_of(base / "uevent") or "", re.MULTILINE)
    if named:
        return "tunnel" if named.group(1) in ("wireguard", "vxlan", "geneve", "gre") else named.group(1)
    return "physical" if (base / "device").exists() else "virtual"


def interfaces(family: int = socket.AF_INET) -> list[dict[str, Any]]:
    """All network interfaces of this host, with their addresses of one family."""
    by_name = addresses(family)
    result = []
    for _, name in socket.if_nameindex():
        base = Path(NETWORKS, name)
        flags = int(content_of(base / "flags") or "0", 16)
        result.append(
            {
                "name": name,
                "addresses": by_name.get(name, []),
                "mtu_B": int(content_of(base / "mtu") or 0),
                "up": bool(flags & IFF_UP),
                "carrier": content_of(base / "carrier") == "1",
                "loopback": bool(flags & IFF_LOOPBACK),
                "kind": kind(base),
            }
        )
    return result


def counters(base: Path) -> dict[str, int]:
    """Counters of an interface since it was made, those that are there."""
    found = {name: number(base / "statistics" / name) for name in COUNTERS}
    return {name: value for name, value in found.items() if value is not None}


def parse_ethtool(text: str) -> dict[str, Any]:
    """What ``ethtool DEV`` says: whether speed is negotiated, and the best that both ends offer, in Mbit/s.

    The best is known only where the partner says what it offers; else it is that of this end alone.
    """

    def modes(label: str) -> list[int]:
        block = re.search(rf"^\s*{label}:((?:.*\n?)(?:^\s+\d+base.*\n?)*)", text, re.MULTILINE)
        return [int(speed) for speed in re.findall(r"(\d+)base", block.group(1))] if block else []

    own, partner = modes("Supported link modes"), modes("Link partner advertised link modes")
    negotiated = re.search(r"^\s*Auto-negotiation: (on|off)", text, re.MULTILINE)
    return {
        "negotiated": negotiated.group(1) == "on" if negotiated else None,
        "best_Mbps": max(own, default=None),
        "partner_best_Mbps": max(partner, default=None),
    }


def parse_rings(text: str) -> dict[str, int | None]:
    """What ``ethtool -g DEV`` says: how many packets the receive ring holds, and may hold."""
    found = [int(value) for value in re.findall(r"^RX:\s+(\d+)", text, re.MULTILINE)]
    return {"most": found[0], "now": found[1]} if len(found) == 2 else {"most": None, "now": None}


def parse_bond(text: str) -> dict[str, bool]:
    """Members of a bond, and whether their links are up: /proc/net/bonding/NAME."""
    pairs = re.findall(r"^Slave Interface: (\S+)\nMII Status: (\w+)", text, re.MULTILINE)
    return {name: state == "up" for name, state in pairs}


def link(name: str) -> dict[str, Any] | None:
    """What an interface says of its link, or None if there is no such interface."""
    base = Path(NETWORKS, name)
    if not base.exists():
        return None
    speed_Mbps, duplex = number(base / "speed"), content_of(base / "duplex")
    return {
        "name": name,
        "kind": kind(base),
        "speed_Mbps": speed_Mbps if speed_Mbps and speed_Mbps > 0 else None,
        "duplex": duplex if duplex in ("half", "full") else None,
        "counters": counters(base),
        "ethtool": parse_ethtool(text_of("ethtool", name) or ""),
        "rings": parse_rings(text_of("ethtool", "-g", name) or ""),
    }


def links(name: str) -> list[dict[str, Any]]:
    """An interface and those below it: members of a bond or bridge, the device of a VLAN."""
    base = Path(NETWORKS, name)
    lower = sorted(path.name[len("lower_") :] for path in base.glob("lower_*"))
    return [found for found in map(link, [name, *lower]) if found is not None]


def bond(name: str) -> dict[str, bool]:
    """Members of a bond and whether they are up; empty for other interfaces."""
    return parse_bond(content_of(f"/proc/net/bonding/{name}") or "")


def parse_snmp(text: str) -> dict[str, int]:
    """Counters of TCP in /proc/net/snmp: a line of names, and one of values."""
    lines = [line.split()[1:] for line in text.splitlines() if line.startswith("Tcp:")]
    if len(lines) != 2:
        return {}
    return {name: int(value) for name, value in zip(*lines)}  # noqa: B905 (strict is Python 3.10)


def segments() -> dict[str, int] | None:
    """TCP segments that this host sent, and sent again."""
    found = parse_snmp(content_of("/proc/net/snmp") or "")
    return {"sent": found["OutSegs"], "again": found["RetransSegs"]} if "RetransSegs" in found else None


def parse_settings(values: dict[str, str | None]) -> dict[str, int | None]:
    """Settings of the kernel as numbers, or None where one cannot be read."""
    return {name: int(value) if value and value.lstrip("-").isdigit() else None for name, value in values.items()}


def forwards_ipv6() -> str | None:
    """Whether the kernel can forward IPv6 for one device, as it can from 6.17 on, or does for all."""
    base = Path("/proc/sys/net/ipv6/conf/all")
    return "1" if (base / "force_forwarding").exists() else content_of(base / "forwarding")


def routing(name: str) -> dict[str, int | None]:
    """What the kernel does with packets that are not for it, or come in by another interface than answers leave by."""
    base = "/proc/sys/net/ipv4"
    return parse_settings(
        {
            "ip_forward": content_of(f"{base}/ip_forward"),
            "rp_filter_all": content_of(f"{base}/conf/all/rp_filter"),
            "rp_filter": content_of(f"{base}/conf/{name}/rp_filter"),
            "arp_ignore": content_of(f"{base}/conf/all/arp_ignore"),
            "arp_announce": content_of(f"{base}/conf/all/arp_announce"),
            "tcp_mtu_probing": content_of(f"{base}/tcp_mtu_probing"),
            "bridge_filter": content_of("/proc/sys/net/bridge/bridge-nf-call-iptables"),
            "ipv6_forward": forwards_ipv6(),
        }
    )
