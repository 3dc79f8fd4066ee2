"""Stress and burst tests: rates over time, dips, round trips after pauses."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead.benchmarks.burst import analyse as burst_analysis
from fairlead.benchmarks.burst import draw as burst_drawing
from fairlead.benchmarks.burst import measure as burst
from fairlead.benchmarks.measuring import probe, records
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.stress import analyse as stress_analysis
from fairlead.cli.main import command
from fairlead.cluster.cluster_file import load_cluster
from fairlead.errors import MeasurementError
from fairlead.store import Store

STEP_S = 0.25
TWO_HOSTS = """
[cluster]
name = "two"
executor = "local"
interface = "lo"
[[hosts]]
name = "h0"
address = "127.0.0.1"
[[hosts]]
name = "h1"
address = "127.0.0.2"
"""


def times(count: int) -> np.ndarray:
    return (np.arange(count) + 0.5) * STEP_S


def test_dips_are_found_with_start_length_and_depth() -> None:
    rates = np.full(400, 100.0)
    rates[40:60] = 50.0
    rates[45] = 95.0  # one bin does not end a dip
    rates[200] = 10.0  # and makes none
    rates[300:302] = 70.0
    found = stress_analysis.dips(times(400), rates)
    assert [(dip.start_s, dip.length_s) for dip in found] == [(10.0, 5.0), (75.0, 0.5)]
    assert found[0].share == pytest.approx((19 * 50 + 95) / 20 / 100)


def test_a_rate_that_scatters_has_no_dip() -> None:
    draw = np.random.default_rng(1)
    assert stress_analysis.dips(times(2000), 100 * (1 + 0.05 * draw.standard_normal(2000))) == []
    assert stress_analysis.dips([], []) == []


def stress_run(directory: Path, parts: list[list[list[float]]]) -> int:
    """Parts of windows of 8 messages of 1000 B, beginning every 1.1 s."""
    with Store.open(directory) as store:
        labels = {"benchmark": "stress", "cluster": "c"}
        run = store.begin_run(records.KIND, labels, plan={"between": [["h0", "h1"]]})
        for number, part in enumerate(parts):
            length = max(map(len, part))
            table = np.array([row + [np.nan] * (length - len(row)) for row in part])
            of = {"size_B": 1000, "window": 8, "start_s": 1.1 * number}
            store.add_series(run, "window_s", table, "s", of, missing=True)
        store.finish_run(run)
    return run


def test_rates_add_up_over_pairs_and_leave_out_the_moments_between_parts(tmp_path: Path) -> None:
    run = stress_run(tmp_path, [[[0.1] * 10, [0.5, 0.5]], [[0.2] * 5, [0.25] * 4]])
    with Store.read(tmp_path) as store:
        when_s, rates_bps = stress_analysis.rates(store, run)
    assert when_s == pytest.approx([0.125, 0.375, 0.625, 0.875, 1.225, 1.475, 1.725, 1.975])
    assert rates_bps == pytest.approx([64e3 / 0.1 + 64e3 / 0.5] * 4 + [64e3 / 0.2 + 64e3 / 0.25] * 4)


def test_the_report_tells_of_dips(tmp_path: Path) -> None:
    usual, slow = [[0.1] * 10], [[0.25] * 4]
    stress_run(tmp_path, [usual] * 4 + [slow] + [usual] * 4)
    found = reports.load([tmp_path])
    drawing, spread = reports.drawings(found)
    assert [row[1].value for row in drawing.table.rows] == [pytest.approx(4.4)]
    assert (spread.name, len(spread.table.rows)) == ("stress-boxes", 1)
    text = "\n".join(reports.findings(found))
    assert "throughput has 1 dip in 9.68\u00a0s, the deepest at 4.40\u00a0s: 40\u00a0% of the median" in text


def burst_run(directory: Path, medians_s: list[float]) -> None:
    plan = {"between": [["a", "b"]], "pauses_s": [1.0, 1e-9, 0.0], "trains": [1, 100], "size_B": 64, "runs": 2}
    with Store.open(directory) as store:
        labels = {"benchmark": "burst", "cluster": "c"}
        run = store.begin_run(records.KIND, labels, plan={**plan, "both": True, "asleep": False})
        for _ in range(2):
            for train in (1, 100):
                table = np.repeat(train * np.array(medians_s)[:, None], 5, axis=1)
                store.add_series(run, "train_s", table, "s", {"train": train, "size_B": 64})
        store.finish_run(run)


@pytest.mark.parametrize(("medians_s", "judgement"), [([2e-5, 1e-5, 1e-5], "Problems"), ([1.1e-5, 1e-5, 1e-5], "Good")])
def test_a_path_that_falls_asleep_is_told(tmp_path: Path, medians_s: list[float], judgement: str) -> None:
    burst_run(tmp_path, medians_s)
    found = reports.load([tmp_path])
    (drawing,) = reports.drawings(found)
    assert [row[1].value for row in drawing.table.rows] == [1] * 3 + [100] * 3
    assert [row[5].value for row in drawing.table.rows] == pytest.approx(2 * medians_s)
    assert [row[7].value for row in drawing.table.rows] == pytest.approx(2 * [m / 2 for m in medians_s])
    assert [row[3].shown for row in drawing.table.rows] == 2 * ["1\u00a0s", "1\u00a0ns", "0"]
    (text,) = [text for text in reports.findings(found) if text.startswith(judgement)]
    assert "after a pause of 1\u00a0s and 10.0\u00a0µs after a pause of 1\u00a0ns" in text
    assert text.index("round trips of single messages take") < text.index("round trips of trains of 100 take")


def test_pauses_go_from_long_to_none_and_back() -> None:
    assert burst.PAUSES_S == (1.0, 1e-3, 1e-6, 1e-9, 0.0, 1e-9, 1e-6, 1e-3, 1.0)


class Answering:
    """An MPI program that answers with its pause as the length of every train, and ends with its ninth answer."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.limits_s: list[float] = []

    def introduction(self) -> probe.Introduction:
        rank = {"host": os.uname().nodename, "cpu": 0, "allowed_cpus": [0]}
        return probe.Introduction("an MPI library", 1e-9, (rank, rank))

    def ask(self, request: dict[str, Any], timeout_s: float, what: str) -> list[list[float]]:
        if len(self.requests) == 8:
            raise MeasurementError(f"mpi-burst ended during {what}")
        self.requests.append(request)
        self.limits_s.append(timeout_s)
        (pause_s,) = request["pauses_s"]
        return [[(1 + pause_s) * request["train"]] * request["most"]]


def test_each_pause_is_a_request_of_its_own_and_kept_when_a_later_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Answering()
    monkeypatch.setattr(probe, "running", lambda *_, **__: nullcontext(program))
    (tmp_path / "two.toml").write_text(TWO_HOSTS)
    settings = burst.BurstSettings(trains=(10,), pauses_s=(1.0, 0.0, 1.0), repetitions=4, runs=3, timeout_s=7.0)
    with Store.open(tmp_path / "r") as store, pytest.raises(MeasurementError, match="during pass 3, pause 3 of 3"):
        burst.measure(load_cluster(tmp_path / "two.toml"), store, settings, lambda *_: None)
    assert all(request["warmup"] == 1 for request in program.requests), "the first train follows its own pause"
    assert program.limits_s[:3] == [7.0 + 5 * 1.0, 7.0, 7.0 + 5 * 1.0]
    with Store.read(tmp_path / "r") as store:
        (run,) = store.runs("benchmark")
        (found,) = burst_analysis.round_trips_s(store, run.id).values()
    assert found.shape == (3, 3, 4) and np.isnan(found[2, 2]).all()
    assert found[:2].tolist() == [[[2.0] * 4, [1.0] * 4, [2.0] * 4]] * 2
    report = reports.load([tmp_path / "r"])
    (drawing,) = reports.drawings(report)
    assert [(row[5].value, row[8].value) for row in drawing.table.rows] == [(2.0, 12), (1.0, 12), (2.0, 8)]
    assert "2 whole passes; the run is incomplete (failed)" in "\n".join(reports.findings(report))


def test_a_first_pass_that_ended_early_is_told_as_far_as_it_came(tmp_path: Path) -> None:
    plan = {"between": [["a", "b"]], "pauses_s": [1.0, 1e-9, 0.0], "size_B": 64, "both": True, "asleep": False}
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "burst", "cluster": "c"}, plan=plan)
        for step, time_s in enumerate((2.0, 1.0)):
            labels = {"train": 1, "size_B": 64, "pass": 0, "step": step}
            store.add_series(run, "train_s", np.full(5, time_s), "s", labels)
        store.finish_run(run, "aborted")
    report = reports.load([tmp_path])
    (drawing,) = reports.drawings(report)
    assert [(row[3].value, row[5].value) for row in drawing.table.rows] == [(1.0, 2.0), (1e-9, 1.0)]
    assert "no whole passes; the run is incomplete (aborted)" in "\n".join(reports.findings(report))
    (part,) = report.of("burst")
    assert [each.what for each in burst_drawing.headlines(part)] == ["single messages after a pause of 1\u00a0s"]


def test_a_burst_takes_at_least_its_pauses(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO_HOSTS)
    (tmp_path / "plan.toml").write_text('title = "a test"\nsteps = ["burst --runs 10 --train 1,100", "timer"]\n')
    words = ["measure", str(tmp_path / "two.toml"), "plan", str(tmp_path / "plan.toml"), "--dry-run"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert "21\u00a0min  burst --runs 10 --train 1,100 (at least)" in done.output
    assert "at least, for all: a test" in done.output
