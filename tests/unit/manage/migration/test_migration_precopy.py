"""Live migration as arithmetic: rounds of pre-copy, and what a server has room for."""

import pytest

from fairlead.config import parse
from fairlead.errors import ConfigError
from fairlead.lab import recipe
from fairlead.lab.description import Description
from fairlead.lab.migration import precopy, refusal
from fairlead.lab.migration.precopy import PrecopyRound
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.topology import LabVm, ResolvedLab

MIB = 2**20
VM = LabVm(cpus=1, memory_B=32 * MIB, disk_B=2**30, dirty_Bps=MIB, downtime_s=0.3)
SERVERS = """\
[lab]
name = "s"
topology = "mesh"
leafs = 2
hosts_per_leaf = 3
neighbours_per_leaf = 1
[host_link]
rate = "1gbit"
[trunk]
rate = "400mbit"
[servers]
per_leaf = 2
vms_per_server = 2
others_per_server = 1
cpus = 3
[servers.uplink]
rate = "200mbit"
[servers.vm]
memory = "64MiB"
dirty_rate = "8mbit"
"""


def plan_of(text: str = SERVERS) -> ResolvedLab:
    return resolve_lab(parse(text, Description, source="lab.toml"))


def test_all_of_memory_is_copied_first_then_what_was_written_meanwhile() -> None:
    assert precopy.left_after([], VM) == 32 * MIB
    assert precopy.left_after([PrecopyRound(32 * MIB, 2.0)], VM) == 2 * MIB
    assert precopy.left_after([PrecopyRound(32 * MIB, 2.0), PrecopyRound(2 * MIB, 0.125)], VM) == MIB // 8
    assert precopy.left_after([PrecopyRound(32 * MIB, 100.0)], VM) == 32 * MIB  # there is no more than all of it


def test_the_machine_is_paused_when_the_rest_fits_into_the_downtime() -> None:
    assert not precopy.may_pause([], VM)
    assert precopy.may_pause([PrecopyRound(32 * MIB, 2.0)], VM)  # 2 MiB at 16 MiB/s: 0.125 s
    assert not precopy.may_pause([PrecopyRound(32 * MIB, 8.0)], VM)  # 8 MiB at 4 MiB/s: 2 s


def test_a_machine_that_writes_faster_than_is_copied_is_given_up() -> None:
    slow = [PrecopyRound(32 * MIB, 64.0)] * precopy.MOST_ROUNDS
    assert precopy.gives_up(slow[:-1], VM) is None
    said = precopy.gives_up(slow, VM)
    assert said is not None
    assert "does not converge: after 30 rounds 33554432 B are left; the machine writes 8.4 Mbit/s and 4.2" in said


def test_the_expected_time_is_that_of_the_rounds() -> None:
    # 2 s, then rounds of 1/16 of the one before until one fits into 0.3 s: 0.125 s.
    assert precopy.expected_time_s(32 * MIB, MIB, 16 * MIB, 0.3) == pytest.approx(2.125)
    assert precopy.expected_time_s(32 * MIB, 16 * MIB, 16 * MIB, 0.3) == float("inf")
    # After 30 rounds 2 s * 0.95^30 = 0.43 s are left, so that it is given up; with a longer pause it is not.
    assert precopy.expected_time_s(32 * MIB, 15.2 * MIB, 16 * MIB, 0.3) == float("inf")
    assert precopy.expected_time_s(32 * MIB, 15.2 * MIB, 16 * MIB, 0.5) < 40.0


def test_servers_are_filled_one_after_another_and_have_machines_of_others() -> None:
    plan = plan_of()
    assert {s.name: [h.name for h in plan.vms_on(s.name)] for s in plan.servers} == {
        "server0": ["h0", "h1", "v0"],
        "server1": ["h2", "v1"],
        "server2": ["h3", "h4", "v2"],
        "server3": ["h5", "v3"],
    }
    assert [(s.address, s.leaf) for s in plan.servers[1:3]] == [("10.64.0.202", 0), ("10.64.1.201", 1)]
    assert [h.server for h in plan.hosts if h.name.startswith("n")] == ["", ""]
    assert len({h.address for h in plan.hosts}) == len(plan.hosts)
    assert ResolvedLab.from_json(plan.to_json()) == plan


def test_virtual_machines_share_their_servers_uplink() -> None:
    plan = plan_of()
    assert plan.path("h0", "h1") == [("h0", "server0"), ("server0", "h1")]
    assert plan.path("h0", "h2") == [
        ("h0", "server0"),
        ("server0", "leaf0"),
        ("leaf0", "server1"),
        ("server1", "h2"),
    ]
    assert plan.path("n0", "h5") == [("n0", "leaf0"), ("leaf0", "leaf1"), ("leaf1", "server3"), ("server3", "h5")]
    assert plan.bottlenecks("h0", "h3") == [("server0", "leaf0"), ("leaf1", "server2")]
    assert ("h1", "h5") in plan.shared_bottlenecks()["h0", "h3"]
    assert plan.relays_around("h3", "h0", [("leaf0", "server0")]) == []


def test_a_moved_machine_has_its_link_on_the_other_server() -> None:
    plan = plan_of().with_vm_on("h0", "server1")
    assert plan.path("h0", "h2") == [("h0", "server1"), ("server1", "h2")]
    assert plan.link_of("h0").b == "server1"
    server = next(space for space in recipe.namespaces(plan) if space.name == "server1")
    assert {"link set h0 up master br0", "link set leaf0 up master br0"} <= set(server.ip)


@pytest.mark.parametrize(
    ("vm", "server", "said"),
    [
        ("h0", "server1", None),
        ("h5", "server2", "server2 has no room: 4 virtual machines need 4 of cpus, it has 3"),
        ("h0", "server0", "h0 is already on server0"),
        ("h0", "server3", "server3 is in another network (leaf1): h0 would lose its address there"),
        ("h0", "server9", "lab s has no server 'server9', it has server0, server1, server2, server3"),
        ("n0", "server1", "n0 is not a virtual machine of lab s, which has h0, h1, h2, h3, h4, h5, v0, v1, v2, v3"),
    ],
)
def test_moves_that_cannot_be_are_refused_in_words(vm: str, server: str, said: str | None) -> None:
    assert refusal(plan_of(), vm, server) == said


def test_a_lab_without_servers_refuses() -> None:
    plan = plan_of(SERVERS[: SERVERS.index("[servers]")])
    assert refusal(plan, "h0", "server0") == "lab s has no servers: its hosts are machines of their own"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("cpus = 3", "cpus = 2", "lab.toml:15: servers.cpus: 3 virtual machines need 3, a server has 2"),
        ("cpus = 3", 'memory = "100MiB"', "memory: 3 virtual machines need 201326592 B, a server has 104857600 B"),
        ("hosts_per_leaf = 3", "hosts_per_leaf = 5", "2 servers with 2 virtual machines each have no place for"),
        ('dirty_rate = "8mbit"', "dirty_rate = 8", "servers.vm.dirty_rate: 8 is not a rate"),
    ],
)
def test_mistakes_in_servers_are_told_by_line_and_key(old: str, new: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_of(SERVERS.replace(old, new))
    assert complaint in str(caught.value)
