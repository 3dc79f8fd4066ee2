"""GPCNeT's tables: isolated, congested, impact factors."""

from pathlib import Path

import pytest

from fairlead.benchmarks.page import report as reports
from fairlead.errors import MeasurementError
from fairlead.readers import gpcnet

from . import gpcnet_files as files
from .test_import_samples import imported


def numbers(text: str) -> dict[tuple[str, str], float]:
    """By test and statistic."""
    return {
        (reading.benchmark, str(series.labels["statistic"])): float(series.values[0])
        for reading in gpcnet.read(text, "f")
        for series in reading.series
        if "statistic" in series.labels
    }


def test_the_tests_of_a_free_network() -> None:
    found = numbers(files.NETWORK)
    assert found["GPCNeT RR Two-sided Lat, isolated, 64 ranks", "mean"] == pytest.approx(2e-6)
    assert found["GPCNeT RR Two-sided Lat, isolated, 64 ranks", "p99"] == pytest.approx(5e-6)
    assert found["GPCNeT Nat Two-sided BW, isolated, 64 ranks", "p1"] == pytest.approx(1500 * 8 * 2**20)
    assert len(found) == 16
    sizes = [int(reading.series[0].values[0]) for reading in gpcnet.read(files.NETWORK, "f")]
    assert sizes == [8, 8, 131072, 131072, 131072, 131072, 8, 4096]


def test_congested_tests_and_their_factors() -> None:
    found = numbers(files.LOAD)
    assert found["GPCNeT RR Two-sided BW+Sync, congested, 64 ranks", "mean"] == pytest.approx(300 * 8 * 2**20)
    assert found["GPCNeT RR Two-sided Lat, impact of congestion, 64 ranks", "p99"] == 12
    assert found["GPCNeT RR Two-sided BW+Sync, impact of congestion, 64 ranks", "mean"] == 3
    (first, *_) = gpcnet.read(files.LOAD, "f")
    assert first.plan == {"program": "GPCNeT network_load_test", "version": "1.3", "ranks": 64, "nodes": 16}


def test_the_verbose_columns() -> None:
    found = numbers(files.VERBOSE)
    assert found["GPCNeT RR Two-sided Lat, isolated, 64 ranks", "least mean of a test"] == pytest.approx(1.5e-6)
    assert found["GPCNeT RR Two-sided Lat, isolated, 64 ranks", "mean of the worst rank"] == pytest.approx(2.5e-6)
    assert found["GPCNeT Multiple Alltoall, isolated, 64 ranks", "p0.1"] == pytest.approx(390 * 8 * 2**20)


def test_launches_repeat_each_other() -> None:
    assert len(gpcnet.read(f"srun: a word\n{files.LOAD}" + files.LOAD, "f")) == 18


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("12.0X", "13.0X", r"60 over 5 \(99%\) are not 13, the factor of RR Two-sided Lat"),
        ("12.0X", "12.0", "'12.0' is not a factor"),
        ("2.1X", "infX", "'inf' is not a number of this format"),
        (files.factor("Multiple Allreduce (8 B)", "2.1X", "3.1X"), "", "complete: Multiple Allreduce is missing"),
        ("  Test with 64 MPI ranks (16 nodes)\n", "", "f:1: the number of ranks is missing"),
        ("Isolated Network Tests", "Isolated Neighbour Tests", "is not a section of GPCNeT"),
    ],
)
def test_what_does_not_fit_is_refused(before: str, after: str, message: str) -> None:
    assert before in files.LOAD
    with pytest.raises(MeasurementError, match=message):
        gpcnet.read(files.LOAD.replace(before, after, 1), "f")


def test_factors_have_a_figure(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(files.LOAD)
    imported(tmp_path, "gpcnet", str(tmp_path / "a"))
    found = reports.load([tmp_path / "r"])
    page = (tmp_path / "r" / "benchmarks.html").read_text()
    assert '<figure id="read-impact">' in page and '<figure id="read-time">' in page
    assert "GPCNeT RR Two-sided Lat, impact of congestion, 64 ranks: mean 2.50 times; p99 12.0 times" in "\n".join(
        reports.findings(found)
    )
