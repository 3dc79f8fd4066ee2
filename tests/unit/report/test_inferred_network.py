"""The inferred network on made-up ones: groups, links and meetings, what is slow, and how it is drawn."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.characterize.made_up_network import GBPS, LINK_DELAY_S, Network, leaf_spine, mesh, star

from fairlead.analysis.networks import inferred_network, shared_links, slow_paths
from fairlead.analysis.networks.inferred_network import InferredNetwork, Node
from fairlead.analysis.networks.slow_paths import SlowPaths
from fairlead.characterize.characterization import Characterization, MeasuredPart
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.measurement_plan import representatives
from fairlead.characterize.samples import Exchanges
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.report.network import characterization_report, host_ranges, network_graph, network_json, slow_words


def characterized(network: Network, slow: dict[tuple[int, int], float] | None = None) -> Characterization:
    """What a perfect measurement would find on a network; ``slow``: by how much some host pairs take longer.

    Hosts on a leaf are a group; a pair fills the slowest links of its path, as `Network.hurt_by` has it.
    """
    hosts, groups = network.hosts, HostGroups(network.leaf_of)
    first = [members[0] for members in groups.members]
    relation = _between_leafs(network, first)
    source, destination = np.indices((hosts, hosts))
    apart, same = source != destination, groups.of[:, None] == groups.of[None, :]
    cells = network.routes
    trunk = np.array(
        [[min([network.trunk_bps[k] for k in hops if k >= 0] or [np.inf]) for hops in row] for row in cells]
    )[groups.of[:, None], groups.of[None, :]]
    rates = np.where(apart, np.minimum(network.host_bps, trunk), np.nan)
    own = apart & same
    sensitivity = SharedBottlenecks(groups, relation, apart & ~same, own, own, apart, apart, rates)
    exchanges = [_exchanges(network, pair, (slow or {}).get(pair, 1.0)) for pair in representatives(groups, 1)]
    latency = LatencyMatrix.of(exchanges, hosts).filled(groups)
    names = tuple(f"h{k}" for k in range(hosts))
    return Characterization("made-up", names, names, (MeasuredPart(1, 0.0, 10.0),), latency, sensitivity, rates, run=1)


def _between_leafs(network: Network, first: list[int]) -> Sensitivity:
    count = len(first)
    relation = Sensitivity.unknown(count)
    for a in range(count):
        for b in range(count):
            if a != b:
                links = [k for k in network.routes[a, b] if k >= 0]
                least = min(network.trunk_bps[k] for k in links)
                full = [k for k in links if network.trunk_bps[k] == least]
                relation.hurts[a, b] = np.isin(network.routes, full).any(axis=2)
                relation.hurts[a, b, a, b] = False
                relation.effective[a, b], relation.limit_s[a, b] = True, 1e-4
    return relation


def _exchanges(network: Network, pair: tuple[int, int], times: float) -> Exchanges:
    one_way_s = LINK_DELAY_S * len(network.path(pair)) * times + np.linspace(0, 2e-6, 30)
    return Exchanges(pair, 64, 2 * one_way_s, one_way_s, 1e-7, True)


def _found(network: Network, slow: dict[tuple[int, int], float] | None = None) -> tuple[InferredNetwork, SlowPaths]:
    found = characterized(network, slow)
    inferred = inferred_network.infer(found)
    return inferred, slow_paths.find(found, inferred)


def test_a_star_is_one_group_with_the_links_of_its_hosts() -> None:
    network, slow = _found(star(8))
    assert [each.hosts for each in network.groups] == [tuple(range(8))]
    assert (network.links, network.meetings, network.joined) == ((), 0, ())
    np.testing.assert_array_equal(network.out_bps, np.full(8, 1e9))
    np.testing.assert_array_equal(network.in_bps, np.full(8, 1e9))
    assert network.groups[0].latency_s == pytest.approx([2 * LINK_DELAY_S + 1e-6])
    assert not slow


def test_a_mesh_has_a_link_for_each_two_groups_and_no_meetings() -> None:
    network, slow = _found(mesh(16))
    assert [each.hosts for each in network.groups] == [tuple(range(k, k + 4)) for k in (0, 4, 8, 12)]
    ends = {(each.tail.number, each.head.number) for each in network.links}
    assert ends == {(a, b) for a in range(4) for b in range(4) if a != b}
    assert all(each.tail.kind == each.head.kind == "group" for each in network.links)
    assert {each.rate_bps for each in network.links} == {0.2e9}
    assert network.links[0].latency_s == pytest.approx([3 * LINK_DELAY_S + 1e-6])
    assert (network.meetings, network.joined) == (0, ())
    assert not slow


def test_leafs_of_a_leaf_spine_network_have_a_link_to_each_spine() -> None:
    network, slow = _found(leaf_spine(64))
    # Two leafs, both even or both odd, use one spine, others the other one: it is the pairs that tell them apart.
    by_parity = [{0, 2, 4, 6}, {1, 3, 5, 7}, set(range(8))]
    reached = [
        {end.number for each in network.links for end in (each.tail, each.head)
         if end.kind == "group" and Node("meeting", meeting) in (each.tail, each.head)}
        for meeting in range(network.meetings)
    ]  # fmt: skip
    assert sorted(map(sorted, reached)) == sorted(map(sorted, by_parity))
    assert len(network.links) == 2 * 2 * 8  # each leaf's links to two spines, in two directions
    assert all(len(each.shared.crossed_by) in (3, 4) for each in network.links)
    assert not slow


def test_a_slow_trunk_is_one_slow_link_in_its_direction() -> None:
    made = leaf_spine(64)
    made.trunk_bps[1] /= 4  # from leaf 0 to the spine that odd leafs are reached over
    network, slow = _found(made)
    assert len(network.links) == 32
    (found,) = slow.links
    link = network.links[found.link]
    assert (link.shared.sources, link.shared.destinations) == ({0}, {1, 3, 5, 7})
    assert (found.rate_bps, found.usual_bps, found.times) == (0.05e9, 0.2e9, 0.25)
    # Paths that fill it cross the spine's links down, which other paths fill.
    down = next(each for each in network.links if each.shared.destinations == {1} and 2 in each.shared.sources)
    assert (0, 1) in down.shared.crossed_by
    assert (0, 1) not in down.shared.filled_by
    said = slow_words.sentences(network, slow, [f"h{k}" for k in range(64)])
    assert [text.replace("\u00a0", " ") for text in said] == [
        "Slow links between groups: h0 to h7 → h8 to h15, h24 to h31, h40 to h47 and 1 more group carries "
        "50.0 Mbit/s, 0.25 times the median of its kind (200 Mbit/s)."
    ]


def test_slow_pairs_and_hosts_are_named_with_figures() -> None:
    made = mesh(16)
    pair = next(each for each in representatives(HostGroups(made.leaf_of), 1) if each == (0, 1))
    network, slow = _found(made, {pair: 1.9})
    assert {each.pair for each in slow.pairs} == {(0, 1), (1, 0)}
    assert (slow.links, slow.host_links, slow.hosts) == ((), (), ())
    assert slow.pairs[0].times == pytest.approx((1.9 * 40 + 1) / 41)
    (text,) = slow_words.sentences(network, slow, [f"h{k}" for k in range(16)])
    assert text.replace("\u00a0", " ") == (
        "Slow host pairs: h0 ↔ h1: 77.0 µs for 64 B, 1.9 times the median of its kind (pairs within groups: 41.0 µs)."
    )
    star8 = star(8)
    both = {each: 2.0 for each in representatives(HostGroups(star8.leaf_of), 1) if 3 in each}
    _, slow = _found(star8, both)
    assert [(each.host, len(each.slow), each.measured) for each in slow.hosts] == [(3, 4, 4)]
    assert slow.pairs == ()


def test_nothing_is_slow_that_scatter_explains() -> None:
    times = np.array([50.0] * 8 + [90.0])
    narrow, wide = np.full(9, 5.0), np.array([5.0] * 8 + [50.0])
    assert slow_paths.beyond(times, times - narrow, times + narrow)[0].tolist() == [False] * 8 + [True]
    assert not slow_paths.beyond(times, times - wide, times + wide)[0].any()  # some of its samples were as fast
    noisy = np.array([45.0] * 4 + [55.0] * 4)
    assert not slow_paths.beyond(times, times - narrow, np.append(times[:-1] + 100, 95.0))[0].any()
    assert not slow_paths.beyond(np.append(noisy, 58.0), np.append(noisy, 58.0), np.append(noisy, 58.0))[0].any()
    two = np.array([50.0] * 4 + [90.0] * 4)  # as many of another kind of path
    assert not slow_paths.beyond(two, two, two)[0].any()
    assert not slow_paths.beyond(times[-3:], times[-3:], times[-3:])[0].any()  # too few for a usual one


def test_probes_must_confirm_that_a_pair_is_slow() -> None:
    """A processor that was busy while a pair's messages were timed makes no path slow."""
    found = characterized(mesh(16), {(0, 1): 3.0})
    probed = np.full((16, 16), 50e-6)
    for probed_s, number in ((50e-6, 0), (120e-6, 2), (np.nan, 2)):
        probed[0, 1] = probed[1, 0] = probed_s
        seen = replace(found, sensitivity=replace(found.sensitivity, probed_s=probed))
        assert len(slow_paths.find(seen, inferred_network.infer(seen)).pairs) == number


def test_links_are_found_where_some_of_the_relation_is_wrong() -> None:
    made = leaf_spine(64)
    relation = characterized(made).sensitivity.relation
    expected = {each.crossed_by for each in shared_links.find(relation.hurts, relation.effective)}
    draw = np.random.default_rng(3)
    wrong = relation.hurts ^ (draw.random(relation.hurts.shape) < 0.005)
    found = {each.crossed_by for each in shared_links.find(wrong, relation.effective)}
    alike = [max(len(each & other) / len(each | other) for other in found) for each in expected]
    assert np.mean(np.array(alike) > 0.6) >= 0.9


def test_a_trunk_between_two_switches_joins_two_meetings() -> None:
    """Four hosts, each a group of its own: each has a link, and the two on either side share one."""
    routes, crossing = np.zeros((4, 4, 4, 4), dtype=bool), np.array([0, 0, 1, 1])
    for a, b in np.argwhere(~np.eye(4, dtype=bool)):
        routes[a, b, a, :] = routes[a, b, :, b] = True
        if crossing[a] != crossing[b]:
            routes[a, b] |= np.outer(crossing == crossing[a], crossing == crossing[b])
        routes[a, b, a, b] = False
        routes[a, b][np.eye(4, dtype=bool)] = False
    off = ~np.eye(4, dtype=bool)
    relation = Sensitivity(routes, off, np.where(off, 1e-4, np.nan))
    found = characterized(mesh(4))
    found = replace(found, sensitivity=SharedBottlenecks.of_pairs(relation, np.where(off, 1e9, np.nan)))
    network = inferred_network.infer(found)
    assert len(network.links) == 2 * 4 + 2
    assert np.isnan(network.out_bps).all()  # each is a group by itself: its link is among the links
    trunks = [each for each in network.links if each.tail.kind == each.head.kind == "meeting"]
    assert network.meetings == 2
    assert {(each.shared.sources, each.shared.destinations) for each in trunks} == {
        (frozenset({0, 1}), frozenset({2, 3})),
        (frozenset({2, 3}), frozenset({0, 1})),
    }
    own = {(each.tail, each.head) for each in network.links if each.tail.kind == "group"}
    assert [len({head for tail, head in own if tail.number in side}) for side in ((0, 1), (2, 3))] == [1, 1]


MADE = (star(4), star(16), mesh(16), leaf_spine(16), leaf_spine(256), mesh(256), star(1000), leaf_spine(1000))


@pytest.mark.parametrize("made", MADE, ids=lambda made: f"{made.hosts} hosts, {len(made.trunk_bps)} trunks")
def test_what_is_drawn_grows_with_groups(made: Network) -> None:
    network, slow = _found(made)
    names = [f"h{k}" for k in range(made.hosts)]
    graph = network_graph.graph_of(network, slow, names)
    groups = len(network.groups)
    assert graph.folded == (made.hosts > 24)
    assert len(graph.outer) == (groups if graph.folded else made.hosts)
    between = {frozenset((each.tail, each.head)) for each in network.links}
    assert len(graph.lines) == len(between) + (made.hosts if not graph.folded else int(groups == 1))
    assert not any(True in line.slow for line in graph.lines)
    assert all(line.rates_bps[0] == line.rates_bps[1] for line in graph.lines)
    drawing = network_graph.draw(network, slow, names)
    text = drawing.svg()
    assert len(text) < 400_000
    assert len(re.findall(r"<text|<g id=\"[^\"]*--text", text)) >= len(graph.outer)
    assert len(drawing.table.rows) == len(network.links) + 2 * int(np.isfinite(network.out_bps).any()) * groups


def test_pages_of_many_hosts_are_small_and_have_matrices_by_group(tmp_path) -> None:
    made = leaf_spine(256)
    made.trunk_bps[0] /= 4
    found = characterized(made)
    written = characterization_report.write(found, tmp_path / "c.html", figures=tmp_path / "figures", now_s=20.0)
    page = (tmp_path / "c.html").read_text()
    assert len(page) < 5_000_000
    assert "Slow links between groups: h0 to h15 → h32 to h47" in page
    rows = (tmp_path / "figures" / "latency.csv").read_text().splitlines()
    assert rows[0] == "source,destination,size_B,median_s,least_s,most_s,pairs"
    assert len(rows) == 1 + 16 * 16
    within, between = rows[1].split(","), rows[2].split(",")
    assert within[:3] == ["h0–15", "h0–15", "64"]
    assert float(within[3]) == pytest.approx(41e-6)
    assert int(within[6]) == 2 * 16  # each host with the next of its group, in two directions
    assert (between[1], float(between[3]), int(between[6])) == ("h16–31", pytest.approx(81e-6), 1)
    drawn = {path.stem for path in written if path.suffix == ".svg"}
    assert drawn == {"network", "latency", "capacity", "relation", "detours"}


def test_json_of_grouped_hosts_grows_with_groups_and_measured_pairs() -> None:
    data = characterized(leaf_spine(256)).to_json()
    assert len(json.dumps(data, allow_nan=False)) < 1_000_000
    assert data["rates_bps"][0][1] == pytest.approx(GBPS / 5)
    assert data["latency"]["between_groups_s"][0][0][1] == pytest.approx(81e-6)
    measured = 16 * 2 * 16 + 16 * 15  # each host with the next of its group, in two directions; one pair for two groups
    assert len(data["latency"]["pairs"]) == len(data["latency"]["median_s"][0]) == measured
    times_s = dict(zip(map(tuple, data["latency"]["pairs"]), data["latency"]["median_s"][0], strict=True))
    assert times_s[0, 1] == pytest.approx(41e-6)
    assert data["sensitivity"]["groups"] == [k // 16 for k in range(256)]
    # Leafs 0 and 1 meet on a spine: traffic between them fills its links, which paths from or to the two cross, too.
    (hurt,) = (hurt for a, b, hurt in data["sensitivity"]["shares"]["hurts"] if (a, b) == (0, 1))
    assert [0, 3] in hurt and [0, 2] not in hurt and [3, 0] not in hurt
    table = data["path_table"]["pairs"]
    assert len(table) == 16 * 16
    (entry,) = (each for each in table if (each["source"] // 16, each["destination"] // 16) == (0, 1))
    assert len({each["relay"] // 16 for each in entry["candidates"]}) == len(entry["candidates"]) == 16


def test_json_has_the_facts_of_the_page() -> None:
    made = mesh(16)
    made.trunk_bps[1] /= 4
    data = json.loads(json.dumps(network_json.of(characterized(made)), allow_nan=False))
    assert [each["hosts"] for each in data["groups"]] == [list(range(k, k + 4)) for k in (0, 4, 8, 12)]
    assert len(data["links"]) == 12
    (slow,) = data["slow"]["links"]
    assert data["links"][slow["link"]] | {"latency_s": []} == {
        "tail": {"kind": "group", "number": 0},
        "head": {"kind": "group", "number": 1},
        "filled_by": [[0, 1]],
        "crossed_by": [[0, 1]],
        **dict.fromkeys(("rate_bps", "lowest_bps", "highest_bps"), 0.05e9),
        "latency_s": [],
        "measured": 1,
    }
    assert (slow["times"], data["host_links"]["out_bps"]) == (0.25, [1e9] * 16)
    assert data["said"][0].startswith("Slow links between groups: h0 to h3 → h4 to h7 carries")


def test_names_of_groups() -> None:
    names = [f"node{k:02}" for k in range(12)]
    assert host_ranges.named(range(4), names) == "node00 to node03"
    assert host_ranges.named((0, 2, 5), names) == "node00, node02 and node05"
    assert host_ranges.named((0, 2, 5, 7), names) == "node00, node02 and 2 others"
    assert host_ranges.short(range(4), names) == "node00–03"
    assert (host_ranges.short((3,), names), host_ranges.short((0, 2, 5), names)) == ("node03", "node00 +2")
