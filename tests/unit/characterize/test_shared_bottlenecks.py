"""The relation kept by groups says the same of every pair, whichever way it is asked."""

import itertools
import json

import numpy as np
import pytest

from fairlead.characterize import json_form
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks

from .made_up_network import NETWORKS, Measured, servers

ALONE = "servers, four of them with one machine"
"""Injections from one of these to a server of two fill its own link and the server's."""


@pytest.fixture(params=[*NETWORKS, ALONE])
def found(request: pytest.FixtureRequest) -> SharedBottlenecks:
    network = servers([0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7]) if request.param == ALONE else NETWORKS[request.param](12)
    return SharedBottlenecks.of(Measured(network).samples)


def test_all_ways_to_ask_agree(found: SharedBottlenecks) -> None:
    dense, hosts = found.dense(), range(found.hosts)
    assert dense.any()
    pairs = [(i, j) for i in hosts for j in hosts if i != j]
    for first in pairs:
        np.testing.assert_array_equal(found.hurt_by(first), dense[first])
        np.testing.assert_array_equal(found.hurting(first), dense[:, :, first[0], first[1]])
        assert not dense[first + first]
        for second in pairs[::7]:
            assert found.hurts(first, second) == dense[first + second]
            assert found.shares(first, second) == (dense[first + second] or dense[second + first])


def test_a_detour_avoids_a_bottleneck_where_some_injection_hurts_the_path_and_neither_leg(
    found: SharedBottlenecks,
) -> None:
    hosts = range(found.hosts)
    hurts = found.dense()
    for i in hosts:
        for j in hosts:
            hurts[i, j, i, j] = i != j  # a pair's own injection
    expected = np.zeros((found.hosts,) * 3, dtype=bool)
    for source, destination, relay in itertools.permutations(hosts, 3):
        on_legs = hurts[:, :, source, relay] | hurts[:, :, relay, destination]
        expected[source, destination, relay] = (hurts[:, :, source, destination] & ~on_legs).any()
    for source, destination in itertools.permutations(hosts, 2):
        np.testing.assert_array_equal(found.avoiding((source, destination)), expected[source, destination])


def test_weights_count_effective_injections(found: SharedBottlenecks) -> None:
    dense = found.dense()
    assert found.effective.sum() == found.hosts * (found.hosts - 1)
    hurting = dense[found.effective].sum(axis=0)
    off = ~np.eye(found.hosts, dtype=bool)
    np.testing.assert_allclose(found.weights[off], hurting[off] / (found.effective.sum() - 1))
    assert np.isnan(np.diag(found.weights)).all()
    assert found.mean_hurt == pytest.approx(hurting.sum() / found.effective.sum())


@pytest.mark.parametrize("of", [list(range(12)), [11, 3, 4, 0, 5]])
def test_agents_are_told_the_same_by_groups(found: SharedBottlenecks, of: list[int]) -> None:
    part = found.selected(of)
    told, dense, hosts = json_form.grouped_shares(part), part.dense(), range(len(of))
    group, hurts = told["groups"], {(a, b, c, d) for a, b, hurt in told["hurts"] for c, d in hurt}
    assert max(group) < len(of)

    def hurts_path(k: int, m: int, i: int, j: int) -> bool:
        fills = int(told["fills"][k][m])
        between = bool(fills & 1) and (group[k], group[m], group[i], group[j]) in hurts
        return between or bool(fills & 2 and k == i) or bool(fills & 4 and m == j)

    pairs = [(i, j) for i in hosts for j in hosts if i != j]
    for first in pairs:
        for second in pairs:
            if first != second:
                assert hurts_path(*first, *second) == dense[first + second]


def test_what_agents_are_told_grows_with_hosts_times_groups() -> None:
    of_hosts = {}
    for hosts in (12, 24):
        found = SharedBottlenecks.of(Measured(NETWORKS["star"](hosts)).samples)
        times = LatencyMatrix(
            (64,), *(np.full((1, hosts, hosts), value) for value in (9.0, 1e-3, 1e-3, 1e-3)),
            one_way=np.ones((hosts, hosts), dtype=bool), clock_error_s=np.zeros((hosts, hosts)),
            by_clock_s=np.full((1, hosts, hosts), 1e-3), round_trip_s=np.full((1, hosts, hosts), 2e-3),
        )  # fmt: skip
        tables = json_form.manage_tables(times, found.rates_bps, found, 0.0)
        assert len(tables) == hosts
        if len(found.groups) < hosts:
            of_hosts[hosts] = len(json.dumps(tables[1].base.to_json()))
            assert tables[1].base.own_latency_s == [[[1e-3] * hosts] * 2]
            assert tables[1].base.latency_s == [[[1e-3]]]
    assert of_hosts[24] < 2.5 * of_hosts[12]


def test_some_hosts_keep_what_was_found_of_them(found: SharedBottlenecks) -> None:
    of = [11, 3, 4, 0]
    some = found.selected(of)
    np.testing.assert_array_equal(some.dense(), found.dense()[np.ix_(of, of, of, of)])
    np.testing.assert_array_equal(some.rates_bps, found.rates_bps[np.ix_(of, of)])


def test_nothing_is_known_of_an_unmeasured_network() -> None:
    found = SharedBottlenecks.unknown(3)
    assert not found.dense().any() and not found.measured.any() and np.isnan(found.rates_bps).all()


def test_some_pairs_of_each_kind_stand_for_all(found: SharedBottlenecks) -> None:
    every = [(i, j) for i in range(found.hosts) for j in range(found.hosts) if i != j]
    some = found.kinds_of_pairs()
    assert set(some) <= set(every)
    assert len(set(some)) == len(some)
    any_detour = any(found.avoiding(pair).any() for pair in every)
    assert any(found.avoiding(pair).any() for pair in some) == any_detour


def test_pairs_that_stand_for_all_do_not_grow_with_the_hosts_of_a_group() -> None:
    few, many = (SharedBottlenecks.of(Measured(NETWORKS["star"](hosts)).samples) for hosts in (12, 24))
    assert len(many.groups) == len(few.groups) == 1
    assert len(many.kinds_of_pairs()) == len(few.kinds_of_pairs()) <= 3
