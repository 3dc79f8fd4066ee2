"""The report of benchmarks: its numbers, its words, its files; one system and several."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead.benchmarks.infiniband import measure as infiniband
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import conditions, json_form
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.page.ratios import ratio_of_medians
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT
from fairlead.cli.main import command
from fairlead.errors import ConfigError, StoreError
from fairlead.store import Store

from ..benchmark_fixtures import SIZES_B, all_pairs_run, noise_run, point_to_point_run, tcp_run

STEADY = {MessageCell(1): [20e-6, 20e-6, 22e-6], MessageCell(1024): [40e-6] * 3, MessageCell(65536): [1e-3] * 3}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_holds_the_unrounded_numbers(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, STEADY)
    found = reports.load([tmp_path])
    first = rows(reports.drawings(found)[0].table.csv())[0]
    assert (first["system"], first["size_B"], first["blocks"], first["samples"]) == ("c", "1", "8", "24")
    # Blocks differ by a tenth of a per cent: their median is that of the fourth and the fifth.
    assert float(first["median_s"]) == pytest.approx(10e-6 * 1.0035)
    assert float(first["low_s"]) <= float(first["median_s"]) <= float(first["high_s"])
    assert float(first["mean_s"]) == pytest.approx(62e-6 / 6 * 1.0035)
    # Of samples, not of blocks' means.
    assert float(first["least_s"]) == pytest.approx(10e-6)
    assert float(first["greatest_s"]) == pytest.approx(11e-6 * 1.007)


def test_the_summary_says_what_is_good_and_bad_and_how_sure(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, STEADY)
    one, four, both = (MessageCell(65536, window=8), MessageCell(65536, 4, 8), MessageCell(65536, 1, 8, True))
    point_to_point_run(tmp_path, THROUGHPUT, {one: [0.1] * 3, four: [0.2] * 3, both: [0.18] * 3})
    text = "\n".join(reports.findings(reports.load([tmp_path])))
    assert "with 1 pair, a message of 1\u00a0B takes 10.0\u00a0µs" in text
    assert "Good: with 1 pair, latency of small messages is steady: the 95th percentile is at most 1.1" in text
    assert "a single stream does not fill the path: 4 streams carry 2.00 times as much as one" in text
    assert (
        "both directions together carry 1.11 times as much as one (1 pair): the two directions share a resource" in text
    )
    assert "mpi-latency: 3 of 3 medians are within ±5 % (95 % confidence intervals" in text
    assert "8 blocks each" in text


def test_scatter_and_drops_are_called_bad(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, {MessageCell(1): [20e-6] * 8 + [90e-6] * 2, MessageCell(2): [90e-6] * 10})
    point_to_point_run(
        tmp_path,
        THROUGHPUT,
        {MessageCell(1024, window=64): [1e-3] * 3, MessageCell(65536, window=64): [0.1] * 3},
        status="aborted",
    )
    text = "\n".join(reports.findings(reports.load([tmp_path])))
    assert "latency of small messages varies: at 1\u00a0B the 95th percentile is 4.5 times the median" in text
    assert "the time jumps from 10.0\u00a0µs at 1\u00a0B to 45.2\u00a0µs at 2\u00a0B" in text
    assert "at 64\u00a0KiB, 64\u00a0% of that of smaller messages" in text
    assert "the run is incomplete (aborted)" in text


def test_systems_of_several_directories_are_compared_with_a_baseline(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "old", LATENCY, {MessageCell(1): [20e-6] * 3})
    point_to_point_run(tmp_path / "new", LATENCY, {MessageCell(1): [10e-6] * 3, MessageCell(2): [10e-6] * 3})
    found = reports.load([tmp_path / "new", tmp_path / "old"], baseline=str(tmp_path / "old"))
    assert found.names == [f"c ({tmp_path / 'new'})", f"c ({tmp_path / 'old'})"]
    table = rows(reports.comparison(found).csv())
    assert len(table) == 1
    assert float(table[0]["ratio"]) == pytest.approx(0.5)
    assert float(table[0]["low"]) < 0.5 < float(table[0]["high"])
    assert table[0]["verdict"] == "better"
    new, old = found.names
    assert reports.findings(found)[0] == f"Against {old}: {new}, mpi-latency (1 figure): 1 better."
    assert f"On {old} with 1 pair, a message of 1\u00a0B takes" in reports.findings(found)[-1]
    with pytest.raises(ConfigError, match="no such system"):
        reports.load([tmp_path / "new"], baseline="x")


def test_intervals_that_hold_1_tell_nothing_apart() -> None:
    scattered = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = ratio_of_medians(scattered, scattered[::-1].copy())
    assert found is not None and found.value == 1.0 and found.contains(0.8)
    assert ratio_of_medians(scattered[:5], scattered) is None


def test_the_report_command_writes_a_page_with_every_benchmark(tmp_path: Path) -> None:
    point_to_point_run(tmp_path, LATENCY, {MessageCell(2**k): [1e-5] * 3 for k in range(14)})
    point_to_point_run(tmp_path, THROUGHPUT, {MessageCell(65536, window=8): [0.1] * 3})
    noise_run(tmp_path)
    tcp_run(tmp_path)
    done = CliRunner().invoke(command, ["report", str(tmp_path)])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "benchmarks.html").read_text()
    assert "Benchmarks of c" in page and "CPUs 0-2,5" in page and "h0 and h1" in page
    names = ["mpi-latency", "mpi-throughput", "throughput-boxes", "tcp", "noise", "noise-cores", "noise-periodogram"]
    names += ["noise-work"]
    assert [name for name in names if f'<figure id="{name}">' in page] == names


def test_figures_are_written_as_svg_png_and_csv(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, STEADY)
    done = CliRunner().invoke(command, ["report", str(tmp_path / "r"), "--figures", str(tmp_path / "f")])
    assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "f").iterdir()} == {f"mpi-latency.{e}" for e in ("csv", "png", "svg")}


def test_the_tables_are_printed_for_machines(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "old", LATENCY, STEADY, there=0.5, clock_error_s=1e-6)
    done = CliRunner().invoke(command, ["report", str(tmp_path / "old"), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["schema"], said["systems"], said["baseline"], said["comparison"]) == (
        "fairlead.benchmarks",
        ["c"],
        None,
        None,
    )
    assert any("by the clocks" in text for text in said["findings"])
    tables = {each["name"]: each for each in said["tables"]}
    assert list(tables) == ["mpi-latency", "mpi-one-way"]
    first = dict(zip(tables["mpi-one-way"]["columns"], tables["mpi-one-way"]["rows"][0], strict=True))
    assert (first["size_B"], first["clock_error_s"], first["clocks"]) == (1, 1e-6, "agree")
    assert first["there_s"] == pytest.approx(10e-6 * 1.0035)
    assert dict(zip(tables["mpi-latency"]["columns"], tables["mpi-latency"]["rows"][0], strict=True))["window"] is None

    point_to_point_run(tmp_path / "new", LATENCY, STEADY)
    done = CliRunner().invoke(command, ["report", str(tmp_path / "old"), str(tmp_path / "new"), "--json"])
    said = json.loads(done.stdout)
    old, new = (f"c ({tmp_path / name})" for name in ("old", "new"))  # of one name, so their directories go with it
    assert (said["baseline"], said["comparison"]["rows"][0][0]) == (old, new)


def test_the_schema_is_that_of_the_model() -> None:
    assert json_form.SCHEMA_FILE.read_text() == json_form.Benchmarks.schema_text(), (
        "raise SCHEMA_VERSION and write it again: python -c "
        "'from fairlead.benchmarks.page import json_form as j; j.SCHEMA_FILE.write_text(j.Benchmarks.schema_text())'"
    )


def test_a_directory_without_benchmarks_is_told(tmp_path: Path) -> None:
    from fairlead.store import Store

    Store.open(tmp_path).close()
    with pytest.raises(StoreError, match="there are no benchmarks"):
        reports.load([tmp_path])


def test_overhead_is_a_share_of_time_and_the_thesis_ratio_has_its_own_name(tmp_path: Path) -> None:
    noise_run(tmp_path)
    found = reports.load([tmp_path])
    table = {row["cpu"]: row for row in rows(reports.drawings(found)[0].table.csv())}
    # 100 detours of 2 ms every 100 ms; 10 s of a billion iterations.
    assert float(table["0"]["overhead_share"]) == pytest.approx(0.02)
    assert float(table["0"]["count_ratio"]) == pytest.approx(1e-7)
    assert table["0"]["periods"] == "2.00\u00a0ms every 100\u00a0ms"
    assert (table["1"]["detours"], table["1"]["overhead_share"]) == ("0", "0.0")
    text = "\n".join(reports.findings(found))
    assert "the operating system takes 0.000\u00a0% to 2.000\u00a0% of the time of 2 cores" in text
    assert "processor 0 of h0 loses 2.00\u00a0% of its time to 100 detours, the longest 2.00\u00a0ms" in text
    assert "on processor 0 of h0 a disturbance of 2.00\u00a0ms comes every 100\u00a0ms" in text
    assert "equal pieces of work lose 50.000\u00a0% of the time of 1 core" in text
    assert "1 of them saw fewer than 100 detours" in text


def test_tcp_counts_the_middle_third_and_tells_retransmits(tmp_path: Path) -> None:
    tcp_run(tmp_path)
    found = reports.load([tmp_path])
    table = rows(reports.drawings(found)[0].table.csv())
    assert [row["configuration"] for row in table] == ["1 stream, one direction", "2 streams, both directions"]
    assert float(table[0]["median_bps"]) == pytest.approx(8e6)
    assert float(table[1]["median_bps"]) == pytest.approx(4 * 8e6)
    assert float(table[0]["retransmits_per_GiB"]) == pytest.approx(2**30 / 1e6, rel=1e-6)


def test_layers_of_a_system_are_in_the_same_axes(tmp_path: Path) -> None:
    """Windows of 8 times 1000 B in 10 ms are 6.4 Mbit/s; TCP has 8."""
    point_to_point_run(
        tmp_path, THROUGHPUT, {MessageCell(1000, window=8): [0.01] * 3, MessageCell(1000, 2, 8): [0.01] * 3}, blocks=1
    )
    tcp_run(tmp_path)
    report = reports.load([tmp_path])
    (drawing,) = (each for each in reports.drawings(report) if each.name == "layers-1")
    found = [(row["layer"], row["streams"], row["size_B"], float(row["value"])) for row in rows(drawing.table.csv())]
    assert [each[:3] for each in found] == [
        ("MPI over TCP", "1", "1000"),
        ("TCP", "1", ""),
    ]  # two streams: TCP has both ways only
    assert [each[3] for each in found] == pytest.approx([6.4e6, 8e6])
    said = " ".join(reports.findings(report))
    assert "with 1 stream MPI over TCP carries 80\u00a0% of what TCP does" in said
    assert "--transport native" not in said


def infiniband_run(directory: Path) -> None:
    """Write of 1000 B carries ten times what `tcp_run` does."""
    plan = {"sizes_B": [1000], "queue_pairs": [1], "directions": ["one"]}
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "infiniband", "cluster": "c"}, plan=plan)
        cell = infiniband.VerbCell("write", infiniband.THROUGHPUT, 1000)
        store.add_series(run, "rate_bps", [80e6], "bit/s", {**cell.labels(), "round": 0})
        store.finish_run(run)


@pytest.mark.parametrize(
    ("transport", "verdict", "note"),
    [
        (None, "with 1 stream MPI over TCP carries 80\u00a0% of what TCP does", True),
        ("tcp", "with 1 stream MPI over TCP carries 80\u00a0% of what TCP does", True),
        ("native", "with 1 stream MPI carries 8\u00a0% of what InfiniBand write does", False),
    ],
)
def test_mpi_that_was_kept_on_tcp_is_not_held_against_infiniband(
    tmp_path: Path, transport: str | None, verdict: str, note: bool
) -> None:
    samples_s = {MessageCell(1000, window=8): [0.01] * 3}
    point_to_point_run(tmp_path, THROUGHPUT, samples_s, blocks=1, transport=transport)
    tcp_run(tmp_path)
    infiniband_run(tmp_path)
    report = reports.load([tmp_path])
    said = " ".join(reports.findings(report))
    assert verdict in said and said.count(" of what ") == 1
    kept = "MPI was kept on TCP, so its performance over InfiniBand is not known: --transport native"
    assert (kept in said) == note
    (drawing,) = (each for each in reports.drawings(report) if each.name == "layers-1")
    names = [row["layer"] for row in rows(drawing.table.csv())]
    assert names == ["native MPI" if transport == "native" else "MPI over TCP", "InfiniBand write", "TCP"]


def test_systems_whose_messages_went_other_ways_are_lines_of_their_own(tmp_path: Path) -> None:
    for name, transport in (("a", "tcp"), ("b", "native")):
        samples_s = {MessageCell(size_B): [2e-5] * 3 for size_B in SIZES_B}
        point_to_point_run(tmp_path / name, LATENCY, samples_s, cluster=name, transport=transport)
    report = reports.load([tmp_path / "a", tmp_path / "b"])
    (drawing,) = reports.drawings(report)
    assert drawing.caption.endswith("MPI was kept on TCP between hosts, but for b, where the library chose by itself.")
    found = {(row["system"], row["configuration"]) for row in rows(drawing.table.csv())}
    assert found == {("a", "1 pair"), ("b", "native MPI, 1 pair")}
    compared = {row[2].shown for row in reports.comparison(report).rows}
    assert compared == {"native MPI, 1 pair against 1 pair"}
    assert conditions.of(report.systems[1])[LATENCY]["messages"] == "as the MPI library chose"


def test_all_pairs_are_a_heat_map_that_names_the_slow(tmp_path: Path) -> None:
    all_pairs_run(tmp_path, ("h1", "h3"))
    found = reports.load([tmp_path])
    text = "\n".join(reports.findings(found))
    assert "slow pair by latency: h1 and h3, 2.00 times slower than usual" in text
    assert "slow pair by throughput: h1 → h3, 2.00 times slower than usual" in text
    (drawing,) = reports.drawings(found)
    outlined = [{patch.get_xy() for patch in axis.patches} for axis in drawing.figure.axes[:2]]
    assert outlined == [{(3 - 0.46, 1 - 0.46), (1 - 0.46, 3 - 0.46)}, {(3 - 0.46, 1 - 0.46)}]
    table = {(row["source"], row["destination"]): row for row in rows(drawing.table.csv())}
    assert float(table["h3", "h1"]["latency_s"]) == pytest.approx(20e-6)
    assert float(table["h1", "h3"]["rate_bps"]) == pytest.approx(40e6)
    assert table["h1", "h3"]["slow"] == "latency: pair; throughput: pair"
    assert table["h3", "h1"]["slow"] == "latency: pair"
    assert table["h0", "h1"]["slow"] == ""


def test_too_few_blocks_are_said_to_be_no_verdict(tmp_path: Path) -> None:
    all_pairs_run(tmp_path, ("h1", "h3"), blocks=2)
    text = "\n".join(reports.findings(reports.load([tmp_path])))
    assert "slow pair" not in text and "no host and no pair" not in text
    assert "0 of 20 ordered pairs have the 3 blocks needed to judge latency" in text
