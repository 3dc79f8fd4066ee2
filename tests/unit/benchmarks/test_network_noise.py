"""Network noise and LogGP: statistics over time, parameters from round trips, and what the report says of them."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.loggp import analyse as loggp_analysis
from fairlead.benchmarks.loggp.measure import LogGPCell
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.network_noise import analyse as network_noise_analysis
from fairlead.benchmarks.page import report as reports
from fairlead.statistics import over_time
from fairlead.store import Store


def test_autocorrelation_of_known_series() -> None:
    alternating = [1.0, -1.0] * 50
    found = over_time.autocorrelation(alternating, 3)
    assert list(found) == pytest.approx([1.0, -0.99, 0.98, -0.97])
    assert list(over_time.autocorrelation([2.0] * 10, 2)) == [1.0, 0.0, 0.0]
    assert over_time.white_noise_band(400) == pytest.approx(1.959964 / 20)


def test_changes_are_found_where_they_are_and_nowhere_else() -> None:
    generator = np.random.default_rng(1)
    noise = generator.normal(size=400)
    assert over_time.changes(noise) == []
    assert over_time.changes(np.full(100, 3.0)) == []
    step = noise + np.where(np.arange(400) >= 150, 6.0, 0.0)
    assert over_time.changes(step) == [150]
    back = noise + np.where((np.arange(400) >= 150) & (np.arange(400) < 300), 6.0, 0.0)
    assert over_time.changes(back) == [150, 300]
    spiked = noise.copy()
    spiked[100:103] = 1e6
    assert over_time.changes(spiked) == []
    assert over_time.changes(noise[:19]) == []


def test_what_resembles_its_neighbours_has_not_changed() -> None:
    generator = np.random.default_rng(2)
    wandering = np.zeros(600)
    for k in range(1, 600):
        wandering[k] = 0.6 * wandering[k - 1] + generator.normal()
    assert over_time.changes(wandering) == []


def round_trips(
    latency_s: float, overhead_s: float, gap_s: float, per_B_s: float, sizes_B: list[int]
) -> dict[LogGPCell, np.ndarray]:
    """What six blocks on a network of these parameters would show."""
    found = {}
    for size_B in sizes_B:
        single_s = 2 * (latency_s + 2 * overhead_s + (size_B - 1) * per_B_s)
        message_s = gap_s + (size_B - 1) * per_B_s
        found[LogGPCell(size_B, 1, 0.0)] = np.full(6, single_s)
        found[LogGPCell(size_B, 16, 0.0)] = np.full(6, single_s + 15 * message_s)
        found[LogGPCell(size_B, 16, single_s)] = np.full(6, single_s + 15 * (overhead_s + single_s))
    return found


def test_loggp_parameters_are_those_that_made_the_round_trips() -> None:
    sizes_B = [2**k for k in range(17)]
    found = loggp_analysis.parameters(round_trips(20e-6, 1e-6, 5e-6, 1e-9, sizes_B))
    assert found.latency_s == pytest.approx(20e-6)
    assert set(found.overhead_s) == set(sizes_B)
    assert list(found.overhead_s.values()) == pytest.approx([1e-6] * 17)
    (piece,) = found.pieces
    assert (piece.first_B, piece.last_B) == (1, 65536)
    assert (piece.gap_s, piece.gap_per_B_s) == (pytest.approx(5e-6), pytest.approx(1e-9))


def test_an_overhead_is_told_where_it_can_be_told_from_nothing() -> None:
    """Blocks scatter by 2 %; 50 us there and back, and no overhead: then one of 5 us."""

    def trials(overhead_s: float) -> list[loggp_analysis.Parameters]:
        found = []
        for seed in range(40):
            generator = np.random.default_rng(seed)
            values = round_trips(50e-6, overhead_s, 5e-6, 1e-9, [1])
            jittered = {cell: each * (1 + 0.02 * generator.standard_normal(6)) for cell, each in values.items()}
            found.append(loggp_analysis.parameters(jittered))
        return found

    nothing = trials(0.0)
    assert sum(1 in each.overhead_s for each in nothing) <= 3  # at 2.5 %: one of 40
    assert sum(each.latency_s is not None for each in nothing) <= 3
    told = [each for each in trials(5e-6) if 1 in each.overhead_s]
    assert len(told) >= 30
    assert all(each.overhead_interval_s[1][0] > 0 for each in told)
    assert sum(low <= 5e-6 <= high for low, high in (each.overhead_interval_s[1] for each in told)) >= len(told) - 5
    single = {cell: each[:1] for cell, each in round_trips(20e-6, 1e-6, 5e-6, 1e-9, [1]).items()}
    assert loggp_analysis.parameters(single).overhead_s == {}  # one block says nothing of its scatter


def test_a_change_of_protocol_is_another_piece() -> None:
    sizes_B = [2**k for k in range(17)]
    gaps_s = [5e-6 + (s - 1) * 1e-9 if s <= 1024 else 40e-6 + (s - 1) * 2e-9 for s in sizes_B]
    found = loggp_analysis.pieces(sizes_B, gaps_s)
    assert [(piece.first_B, piece.last_B) for piece in found] == [(1, 1024), (2048, 65536)]
    assert found[1].gap_s == pytest.approx(40e-6) and found[1].gap_per_B_s == pytest.approx(2e-9)


def test_sizes_that_the_budget_left_half_measured_do_not_count() -> None:
    values = round_trips(20e-6, 1e-6, 5e-6, 1e-9, [1, 8, 64, 512])
    del values[LogGPCell(8, 1, 0.0)]
    assert set(loggp_analysis.parameters(values).message_gap_s) == {1, 64, 512}
    # Overheads that are more than half a round trip leave nothing for L.
    assert loggp_analysis.parameters(round_trips(-1e-6, 1e-6, 5e-6, 1e-9, [1, 8, 64, 512])).latency_s is None


def noisy_run(directory: Path) -> None:
    """100 parts of 1 s: latency 10 us, then 20 us from part 60 on; one message in 50 takes ten times as long."""
    plan = {"size_B": 1, "bulk_B": 1000, "part_s": 1.0, "seconds": 100.0, "between": [["a", "b"]]}
    generator = np.random.default_rng(3)
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "network-noise", "cluster": "c"}, plan=plan)
        for part in range(100):
            trips_s = np.full((1, 50), 20e-6 if part < 60 else 40e-6) * (1 + generator.normal() / 100)
            trips_s[0, 7] *= 10
            store.add_series(run, "round_trip_s", trips_s, "s", {"size_B": 1, "start_s": float(part)})
            labels = {"size_B": 1000, "window": 10, "start_s": part + 0.5}
            store.add_series(run, "window_s", [[1e-3 * (1 + generator.normal() / 100)] * 2], "s", labels)
        store.finish_run(run)


def test_the_report_tells_tails_and_changes(tmp_path: Path) -> None:
    noisy_run(tmp_path)
    found = reports.load([tmp_path])
    (noise,) = found.of("network-noise")
    assert [(change.quantity, change.at_s) for change in noise.changes] == [("latency", 60.0)]
    assert noise.changes[0].after / noise.changes[0].before == pytest.approx(2.0, rel=0.01)
    assert noise.percentile(99.0) == pytest.approx(100e-6, rel=0.1)
    assert noise.percentile(99.9) is None  # 5 messages of 5000 are too few
    drawn = {drawing.name: drawing.table for drawing in reports.drawings(found)}
    assert list(drawn) == ["network-noise", "network-noise-tail", "network-noise-memory"]
    tail = next(csv.DictReader(io.StringIO(drawn["network-noise-tail"].csv())))
    assert (tail["n"], tail["p99.9_s"]) == ("5000", "")
    text = "\n".join(reports.findings(found))
    assert "latency went from 10.0\u00a0µs to 20.0\u00a0µs at 60.0\u00a0s" in text
    assert "the network is noisy: for 1 % of the time a message of 1\u00a0B takes" in text
    assert np.median(noise.parts.rates_bps) == pytest.approx(80e6, rel=0.01)
    assert "throughput meanwhile is " in text
    assert "network-noise: 5000 messages in 100 parts" in text


def test_the_scale_of_time_is_that_of_the_parts_as_they_came(tmp_path: Path) -> None:
    """On a slow network a part takes longer than was asked for."""
    plan = {"size_B": 1, "bulk_B": 1000, "part_s": 1.0, "seconds": 100.0, "between": [["a", "b"]]}
    level = np.where(np.arange(100) % 20 < 10, 20e-6, 24e-6)  # lasts 10 parts
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "network-noise", "cluster": "c"}, plan=plan)
        for part in range(100):
            store.add_series(run, "round_trip_s", [[level[part]] * 10], "s", {"size_B": 1, "start_s": 5.0 * part})
            labels = {"size_B": 1000, "window": 10, "start_s": 5.0 * part + 2}
            store.add_series(run, "window_s", [[1e-3] * 2], "s", labels)
        store.finish_run(run)
    found = reports.load([tmp_path])
    (noise,) = found.of("network-noise")
    assert (noise.parts.distance_s, noise.parts.length_s) == (5.0, 500.0)
    assert noise.remembered_s(noise.parts.medians_s()) == 25.0
    text = "\n".join(reports.findings(found))
    assert "kept their levels over 500\u00a0s" in text
    assert "too slow for a part every 1.00\u00a0s: it was every 5.00\u00a0s" in text
    drawn = {drawing.name: drawing for drawing in reports.drawings(found)}
    assert drawn["network-noise"].caption.startswith("Every 5.00\u00a0s the latency")
    rows = list(csv.DictReader(io.StringIO(drawn["network-noise-memory"].table.csv())))
    assert [float(row["lag_s"]) for row in rows[:3]] == [0.0, 5.0, 10.0]


def test_changes_are_found_among_very_many_parts() -> None:
    generator = np.random.default_rng(4)
    values = generator.normal(10.0, 0.1, 9001) + np.where(np.arange(9001) >= 6000, 5.0, 0.0)
    found = list(network_noise_analysis._changes("throughput", np.arange(9001) * 2.0, values))
    assert [change.at_s for change in found] == [12000.0]


def test_the_report_has_loggp(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "loggp", "cluster": "c"}, plan={"train": 16})
        for number in range(6):
            for cell, values in round_trips(20e-6, 1e-6, 5e-6, 1e-9, [2**k for k in range(12)]).items():
                store.add_series(run, "prtt_s", [[float(values[0])] * 3], "s", {**cell.labels(), "round": number})
        store.finish_run(run)
    found = reports.load([tmp_path])
    text = "\n".join(reports.findings(found))
    assert (
        "LogGP: L = 20.0\u00a0µs; o = 1.00\u00a0µs (1.00\u00a0µs to 1.00\u00a0µs; 1\u00a0B); "
        "g = 5.00\u00a0µs, G = 1.00 ns/B, 8.00\u00a0Gbit/s" in text
    )
    row = next(csv.DictReader(io.StringIO(reports.drawings(found)[0].table.csv())))
    assert float(row["gap_s"]) == pytest.approx(5e-6) and float(row["gap_low_s"]) == pytest.approx(5e-6)


def test_parts_count_alike_however_many_messages_they_had() -> None:
    """Two of a hundred seconds were disturbed: 10 messages of 50 ms in each, where others had 1000 of 10 us."""
    parts = [np.full(1000, 1e-5)] * 98 + [np.full(10, 5e-2)] * 2
    assert np.percentile(np.concatenate(parts), 99.9) == 1e-5
    values, shares = over_time.shares_of_time(parts)
    assert list(np.interp([0.5, 0.97, 0.99], shares, values)) == pytest.approx([1e-5, 1e-5, 5e-2])
    assert 1 - shares[np.searchsorted(values, 5e-2)] == pytest.approx(0.02, abs=1e-3)
    generator = np.random.default_rng(5)
    alike = [generator.exponential(size=50) for _ in range(7)]
    values, shares = over_time.shares_of_time(alike)
    expected = np.percentile(np.concatenate(alike), [5, 50, 99])
    assert list(np.interp([0.05, 0.5, 0.99], shares, values)) == pytest.approx(list(expected))
    assert [list(each) for each in over_time.shares_of_time([np.array([3.0])])] == [[3.0], [0.0]]


def test_disturbed_seconds_are_in_the_percentiles_of_the_report(tmp_path: Path) -> None:
    plan = {"size_B": 1, "bulk_B": 1000, "part_s": 1.0, "seconds": 100.0, "between": [["a", "b"]]}
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "network-noise", "cluster": "c"}, plan=plan)
        for part in range(100):
            trips_s = np.full((1, 10), 2e-2) if part % 25 == 0 else np.full((1, 500), 2e-5)
            store.add_series(run, "round_trip_s", trips_s, "s", {"size_B": 1, "start_s": float(part)})
            labels = {"size_B": 1000, "window": 10, "start_s": part + 0.5}
            store.add_series(run, "window_s", [[1e-3] * 2], "s", labels)
        store.finish_run(run)
    (noise,) = (found := reports.load([tmp_path])).of("network-noise")
    assert [noise.percentile(p) for p in (50.0, 90.0, 99.0)] == pytest.approx([1e-5, 1e-5, 1e-2])
    text = "\n".join(reports.findings(found))
    assert "for 1 % of the time a message of 1\u00a0B takes 1000 times the median or more" in text
    assert "so much of the time: 50 % 10.0\u00a0µs, 90 % 10.0\u00a0µs, 99 % 10.0\u00a0ms" in text


def test_clocks_are_told_with_what_a_reading_costs(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "timer", "cluster": "c"}, plan={})
        for name, step_s in (("CLOCK_MONOTONIC", 2e-6), ("processor", 2e-8)):
            labels = {"host": "a", "clock": name, "nominal_s": 1e-9}
            store.add_series(run, "clock_steps_s", [step_s] * 5, "s", labels)
            store.add_series(run, "clock_readings_s", [3e-8] * 3, "s", labels)
        store.finish_run(run)
    found = reports.load([tmp_path])
    text = "\n".join(reports.findings(found))
    assert "Problems: CLOCK_MONOTONIC steps by 2.00\u00a0µs, and a reading takes 30.0\u00a0ns" in text
    table = list(csv.DictReader(io.StringIO(reports.drawings(found)[0].table.csv())))
    assert [(row["clock"], float(row["median_step_s"])) for row in table] == [
        ("CLOCK_MONOTONIC", 2e-6),
        ("processor", 2e-8),
    ]
