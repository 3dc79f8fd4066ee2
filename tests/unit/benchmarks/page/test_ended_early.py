"""Runs that ended after a first sample or two: the report can be made of whatever is there."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairlead.benchmarks.all_pairs import measure as all_pairs
from fairlead.benchmarks.burst import measure as burst
from fairlead.benchmarks.collectives import measure as collectives
from fairlead.benchmarks.impact import measure as impact
from fairlead.benchmarks.infiniband import measure as infiniband
from fairlead.benchmarks.loggp import measure as loggp
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.network_noise import measure as network_noise
from fairlead.benchmarks.noise import measure as noise
from fairlead.benchmarks.noise_effect import measure as noise_effect
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.stress import measure as stress
from fairlead.benchmarks.tcp import measure as tcp
from fairlead.store import Store

pytestmark = pytest.mark.slow

Part = tuple[str, Any, dict[str, Any]]
"""Name, values and labels of a series."""
US = 1e-5
TRIPS: Part = ("round_trip_s", np.full((1, 12), US), {"size_B": 1, "start_s": 0.0})
PAIR: dict[str, Any] = {"size_B": 1, "pairs": 1, "window": 1, "both": 0, "round": 0}
CALL: dict[str, Any] = {"operation": "bcast", "size_B": 4, "ranks": 4, "round": 0}
LATE = {**CALL, "clock_error_s": 1e-6}
WATCHED = {"start_s": 0.0, "least_reading_s": 1e-8, "least_test_s": 1e-7}
CORE = {"host": "h0", "cpu": 0, "period_s": 1.0, "iterations": 10, "threshold": 9.0}
VERB = {"verb": "send", "test": "throughput", "size_B": 8, "queue_pairs": 1, "both": 0, "round": 0}


def prtt(n: int, size_B: int = 1) -> Part:
    return ("prtt_s", np.full((1, 3), US), {"size_B": size_B, "n": n, "delay_s": 0.0, "round": 0})


def exchange(congestor: str) -> Part:
    return ("exchange_s", np.full((2, 20), US), {"victim": "latency", "congestor": congestor, "round": 0})


CASES: dict[str, tuple[str, Any, list[Part]]] = {
    "latency": (
        point_to_point.LATENCY,
        point_to_point.PointToPointSettings(),
        [("round_trip_s", np.full((1, 1), US), PAIR)],
    ),
    "throughput": (
        point_to_point.THROUGHPUT,
        point_to_point.PointToPointSettings(),
        [("window_s", np.full((1, 1), US), PAIR)],
    ),
    "one operation": (
        collectives.BENCHMARK,
        collectives.CollectivesSettings(),
        [("call_s", np.full((4, 3), US), CALL)],
    ),
    "no call yet": (collectives.BENCHMARK, collectives.CollectivesSettings(), [("late_s", np.full((4, 3), US), LATE)]),
    "all late": (
        collectives.BENCHMARK,
        collectives.CollectivesSettings(),
        [("late_s", np.full((4, 3), US), LATE), ("call_s", np.full((4, 3), US), LATE)],
    ),
    "all-pairs": (
        all_pairs.BENCHMARK,
        all_pairs.AllPairsSettings(),
        [("round_trip_s", np.full((1, 3), US), {"first": "h0", "second": "h1", "size_B": 8, "window": 1, "round": 0})],
    ),
    "impact alone": (impact.BENCHMARK, impact.ImpactSettings(), [exchange("alone")]),
    "impact beside": (impact.BENCHMARK, impact.ImpactSettings(), [exchange("incast")]),
    "impact, one round": (impact.BENCHMARK, impact.ImpactSettings(), [exchange("alone"), exchange("incast")]),
    "stress": (stress.BENCHMARK, stress.StressSettings(), [("window_s", np.ones((1, 1)), {**PAIR, "start_s": 0.0})]),
    "burst": (burst.BENCHMARK, burst.BurstSettings(), [("train_s", np.full((9, 30), US), {"train": 1, "size_B": 1})]),
    "network-noise, small only": (network_noise.BENCHMARK, network_noise.NetworkNoiseSettings(), [TRIPS]),
    "network-noise": (
        network_noise.BENCHMARK,
        network_noise.NetworkNoiseSettings(),
        [TRIPS, ("window_s", np.ones((1, 2)), {"size_B": 1, "start_s": 0.5, "window": 2})],
    ),
    "loggp, single": (loggp.BENCHMARK, loggp.LogGPSettings(), [prtt(1)]),
    "loggp, trains": (loggp.BENCHMARK, loggp.LogGPSettings(), [prtt(16)]),
    "loggp, no gap": (loggp.BENCHMARK, loggp.LogGPSettings(), [prtt(n, size_B) for n in (1, 16) for size_B in (1, 2)]),
    "noise": (noise.BENCHMARK, noise.NoiseSettings(), [("least_iteration_s", [1e-9], CORE)]),
    "noise-effect": (
        noise_effect.BENCHMARK,
        noise_effect.NoiseEffectSettings(),
        [("message_s", np.full((1, 2), US), WATCHED)],
    ),
    "tcp": (
        tcp.BENCHMARK,
        tcp.TcpSettings(),
        [("interval_end_s", [[0.2]], {"streams": 1, "both": 0, "round": 0, "seconds": 6.0})],
    ),
    "infiniband": (infiniband.BENCHMARK, infiniband.InfinibandSettings(), [("rate_bps", [1e9], VERB)]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_report_can_be_made_and_says_that_it_is_not_complete(case: str, tmp_path: Path) -> None:
    benchmark, settings, parts = CASES[case]
    hosts = [f"h{k}" for k in range(4)]
    plan = {**asdict(settings), "hosts": hosts, "between": [hosts[:2]]}
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": benchmark, "cluster": "c"}, plan=plan, seed=1)
        for name, values, labels in parts:
            store.add_series(run, name, values, "bit/s" if name == "rate_bps" else "s", labels)
        store.finish_run(run, "failed", error="the host is gone")
    report = reports.load([tmp_path])
    drawn = reports.drawings(report)
    reports.write(report, drawn, tmp_path / "page.html")
    text = " ".join(reports.findings(report))
    assert not drawn or "incomplete (failed)" in text
    assert "the host is gone" in (tmp_path / "page.html").read_text()
