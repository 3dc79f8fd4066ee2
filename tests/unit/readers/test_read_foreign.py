"""Reading what other benchmark programs wrote: exact numbers, and no number of a file that is not understood."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.benchmarks.imported import analyse as imported_analysis
from fairlead.benchmarks.imported import draw
from fairlead.benchmarks.imported import keep as imported
from fairlead.benchmarks.page import report as reports
from fairlead.cli.main import command
from fairlead.errors import ConfigError, MeasurementError, StoreError
from fairlead.readers.formats import READERS
from fairlead.store import Store

from . import foreign_files as files

Number = tuple[str, str, str, int | None]


def numbers(file_format: str, text: str) -> dict[Number, float]:
    """Every number of tables over size: by benchmark, series, statistic and size in B; of other series by place."""
    return {(benchmark, *place): value for benchmark, *place, value in every_number(file_format, text)}


def every_number(file_format: str, text: str) -> Iterator[tuple[Any, ...]]:
    """The same with those of tests that have one name."""
    for reading in READERS[file_format](text, "f.txt"):
        sizes: list[int | None] = [None]
        for series in reading.series:
            if series.name == "size_B":
                sizes = list(series.values)
        for series in reading.series:
            statistic = str(series.labels.get("statistic", series.labels.get("call", "")))
            places = sizes if "statistic" in series.labels else range(series.values.size)
            for place, value in zip(places, series.values.reshape(-1), strict=True):
                if series.name != "size_B":
                    yield reading.benchmark, series.name, statistic, place, float(value)


def test_osu_tables_of_all_kinds() -> None:
    found = numbers("osu", files.OSU_LATENCY)
    assert found == pytest.approx(
        {
            ("OSU Latency", "time_s", "mean", 1): 2.5e-6,
            ("OSU Latency", "time_s", "mean", 1024): 4e-6,
            ("OSU Latency", "time_s", "p50", 1): 2.4e-6,
            ("OSU Latency", "time_s", "p50", 1024): 3.9e-6,
            ("OSU Latency", "time_s", "p99", 1): 4.1e-6,
            ("OSU Latency", "time_s", "p99", 1024): 6e-6,
        }
    )
    assert numbers("osu", files.OSU_OLD_LATENCY)["OSU Latency", "time_s", "mean", 0] == pytest.approx(2e-6)
    title = "OSU Bi-Directional Bandwidth"
    assert numbers("osu", files.OSU_BANDWIDTH)[title, "rate_bps", "mean", 1048576] == pytest.approx(20e9)
    pairs = "OSU Multiple Bandwidth / Message Rate, 2 pairs"
    assert numbers("osu", files.OSU_PAIRS) == pytest.approx({(pairs, "rate_bps", "mean", 1): 80e6})
    (reading,) = READERS["osu"](files.OSU_PAIRS, "f")
    assert (reading.plan["pairs"], reading.plan["window"]) == (2, 64)
    reduced = numbers("osu", files.OSU_ALLREDUCE)
    assert [reduced["OSU Allreduce Latency", "time_s", of, 8] for of in ("least", "mean", "greatest")] == pytest.approx(
        [9e-6, 11e-6, 13e-6]
    )
    overlap = numbers("osu", files.OSU_OVERLAP)
    assert overlap["OSU Non-blocking Allreduce Latency", "overlap_share", "mean", 4] == pytest.approx(0.25)
    assert numbers("osu", files.OSU_BARRIER) == pytest.approx({("OSU Barrier Latency", "time_s", "mean", None): 7.5e-6})


def test_osu_tests_of_one_title_that_were_made_otherwise_are_other_tests() -> None:
    names = {
        files.OSU_PAIRS.replace("pairs: 2", "pairs: 1"): "OSU Multiple Bandwidth / Message Rate, 1 pair",
        files.OSU_CUDA: "OSU Latency, CUDA, buffers D to H",
        files.OSU_CUDA.replace("-CUDA", "-CUDA MANAGED").replace("HOST (H)", "MANAGED (MD)"): (
            "OSU Latency, CUDA MANAGED, buffers D to MD"
        ),
        files.OSU_PUT: "OSU MPI_Put Latency, MPI_Win_allocate, MPI_Win_flush",
        files.OSU_PUT_BANDWIDTH: "OSU MPI_Put Bandwidth, CUDA, MPI_Win_create, MPI_Win_lock/unlock, buffers D to H",
        files.OSU_FETCH: "OSU MPI_Fetch_and_op latency, MPI_Win_allocate, MPI_Win_flush",
    }
    for text, name in names.items():
        (reading,) = READERS["osu"](text, "f")
        assert reading.benchmark == reading.plan["program"] == name
    for operation in ("Get", "Accumulate", "Get_accumulate", "Compare_and_swap"):
        (reading,) = READERS["osu"](files.OSU_PUT.replace("MPI_Put", f"MPI_{operation}"), "f")
        assert reading.benchmark.startswith(f"OSU MPI_{operation} Latency, ")
    put = numbers("osu", files.OSU_PUT)
    assert put["OSU MPI_Put Latency, MPI_Win_allocate, MPI_Win_flush", "time_s", "mean", 8] == pytest.approx(1.75e-6)


def test_other_messages_are_no_repetitions(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(files.OSU_ALLREDUCE)
    (tmp_path / "b").write_text(files.OSU_ALLREDUCE.replace("MPI_FLOAT", "MPI_INT"))
    with pytest.raises(MeasurementError, match=r"b: OSU Allreduce Latency has the datatype MPI_INT, in .*a it has"):
        imported.read("osu", [tmp_path / "a", tmp_path / "b"])


def test_a_multi_latency_of_unknown_pairs_is_no_layer() -> None:
    pattern = draw.LAYERS["MPI"]
    assert pattern.fullmatch("OSU Latency") and pattern.fullmatch("OSU Multiple Bandwidth / Message Rate, 16 pairs")
    assert not pattern.fullmatch("OSU Multi Latency") and not pattern.fullmatch("OSU Latency, CUDA, buffers D to D")


def test_imb_tables_and_their_two_megabytes() -> None:
    found = numbers("imb", files.IMB)
    assert found["IMB PingPong, 2 ranks", "time_s", "mean", 1000] == pytest.approx(2e-6)
    assert found["IMB PingPong, 2 ranks", "rate_bps", "mean", 1000000] == pytest.approx(32e9)
    assert found["IMB Sendrecv, 4 ranks", "rate_bps", "mean", 1000] == pytest.approx(4e9)
    assert found["IMB Allreduce, 4 ranks", "time_s", "greatest", 4] == pytest.approx(7e-6)
    assert found["IMB Barrier, 4 ranks", "time_s", "mean", None] == pytest.approx(6e-6)
    old = files.IMB.replace("       500.00", "       476.84").replace("4000.00", "3814.70")
    assert numbers("imb", old)["IMB PingPong, 2 ranks", "rate_bps", "mean", 1000000] == pytest.approx(32e9, rel=1e-5)


def test_imb_tests_of_two_modes_are_two_tests() -> None:
    text = files.IMB.replace("       #bytes", "#\n#    MODE: AGGREGATE \n#\n       #bytes", 1)
    assert "IMB PingPong, 2 ranks, aggregate" in {key[0] for key in numbers("imb", text)}


def test_perftest_tables() -> None:
    found = numbers("perftest", files.PERFTEST_LATENCY)
    name = "perftest Send Latency, 1 QP"
    assert found[name, "time_s", "median", 4] == pytest.approx(0.9e-6)
    assert found[name, "time_s", "p99.9", 2] == pytest.approx(3e-6)
    name = "perftest RDMA_Write Bidirectional BW, 16 QP"
    assert numbers("perftest", files.PERFTEST_BANDWIDTH) == pytest.approx(
        {(name, "rate_bps", "greatest", 65536): 1100 * 8 * 2**20, (name, "rate_bps", "mean", 65536): 8000 * 2**20}
    )
    without_peak = files.PERFTEST_BANDWIDTH.replace("1100.00", "0.00")
    assert set(numbers("perftest", without_peak)) == {(name, "rate_bps", "mean", 65536)}


def test_samples_of_perftest_are_kept_and_belong_to_their_row() -> None:
    (reading,) = READERS["perftest"](files.PERFTEST_SAMPLES, "f.txt")
    (samples,) = (series for series in reading.series if series.name == "latency_s")
    assert samples.labels == {"size_B": 2}
    assert samples.values == pytest.approx([0.913333e-6, 0.9e-6, 1.20667e-6, 5e-6])
    with pytest.raises(MeasurementError, match=r"f.txt:\d+: 3 samples do not make 7 iterations"):
        READERS["perftest"](files.PERFTEST_SAMPLES.replace("4, 5\n", "").replace(" 2       5", " 2       7"), "f.txt")
    with pytest.raises(MeasurementError, match=r"the least sample, 0.8, is not 0.9"):
        READERS["perftest"](files.PERFTEST_SAMPLES.replace("2, 0.9\n", "2, 0.8\n"), "f.txt")
    with pytest.raises(MeasurementError, match="sample 3 comes after 1"):
        READERS["perftest"](files.PERFTEST_SAMPLES.replace("2, 0.9\n", ""), "f.txt")


def test_netgauge_noise_is_stored_as_our_own_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(files.SELFISH)
    (tmp_path / "b").write_text(files.SELFISH.replace("n7", "n8"))
    found = imported.read("netgauge", [tmp_path / "a", tmp_path / "b"])
    with Store.open(tmp_path / "r") as store:
        imported.keep(store, "cloud", "netgauge", found)
    (noise,) = reports.load([tmp_path / "r"]).of("noise")
    assert [(core.host, core.cpu) for core in noise.cores] == [("n7", 0), ("n8", 1)]
    assert noise.cores[0].overhead_share() == pytest.approx(0.04)
    assert noise.cores[0].least_s == pytest.approx(1e-8)
    assert noise.cores[0].count_ratio() == pytest.approx(3e-8)
    times = {f"noise-fwq,{k}": value for (_, _, _, k), value in numbers("netgauge", files.FIXED_WORK).items()}
    assert times == pytest.approx({"noise-fwq,0": 1e-4, "noise-fwq,1": 1e-4, "noise-fwq,2": 1.8e-4})


def test_files_that_were_not_stored_to_their_end_are_no_measurement(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(files.OSU_LATENCY)
    found = imported.read("osu", [tmp_path / "f"] * 2)
    with Store.open(tmp_path / "r") as store:
        (whole,) = imported.keep(store, "cloud", "osu", found)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        large = [(path, replace(each, series=each.series * 500)) for path, each in found]
        with pytest.raises(StoreError, match="full"):
            imported.keep(store, "cloud", "osu", large)
        store._connection.execute("PRAGMA max_page_count = 1000000")
    (system,) = reports.load([tmp_path / "r"]).systems
    assert [run.id for run in system.runs.values()] == [whole]


def test_layers_that_files_tell_of_are_in_the_same_axes(tmp_path: Path) -> None:
    with Store.open(tmp_path / "r") as store:
        for name, text in (("osu", files.OSU_BANDWIDTH), ("perftest", files.PERFTEST_BANDWIDTH)):
            one_way = text.replace(" Bidirectional", "").replace(" Bi-Directional", "").replace(": 16", ": 1")
            (tmp_path / name).write_text(one_way)
            imported.keep(store, "cloud", name, imported.read(name, [tmp_path / name]))
    (found,) = reports.load([tmp_path / "r"]).layers().values()
    assert [(each.is_latency, each.streams, [layer.name for layer in each.layers]) for each in found] == [
        (False, 1, ["OSU Bandwidth", "perftest RDMA_Write BW"])
    ]


def test_netgauge_one_one_has_half_round_trips_and_rates() -> None:
    found = numbers("netgauge", files.ONE_ONE)
    assert [found["netgauge one_one", "time_s", of, 8] for of in ("least", "median", "mean", "greatest")] == (
        pytest.approx([4e-6, 4.5e-6, 5e-6, 8e-6])
    )
    assert found["netgauge one_one", "rate_bps", "median", 1000] == pytest.approx(888.89e6)


def test_mpip_has_times_of_tasks_and_calls() -> None:
    (reading,) = READERS["mpip"](files.MPIP, "f")
    of = {series.name: series.values for series in reading.series}
    assert list(of["app_time_s"]) == [10, 10] and list(of["mpi_time_s"]) == [2, 4]
    calls = [(s.labels["call"], s.labels["site"], s.labels["count"], s.scalar()) for s in reading.series[2:]]
    assert calls == [("Waitall", 2, 200, 4.0), ("Allreduce", 1, 100, 2.0)]
    assert (reading.plan["command"], reading.plan["hosts"]) == ("./solver -n 100", ["n0", "n1"])


def test_mpip_with_three_places_behind_the_point_is_as_exact_as_these() -> None:
    """By its option -e: 0.037 s may be 0.0374 s."""
    times = "   0      0.250      0.037    14.97\n   1      0.250      0.100    40.00\n"
    times += "   *      0.500      0.137    27.48\n"
    before = files.MPIP[files.MPIP.index("   0         10") : files.MPIP.index("   *         20")]
    whole = files.MPIP.replace(before, "").replace("   *         20          6    30.00\n", times)
    (reading,) = READERS["mpip"](whole, "f")
    assert list(reading.series[1].values) == [0.037, 0.1]
    with pytest.raises(MeasurementError, match=r"0\.037 of 0\.25 s are not 15\.97 %"):
        READERS["mpip"](whole.replace("14.97", "15.97"), "f")


def test_iperf3_of_a_client_is_what_was_sent(tmp_path: Path) -> None:
    for name, text in (
        ("sent", files.iperf3()),
        ("got", files.iperf3(sender=False)),
        ("both", files.iperf3(both=True)),
    ):
        (tmp_path / name).write_text(text)
    for name, whose, rate_bps in (("sent", "senders", 8e6), ("got", "receivers", 8e6), ("both", "senders", 16e6)):
        with Store.open(tmp_path / f"r-{name}") as store:
            imported.keep(store, "c", "iperf3", imported.read("iperf3", [tmp_path / name]))
        (tcp,) = reports.load([tmp_path / f"r-{name}"]).of("tcp")
        assert tcp.run.plan["counted_by"] == whose
        assert [float(rates[0]) for rates in tcp.rates_bps.values()] == [pytest.approx(rate_bps)]


def test_iperf3_of_several_lengths_counts_the_middle_of_each(tmp_path: Path) -> None:
    for seconds in (6, 60):
        (tmp_path / str(seconds)).write_text(files.iperf3(seconds=seconds, factor=seconds))
    (tmp_path / "got").write_text(files.iperf3(sender=False))
    with Store.open(tmp_path / "r") as store:
        imported.keep(store, "c", "iperf3", imported.read("iperf3", [tmp_path / "60", tmp_path / "6"]))
        with pytest.raises(MeasurementError, match=r"got: counts what receivers moved, .*6 what senders did"):
            imported.read("iperf3", [tmp_path / "6", tmp_path / "got"])
    (tcp,) = reports.load([tmp_path / "r"]).of("tcp")
    ((cell, blocks),) = tcp.blocks.items()
    assert [block.seconds for block in blocks] == [60, 6]
    assert tcp.rates_bps[cell] == pytest.approx([480e6, 48e6])


@pytest.mark.parametrize("seconds", [2, 4])
def test_iperf3_without_a_whole_interval_in_the_middle_third_is_refused(seconds: int) -> None:
    """It would be kept, and then stand in the way of every report."""
    with pytest.raises(
        MeasurementError, match=rf"f:\d+: the middle third of the {seconds} s, which counts, holds no whole"
    ):
        READERS["iperf3"](files.iperf3(seconds=seconds), "f")


@pytest.mark.parametrize(
    ("file_format", "before", "after", "message"),
    [
        ("osu", "2.50", "2.5x", r"f.txt:6: '2.5x' is not a number"),
        ("osu", "2.50              Pass", "2.50              Fail", "f.txt:6: the data did not pass"),
        ("osu", "1024 ", "1 ", "f.txt:7: size 1 comes after 1"),
        ("osu", "Avg Latency(us)        Val", "Avg Warmth(K)        Val", "f.txt:5: unknown column at 'Avg Warmth"),
        ("osu", "# OSU MPI", "# OSU", "f.txt:3: a table without its title"),
        ("osu", "# OSU MPI Latency", "MPI Latency", "f.txt:5: a table without its title"),
        ("imb", "# All processes", "# Some processes", "the output is not complete"),
        ("imb", "4000.00", "5000.00", "the throughputs do not fit the times"),
        (
            "imb",
            "         7.00         6.00\n\n#-",
            "         7.00\n\n#-",
            "f.txt:31: 4 columns where the header has 5",
        ),
        ("imb", "250.00      4000.00", "out-of-mem.; needed X=   1.000 GB", "columns where the header has 4"),
        ("perftest", f"0.016000\n{files.RULE}", "0.016000", "no closing line"),
        (
            "perftest",
            "0.95        \t0.10\t\t1.20 \t\t3.00\n 4",
            "0.95        \t0.10\t\t7.20 \t\t3.00\n 4",
            "rising order",
        ),
        ("perftest", "1000.00   \t", "1001.00   \t", "0.016 million messages of 65536 B are not 1001 in a second"),
        ("perftest", "1100.00", "990.00", "the peak is below the average"),
        ("perftest", " 65536      5000", " 0          5000", r"f.txt:\d+: a bandwidth of messages of 0 B"),
        ("perftest", "0.91        \t0", "0.9         \t0", "'0.9' is not a number of this format"),
        ("netgauge", "30000000.00\n#", "90000000.00\n#", "f.txt:12: the detours end after 2.06 s"),
        ("netgauge", "0.00\t20000000.00", "0.00\t90000000.00", "the detours take 7.50 % of the time, not 4.00 %"),
        ("netgauge", "# Measurement period: 2.00 s\n", "", "the file is not complete"),
        ("mpip", "   1         10          4    40.00\n", "", "add up to 10 s, not to 20 s"),
        ("mpip", "@--- End of Report", "@--- ", 'End of Report" is missing'),
        ("mpip", "4    40.00", "5    40.00", "f.txt:12: 5 of 10 s are not 40 %"),
        ("iperf3", '"bytes": 1000000', '"bytes": 1000', r"intervals\[0\]: 1000 bytes in 1 s are not 8e\+06 bit/s"),
        ("iperf3", '"retransmits": 2', '"retransmits": -2', r"intervals\[0\]: -2 retransmits"),
        ("iperf3", '"duration": 6', '"duration": 60', "the test was to last 60 s, and its intervals end at 6 s"),
        ("iperf3", '"TCP"', '"UDP"', r"f.txt:\d+: is a test of UDP"),
        ("iperf3", '"protocol": "TCP",', "", r"f.txt:\d+: is a test of an unknown protocol"),
        ("iperf3", '"target_bitrate": 0', '"target_bitrate": 1000000', r"f.txt:\d+: was limited to 1e\+06 bit/s \(-b"),
        ("iperf3", '"protocol": "TCP"', '"protocol": "TCP", "target_bitrate": 5', r"f.txt:\d+: was limited to 5 bit/s"),
        ("iperf3", '"start": {\n', '"start": [],\n"begin": {\n', r"f.txt:\d+: start is not an object"),
        ("iperf3", '"test_start": {', '"test_start": [], "test": {', r"f.txt:\d+: start.test_start is not an object"),
        ("iperf3", '"target_bitrate": 0', '"target_bitrate": "1M"', r"f.txt:\d+: target_bitrate is not a number: '1M'"),
        (
            "iperf3",
            '"intervals": [',
            '"intervals": 5, "others": [',
            r"f.txt:\d+: is not JSON of iperf3: intervals is not",
        ),
        ("iperf3", '"streams"', '"xtreams"', r"intervals\[0\]: there is no list of streams"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(file_format: str, before: str, after: str, message: str) -> None:
    assert before in files.EVERY[file_format]
    with pytest.raises(MeasurementError, match=message):
        READERS[file_format](files.EVERY[file_format].replace(before, after, 1), "f.txt")


@pytest.mark.parametrize("file_format", files.EVERY)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_cut_short_or_spoiled_gives_no_other_number(file_format: str, data: st.DataObject) -> None:
    whole = files.EVERY[file_format]
    place = data.draw(st.integers(0, len(whole) - 1))
    # What is no part of a number: a blank or a sign in the place of a digit may leave another number that is as good.
    if data.draw(st.booleans()):
        text = whole[:place]
    else:
        text = whole[:place] + data.draw(st.sampled_from("x,%")) + whole[place + 1 :]
    try:
        found = set(every_number(file_format, text))
    except MeasurementError:
        return

    def nameless(entries: Iterable[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
        """Names of tests and of functions may be what was spoiled: then their numbers stand under others."""
        return {(series, statistic if file_format != "mpip" else "", *rest) for _, series, statistic, *rest in entries}

    right = nameless(every_number(file_format, whole))
    assert {entry for entry in nameless(found) if not math.isnan(entry[-1])} <= right


def test_files_become_runs_and_a_page(tmp_path: Path) -> None:
    for number in range(6):
        scale = f"{2.0 + number / 100:.2f}"
        (tmp_path / f"a{number}").write_text(files.OSU_OLD_LATENCY.replace("2.50", scale))
        (tmp_path / f"b{number}").write_text(files.OSU_OLD_LATENCY.replace("2.50", f"{2 * float(scale):.2f}"))
    for name in ("m", "n"):
        (tmp_path / name).write_text(files.MPIP)
    for system, letter in (("old", "a"), ("new", "b")):
        names = [str(tmp_path / f"{letter}{number}") for number in range(6)]
        words = ["measure", "import", "osu", *names, "--system", system, "--results", str(tmp_path / "r")]
        done = CliRunner().invoke(command, words)
        assert done.exit_code == 0, done.output
    reports_of_mpip = [str(tmp_path / "m"), str(tmp_path / "n")]
    words = ["measure", "import", "mpip", *reports_of_mpip, "--system", "new", "--results", str(tmp_path / "r")]
    assert CliRunner().invoke(command, words).exit_code == 0
    found = reports.load([tmp_path / "r"])
    ratios = {row[3].value: row for row in reports.comparison(found).rows}
    assert ratios[1][4].value == pytest.approx(2.0) and ratios[1][7].value == "worse"
    text = "\n".join(reports.findings(found))
    assert "OSU Latency: mean 2.02\u00a0µs (1\u00a0B)" in text
    assert "OSU Latency: 6 tables of statistics, no samples" in text
    most = "mpiP: 2 tasks spend 30.0\u00a0% of their time in MPI, most of it in Waitall (site 2)"
    assert f"{most}; this is the first of 2 reports" in text
    page = (tmp_path / "r" / "benchmarks.html").read_text()
    assert '<figure id="read-time">' in page and '<figure id="mpip">' in page
    with Store.read(tmp_path / "r") as store:
        run = imported.records.runs(store, "OSU Latency")[0]
        assert store.attachments(run.id)[0].content == (tmp_path / "a0").read_bytes()
        (mean,) = [curve for curve in imported_analysis.curves(store, run.id) if curve.statistic == "mean"]
    assert np.array_equal(mean.values[1], np.array([2.0, 2.01, 2.02, 2.03, 2.04, 2.05]) * 1e-6)


def test_a_report_of_mpip_whose_time_in_mpi_was_rounded_away_has_a_page(tmp_path: Path) -> None:
    text = files.MPIP.replace("10          2    20.00", "0.040      0.000     0.60")
    text = text.replace("10          4    40.00", "0.040      0.000     0.40")
    text = text.replace("20          6    30.00", "0.080      0.000     0.50")
    text = text.replace("4e+03   20.00", "0.240    0.30").replace("2e+03   10.00", "0.160    0.20")
    (tmp_path / "m").write_text(text)
    words = ["measure", "import", "mpip", str(tmp_path / "m"), "--system", "s", "--results", str(tmp_path / "r")]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    (drawing,) = reports.drawings(reports.load([tmp_path / "r"]))
    assert [row[4].value for row in drawing.table.rows] == pytest.approx([0.24e-3, 0.16e-3])
    assert [row[5].value for row in drawing.table.rows] == [None, None], "shares of nothing"


def test_a_table_of_messages_of_no_byte_has_a_page(tmp_path: Path) -> None:
    """As `osu_latency -m 0:0` writes it."""
    (tmp_path / "f").write_text(files.OSU_OLD_LATENCY.replace("1                       2.50\n", ""))
    words = ["measure", "import", "osu", str(tmp_path / "f"), "--system", "s", "--results", str(tmp_path / "r")]
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    said = reports.findings(reports.load([tmp_path / "r"]))
    assert "Measured: OSU Latency: mean 2.00\u00a0µs (0\u00a0B)." in said
    assert "2.00" in (tmp_path / "r" / "benchmarks.html").read_text()


def test_one_bad_file_and_nothing_is_stored(tmp_path: Path) -> None:
    (tmp_path / "good").write_text(files.OSU_BARRIER)
    (tmp_path / "bad").write_text(files.OSU_BARRIER[:-1])
    words = ["measure", "import", "osu", str(tmp_path / "good"), str(tmp_path / "bad"), "--system", "s"]
    done = CliRunner().invoke(command, [*words, "--results", str(tmp_path / "r")])
    assert isinstance(done.exception, ConfigError) and "bad:4: the file ends within a line" in str(done.exception)
    assert not (tmp_path / "r").exists()
