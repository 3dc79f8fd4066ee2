"""NICs of a running lab: their counters, taking one down, and what hosts sent by each TCP connection."""

from __future__ import annotations

import fcntl
import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from fairlead.bonding.hashing import Flow, FlowEnd
from fairlead.errors import LabError, NoSuchLabError
from fairlead.lab import addressing, aggregate, recipe
from fairlead.lab.aggregate import AggregateEnd
from fairlead.lab.lab import Lab
from fairlead.lab.topology import LabLink


@dataclass(frozen=True)
class NicCounters:
    """What the kernel counted of one NIC since the lab was started.

    Of a bond: as on the wire, headers of every segment included (14 B of Ethernet). Of a single link: packets as
    segmentation offload leaves them, with one header each.
    """

    name: str
    is_up: bool
    sent_B: int
    sent_packets: int
    received_B: int
    received_packets: int


@dataclass(frozen=True)
class Sent:
    """What a host handed to its interface for one TCP connection: frames, also those that a full queue then dropped."""

    flow: Flow
    bytes_B: int
    packets: int


def nics(lab: Lab, node: str) -> list[NicCounters]:
    """The NICs of a host (or of a server's uplink), in the order of their numbers; without a bond the only one.

    Raises:
        LabError: there is no such node, or it has no uplink.
    """
    link = _uplink(lab, node)
    if link.bond is None:
        return [_single(lab, node, recipe.interface(lab.plan, link.a, link.b))]
    own, other = (_queues(lab, end) for end in recipe.ends(lab.plan, link))
    return [
        NicCounters(f"nic{number}", sent["options"]["limit"] > 0, *_counted(sent), *_counted(received))
        for number, (sent, received) in enumerate(zip(own, other, strict=True))
    ]


def set_nic(lab: Lab, node: str, number: int, *, up: bool) -> list[NicCounters]:
    """Take a NIC of a bond down or up; returns once both ends use the NICs that are up.

    In between is the bond's ``miimon``: so long what is sent on the NIC is lost, as with a driver that looks every so
    often. What was in its queue is still sent.

    Raises:
        LabError: there is no such NIC, it is no part of a bond, or the kernel refused.
    """
    link = _uplink(lab, node)
    if link.bond is None:
        raise NoSuchLabError(f"lab {lab.name}: {node} has one NIC and no bond", hint="give host_link nics and bond")
    if not 0 <= number < link.nics:
        raise NoSuchLabError(f"lab {lab.name}: {node} has no NIC {number}", hint=f"its NICs are 0 to {link.nics - 1}")
    ends = recipe.ends(lab.plan, link)
    with (lab.directory / f"nics-{node}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for end in ends:
            _tc(lab, end.node, [aggregate.queue("change", end.device, number, link.queue_B if up else 0)])
        time.sleep(link.bond.miimon_s)
        found = nics(lab, node)
        down = [k for k, nic in enumerate(found) if not nic.is_up]
        for end in ends:
            _use(lab, end.without(down))
    return found


def sent(lab: Lab, host: str) -> list[Sent]:
    """What a host sent by each TCP connection since the lab started or `forget_sent`.

    Raises:
        LabError: the lab does not count flows.
    """
    macs = {each.address: _mac(lab, each.name) for each in lab.plan.hosts}
    text = _run(lab, host, ["nft", "-j", "list", "set", *aggregate.TABLE.split(), aggregate.FLOWS], _counts(lab))
    elements = next(entry["set"] for entry in json.loads(text)["nftables"] if "set" in entry).get("elem", [])
    return [_sent(element["elem"], macs) for element in elements]


def forget_sent(lab: Lab, host: str) -> None:
    """Begin to count anew. Raises as `sent`."""
    _run(lab, host, ["nft", "flush", "set", *aggregate.TABLE.split(), aggregate.FLOWS], _counts(lab))


def retransmitted(lab: Lab, host: str) -> int:
    """Segments that a host's TCP sent again since the lab started."""
    lines = [line.split() for line in _run(lab, host, ["cat", "/proc/net/snmp"]).splitlines()]
    names, values = (line for line in lines if line[0] == "Tcp:")
    return int(values[names.index("RetransSegs")])


def _counts(lab: Lab) -> str:
    if not lab.plan.count_flows:
        raise LabError(f"lab {lab.name} does not count flows", hint="its description needs lab.count_flows = true")
    return ""


def _sent(element: dict[str, Any], macs: dict[str, bytes]) -> Sent:
    source, source_port, destination, port = element["val"]["concat"]
    flow = Flow(
        FlowEnd(ip_address(source), source_port, macs.get(source)),
        FlowEnd(ip_address(destination), port, macs.get(destination)),
    )
    return Sent(flow, element["counter"]["bytes"], element["counter"]["packets"])


def _mac(lab: Lab, host: str) -> bytes:
    return bytes.fromhex(addressing.mac(lab.plan.host_by_name[host].address).replace(":", ""))


def _uplink(lab: Lab, node: str) -> LabLink:
    for link in lab.plan.links:
        if link.a == node and not link.addresses:
            return link
    known = [link.a for link in lab.plan.links if not link.addresses]
    raise NoSuchLabError(f"lab {lab.name} has no host {node!r}", hint=f"it has {', '.join(known)}")


def _use(lab: Lab, end: AggregateEnd) -> None:
    """Have one end use these NICs only."""
    counted = lab.plan.count_flows and end.node in lab.plan.host_by_name
    chosen = aggregate.choosing(end.device, end, counted, lab.plan.family)
    if chosen:
        _run(lab, end.node, ["nft", "-f", "-"], "\n".join(chosen) + "\n")
    _tc(lab, end.node, [*aggregate.no_spreading(end), *aggregate.spreading(end)])


def _single(lab: Lab, node: str, device: str) -> NicCounters:
    text = _run(lab, node, ["ip", "-json", "-stats", "link", "show", "dev", device])
    entry = json.loads(text)[0]
    out, into = entry["stats64"]["tx"], entry["stats64"]["rx"]
    up = "LOWER_UP" in entry["flags"]
    return NicCounters(device, up, out["bytes"], out["packets"], into["bytes"], into["packets"])


def _queues(lab: Lab, end: AggregateEnd) -> list[dict[str, Any]]:
    """The queues of an end's NICs as tc(8) tells them, in the order of their numbers."""
    text = _run(lab, end.node, ["tc", "-json", "-stats", "qdisc", "show", "dev", end.device])
    found = {entry.get("parent"): entry for entry in json.loads(text)}
    return [found[aggregate.class_of(nic)] for nic in end.nics]


def _counted(queue: dict[str, Any]) -> tuple[int, int]:
    return queue["bytes"], queue["packets"]


def _tc(lab: Lab, node: str, lines: Sequence[str]) -> None:
    _run(lab, node, ["tc", "-batch", "-"], "\n".join(lines) + "\n")


def _run(lab: Lab, node: str, argv: list[str], text: str = "") -> str:
    done = subprocess.run(lab.enter_command(node, argv), input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"lab {lab.name}: {' '.join(argv)} on {node}: {done.stderr.strip()}")
    return done.stdout
