"""Paths, bottlenecks and what the kernel is told, from descriptions alone."""

import json
from collections import Counter
from pathlib import Path

import pytest

from fairlead.config import parse
from fairlead.lab import addressing, description, recipe
from fairlead.lab.congestion.description import Streams
from fairlead.lab.congestion.streams import host_pairs
from fairlead.lab.description import Description
from fairlead.lab.lab import cluster_file_text
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.topology import ResolvedLab


def plan_of(topology: str, **lab: int | str) -> ResolvedLab:
    keys = "".join(f"{key} = {value}\n" for key, value in lab.items())
    trunk = "" if topology == "star" else '[trunk]\nrate = "200mbit"\nqueue = "20ms"\n'
    text = f'[lab]\nname = "x"\ntopology = "{topology}"\n{keys}[host_link]\nrate = "1gbit"\n{trunk}'
    return resolve_lab(parse(text, Description, source="x"))


MESH = plan_of("mesh", leafs=4, hosts_per_leaf=2, neighbours_per_leaf=2)
STAR = plan_of("star", hosts_per_leaf=4)
EXAMPLES = Path(__file__).parents[3] / "examples"


def test_ranks_fill_leaf_after_leaf_and_neighbours_are_no_compute_hosts() -> None:
    assert [(h.name, h.leaf, h.address) for h in MESH.hosts[:4]] == [
        ("h0", 0, "10.64.0.1"),
        ("h1", 0, "10.64.0.2"),
        ("h2", 1, "10.64.1.1"),
        ("h3", 1, "10.64.1.2"),
    ]
    assert Counter(h.role for h in MESH.hosts) == {"compute": 8, "other": 8}
    assert len({h.address for h in MESH.hosts}) == 16


def test_a_mesh_joins_every_pair_of_leafs_by_one_trunk() -> None:
    trunks = [(link.a, link.b) for link in MESH.links if link.addresses]
    assert len(trunks) == 6 == len(set(map(frozenset, trunks)))
    assert MESH.path("h0", "h2") == [("h0", "leaf0"), ("leaf0", "leaf1"), ("leaf1", "h2")]
    assert MESH.path("h0", "h1") == [("h0", "leaf0"), ("leaf0", "h1")]
    assert MESH.bottlenecks("h2", "h0") == [("leaf1", "leaf0")]


def test_pairs_of_the_same_two_leafs_share_a_trunk_in_one_direction_only() -> None:
    shared = MESH.shared_bottlenecks()
    assert shared["h0", "h2"] == {("h0", "h3"), ("h1", "h2"), ("h1", "h3")}
    assert ("h2", "h0") not in shared["h0", "h2"]
    assert not any("n0" in pair for pair in shared)


def test_on_a_star_pairs_share_the_links_of_their_ends() -> None:
    shared = STAR.shared_bottlenecks()
    assert shared["h0", "h1"] == {("h0", "h2"), ("h0", "h3"), ("h2", "h1"), ("h3", "h1")}


@pytest.mark.parametrize(("leafs", "spines"), [(4, 2), (4, 3), (5, 2), (6, 5), (2, 1)])
def test_leaf_spine_pairs_have_one_spine_both_ways_and_spread_evenly(leafs: int, spines: int) -> None:
    plan = plan_of("leaf-spine", leafs=leafs, spines=spines, hosts_per_leaf=1)
    uses = Counter()
    for i in range(leafs):
        for j in range(leafs):
            if i != j:
                forward, back = plan.path(f"h{i}", f"h{j}"), plan.path(f"h{j}", f"h{i}")
                assert [(b, a) for a, b in reversed(back)] == forward
                uses[forward[1]] += 1
    assert max(uses.values()) <= -(-(leafs - 1 + leafs % 2) // spines)


def test_with_a_spine_for_every_round_no_two_paths_share_an_uplink() -> None:
    plan = plan_of("leaf-spine", leafs=4, spines=3, hosts_per_leaf=1)
    assert all(not others for others in plan.shared_bottlenecks().values())


def test_plan_survives_json() -> None:
    for plan in (MESH, STAR, plan_of("leaf-spine", leafs=3, spines=2, hosts_per_leaf=1, relays_per_leaf=1)):
        assert ResolvedLab.from_json(plan.to_json()) == plan


def test_both_ends_of_every_link_are_shaped_alike() -> None:
    spaces = {space.name: space for space in recipe.namespaces(MESH)}
    assert spaces["h0"].tc == ("qdisc add dev eth0 root handle 1: tbf rate 1000000000bit burst 16384 limit 2500000",)
    towards = [line for line in spaces["leaf2"].tc if " leaf1 " in line]
    assert towards == ["qdisc add dev leaf1 root handle 1: tbf rate 200000000bit burst 16384 limit 500000"]
    assert sum(len(space.tc) for space in spaces.values()) == 2 * len(MESH.links)


def test_no_packet_is_too_large_for_a_shaper() -> None:
    smallest_burst_B = min(link.burst_B for link in MESH.links)
    assert recipe.largest_packet_B(MESH) == max(3000, smallest_burst_B * 3 // 4)
    hosts = [space for space in recipe.namespaces(MESH) if space.is_host]
    assert all(f"link set eth0 up gso_max_size {recipe.largest_packet_B(MESH)}" in host.ip for host in hosts)


def test_only_switches_forward() -> None:
    for space in recipe.namespaces(MESH):
        assert ("net/ipv4/ip_forward" in space.sysctls) == (not space.is_host)


def test_leafs_route_to_every_other_leaf_over_the_trunk_between_them() -> None:
    leaf = next(space for space in recipe.namespaces(MESH) if space.name == "leaf2")
    link = next(link for link in MESH.links if {link.a, link.b} == {"leaf0", "leaf2"})
    assert f"route add 10.64.0.0/24 via {dict(zip((link.a, link.b), link.addresses, strict=True))['leaf0']}" in leaf.ip


@pytest.mark.parametrize("family", [4, 6])
def test_leafs_that_choose_a_spine_for_each_connection_have_all_as_next_hops(family: int) -> None:
    plan = plan_of("leaf-spine", leafs=3, spines=2, hosts_per_leaf=2, neighbours_per_leaf=1, ecmp="true", family=family)
    assert plan.ecmp and ResolvedLab.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    ends = {(link.a, link.b): link.addresses[1] for link in plan.links if link.addresses}
    spaces = {space.name: space for space in recipe.namespaces(plan)}
    network = "10.64.1.0/24" if family == 4 else "fd00:64:1::/64"
    hops = f"nexthop via {ends['leaf0', 'spine0']} nexthop via {ends['leaf0', 'spine1']}"
    assert f"route add {network} {hops}" in spaces["leaf0"].ip
    neighbour = next(host for host in plan.hosts if host.role == "other" and host.leaf == 1)
    fixed = f"spine{plan.spine_of[0][1]}"
    assert f"route add {neighbour.address} via {ends['leaf0', fixed]}" in spaces["leaf0"].ip
    key = f"net/ipv{family}/fib_multipath_hash"
    for name, space in spaces.items():
        hashes = {sysctl: value for sysctl, value in space.sysctls.items() if "multipath" in sysctl}
        expected = {} if name in plan.host_by_name else {f"{key}_fields": "55", f"{key}_policy": "3"}
        assert hashes == expected, name


def test_a_lab_of_ipv6_has_the_same_network_with_other_addresses() -> None:
    six = plan_of("mesh", leafs=4, hosts_per_leaf=2, neighbours_per_leaf=2, family=6)
    assert (MESH.family, six.family) == (4, 6)
    assert [host.address for host in six.hosts[:4]] == ["fd00:64::1", "fd00:64::2", "fd00:64:1::1", "fd00:64:1::2"]
    assert [link.addresses for link in six.links if link.addresses][1] == ("fd00:65::5", "fd00:65::6")
    assert ResolvedLab.from_json(json.loads(json.dumps(six.to_json()))) == six
    assert six.shared_bottlenecks() == MESH.shared_bottlenecks()
    spaces = {space.name: space for space in recipe.namespaces(six)}
    for line in (
        "addr add fd00:64:1::1/64 nodad dev eth0 noprefixroute",
        "route add fd00:64:1::/64 dev eth0 scope link src fd00:64:1::1{congctl}",
        "route add default via fd00:64:1::fe{congctl}",
        "neigh replace fd00:64:1::fe lladdr 02:fa:64:01:00:fe dev eth0 nud permanent",
    ):
        assert line in spaces["h2"].ip
    assert "route add fd00:64::/64 via fd00:65::5" in spaces["leaf2"].ip
    assert spaces["leaf2"].sysctls["net/ipv6/conf/all/forwarding"] == "1"
    assert {space.sysctls["net/ipv6/conf/all/disable_ipv6"] for space in spaces.values()} == {"0"}
    macs = [addressing.mac(host.address) for host in six.hosts]
    assert len(set(macs)) == len(macs)


def test_connections_of_ipv6_are_counted() -> None:
    text = '[lab]\nname = "x"\ntopology = "star"\nhosts_per_leaf = 1\ncount_flows = true\nfamily = 6\n'
    plan = resolve_lab(parse(text + '[host_link]\nrate = "100mbit"\n', Description, source="x"))
    rule = "ip6 nexthdr tcp update @flows { ip6 saddr . tcp sport . ip6 daddr . tcp dport }"
    host = recipe.namespaces(plan)[0].nft
    assert host[-1] == f"add rule netdev lab eth0 {rule}"
    assert "type ipv6_addr . inet_service . ipv6_addr . inet_service;" in host[1]


def test_cluster_file_holds_every_host_with_its_role() -> None:
    import tomllib

    data = tomllib.loads(cluster_file_text(MESH))
    assert data["cluster"] == {"name": "x", "executor": "lab", "lab": "x", "interface": "eth0"}
    assert data["hosts"][0] == {"name": "h0", "address": "10.64.0.1", "slots": 1, "role": "compute"}
    assert [host["name"] for host in data["hosts"]] == [host.name for host in MESH.hosts]


def test_streams_between_leafs_use_their_neighbours() -> None:
    between = Streams(kind="streams", between=("leaf0", "leaf3"), streams=8)
    assert host_pairs(between, MESH) == [("n0", "n6"), ("n1", "n7")]
    assert host_pairs(Streams(kind="streams", between=("leaf0", "leaf3"), streams=1), MESH) == [("n0", "n6")]


def _leafs_around(plan: ResolvedLab, source: int, destination: int, loaded: tuple[int, int]) -> set[int]:
    """Leafs whose hosts are relays around trunks loaded between two other leafs' neighbours; hosts are on leafs."""
    on_leaf = {k: [host.name for host in plan.hosts if host.leaf == k and host.role == "compute"] for k in range(4)}
    traffic = [
        link
        for ends in (loaded, loaded[::-1])
        for link in plan.path(on_leaf[ends[0]][0], on_leaf[ends[1]][0])
        if link[0] in plan.switches and link[1] in plan.switches
    ]
    relays = plan.relays_around(on_leaf[source][0], on_leaf[destination][0], traffic)
    return {plan.host_by_name[name].leaf for name in relays}


def test_detours_around_a_loaded_trunk_of_a_mesh_lead_over_the_other_leafs() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "mesh16.toml"))
    assert _leafs_around(plan, 0, 1, (0, 1)) == {2, 3}
    plan = resolve_lab(description.load(EXAMPLES / "dmcbm" / "one-path18.toml"))
    assert _leafs_around(plan, 0, 1, (0, 1)) == {2}


def test_detours_in_a_leaf_spine_with_fixed_spines_depend_on_who_shares_the_spine() -> None:
    """What docs/guides/compare.md says of examples/leaf-spine16.toml."""
    plan = resolve_lab(description.load(EXAMPLES / "leaf-spine16.toml"))
    assert [plan.spine_of[i][j] for i, j in ((0, 1), (2, 3))] == [1, 1]
    assert [plan.spine_of[i][j] for i, j in ((0, 2), (0, 3), (1, 2), (1, 3))] == [0, 0, 0, 0]
    # Leafs 0 and 1 have spine 1 for themselves: both other leafs lead around.
    assert _leafs_around(plan, 0, 1, (0, 1)) == {2, 3}
    # Leafs 0 and 2 share spine 0 with others: each detour crosses the loaded link out of leaf 0 or into leaf 2.
    assert _leafs_around(plan, 0, 2, (0, 2)) == set()
    # A pair that shares only one of the two loaded links gets around it over the leaf that it meets on spine 1.
    assert _leafs_around(plan, 0, 3, (0, 2)) == {1}
    assert _leafs_around(plan, 1, 2, (0, 2)) == {3}


def test_on_a_star_nothing_leads_around_a_loaded_host() -> None:
    plan = resolve_lab(description.load(EXAMPLES / "star8.toml"))
    assert plan.relays_around("h0", "h1", [("switch", "h1")]) == []


def test_a_bond_is_as_wide_as_its_nics_where_they_carry_different_packets() -> None:
    text = """
    [lab]
    name = "x"
    topology = "star"
    hosts_per_leaf = 2
    [host_link]
    rate = "100mbit"
    nics = 4
    bond = { mode = %s }
    """
    widths = {}
    for mode in ('"0"', '"active-backup"', '"802.3ad"', '"3"'):
        plan = resolve_lab(parse(text % mode, Description, source="x"))
        assert ResolvedLab.from_json(json.loads(json.dumps(plan.to_json()))) == plan
        bond = plan.links[0].bond
        assert bond is not None
        widths[bond.mode, bond.hash, bond.switch] = plan.rate_by_link["h0", "switch"]
    assert widths == {
        ("balance-rr", "", "round-robin"): 400_000_000,
        ("active-backup", "", ""): 100_000_000,
        ("802.3ad", "layer2", "layer2"): 400_000_000,
        ("broadcast", "", ""): 100_000_000,
    }


def test_an_aggregated_link_is_a_class_and_a_queue_a_nic_at_both_ends() -> None:
    text = (
        '[lab]\nname = "x"\ntopology = "star"\nhosts_per_leaf = 1\ncount_flows = true\n'
        '[host_link]\nrate = "100mbit"\nnics = 2\nbond = { mode = "balance-rr" }\n'
    )
    plan = resolve_lab(parse(text, Description, source="x"))
    assert [line.split()[3] for line in recipe.links(plan)] == ["eth0"]
    host, switch = recipe.namespaces(plan)
    shaped = "htb rate 100000000bit ceil 100000000bit burst 16384 cburst 16384 quantum 12288"
    assert host.tc == (
        "qdisc add dev eth0 root handle 1: htb default 1",
        f"class add dev eth0 parent 1: classid 1:1 {shaped}",
        "qdisc add dev eth0 parent 1:1 handle 11: bfifo limit 250000",
        f"class add dev eth0 parent 1: classid 1:2 {shaped}",
        "qdisc add dev eth0 parent 1:2 handle 12: bfifo limit 250000",
    )
    assert switch.tc == tuple(line.replace("dev eth0", "dev h0") for line in host.tc)
    in_turn = "meta priority set numgen inc mod 2 map { 0 : 1:1, 1 : 1:2 }"
    assert host.nft[-1] == f"add rule netdev lab eth0 {in_turn}"
    assert "tcp sport" in host.nft[-2]
    assert switch.nft[-1] == f"add rule netdev lab h0 {in_turn}"


def test_a_scaled_lab_has_other_rates_and_the_same_times() -> None:
    text = (
        '[lab]\nname = "x"\ntopology = "mesh"\nleafs = 2\nhosts_per_leaf = 1\n%s\n'
        '[host_link]\nrate = "1gbit"\nqueue = "128KiB"\nburst = "32KiB"\n'
        '[trunk]\nrate = "200mbit"\nqueue = "20ms"\n'
    )
    plain = resolve_lab(parse(text % "", Description, source="x"))
    scaled = resolve_lab(parse(text % "scale = 0.1", Description, source="x"))
    assert (plain.scale, scaled.scale) == (1.0, 0.1)
    assert scaled == resolve_lab(parse(text % "", Description, source="x"), scale=0.1), "either way"
    for before, after in zip(plain.links, scaled.links, strict=True):
        assert after.rate_bps == before.rate_bps / 10
        assert after.queue_B / after.rate_bps == pytest.approx(before.queue_B / before.rate_bps, rel=1e-3)
        assert after.burst_B == before.burst_B
    tiny = resolve_lab(parse(text % "scale = 0.001", Description, source="x"))
    assert {link.queue_B for link in tiny.links} == {2 * description.FRAME_B}, "or nothing would pass"
    assert ResolvedLab.from_json(json.loads(json.dumps(scaled.to_json()))) == scaled


def test_a_migration_keeps_its_time_in_a_scaled_lab() -> None:
    described = description.load(EXAMPLES / "servers8.toml")
    plain, scaled = resolve_lab(described), resolve_lab(described, scale=0.2)
    assert plain.vm is not None
    assert scaled.vm is not None
    rates = [(plan.link_of("server0").rate_bps, plan.vm) for plan in (plain, scaled)]
    copies_s = [8 * vm.memory_B / rate_bps for rate_bps, vm in rates if vm is not None]
    assert copies_s[0] == pytest.approx(copies_s[1], rel=1e-3)
    assert scaled.vm.dirty_Bps / plain.vm.dirty_Bps == pytest.approx(0.2)
    fits = [plan.servers[0].memory_B // plan.vm.memory_B for plan in (plain, scaled) if plan.vm is not None]
    assert fits[0] == fits[1]


def test_virtual_machines_that_fill_a_server_fill_it_scaled() -> None:
    described = description.load(EXAMPLES / "servers8.toml")
    servers = described.servers
    assert servers is not None
    vm = servers.vm.model_copy(update={"memory": 2**31})
    full = servers.model_copy(update={"vm": vm, "memory": 3 * 2**31})
    for scale in (0.1, 0.3, 0.77):
        plan = resolve_lab(described.model_copy(update={"servers": full}), scale=scale)
        assert plan.vm is not None
        assert 3 * plan.vm.memory_B <= plan.servers[0].memory_B
