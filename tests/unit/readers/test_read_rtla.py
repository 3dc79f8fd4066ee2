"""rtla: what is stored of its tables and histograms, and what the page makes of means and maxima."""

from pathlib import Path

import pytest

from fairlead.benchmarks.page import report as reports
from fairlead.errors import MeasurementError
from fairlead.readers import rtla

from . import rtla_files as files
from .test_import_samples import imported


def values(text: str, series: str, **labels: object) -> list[float]:
    """Of the series with these labels, in their order."""
    (reading,) = rtla.read(text, "f")
    chosen = [s for s in reading.series if s.name == series and labels.items() <= dict(s.labels).items()]
    return [float(value) for each in chosen for value in each.values]


def test_osnoise_top_has_sums_and_maxima_of_each_processor() -> None:
    assert values(files.OSNOISE_TOP, "runtime_s") == pytest.approx([10.0, 10.0])
    assert values(files.OSNOISE_TOP, "noise_s", cpu=1, statistic="sum") == pytest.approx([0.25])
    assert values(files.OSNOISE_TOP, "noise_s", cpu=1, statistic="greatest") == pytest.approx([80_123e-6])
    assert values(files.OSNOISE_TOP, "interruptions_count", cpu=0, by="irq") == [20_000]
    hardware = files.OSNOISE_TOP.replace("Operating System Noise", "Hardware-related Noise")
    hardware = "".join(
        line[: line.rindex("         IRQ")] + "\n" if "IRQ" in line else line for line in hardware.splitlines(True)
    )
    with pytest.raises(MeasurementError, match="is not a row of a processor: 9 columns"):
        rtla.read(hardware, "f")
    with pytest.raises(MeasurementError, match=r"f:5: 250001 us of noise in 10000000 us do not leave 97\.50000 %"):
        rtla.read(files.OSNOISE_TOP.replace(" 250000", " 250001"), "f")


def test_timerlat_has_least_mean_and_greatest_of_each_context() -> None:
    assert values(files.TIMERLAT_TOP, "delay_s", of="irq", cpu=0) == pytest.approx([0.0, 1e-6, 23e-6])
    assert values(files.TIMERLAT_TOP, "delay_s", of="thread") == pytest.approx([2e-6, 6e-6, 87e-6])
    with pytest.raises(MeasurementError, match="f:4: min, avg and max are not in rising order"):
        rtla.read(files.TIMERLAT_TOP.replace("23 |", " 0 |", 1), "f")


def test_histograms_have_buckets_that_hold_all() -> None:
    assert values(files.OSNOISE_HIST, "bucket_count", cpu=1) == [80, 15, 4]
    assert values(files.OSNOISE_HIST, "bucket_begin_s") == pytest.approx([0.0, 1e-6, 5e-6])
    assert values(files.TIMERLAT_HIST, "delay_s", of="thread") == pytest.approx([1.2e-6, 2.1e-6, 87e-6])
    with pytest.raises(MeasurementError, match="CPU-001: 100 in buckets and 1 beyond are not 100"):
        rtla.read(files.OSNOISE_HIST.replace("       15", "       16"), "f")


@pytest.mark.parametrize(
    ("rows", "over", "p99_s"),
    [
        ("0 60 0\n1 40 1\n40 0 99\n", 0, 2e-6),  # the next printed index is far above the bucket
        ("0 98 1\n5 1 1\n10 1 98\n", 0, 10e-6),
        ("0 90 1\n5 1 1\n", 9, None),
        ("0 100 1\n", 0, None),  # nothing tells how wide it is
    ],
)
def test_a_bucket_ends_where_its_width_says(tmp_path: Path, rows: str, over: int, p99_s: float | None) -> None:
    begin, end = files.OSNOISE_HIST.index("0            90"), files.OSNOISE_HIST.index("over:")
    beyond = 100 - sum(int(row.split()[2]) for row in rows.splitlines())
    text = (
        files.OSNOISE_HIST[:begin]
        + rows
        + files.OSNOISE_HIST[end:].replace("over:         0         1", f"over: {over} {beyond}")
    )
    (tmp_path / "hist").write_text(text)
    imported(tmp_path, "rtla", str(tmp_path / "hist"))
    (noise,) = reports.load([tmp_path / "r"]).of("noise")
    assert noise.told[0].p99_s == (None if p99_s is None else pytest.approx(p99_s))


def test_screens_of_a_terminal_are_refused() -> None:
    with pytest.raises(MeasurementError, match="f:1: an escape sequence of a terminal") as refused:
        rtla.read("\033c" + files.OSNOISE_TOP, "f")
    assert "rtla with -q" in refused.value.hint


def test_launches_and_tools_are_told_side_by_side(tmp_path: Path) -> None:
    for name, text in files.EVERY.items():
        (tmp_path / name).write_text(text * 2)
    imported(tmp_path, "rtla", *(str(tmp_path / name) for name in files.EVERY))
    found = reports.load([tmp_path / "r"])
    (noise,) = found.of("noise")
    first = {(each.tool, each.cpu, each.of): each for each in noise.told if each.launch == 0}
    assert first["osnoise top", 1, "osnoise"].overhead_share == pytest.approx(0.025)
    assert first["osnoise top", 1, "osnoise"].mean_s is None
    # Of the buckets 0, 1 and 5 us the last holds it: empty ones are left out, and the least step is 1 us.
    assert first["osnoise hist", 0, "osnoise"].p99_s == pytest.approx(6e-6)
    assert first["timerlat hist", 0, "irq"].mean_s == pytest.approx(1e-6)
    assert len([each for each in noise.told if each.launch == 1]) == len(first) == 9
    text = "\n".join(reports.findings(found))
    assert "rtla osnoise: noise takes 0.050\u00a0% to 2.500\u00a0% of the time of 4 cores" in text
    assert "rtla prints sums, means and maxima, no samples" in text
    assert '<figure id="noise-rtla">' in (tmp_path / "r" / "benchmarks.html").read_text()
