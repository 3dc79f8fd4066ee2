"""The kernel's own bonding driver, in User Mode Linux, judges the formulas and the programs of emulated bonds.

The judges are the counters of the driver's links. Needs Debian's package user-mode-linux, installed, or unpacked where
FAIRLEAD_UML says.
"""

import json
import os
import random
import subprocess
from collections.abc import Sequence
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from fairlead.bonding.hashing import POLICIES, End, Flow, link_of

from . import bond_inside
from .bpf_interpreter import frame_of, link_by_program

ROOT = Path(os.environ.get("FAIRLEAD_UML", "/"))
PROGRAM = ROOT / "usr/bin/linux.uml"
MODULES = sorted((ROOT / "usr/lib/uml/modules").glob("*"))
UDP = 17

pytestmark = [
    pytest.mark.uml,
    pytest.mark.slow,  # 40 s
    pytest.mark.skipif(not (PROGRAM.is_file() and MODULES), reason="user-mode-linux is not installed"),
]


def links_inside(cases: Sequence[dict[str, Any]], directory: Path) -> list[list[int]]:
    """The link that the driver puts each flow on."""
    registers = directory / "uml_registers.so"
    source = Path(__file__).with_name("uml_registers.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", registers, source], check=True)
    (directory / "cases.json").write_text(json.dumps(cases))
    script = directory / "init"
    arguments = f"{bond_inside.__file__} {MODULES[-1]}/kernel {directory}/cases.json"
    script.write_text(f"#!/bin/sh\nunset LD_PRELOAD\nexec /usr/bin/python3 {arguments}\n")
    script.chmod(0o755)
    done = subprocess.run(
        [
            *(PROGRAM, f"umid=fairlead{os.getpid()}", f"uml_dir={directory}", "mem=256M", "rootfstype=hostfs", "rw"),
            *("root=/dev/root", f"init={script}", "con=null", "con0=fd:0,fd:1", "quiet"),
        ],
        env={**os.environ, "LD_PRELOAD": str(registers), "TMPDIR": str(directory)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    said = [line for line in done.stdout.decode(errors="replace").splitlines() if "RESULT " in line]
    assert said, (done.stdout + done.stderr).decode(errors="replace")[-2000:]
    found = json.loads(said[0].partition("RESULT ")[2])
    assert isinstance(found, list)
    return found


def flow_of(address: str, source_port: int, port: int) -> Flow:
    macs = [bytes.fromhex(text.replace(":", "")) for text in (bond_inside.SOURCE_MAC, bond_inside.mac_of(address))]
    source = End(IPv4Address(bond_inside.SOURCE), source_port, macs[0])
    return Flow(source, End(IPv4Address(address), port, macs[1]), "udp")


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
    version = tuple(int(part) for part in MODULES[-1].name.split(".")[:2])
    for case, by_driver in zip(cases, links_inside(cases, tmp_path), strict=True):
        policy, links = str(case["policy"]), int(str(case["links"]))
        flows = [flow_of(*each) for each in case["flows"]]  # type: ignore[attr-defined]
        assert by_driver == [link_of(flow, policy, links, (version[0], version[1])).link for flow in flows]
        assert by_driver == [link_by_program(policy, links, frame_of(flow, UDP)) for flow in flows]
        if policy == "layer3+4":
            assert len(set(by_driver)) == links
