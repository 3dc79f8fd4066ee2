"""The latency matrix and the path table from samples made by hand."""

import json
import math

import numpy as np
import pytest

from fairlead.characterize import json_form, path_table
from fairlead.characterize.grouping import HostGroups, apart
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Exchanges
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.errors import MeasurementError


def exchanges(pair: tuple[int, int], size_B: int, there_s: float, back_s: float, error_s: float = 0.0) -> Exchanges:
    spread = 1 + np.linspace(-0.1, 0.1, 41)
    return Exchanges(pair, size_B, (there_s + back_s) * spread, there_s * spread, error_s, alone=False)


def test_both_directions_come_from_one_exchange() -> None:
    matrix = LatencyMatrix.of([exchanges((0, 1), 64, 1e-3, 3e-3)], hosts=2)
    assert matrix.median_s[0, 0, 1] == pytest.approx(1e-3)
    assert matrix.median_s[0, 1, 0] == pytest.approx(3e-3)
    assert matrix.p5_s[0, 0, 1] == pytest.approx(0.91e-3)
    assert matrix.p95_s[0, 0, 1] == pytest.approx(1.09e-3)
    assert matrix.count[0, 0, 1] == 41
    assert matrix.one_way[0, 0, 1] and matrix.one_way[0, 1, 0]
    assert math.isnan(matrix.median_s[0, 0, 0])


def test_clocks_that_are_too_far_apart_give_half_the_round_trip() -> None:
    matrix = LatencyMatrix.of([exchanges((0, 1), 64, 1e-3, 3e-3, error_s=0.2e-3)], hosts=2)
    assert matrix.median_s[0, 0, 1] == pytest.approx(2e-3)
    assert not matrix.one_way[0, 0, 1]
    assert matrix.one_way[0, 1, 0], "the slower direction stands the error"
    assert matrix.clock_error_s[1, 0] == 0.2e-3


def test_one_way_times_by_the_clocks_stand_beside_round_trips_whatever_their_error() -> None:
    samples = [exchanges((0, 1), 64, 1e-3, 3e-3, error_s=0.2e-3), exchanges((0, 1), 1024, 2e-3, 4e-3, error_s=0.1e-3)]
    matrix = LatencyMatrix.of(samples, hosts=3)
    np.testing.assert_allclose(matrix.by_clock_s[:, 0, 1], [1e-3, 2e-3])
    np.testing.assert_allclose(matrix.by_clock_s[:, 1, 0], [3e-3, 4e-3])
    np.testing.assert_allclose(matrix.round_trip_s[:, 0, 1], [4e-3, 6e-3])
    np.testing.assert_allclose(matrix.round_trip_s[:, 1, 0], [4e-3, 6e-3])
    assert matrix.clock_error_s[0, 1] == 0.2e-3, "the largest"
    assert np.isnan(matrix.by_clock_s[0, 0, 2]) and np.isnan(matrix.clock_error_s[0, 2])
    told = json_form.latency(matrix, apart(3))
    assert told["round_trip_s"][1][0][1] == pytest.approx(6e-3)
    assert told["by_clock_s"][0][0][2] is None


def test_of_two_measurements_the_lower_counts() -> None:
    samples = [exchanges((0, 1), 64, 2e-3, 2e-3), exchanges((0, 1), 64, 1e-3, 4e-3)]
    matrix = LatencyMatrix.of(samples, hosts=2)
    assert matrix.median_s[0, 0, 1] == pytest.approx(1e-3)
    assert matrix.median_s[0, 1, 0] == pytest.approx(2e-3)


def test_sizes_between_are_interpolated_on_the_logarithm() -> None:
    matrix = LatencyMatrix.of([exchanges((0, 1), 64, 1e-3, 1e-3), exchanges((0, 1), 4096, 4e-3, 4e-3)], hosts=2)
    assert matrix.base_s(0, 1, 512) == pytest.approx(2.5e-3)
    for size_B in (64, 100, 512, 4096):
        assert matrix.at(size_B)[0, 1] == pytest.approx(matrix.base_s(0, 1, size_B))
    assert np.isnan(matrix.at(64)[0, 0])
    with pytest.raises(MeasurementError, match=r"8192 B lies outside the sizes measured \(64 to 4096 B\)"):
        matrix.base_s(0, 1, 8192)
    with pytest.raises(MeasurementError, match="8192 B lies outside"):
        matrix.at(8192)


def test_a_pair_without_samples_has_no_latency() -> None:
    matrix = LatencyMatrix.of([exchanges((0, 1), 64, 1e-3, 1e-3)], hosts=3)
    with pytest.raises(MeasurementError, match="from host 0 to host 2 was not measured"):
        matrix.base_s(0, 2, 64)


def test_outliers_stand_out_from_all_pairs() -> None:
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    samples = [exchanges(pair, 64, 5e-3 if pair == (1, 3) else 1e-3, 1e-3) for pair in pairs]
    assert LatencyMatrix.of(samples, hosts=4).outliers() == [(64, (1, 3))]


def test_pairs_that_were_not_measured_have_what_their_groups_have() -> None:
    samples = [exchanges((0, 1), 64, 1e-3, 1e-3), exchanges((0, 2), 64, 3e-3, 4e-3), exchanges((1, 3), 64, 5e-3, 6e-3)]
    filled = LatencyMatrix.of(samples, hosts=4).filled(HostGroups(np.array([0, 0, 1, 1])))
    assert filled.median_s[0, 0, 2] == pytest.approx(3e-3)
    assert filled.median_s[0, 0, 3] == filled.median_s[0, 1, 2] == pytest.approx(4e-3)
    assert filled.median_s[0, 3, 0] == pytest.approx(5e-3)
    assert filled.count[0].tolist()[0][2:] == [41, 0]
    assert filled.one_way[0, 0, 3]
    assert np.isnan(filled.median_s[0, 2, 3]), "nothing is known within that group"
    assert np.isnan(np.diag(filled.median_s[0])).all()


def relation(hosts: int, *hurt: tuple[int, int, int, int]) -> SharedBottlenecks:
    found = Sensitivity.unknown(hosts)
    for cell in hurt:
        found.hurts[cell] = True
    found.effective[:] = ~np.eye(hosts, dtype=bool)
    found.limit_s[found.effective] = 1e-4
    return SharedBottlenecks.of_pairs(found, np.full((hosts, hosts), 1e9))


def full_matrix(hosts: int, **slower: float) -> LatencyMatrix:
    samples = [
        exchanges((i, j), 64, slower.get(f"h{i}{j}", 1e-3), slower.get(f"h{j}{i}", 1e-3))
        for i in range(hosts)
        for j in range(i + 1, hosts)
    ]
    return LatencyMatrix.of(samples, hosts)


def test_candidates_are_ordered_by_latency() -> None:
    found = path_table.candidates((0, 1), full_matrix(5, h02=3e-3, h31=2e-3), relation(5), 64)
    assert [(c.relay, round(c.latency_s * 1e3, 6)) for c in found] == [(4, 2.0), (3, 3.0), (2, 4.0)]
    assert not any(c.shares_bottleneck for c in found)


def test_among_equally_fast_ones_the_more_robust_comes_first() -> None:
    hurting = relation(5, (2, 4, 0, 2), (3, 4, 0, 2), (2, 4, 3, 1))
    found = path_table.candidates((0, 1), full_matrix(5, h02=1.05e-3), hurting, 64)
    assert [c.relay for c in found] == [4, 3, 2]
    assert [c.weight for c in found] == pytest.approx([0, 1 / 19, 2 / 19])


def test_the_weight_is_the_larger_of_the_legs() -> None:
    hurting = relation(4, (2, 3, 0, 2), (3, 2, 2, 1), (3, 1, 2, 1))
    found = {c.relay: c.weight for c in path_table.candidates((0, 1), full_matrix(4), hurting, 64)}
    assert found[2] == pytest.approx(2 / 11)


def test_where_no_injection_built_a_queue_the_faster_comes_first_and_the_json_has_no_weight() -> None:
    """Hosts are the limit, as on many clouds: there is nothing that weights are shares of."""
    hurting = relation(5)
    hurting.effective[:] = False
    latency = full_matrix(5, h02=1.05e-3, h03=1.02e-3)
    found = path_table.candidates((0, 1), latency, hurting, 64)
    assert [each.relay for each in found] == [4, 3, 2]
    told = json.loads(json.dumps([each.to_json() for each in found], allow_nan=False))
    assert [each["weight"] for each in told] == [None] * 3
    assert told[0] == {"relay": 4, "latency_s": found[0].latency_s, "weight": None, "shares_bottleneck": False}


def test_a_relay_behind_the_same_bottleneck_is_kept_and_flagged() -> None:
    found = path_table.candidates((0, 1), full_matrix(4), relation(4, (0, 1, 0, 2)), 64)
    assert {c.relay: c.shares_bottleneck for c in found} == {2: True, 3: False}


def described(names: list[str], latency: LatencyMatrix, hurting: SharedBottlenecks) -> list[str]:
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    return path_table.describe(
        names, latency, lambda pair: path_table.candidates(pair, latency, hurting, 64), 64, pairs
    )


def test_on_a_single_switch_no_detour_is_usable() -> None:
    hosts = range(4)
    cells = [
        (k, m, i, j)
        for k in hosts
        for m in hosts
        for i in hosts
        for j in hosts
        if k != m and i != j and (k, m) != (i, j) and (k == i or m == j)
    ]
    star = relation(4, *cells)
    found = path_table.candidates((0, 1), full_matrix(4), star, 64)
    assert len(found) == 2 and all(c.shares_bottleneck for c in found)
    lines = described(["a", "b", "c", "d"], full_matrix(4), star)
    assert len(lines) == 1 and lines[0].startswith("no detour for every pair")


def test_words_name_the_best_detours() -> None:
    lines = described(["a", "b", "c"], full_matrix(3, h02=2e-3), relation(3, (1, 0, 1, 2)))
    assert lines[0] == "a → b: direct 1.00 ms; over c 3.00 ms"
    assert lines[-1].startswith("no detour for 1 of 6 ordered pairs")
    assert len(lines) == 6
