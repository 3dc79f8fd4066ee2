"""InfiniBand by perftest, which an imitation stands for: what is asked of it, kept, and told when there is none."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.infiniband import analyse as infiniband_analysis
from fairlead.benchmarks.infiniband import measure as infiniband
from fairlead.benchmarks.infiniband.measure import LATENCY, THROUGHPUT, InfinibandSettings, Pilot, VerbCell
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.page import report as reports
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError, MissingDeviceError, MissingToolError
from fairlead.store import Store

IMITATION = Path(__file__).with_name("imitated_perftest.py")
MIB_BPS = 8 * 2.0**20


def silent(what: str, done: int, total: int) -> None:
    """No progress is shown."""


def without_perftest(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts have these programs only, whatever this machine has."""
    directory.mkdir()
    for name in ("env", "ls", "sh"):
        (directory / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(directory))


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    programs = tmp_path / "programs"
    programs.mkdir()
    for verb in ("send", "write"):
        for test in ("lat", "bw"):
            (programs / f"ib_{verb}_{test}").symlink_to(IMITATION)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    path = tmp_path / "two.toml"
    hosts = "".join(f'[[hosts]]\nname = "h{k}"\naddress = "127.0.0.{k + 1}"\n' for k in (0, 1))
    path.write_text(f'[cluster]\nname = "two"\nexecutor = "local"\ninterface = "lo"\n{hosts}')
    return load_cluster(path)


def measured(
    cluster: Cluster, directory: Path, settings: InfinibandSettings
) -> dict[VerbCell, list[infiniband.Floats]]:
    with Store.open(directory) as store:
        return infiniband_analysis.blocks(store, infiniband.measure(cluster, store, settings, silent))


@pytest.mark.slow
def test_every_verb_test_and_number_of_queue_pairs_is_measured(cluster: Cluster, tmp_path: Path) -> None:
    settings = InfinibandSettings(sizes_B=(8,), directions=("one", "both"), until=Until.exactly(1, 60))
    found = measured(cluster, tmp_path / "r", settings)
    rates = {
        VerbCell(verb, THROUGHPUT, 8, queue_pairs, both): 1000 * queue_pairs * (1 + both) * MIB_BPS
        for verb in ("send", "write")
        for queue_pairs in (1, 16)
        for both in (False, True)
    }
    assert set(found) == set(rates) | {VerbCell(verb, LATENCY, 8) for verb in ("send", "write")}
    assert {cell: float(found[cell][0][0]) for cell in rates} == pytest.approx(rates)
    samples_s = found[VerbCell("send", LATENCY, 8)][0]
    assert samples_s == pytest.approx([1e-6 * (2.0 + 0.001 * (k % 10)) for k in range(infiniband.EXCHANGES - 1)])
    with Store.read(tmp_path / "r") as store:
        (run,) = store.runs("benchmark")
        (event,) = store.events(run.id, "perftest")
    assert (run.status, event.data) == ("ok", {"h0": "6.06", "h1": "6.06"})


def test_the_report_has_its_figures_and_says_what_was_measured(cluster: Cluster, tmp_path: Path) -> None:
    settings = InfinibandSettings(verbs=("send",), sizes_B=(8, 4096), until=Until.exactly(2, 60))
    measured(cluster, tmp_path / "r", settings)
    report = reports.load([tmp_path / "r"])
    drawn = {drawing.name: drawing.table for drawing in reports.drawings(report)}
    assert list(drawn) == ["infiniband-latency", "infiniband-throughput"]
    assert [row[1].shown for row in drawn["infiniband-throughput"].rows] == [
        *["InfiniBand send, 1 queue pair, one direction"] * 2,
        *["InfiniBand send, 16 queue pairs, one direction"] * 2,
    ]
    said = " ".join(reports.findings(report))
    assert "with InfiniBand send, 1 queue pair, a message of 8\u00a0B takes 2.00\u00a0µs" in said
    assert "InfiniBand send latency: 2 of 2 medians are within ±5 %" in said
    numbers = report.of("infiniband")[0].line((1, False))[8]
    assert (len(numbers.blocks), numbers.samples) == (2, 2 * (infiniband.EXCHANGES - 1))
    assert "InfiniBand send: a single stream does not fill the path: 16 streams carry 16.0 times as much as one" in said


def test_messages_of_a_block_follow_from_the_pilot() -> None:
    rate_bps = 8e9  # 1 GB/s: half a second are 500 MB
    asked = [(10**6, 1), (10**6, 16), (64, 1), (10**9, 1)]
    cells = [VerbCell("send", THROUGHPUT, size_B, queue_pairs) for size_B, queue_pairs in asked]
    pilot = Pilot(2e-7, rate_bps)  # and 5 million messages a second
    assert [pilot.messages(cell) for cell in cells] == [500, 31, 2_500_000, 20]
    assert pilot.messages(VerbCell("send", THROUGHPUT, 64, 16)) == 156_250
    assert pilot.messages(VerbCell("send", LATENCY, 64)) == infiniband.EXCHANGES


def test_small_and_large_messages_have_a_pilot_each(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def taken(_: object, pair: object, cell: VerbCell, settings: InfinibandSettings, count: int) -> np.ndarray:
        asked.append((cell.size_B, count))
        return np.array([8e6 if cell.size_B == 2 else 8e9])

    monkeypatch.setattr(infiniband, "_take", taken)
    pilot = infiniband._pilot(cluster, ("h0", "h1"), InfinibandSettings(sizes_B=(2, 4096, 1 << 20)))
    assert asked == [(2, 5000), (4096, 500)]
    assert pilot == Pilot(2e-6, 8e9)
    assert infiniband._pilot(cluster, ("h0", "h1"), InfinibandSettings(sizes_B=(1 << 20,))).rate_bps == 8e9
    assert asked[2:] == [(1 << 20, 500)]


slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("mood", "error", "message"),
    [
        ("no-device", MissingDeviceError, r"h1 has no InfiniBand or RoCE device"),
        slow("hung", MeasurementError, r"h0: ib_send_bw of 8 B did not end within 1 s; it was ended"),
        slow("dies", MeasurementError, r"ib_send_bw of 8 B ended with exit code 1: Completion with error at client"),
        slow("other-size", MeasurementError, r"it printed 1 tests of sizes \[\[3\]\], and not of one of 8 B"),
    ],
)
def test_what_goes_wrong_is_told_in_a_line_and_the_run_is_kept(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mood: str,
    error: type[Exception],
    message: str,
) -> None:
    monkeypatch.setenv("PERFTEST_MOOD", mood)
    with pytest.raises(error, match=message):
        measured(cluster, tmp_path / "r", InfinibandSettings(sizes_B=(8,), timeout_s=1))
    with Store.read(tmp_path / "r") as store:
        (run,) = store.runs("benchmark")
    assert run.status == "failed" and run.error is not None


def test_a_host_without_perftest_has_no_device_or_needs_it_installed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_perftest(tmp_path / "others", monkeypatch)
    monkeypatch.setattr(infiniband, "DEVICES", str(tmp_path / "none"))
    with pytest.raises(MissingDeviceError, match="h0 has no InfiniBand or RoCE device"):
        measured(cluster, tmp_path / "r", InfinibandSettings())
    monkeypatch.setattr(infiniband, "DEVICES", "/")
    with pytest.raises(MissingToolError, match="h0: ib_send_bw is not installed"):
        measured(cluster, tmp_path / "r", InfinibandSettings())
