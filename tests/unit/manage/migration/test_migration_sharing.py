"""What paths share after machines have moved: as the network has it, from a characterization made before."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.characterize.samples import Bools
from fairlead.characterize.score import Score, score, truth_of
from fairlead.cloud.inventory import Inventory, Server, Vm
from fairlead.lab import description
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.topology import ResolvedLab
from fairlead.manage.migration import sharing as sharing_module
from fairlead.manage.migration.relation import Places, Relation
from fairlead.manage.migration.sharing import Sharing
from fairlead.protocol import answers, commands

EXAMPLES = Path(__file__).parents[4] / "examples"
NAMES = [f"h{number}" for number in range(8)]


def truth(plan: ResolvedLab) -> Bools:
    return truth_of(plan.shared_bottlenecks(), NAMES)


def places(plan: ResolvedLab) -> Places:
    hosts = [plan.host_by_name[name] for name in NAMES]
    return Places(tuple(str(host.server) for host in hosts), tuple(plan.leafs[host.leaf] for host in hosts))


def moved(plan: ResolvedLab, seed: int, most_on_a_server: int) -> ResolvedLab:
    """The plan after one to three machines have moved within their leafs."""
    draw = random.Random(seed)
    for _ in range(draw.randint(1, 3)):
        vm = plan.host_by_name[draw.choice(NAMES)]
        free = [
            server.name
            for server in plan.servers
            if server.leaf == vm.leaf and server.name != vm.server and len(plan.vms_on(server.name)) < most_on_a_server
        ]
        plan = plan.with_vm_on(vm.name, draw.choice(free)) if free else plan
    return plan


@pytest.mark.parametrize("seed", range(12))
def test_shared_uplinks_follow_the_machines(seed: int) -> None:
    """At most two of the job's machines on a server, as the characterization saw it, and one of others on four."""
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    now = moved(plan, seed, 3)
    found = Relation(truth(plan), places(plan)).after(places(now))
    assert now != plan
    assert score(found, truth(now)).missed == 0
    assert score(found, truth(now)).invented == 0
    assert score(truth(plan), truth(now)).missed > 0, "nothing was to be found out"


@pytest.mark.parametrize("seed", range(4))
def test_what_a_move_within_a_leaf_does_not_change_stays(seed: int) -> None:
    """Trunks are the bottlenecks, and no two machines of a leaf were on different servers."""
    plan = resolve_lab(description.load(EXAMPLES / "mesh-servers8.toml"))
    now = moved(plan, seed, 4)
    assert score(Relation(truth(plan), places(plan)).after(places(now)), truth(now)) == Score(240, 0, 0)


def test_more_machines_on_a_server_than_were_seen_is_not_known(tmp_path: Path) -> None:
    """A third one: what was found for two stays, which is mostly right, and better than nothing said."""
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    now = plan.with_vm_on("h0", "server1")
    found = score(Relation(truth(plan), places(plan)).after(places(now)), truth(now))
    stale = score(truth(plan), truth(now))
    assert (found.missed, found.invented) == (4, 40)
    assert (stale.missed, stale.invented) == (156, 176)


def test_a_cloud_that_names_one_network_does_not_make_it_one(tmp_path: Path) -> None:
    """Two racks of eight servers with a machine each, and one trunk; the cloud tells of no racks."""
    racks = np.array([0] * 8 + [1] * 8)
    hurts = np.zeros((16,) * 4, dtype=bool)
    k, m, i, j = np.indices(hurts.shape, sparse=True)
    two = (k != m) & (i != j) & ~((k == i) & (m == j))
    crosses = (racks[k] == racks[i]) & (racks[m] == racks[j]) & (racks[k] != racks[m])
    hurts[two & (crosses | (k == i) | (m == j))] = True
    before = Places(tuple(f"s{each}" for each in range(16)), ("site",) * 16)
    now = replace(before, servers=("s16", *before.servers[1:]))
    assert (Relation(hurts, before).after(now) == hurts).all()


def test_machines_that_come_back_share_what_they_did() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    hurts = truth(plan)
    hurts[0, 4, 7, 2] = True  # a measured relation has its chance finds, which are its own
    assert (Relation(hurts, places(plan)).after(places(plan)) == hurts).all()


def test_a_host_that_is_no_machine_of_the_cloud_is_by_itself() -> None:
    inventory = Inventory(
        (Server("s", "leaf0", 1, 1, 1),), (Vm("a", "s", 1, 1, 1, 0, 0.1), Vm("c", "s", 1, 1, 1, 0, 0.1))
    )
    assert Places.of(inventory, ["a", "b", "c"]) == Places(("s", "host b", "s"), ("leaf0", "", "leaf0"))


class Agents:
    def __init__(self, *silent: int) -> None:
        self.told: list[tuple[int, commands.Shares]] = []
        self.silent = set(silent)

    def command_each(self, shares: Mapping[int, commands.Shares]) -> dict[int, Any]:
        self.told += shares.items()
        return {host: OSError() if host in self.silent else answers.Done() for host in shares}


def inventory_of(plan: ResolvedLab) -> Inventory:
    servers = tuple(Server(server.name, plan.leafs[server.leaf], 1, 1, 1) for server in plan.servers)
    vms = tuple(Vm(h.name, h.server, 1, 1, 1, 0, 0.1) for h in plan.hosts if h.server)
    return Inventory(servers, vms)


def test_all_agents_are_told_once_when_a_machine_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    now = plan.with_vm_on("h0", "server4")
    agents = Agents(3)
    sharing = Sharing(agents, NAMES, truth(plan))
    assert sharing.see(inventory_of(plan)) is None
    assert sharing.see(replace(inventory_of(plan), groups=())) is None
    words = sharing.see(inventory_of(now))
    wrong = score(truth(plan), truth(now))
    assert words is not None
    assert words == (
        f"the agents know that {wrong.missed + wrong.invented} pairs of paths share other links than before, "
        "except h3, which did not answer and will be told again"
    )
    assert [host for host, _ in agents.told] == list(range(8))
    relation = np.zeros((8,) * 4, dtype=bool)
    for k, m, hurt in agents.told[0][1].shares:
        for i, j in hurt:
            relation[k, m, i, j] = True
    assert (relation == truth(now)).all()

    assert sharing.see(inventory_of(now)) is None
    assert len(agents.told) == 8, "not yet"
    monkeypatch.setattr(sharing_module, "TELL_AGAIN_S", 0.0)
    sharing = Sharing(agents, NAMES, truth(plan))
    sharing.see(inventory_of(plan))
    sharing.see(inventory_of(now))
    agents.silent.clear()
    agents.told.clear()
    assert sharing.see(inventory_of(now)) is None
    assert [host for host, _ in agents.told] == [3]
    assert sharing.see(inventory_of(now)) is None
    assert len(agents.told) == 1


def test_without_detection_nobody_is_told() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    agents = Agents()
    sharing = Sharing(agents, NAMES, None)
    assert sharing.see(inventory_of(plan)) is None
    assert sharing.see(inventory_of(plan.with_vm_on("h0", "server4"))) is None
    assert agents.told == []


def test_an_agent_that_was_started_again_is_told_again() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    agents = Agents()
    sharing = Sharing(agents, NAMES, truth(plan))
    sharing.see(inventory_of(plan))
    sharing.forget(2)  # it was started with what was characterized, and no machine has moved
    sharing.see(inventory_of(plan))
    assert agents.told == []
    now = plan.with_vm_on("h0", "server4")
    sharing.see(inventory_of(now))
    before = agents.told[2][1]
    agents.told.clear()
    sharing.forget(2)
    assert sharing.see(inventory_of(now)) is None
    assert agents.told == [(2, before)]
