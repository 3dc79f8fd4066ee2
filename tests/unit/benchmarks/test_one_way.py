"""One-way times of MPI latency by the clocks, and when they are not believed."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.point_to_point import measure, one_way
from fairlead.benchmarks.point_to_point.measure import LATENCY
from fairlead.benchmarks.point_to_point.one_way import ClockedBlock

from .benchmark_fixtures import point_to_point_run

SAMPLES_S = {MessageCell(1): [40e-6] * 3, MessageCell(65536): [1e-3] * 3}


def figures(directory: Path) -> list[dict[str, str]]:
    drawn = {each.name: each for each in reports.drawings(reports.load([directory]))}
    return list(csv.DictReader(io.StringIO(drawn["mpi-one-way"].table.csv())))


def said(directory: Path) -> str:
    return "\n".join(reports.findings(reports.load([directory])))


def test_a_row_of_the_program_is_told_apart() -> None:
    rows = [[2e-6, 4.0, 1.0, 5.0, 2.0], [3e-6, 6.0, 3.0]]
    assert measure.told_apart(rows) == (3e-6, [[4.0, 5.0], [6.0]], [[1.0, 2.0], [3.0]])


def test_samples_count_that_latency_counts() -> None:
    # The second pair ends after 3 s: what the first began later is of a pair alone.
    round_trip_s = np.array([[1.0, 1.0, 1.0, 9.0], [1.5, 1.5, np.nan, np.nan]])
    found = one_way.of([ClockedBlock(0.01, round_trip_s, round_trip_s / 4)])
    assert found == one_way.OneWay(0.25, 0.75, 1.0, 0.01)


def test_both_ways_stand_beside_the_round_trip_with_the_clocks_error(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, SAMPLES_S, there=0.75, clock_error_s=15e-6)
    small, large = figures(tmp_path)
    assert [small["size_B"], large["size_B"]] == ["1", "65536"]
    # Blocks differ by a tenth of a per cent.
    assert float(large["there_s"]) == pytest.approx(0.75e-3 * 1.0035)
    assert float(large["back_s"]) == pytest.approx(0.25e-3 * 1.0035)
    assert float(large["round_trip_s"]) == pytest.approx(1e-3 * 1.0035)
    assert float(large["clock_error_s"]) == 15e-6
    assert (small["clocks"], large["clocks"]) == ("too far off", "agree")
    text = said(tmp_path)
    assert "of 64\u00a0KiB takes 753\u00a0µs there and 251\u00a0µs back (their error: 15\u00a0µs at most)" in text
    assert "clocks are too far off for one-way times at 1 of 2 sizes (up to 1\u00a0B)" in text
    assert "they may be wrong by 15\u00a0µs, more than 10\u00a0% of the time" in text
    # Of 753 and 251 us the error takes 15 us from the one and gives them to the other.
    assert "a message of 64\u00a0KiB takes 2.8 times as long there as back" in text


def test_a_difference_within_the_clocks_error_is_none(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, SAMPLES_S, there=0.75, clock_error_s=0.26e-3)
    text = said(tmp_path)
    assert "times as long" not in text and "by the clocks" not in text
    assert "clocks are too far off for one-way times at 2 of 2 sizes (up to 64\u00a0KiB)" in text


def test_ways_that_are_alike_are_no_problem(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, SAMPLES_S, there=0.5, clock_error_s=1e-6)
    text = said(tmp_path)
    assert "takes 20.1\u00a0µs there and 20.1\u00a0µs back" in text
    assert "times as long" not in text and "too far off" not in text


def test_a_run_without_one_way_times_has_no_such_figure(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, SAMPLES_S)
    assert [each.name for each in reports.drawings(reports.load([tmp_path]))] == ["mpi-latency"]
    assert "clocks" not in said(tmp_path)
