"""Collective operations: what is measured, when a call is over, and what the report says of it."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.collectives import analyse as collectives_analysis
from fairlead.benchmarks.collectives import measure as collectives
from fairlead.benchmarks.collectives.measure import CollectiveCell, CollectivesSettings
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.page import report as reports
from fairlead.errors import ConfigError
from fairlead.store import Store


def test_a_call_is_over_when_its_last_rank_is_done() -> None:
    samples_s = np.array([[1.0, 5.0, 2.0], [3.0, 4.0, 2.5]])
    assert list(collectives.call_times_s(samples_s)) == [3.0, 5.0, 2.5]
    assert list(collectives_analysis.last_rank_share([samples_s])) == [pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_buffers_that_are_too_large_are_left_out() -> None:
    cells = CollectivesSettings(operations=("bcast",), sizes_B=(4, 2**26), ranks=(2, 8)).cells(8)
    assert cells == [CollectiveCell("bcast", 4, 2), CollectiveCell("bcast", 2**26, 2), CollectiveCell("bcast", 4, 8)]
    assert {cell.ranks for cell in CollectivesSettings(sizes_B=(4,)).cells(3)} == {3}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (CollectivesSettings(ranks=(9,)), "--ranks 9: there are 2 to 8"),
        (CollectivesSettings(sizes_B=(5,)), "--sizes 5: reductions sum numbers of 4 B"),
    ],
)
def test_what_cannot_be_measured_is_told(settings: CollectivesSettings, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        settings.cells(8)


def run_of(directory: Path, factor: float = 1.0) -> None:
    """Four ranks; the last one takes longest in allreduce; one call in twenty takes ten times as long."""
    plan = {"operations": ["allreduce", "bcast"], "sizes_B": [4, 1024], "ranks": [], "hosts": ["a", "b", "c", "d"]}
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "collectives", "cluster": directory.name}, plan=plan, seed=1)
        for number in range(8):
            for operation in ("allreduce", "bcast"):
                for size_B in (4, 1024):
                    calls_s = np.tile([[1e-5], [1e-5], [1e-5], [2e-5]], (1, 20)) * factor * (1 + number / 1000)
                    calls_s[:, 7] *= 10
                    labels = {"operation": operation, "size_B": size_B, "ranks": 4, "round": number}
                    store.add_series(run, "call_s", calls_s, "s", labels)
        store.finish_run(run)


def test_the_report_has_medians_tails_and_the_rank_that_is_late(tmp_path: Path) -> None:
    run_of(tmp_path / "old")
    found = reports.load([tmp_path / "old"])
    (drawing,) = reports.drawings(found)
    row = next(csv.DictReader(io.StringIO(drawing.table.csv())))
    assert (row["operation"], row["ranks"], row["size_B"], row["calls"]) == ("allreduce", "4", "4", "160")
    assert float(row["median_s"]) == pytest.approx(2e-5 * 1.0035)
    assert float(row["p99_s"]) == pytest.approx(2e-4 * 1.005, rel=1e-3)
    text = "\n".join(reports.findings(found))
    assert "allreduce among 4 ranks takes 20.1\u00a0µs (4\u00a0B) to 20.1\u00a0µs (1\u00a0KiB)" in text
    assert "the 99th percentile is 10 times the median" in text
    assert "rank 3 on d is last in 100\u00a0% of the small calls" in text
    assert "collectives: 4 of 4 medians are within ±5 %; results verified" in text


def test_calls_that_a_rank_began_late_do_not_count(tmp_path: Path) -> None:
    """Of four calls of 20 us one was begun 5 us late by one rank; of a block of the other size all."""
    plan = {"operations": ["bcast"], "sizes_B": [4, 8], "ranks": [], "hosts": ["a", "b"], "begin": "agreed"}
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "collectives", "cluster": "c"}, plan=plan, seed=1)
        for size_B, late_s in ((4, [0.0, 1e-6, 5e-6, 1e-6]), (8, [9e-6] * 4)):
            labels = {"operation": "bcast", "size_B": size_B, "ranks": 2, "round": 0, "clock_error_s": 3e-6}
            store.add_series(run, "late_s", [[0.0] * 4, late_s], "s", labels)
            store.add_series(run, "call_s", [[1e-5] * 4, [2e-5, 3e-5, 2e-5, 4e-5]], "s", labels)
        store.finish_run(run)
        blocks = collectives_analysis.blocks(store, run)
        assert collectives_analysis.begun(store, run) == collectives_analysis.Begun(8, 3, 3e-6)
    assert {cell.size_B: [list(block[1]) for block in found] for cell, found in blocks.items()} == {
        4: [[2e-5, 3e-5, 4e-5]]
    }
    text = "\n".join(reports.findings(reports.load([tmp_path])))
    assert "clock error at most 3.00\u00a0µs; all ranks started 38\u00a0% of the calls in time" in text


def test_systems_are_compared(tmp_path: Path) -> None:
    run_of(tmp_path / "old")
    run_of(tmp_path / "new", 0.5)
    table = reports.comparison(reports.load([tmp_path / "old", tmp_path / "new"]))
    assert len(table.rows) == 4
    assert {row[7].value for row in table.rows} == {"better"}
    assert [row[4].value for row in table.rows] == [pytest.approx(0.5)] * 4
