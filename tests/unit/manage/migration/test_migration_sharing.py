"""What paths share after machines have moved: as the network has it, from a characterization made before."""

import json
import random
import tracemalloc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.characterize.samples import Bools
from fairlead.characterize.score import Score, score, truth_of
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.cloud.inventory import Inventory, Server, Vm
from fairlead.lab import description
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.topology import ResolvedLab
from fairlead.manage.migration import sharing as sharing_module
from fairlead.manage.migration import stand_ins
from fairlead.manage.migration.counting import counted
from fairlead.manage.migration.grouped import Fills, GroupedSharing
from fairlead.manage.migration.kinds import Kinds
from fairlead.manage.migration.relation import Places, Relation
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.migration.threes import threes
from fairlead.protocol import answers, commands

from .dense_relation import DenseRelation

EXAMPLES = Path(__file__).parents[4] / "examples"
NAMES = [f"h{number}" for number in range(8)]


def truth(plan: ResolvedLab) -> Bools:
    return truth_of(plan.shared_bottlenecks(), NAMES)


def of_pairs(hurts: Bools) -> SharedBottlenecks:
    """In which each host stands for itself."""
    off = ~np.eye(len(hurts), dtype=bool)
    return SharedBottlenecks.of_pairs(Sensitivity(hurts, off, np.where(off, 1e-4, np.nan)), np.full(off.shape, 1e9))


def grouped(hurts: Bools) -> GroupedSharing:
    return GroupedSharing.characterized(of_pairs(hurts))


def after(hurts: Bools, before: Places, now: Places) -> Bools:
    return Relation(grouped(hurts), before).after(now).dense()


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
    found = after(truth(plan), places(plan), places(now))
    assert now != plan
    assert score(found, truth(now)).missed == 0
    assert score(found, truth(now)).invented == 0
    assert score(truth(plan), truth(now)).missed > 0, "nothing was to be found out"


@pytest.mark.parametrize("seed", range(4))
def test_what_a_move_within_a_leaf_does_not_change_stays(seed: int) -> None:
    """Trunks are the bottlenecks, and no two machines of a leaf were on different servers."""
    plan = resolve_lab(description.load(EXAMPLES / "mesh-servers8.toml"))
    now = moved(plan, seed, 4)
    assert score(after(truth(plan), places(plan), places(now)), truth(now)) == Score(240, 0, 0)


def test_more_machines_on_a_server_than_were_seen_is_not_known(tmp_path: Path) -> None:
    """A third one: what was found for two stays, which is mostly right, and better than nothing said."""
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    now = plan.with_vm_on("h0", "server1")
    found = score(after(truth(plan), places(plan), places(now)), truth(now))
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
    assert (after(hurts, before, now) == hurts).all()


def test_machines_that_come_back_share_what_they_did() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    hurts = truth(plan)
    hurts[0, 4, 7, 2] = True  # a measured relation has its chance finds, which are its own
    assert (after(hurts, places(plan), places(plan)) == hurts).all()


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


def told(shares: Any) -> GroupedSharing:
    """What an agent reads."""
    groups = np.array(shares["groups"])
    cells = np.zeros((groups.max() + 1,) * 4, dtype=bool)
    for k, m, hurt in shares["hurts"]:
        for i, j in hurt:
            cells[k, m, i, j] = True
    return GroupedSharing(groups, cells, np.array([[int(digit) for digit in row] for row in shares["fills"]], np.uint8))


def inventory_of(plan: ResolvedLab) -> Inventory:
    servers = tuple(Server(server.name, plan.leafs[server.leaf], 1, 1, 1) for server in plan.servers)
    vms = tuple(Vm(h.name, h.server, 1, 1, 1, 0, 0.1) for h in plan.hosts if h.server)
    return Inventory(servers, vms)


def test_all_agents_are_told_once_when_a_machine_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    now = plan.with_vm_on("h0", "server4")
    agents = Agents(3)
    sharing = Sharing(agents, NAMES, of_pairs(truth(plan)))
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
    assert (told(agents.told[0][1].shares).dense() == truth(now)).all()

    assert sharing.see(inventory_of(now)) is None
    assert len(agents.told) == 8, "not yet"
    monkeypatch.setattr(sharing_module, "TELL_AGAIN_S", 0.0)
    sharing = Sharing(agents, NAMES, of_pairs(truth(plan)))
    sharing.see(inventory_of(plan))
    sharing.see(inventory_of(now))
    agents.silent.clear()
    agents.told.clear()
    assert sharing.see(inventory_of(now)) is None
    assert [host for host, _ in agents.told] == [3]
    assert sharing.see(inventory_of(now)) is None
    assert len(agents.told) == 1


def test_the_end_of_the_program_does_not_wait_for_agents_that_are_to_be_told() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "servers8.toml"))
    agents = Agents(*range(8))
    sharing = Sharing(agents, NAMES, of_pairs(truth(plan)))
    sharing.see(inventory_of(plan))
    now = inventory_of(plan.with_vm_on("h0", "server4"))
    assert sharing.see(now, lambda: len(agents.told) >= 2) is None
    assert [host for host, _ in agents.told] == [0, 1]


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
    sharing = Sharing(agents, NAMES, of_pairs(truth(plan)))
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


# ---------------------------------------------------------------- by groups as by all pairs of paths


def drawn(seed: int) -> tuple[GroupedSharing, Places, Places]:
    """Up to twelve hosts in groups, on servers in networks; what they share makes sense or none; some of them move."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(3, 13))
    of = np.unique(draw.integers(0, draw.integers(1, 6), count), return_inverse=True)[1]
    groups = int(of.max()) + 1
    if seed % 2:
        a, b, c, d = np.indices((groups,) * 4)
        cells = (a != b) & (c != d) & (a == c) & ((b == d) | (draw.random() < 0.5))
        fills = np.where(of[:, None] == of[None, :], 6, 1).astype(np.uint8)
    else:
        cells, fills = draw.random((groups,) * 4) < 0.4, draw.integers(0, 8, (count, count)).astype(np.uint8)
    np.fill_diagonal(fills, 0)
    servers = int(draw.integers(1, count + 1))
    network = draw.integers(0, 3, servers + 2)
    at = draw.integers(0, servers, count)
    now = at.copy()
    for host in draw.integers(0, count, draw.integers(1, 4)):
        now[host] = draw.integers(0, servers + 2)
    before, later = (Places(tuple(f"s{k}" for k in each), tuple(f"n{network[k]}" for k in each)) for each in (at, now))
    return GroupedSharing(of.astype(np.int64), cells, fills), before, later


@pytest.mark.parametrize("seed", range(60))
def test_groups_say_what_all_pairs_of_paths_say(seed: int) -> None:
    sharing, before, now = drawn(seed)
    hurts = sharing.dense()
    relation, expected = Relation(sharing, before), DenseRelation(hurts, before).after(now)
    found = relation.after(now)
    np.testing.assert_array_equal(found.dense(), expected)
    assert relation.differing(found, sharing, now) == (expected != hurts).sum()
    np.testing.assert_array_equal(told(found.to_json()).dense(), expected)


@pytest.mark.parametrize("seed", range(60, 120))
def test_paths_are_counted_by_kinds_as_one_by_one(seed: int) -> None:
    sharing, before, _ = drawn(seed)
    one_by_one = DenseRelation(sharing.dense(), before).counts()
    found = Relation(sharing, before)._alike
    numbers = zip(found.every.tolist(), found.hurt.tolist(), strict=True)
    assert dict(zip(found.layouts.tolist(), numbers, strict=True)) == one_by_one


def test_kinds_of_single_hosts_are_counted() -> None:
    """Two hosts on two servers: two paths, each the other's reverse."""
    cells = np.zeros((2,) * 4, dtype=bool)
    cells[0, 1, 1, 0] = True
    fills = np.array([[0, 1], [1, 0]], dtype=np.uint8)
    found = counted(Kinds(np.array([0, 1]), np.array([0, 1]), np.array([0, 0]), cells, fills))
    assert (found.every.tolist(), found.hurt.tolist()) == ([2.0], [1.0])


def racks(hosts: int, leafs: int, on_a_server: int, *, by_server: bool) -> tuple[GroupedSharing, Places, Places]:
    """Leafs on two spines, or servers with slow uplinks; the sixth host moves within its leaf."""
    leaf, server = np.arange(hosts) * leafs // hosts, np.arange(hosts) // on_a_server
    of = server if by_server else leaf
    a, b, c, d = np.indices((int(of.max()) + 1,) * 4, sparse=True)
    cells = (a != b) & (c != d) & ((a == c) | (b == d)) & (by_server | ((a + b) % 2 == (c + d) % 2))
    fills = np.where(of[:, None] == of[None, :], 0 if by_server else 6, 1).astype(np.uint8)
    np.fill_diagonal(fills, 0)
    leaf_of = leaf[np.unique(server, return_index=True)[1]]
    now = server.copy()
    now[5] = np.flatnonzero((leaf_of == leaf[5]) & (np.arange(len(leaf_of)) != server[5]))[-1]
    before, later = (
        Places(tuple(f"s{k}" for k in each), tuple(f"l{leaf_of[k]}" for k in each)) for each in (server, now)
    )
    return GroupedSharing(of.astype(np.int64), cells, fills), before, later


@pytest.mark.parametrize("by_server", [False, True])
@pytest.mark.parametrize(("hosts", "leafs", "on_a_server"), [(12, 3, 2), (16, 4, 2), (16, 2, 4)])
def test_some_hosts_stand_for_all(
    hosts: int, leafs: int, on_a_server: int, by_server: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing, before, now = racks(hosts, leafs, on_a_server, by_server=by_server)
    expected = DenseRelation(sharing.dense(), before).after(now)
    monkeypatch.setattr(stand_ins, "ALL", 0)
    relation = Relation(sharing, before)
    found = relation.after(now)
    np.testing.assert_array_equal(found.dense(), expected)
    assert relation.differing(found, sharing, now) == (expected != sharing.dense()).sum()


def test_of_many_hosts_few_are_looked_at() -> None:
    _, before, now = racks(256, 16, 4, by_server=False)
    moved = np.arange(256) == 5
    some = stand_ins.stand_ins(np.arange(256) // 16, moved, before.servers, now.servers)
    assert len(some.hosts) <= 16 * 5 + 8 and 5 in some.hosts
    assert some.weight.sum() == 256, "they stand for all"
    assert {int(kind) for kind in some.hosts // 16} == set(range(16))


@pytest.mark.parametrize("seed", range(12))
def test_threes_stand_for_all_of_the_hosts_looked_at(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where some hosts fill other links than those beside them do."""
    monkeypatch.setattr(stand_ins, "ALL", 0)
    leafs, on_a_server = (2, 4) if seed % 2 else (4, 2)
    sharing, before, now = racks(16, leafs, on_a_server, by_server=seed % 3 > 0)
    draw, fills = np.random.default_rng(seed), sharing.fills.copy()
    for k, m in draw.integers(0, 16, (seed // 3, 2)):
        fills[k, m] = draw.integers(0, 8)
    np.fill_diagonal(fills, 0)
    moved = np.array([a != b for a, b in zip(before.servers, now.servers, strict=True)])
    some = stand_ins.stand_ins(sharing.of, moved, before.servers, now.servers)
    expected: Counter[tuple[int, ...]] = Counter()
    for three in product(some.hosts.tolist(), repeat=3):
        expected[_seen(three, some, fills)] += float(np.prod(some.weight[list(three)]))
    found: Counter[tuple[int, ...]] = Counter()
    looked_at = 0
    for part in threes(some, fills):
        for *three, number in zip(*(each.tolist() for each in part.hosts), part.number.tolist(), strict=True):
            found[_seen(three, some, fills)] += number
            looked_at += 1
    assert dict(found) == pytest.approx(dict(expected))
    if seed < 3:  # with the third, both hosts of each server are looked at: each has a number of its own
        may_change = len(set(some.exchangeable[some.hosts].tolist())) < len(some.hosts)
        assert (may_change, looked_at < len(some.hosts) ** 3) == (seed < 2, seed < 2)


def _seen(three: Sequence[int], some: stand_ins.StandIns, fills: Fills) -> tuple[int, ...]:
    """What may matter of three hosts."""
    two = list(permutations(range(3), 2))
    same = [three[a] == three[b] for a, b in two]
    return (*some.alike[list(three)].tolist(), *same, *(int(fills[three[a], three[b]]) for a, b in two))


def test_of_many_groups_few_threes_are_looked_at() -> None:
    sharing, before, now = racks(256, 16, 4, by_server=True)
    some = stand_ins.stand_ins(sharing.of, np.arange(256) == 5, before.servers, now.servers)
    assert len(some.hosts) == 62 * 3 + 8, "each of the servers that the machine left and came to"
    assert sum(len(part.number) for part in threes(some, sharing.fills)) == 356_082, "nearly 70^3, not 194^3"
    noisy = sharing.fills.copy()
    noisy[100, 200] = 7
    assert sum(len(part.number) for part in threes(some, sharing.fills, noisy)) == 386_700, "two hosts by themselves"


@pytest.mark.parametrize(
    ("groups", "on_a_server", "by_server", "told_at_most_B"),
    [(16, 4, False, 2e6), (32, 8, True, 2e6), (64, 4, True, 8e6)],
)
def test_256_hosts_need_little_memory(groups: int, on_a_server: int, by_server: bool, told_at_most_B: float) -> None:
    """By all pairs of paths it were 4 GB."""
    sharing, before, now = racks(256, 16, on_a_server, by_server=by_server)
    tracemalloc.start()
    try:
        relation = Relation(sharing, before)
        found = relation.after(now)
        changed = relation.differing(found, sharing, now)
        most_B = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most_B < 120e6
    assert (changed > 0) == by_server, "what leafs share a move within one does not change"
    assert len(json.dumps(found.to_json())) < told_at_most_B
    assert groups < len(found.cells) <= groups + 3


def test_a_machine_on_another_server_shares_the_uplink_of_that_one() -> None:
    sharing, before, now = racks(64, 4, 8, by_server=True)
    found = Relation(sharing, before).after(now)
    old, new = 4, 8  # hosts beside it, before and now

    def hurts(host: int, other: int, far: int = 40, further: int = 60) -> bool:
        return bool(found.hurts(*(np.array(each) for each in (host, far, other, further))))

    assert now.servers[5] == before.servers[new] and hurts(5, new) and hurts(new, 5)
    assert not hurts(5, old) and not hurts(old, 5)
    assert hurts(old, 3) and not hurts(old, new)
