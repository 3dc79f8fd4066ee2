"""Descriptions of labs: what is accepted, and what mistakes are called."""

from pathlib import Path
from typing import get_args

import pytest
from pydantic import TypeAdapter

from fairlead.bonding.hashing import POLICIES
from fairlead.config import parse
from fairlead.errors import ConfigError, LabError
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import CongestionDescription, check
from fairlead.lab.description import Description, Policy
from fairlead.lab.resolve import resolve_lab

EXAMPLES = Path(__file__).parents[3] / "examples"
MESH = """\
[lab]
name = "m"
topology = "mesh"
leafs = 4
hosts_per_leaf = 2
neighbours_per_leaf = 2
[host_link]
rate = "1gbit"
[trunk]
rate = "200mbit"
"""


@pytest.mark.parametrize(
    ("name", "hosts"),
    [("mesh8", 8), ("mesh16", 16), ("mesh64", 64), ("leaf-spine16", 16), ("star8", 8), ("servers8", 8)],
)
def test_examples_are_valid_and_as_large_as_their_names_say(name: str, hosts: int) -> None:
    plan = resolve_lab(lab_description.load(EXAMPLES / f"{name}.toml"))
    assert plan.name == name
    assert sum(host.role == "compute" for host in plan.hosts) == hosts


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('rate = "200mbit"', "rate = 200", "lab.toml:10: trunk.rate: 200 is not a rate"),
        ("leafs = 4", "leafs = 1", "lab.toml:4: lab.leafs: a mesh needs at least 2"),
        ("leafs = 4", "leafs = 4\nspines = 2", "spines"),
        ("leafs = 4", "leafs = 4\necmp = true", "ecmp: a choice needs at least 2 spines"),
        ('topology = "mesh"', 'topology = "ring"', "lab.toml:3: lab.topology"),
        ("hosts_per_leaf = 2", "hosts = 2", "lab.toml:5: lab.hosts"),
        ('name = "m"', 'name = "../m"', "lab.toml:2: lab.name"),
        ('rate = "1gbit"', 'rate = "1gbit"\nburst = "1000B"', "less than one packet"),
        ('rate = "1gbit"', 'rate = "1gbit"\nqueue = "1us"', "less than two packets"),
        ('[trunk]\nrate = "200mbit"', "", "needs a [trunk] table"),
        ('rate = "1gbit"', 'rate = "1gbit"\nnics = 2', "nics: 2 NICs need a bond"),
        ('rate = "1gbit"', 'rate = "1gbit"\nbond = { mode = "balance-tlb" }', "balance-tlb cannot be emulated"),
        ('rate = "1gbit"', 'rate = "1gbit"\nbond = { mode = "6" }', "balance-alb cannot be emulated"),
        ('rate = "1gbit"', 'rate = "1gbit"\nbond = { mode = "balance-rr", hash = "layer2" }', "has no transmit hash"),
        (
            'rate = "1gbit"',
            'rate = "1gbit"\nbond = { mode = "broadcast", switch = "layer2" }',
            "does not know the group",
        ),
        ('rate = "200mbit"', 'rate = "200mbit"\nbond = { mode = "802.3ad" }', "between switches are not aggregated"),
    ],
)
def test_mistakes_are_told_by_line_and_key(old: str, new: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(MESH.replace(old, new), Description, source="lab.toml")
    assert complaint in str(caught.value)


def test_congestion_entries_are_read_by_kind() -> None:
    text = MESH + '[[congestion]]\nkind = "streams"\nbetween = ["leaf0", "leaf1"]\non = "200ms"\noff = "300ms"\n'
    text += '[[congestion]]\nkind = "delay"\nlink = ["leaf0", "leaf2"]\n'
    streams, delay = parse(text, Description, source="lab.toml").congestion
    assert (streams.kind, delay.kind) == ("streams", "delay")
    assert delay.delay == pytest.approx(0.005)  # DMCBM 4.2


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "streams", "between": ("leaf0", "leaf1"), "rate": "10mbit", "on": "15ms", "off": "1s"},
        {"kind": "mpi", "message": "64KiB", "seed": 3},
        {"kind": "delay", "link": ("leaf0", "leaf1"), "delay": "250us"},
    ],
)
def test_congestion_survives_json(entry: dict[str, object]) -> None:
    adapter: TypeAdapter[CongestionDescription] = TypeAdapter(CongestionDescription)
    description = adapter.validate_python(entry)
    assert adapter.validate_json(adapter.dump_json(description)) == description


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"kind": "streams", "pairs": [("n0", "n99")]}, "no host 'n99'"),
        ({"kind": "streams", "between": ("leaf0", "leaf9")}, "no leaf 'leaf9'"),
        ({"kind": "delay", "link": ("h0", "leaf1")}, "there is no link h0-leaf1"),
        ({"kind": "mpi", "hosts": ["n0"]}, "needs two hosts"),
    ],
)
def test_congestion_that_the_lab_does_not_have_is_refused(entry: dict[str, object], complaint: str) -> None:
    plan = resolve_lab(parse(MESH, Description, source="lab.toml"))
    adapter: TypeAdapter[CongestionDescription] = TypeAdapter(CongestionDescription)
    with pytest.raises(LabError, match=complaint):
        check(plan, adapter.validate_python(entry))


def test_a_lab_may_have_every_policy_whose_formula_is_known() -> None:
    assert get_args(Policy) == POLICIES
