"""The kernel's own bonding driver, in User Mode Linux, judges the formulas and the programs of emulated bonds.

The judges are the counters of the driver's links.
"""

import json
import random
from collections.abc import Sequence
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from fairlead.bonding.hashing import POLICIES, Flow, FlowEnd, link_of

from .. import user_mode_linux
from . import bond_inside
from .bpf_interpreter import frame_of, link_by_program

UDP = 17

pytestmark = user_mode_linux.MARKS  # 40 s


def links_inside(cases: Sequence[dict[str, Any]], directory: Path) -> list[list[int]]:
    """The link that the driver puts each flow on."""
    (directory / "cases.json").write_text(json.dumps(cases))
    script = Path(bond_inside.__file__)
    found = user_mode_linux.result_of(script, directory, f"{directory}/cases.json", python="/usr/bin/python3")
    assert isinstance(found, list)
    return found


def flow_of(address: str, source_port: int, port: int) -> Flow:
    macs = [bytes.fromhex(text.replace(":", "")) for text in (bond_inside.SOURCE_MAC, bond_inside.mac_of(address))]
    source = FlowEnd(IPv4Address(bond_inside.SOURCE), source_port, macs[0])
    return Flow(source, FlowEnd(IPv4Address(address), port, macs[1]), "udp")


def test_the_driver_puts_every_flow_on_the_link_that_formula_and_program_say(tmp_path: Path) -> None:
    draw = random.Random(7)
    addresses = [f"10.9.{draw.randrange(256)}.{draw.randrange(2, 255)}" for _ in range(6)]
    cases = [
        {
            "policy": policy,
            "links": links,
            "flows": [
                (draw.choice(addresses), draw.randrange(1024, 65536), draw.randrange(1, 65536)) for _ in range(24)
            ],
        }
        for policy in POLICIES
        if policy != "encap3+4"  # whose hash is the socket's
        for links in (2, 3, 4)
    ]
    for case, by_driver in zip(cases, links_inside(cases, tmp_path), strict=True):
        policy, links = str(case["policy"]), int(str(case["links"]))
        flows = [flow_of(*each) for each in case["flows"]]  # type: ignore[attr-defined]
        assert by_driver == [link_of(flow, policy, links, user_mode_linux.version()).link for flow in flows]
        assert by_driver == [link_by_program(policy, links, frame_of(flow, UDP)) for flow in flows]
        if policy == "layer3+4":
            assert len(set(by_driver)) == links
