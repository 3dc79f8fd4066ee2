"""Own numbers beside those of other programs: the median and the mean, and extremes of samples."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.page.layers import Layer, Layers, draw
from fairlead.benchmarks.point_to_point.measure import LATENCY
from fairlead.report.figures import Drawing

from ...readers import foreign_files as files
from ...readers import netgauge_files
from ...readers.test_import_samples import imported
from ..benchmark_fixtures import point_to_point_run

SKEWED = {MessageCell(1): [20e-6] * 9 + [120e-6], MessageCell(1024): [40e-6] * 9 + [240e-6]}


def rows(drawing: Drawing) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(drawing.table.csv())))


def drawing(directory: Path, name: str) -> Drawing:
    return next(each for each in reports.drawings(reports.load([directory])) if each.name == name)


def labels(drawing: Drawing) -> list[str]:
    """Of the lines in the legend."""
    return [text.get_text() for legend in drawing.figure.legends for text in legend.get_texts()]


def test_beside_a_mean_of_others_there_are_both_of_ours(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, SKEWED, cluster="s", blocks=8)
    (tmp_path / "a").write_text(files.OSU_OLD_LATENCY)
    imported(tmp_path, "osu", str(tmp_path / "a"))
    drawn = drawing(tmp_path / "r", "read-time")
    assert labels(drawn) == ["OSU Latency (mean)", "fairlead, 1 pair (median)", "fairlead, 1 pair (mean)"]
    assert "For fairlead both median and mean are drawn" in drawn.caption
    of_ours = [row for row in rows(drawn) if row["benchmark"] == "fairlead, 1 pair" and row["size_B"] == "1"]
    own = {row["statistic"]: row for row in of_ours}
    assert float(own["median"]["mean"]) == pytest.approx(10e-6 * 1.0035)
    assert float(own["mean"]["mean"]) == pytest.approx(15e-6 * 1.0035)
    assert float(own["mean"]["least"]) == pytest.approx(10e-6)
    assert float(own["mean"]["greatest"]) == pytest.approx(60e-6 * 1.007)


def test_least_and_greatest_are_of_samples_where_the_program_tells_them(tmp_path: Path) -> None:
    for number in range(2):
        text = netgauge_files.ONE_ONE.replace("4.00 5.00 4.50 8.00", f"4.00 5.0{number} 4.50 8.00")
        (tmp_path / f"n{number}").write_text(text.replace("12.80", "12.77" if number else "12.80"))
        (tmp_path / f"o{number}").write_text(files.OSU_ALLREDUCE.replace("10.00 ", f"10.{number}0 "))
    imported(tmp_path, "netgauge", str(tmp_path / "n0"), str(tmp_path / "n1"))
    imported(tmp_path, "osu", str(tmp_path / "o0"), str(tmp_path / "o1"))
    found = {
        row["benchmark"]: row
        for row in rows(drawing(tmp_path / "r", "read-time"))
        if row["statistic"] == "mean" and row["size_B"] in ("4", "8")
    }
    one_one = found["netgauge one_one"]
    assert (float(one_one["least"]), float(one_one["greatest"])) == (pytest.approx(4e-6), pytest.approx(8e-6))
    assert (float(one_one["least_file"]), float(one_one["greatest_file"])) == (
        pytest.approx(5e-6),
        pytest.approx(5.01e-6),
    )
    # The least and greatest of osu_allreduce are of ranks' means: no samples.
    assert found["OSU Allreduce Latency"]["least"] == found["OSU Allreduce Latency"]["greatest"] == ""


def test_layers_have_own_means_where_a_file_tells_means() -> None:
    ends = {8: (1e-6, 9e-6)}
    own = Layer("MPI", "MPI over TCP", {8: np.array([2e-6, 3e-6])}, means={8: 4e-6}, extremes=ends)
    theirs = Layer("InfiniBand", "perftest Send Latency", {8: np.array([1e-6])}, statistic="mean")
    drawn = draw("s", [Layers(1, True, (own, theirs))], 1)
    told = [(row["layer"], row["statistic"], float(row["value"])) for row in rows(drawn)]
    assert told == [
        ("MPI over TCP", "median", pytest.approx(2.5e-6)),
        ("MPI over TCP", "mean", pytest.approx(4e-6)),
        ("perftest Send Latency", "mean", pytest.approx(1e-6)),
    ]
    assert (rows(drawn)[0]["least"], rows(drawn)[0]["greatest"]) == ("1e-06", "9e-06")
    assert "Where a file has means, fairlead's own mean is the dash-dotted line" in drawn.caption
    alone = draw("s", [Layers(1, True, (own,))], 1)
    assert "dash-dotted" not in alone.caption


def test_prices_hold_both_of_ours_against_a_mean_of_others(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, SKEWED, cluster="s", blocks=8)
    bought = reports._performances(reports.load([tmp_path / "r"]))
    assert [each.what for each in bought] == ["1 pair, 1\u00a0B"]
    (tmp_path / "a").write_text(files.OSU_OLD_LATENCY)
    imported(tmp_path, "osu", str(tmp_path / "a"))
    bought = reports._performances(reports.load([tmp_path / "r"]))
    per_s = {each.what: float(each.per_s[0]) for each in bought if each.benchmark == LATENCY}
    assert per_s == {"1 pair, 1\u00a0B": pytest.approx(0.1), "1 pair, 1\u00a0B, mean": pytest.approx(1 / 15)}
