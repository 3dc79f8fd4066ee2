"""Headline figures of two systems held against each other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.benchmarks.impact.measure import ALONE
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.page import report as reports
from fairlead.store import Series, Store

from ..benchmark_fixtures import all_pairs_run, noise_run, tcp_run


def benchmark(directory: Path, name: str, plan: dict[str, Any], series: list[Series]) -> None:
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": name, "cluster": "c"}, plan=plan)
        for each in series:
            store.add_series(run, each.name, each.values, each.unit, each.labels)
        store.finish_run(run)


def impact(directory: Path, factor: float) -> None:
    series = []
    for number in range(8):
        for congestor, time_s in ((ALONE, 1e-5), ("incast", factor * 1e-5 * (1 + number / 1000))):
            labels = {"victim": "latency", "congestor": congestor, "round": number, "victims": "0,1"}
            series.append(Series("exchange_s", "s", labels, np.full((2, 20), time_s)))
    benchmark(directory, "impact", {}, series)


def network_noise(directory: Path, times: float) -> None:
    plan = {"size_B": 1, "bulk_B": 1000, "part_s": 1.0, "seconds": 20.0, "between": [["a", "b"]]}
    series = []
    for part in range(20):
        labels = {"size_B": 1, "start_s": float(part)}
        series.append(Series("round_trip_s", "s", labels, np.full((1, 50), 2e-5 * times)))
        labels = {"size_B": 1000, "window": 10, "start_s": part + 0.5}
        series.append(Series("window_s", "s", labels, np.full((1, 2), 1e-3 * times)))
    benchmark(directory, "network-noise", plan, series)


def burst(directory: Path, times: float) -> None:
    series = [
        Series("train_s", "s", {"train": 1, "size_B": 8}, np.array([[2e-5] * 3, [1e-5] * 3]) * times * (1 + k / 1000))
        for k in range(6)
    ]
    plan = {"pauses_s": [0.1, 0.0], "runs": 6, "size_B": 8, "asleep": False, "both": True}
    benchmark(directory, "burst", plan, series)


def loggp(directory: Path, times: float) -> None:
    series = []
    for number in range(6):
        for size_B in (1, 8, 64, 512):
            single_s = times * (40e-6 + 4e-6)
            told = ((1, 0.0, 0.0), (16, 0.0, times * (5e-6 + (size_B - 1) * 1e-9)), (16, single_s, 1e-6 + single_s))
            for n, delay_s, each_s in told:
                labels = {"size_B": size_B, "n": n, "delay_s": delay_s, "round": number}
                series.append(Series("prtt_s", "s", labels, np.full((1, 3), single_s + (n - 1) * each_s)))
    benchmark(directory, "loggp", {"train": 16}, series)


def stress(directory: Path, times: float) -> None:
    labels = {"size_B": 10**6, "window": 10, "pairs": 1}
    series = [
        Series("window_s", "s", {**labels, "start_s": float(part)}, np.full((1, 20), 0.05 * times))
        for part in range(20)
    ]
    benchmark(directory, "stress", {"seconds": 20.0}, series)


def test_systems_are_compared_by_what_is_no_curve_over_size(tmp_path: Path) -> None:
    for number, name in enumerate(("old", "new")):
        directory, times = tmp_path / name, 1.0 + number
        tcp_run(directory, blocks=6, times=times)
        noise_run(directory)
        all_pairs_run(directory, ("h1", "h2"))
        impact(directory, 1.5 * times)
        network_noise(directory, times)
        burst(directory, times)
        loggp(directory, times)
        stress(directory, times)
    found = reports.load([tmp_path / "old", tmp_path / "new"])
    rows = {(row[1].shown, row[2].shown): row for row in reports.comparison(found).rows}
    ratios = {key: (row[4].value, row[5].value is not None, row[7].shown) for key, row in rows.items()}
    alone = "without an interval"
    expected = {
        ("tcp", "1 stream, one direction"): (2.0, True, "better"),
        ("tcp", "2 streams, both directions"): (2.0, True, "better"),
        ("burst", "single messages after a pause of 100\u00a0ms"): (2.0, True, "worse"),
        ("burst", "single messages without a pause"): (2.0, True, "worse"),
        ("all-pairs", "median pair, latency"): (1.0, False, alone),
        ("all-pairs", "median pair, throughput"): (1.0, False, alone),
        ("impact", "latency beside incast"): (2.0, True, "worse"),
        ("network-noise", "latency, 50 % of the time"): (2.0, False, alone),
        ("network-noise", "latency, 99 % of the time"): (2.0, False, alone),
        ("network-noise", "median throughput"): (0.5, False, alone),
        ("loggp", "L"): (42 / 20, False, alone),
        ("loggp", "o of 1 B"): (1.0, False, alone),
        ("loggp", "g, of the smallest messages"): (2.0, False, alone),
        ("loggp", "G, of the largest messages"): (2.0, False, alone),
        ("stress", "median rate"): (0.5, False, alone),
        ("noise", "overhead of a core"): (1.0, False, "with too few blocks to judge"),
    }
    assert ratios.keys() == expected.keys()
    for key, (ratio, *rest) in expected.items():
        assert ratios[key][0] == pytest.approx(ratio), key
        assert list(ratios[key][1:]) == rest, key
    text = "\n".join(reports.findings(found))
    assert "impact (1 figure): 1 worse" in text and "network-noise (3 figures): 3 without an interval" in text
