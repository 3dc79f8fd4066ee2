"""Raw samples, and files that hold several launches: what is stored and what the page says."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.benchmarks.imported import keep
from fairlead.benchmarks.page import report as reports
from fairlead.cli.main import command
from fairlead.cli.measure import FORMATS
from fairlead.errors import ConfigError, MeasurementError
from fairlead.readers import formats
from fairlead.readers.reading import ImportOptions
from fairlead.store import Store

from . import foreign_files as files
from . import netgauge_files

BARRIER = ImportOptions(test="barrier", unit="us")


def imported(tmp_path: Path, *words: str) -> None:
    """Run `fairlead measure import` into ``tmp_path/r``."""
    results = ["--system", "s", "--results", str(tmp_path / "r")]
    done = CliRunner().invoke(command, ["measure", "import", *words, *results], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_every_sample_is_kept_and_its_statistics_are_computed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("# first launch\n2.5\n3.5\n1.5\n9.5\n\n# second\n4.5e0\n")
    imported(tmp_path, "samples", str(tmp_path / "a"), "--test", "barrier", "--unit", "us", "--size", "8")
    with Store.read(tmp_path / "r") as store:
        first, second = store.series(1, "sample_s")
    assert list(first.values) == pytest.approx([2.5e-6, 3.5e-6, 1.5e-6, 9.5e-6]) and second.labels["size_B"] == 8
    (part,) = reports.load([tmp_path / "r"]).of("imported")
    values = {curve.statistic: list(curve.values[8]) for curve in part.curves}
    assert values["median"] == pytest.approx([3e-6, 4.5e-6]) and values["mean"] == pytest.approx([4.25e-6, 4.5e-6])
    assert part.extremes("time_s") == {8: (pytest.approx(1.5e-6), pytest.approx(9.5e-6))}
    assert "barrier: 5 samples in 2 launches" in "\n".join(reports.findings(reports.load([tmp_path / "r"])))


@pytest.mark.parametrize(
    ("text", "told", "message"),
    [
        ("1\n", ImportOptions(), r"f:1: a file of samples names neither their test nor their unit"),
        ("1\n", ImportOptions("barrier", "furlong"), r"f:1: a file of samples names neither"),
        ("1 2\n", BARRIER, r"f:1: '1 2' is not one number"),
        ("1\n-2\n", BARRIER, r"f:2: '-2' is not a number of this format"),
        ("1\nnan\n", BARRIER, r"f:2: 'nan' is not a number"),
        ("1\n2us\n", BARRIER, r"f:2: '2us' is not a number"),
        ("1\n2e12\n", BARRIER, r"f:2: 2e12 us are more than a day"),
        ("1\n2", BARRIER, r"f:2: the file ends within a line"),
        ("# nothing\n", BARRIER, r"f:1: there is no sample"),
    ],
)
def test_samples_that_are_none_are_refused(text: str, told: ImportOptions, message: str) -> None:
    with pytest.raises(MeasurementError, match=message):
        formats.read("samples", text, "f", told)


def test_the_command_offers_every_format() -> None:
    assert set(FORMATS) == set(formats.READERS)


@pytest.mark.parametrize("file_format", ["osu", "imb", "iperf3", "perftest", "netgauge", "mpip"])
def test_a_file_of_three_launches_is_three_repetitions(file_format: str) -> None:
    text = files.EVERY[file_format]
    again = text.removeprefix("mpirun: a word of the launcher's\n")  # only before the first it is not looked at
    once = [reading.benchmark for reading in formats.read(file_format, text, "f")]
    assert [reading.benchmark for reading in formats.read(file_format, text + 2 * again, "f")] == 3 * once


@pytest.mark.parametrize("file_format", ["osu", "imb", "perftest"])
def test_a_byte_order_mark_hides_no_launch(file_format: str, tmp_path: Path) -> None:
    text = files.EVERY[file_format].removeprefix("mpirun: a word of the launcher's\n")
    once = [reading.benchmark for reading in formats.read(file_format, text, "f")]
    (tmp_path / "f").write_bytes(2 * text.encode("utf-8-sig"))
    found = keep.read(file_format, [tmp_path / "f"])
    assert [reading.benchmark for _, reading in found] == 2 * once


def test_patterns_of_netgauge_have_a_page(tmp_path: Path) -> None:
    for name, text in netgauge_files.EVERY.items():
        (tmp_path / name).write_text(text)
    imported(tmp_path, "netgauge", *(str(tmp_path / name) for name in netgauge_files.EVERY), "--tick-rate", "2e9")
    found = reports.load([tmp_path / "r"])
    text = "\n".join(reports.findings(found))
    assert "netgauge ebb, 4 ranks: median 6.14\u00a0Gbit/s (1\u00a0KiB)" in text
    assert "equal spans of time lose 6.875\u00a0% of the work of 1 core" in text
    (noise,) = found.of("noise")
    (quanta,) = noise.quanta
    assert quanta.overhead_share() == pytest.approx(1 - 3725 / 4000)
    page = (tmp_path / "r" / "benchmarks.html").read_text()
    assert '<figure id="noise-quanta">' in page and '<figure id="read-rate">' in page


def test_a_text_of_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    for content, message in (
        (b"# a\n1\n\xff\n", r"a:3: byte 6 is not valid UTF-8"),
        ("1\n2\n".encode("utf-16-le"), r"a:1: a byte of 0"),
    ):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(ConfigError, match=message):
            imported(tmp_path, "samples", str(tmp_path / "a"), "--test", "t", "--unit", "us")
    assert not (tmp_path / "r").exists()
