"""What becomes of a measurement by iperf3 that goes wrong; an imitated iperf3 that listens and says nothing."""

import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.benchmarks.measuring import records, suite
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.tcp import CONNECTING_S
from fairlead.benchmarks.tcp import measure as tcp
from fairlead.cli.main import command
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError
from fairlead.store import Store

HUNG = f"""#!{sys.executable}
import socket, sys, time
if "--server" in sys.argv:
    listening = socket.create_server(("127.0.0.2", int(sys.argv[sys.argv.index("--port") + 1])))
time.sleep(1000)
"""
REFUSES = """#!/bin/sh
echo 'Usage: iperf3 [-s|-c host] [options]'
echo 'iperf3: parameter error - what was asked for' >&2
exit 1
"""
CLUSTER = """
[cluster]
name = "two"
executor = "local"
interface = "lo"
ports = [47310, 47319]
[[hosts]]
name = "h0"
address = "127.0.0.1"
[[hosts]]
name = "h1"
address = "127.0.0.2"
"""


def imitated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Cluster:
    (tmp_path / "iperf3").write_text(script)
    (tmp_path / "iperf3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "two.toml").write_text(CLUSTER)
    return load_cluster(tmp_path / "two.toml")


def test_a_hung_stream_is_ended_and_the_run_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = imitated(tmp_path, monkeypatch, HUNG)
    settings = tcp.TcpSettings(seconds=1, timeout_s=0.5, until=Until.exactly(1, 60))
    begin_s = time.monotonic()
    with Store.open(tmp_path / "r") as store, pytest.raises(MeasurementError, match=r"did not end within 1\.5 s"):
        tcp.measure(cluster, store, settings, lambda *_: None)
    assert 1.5 <= time.monotonic() - begin_s < 30, "both were ended when they were told"
    with Store.read(tmp_path / "r") as store:
        (run,) = store.runs("benchmark")
    assert run.status == "failed"
    assert run.error is not None and "h0: iperf3 did not end" in run.error


def test_what_iperf3_refuses_is_told_in_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = imitated(tmp_path, monkeypatch, REFUSES)
    told = "h1: iperf3 ended with exit code 1: iperf3: parameter error - what was asked for"
    with Store.open(tmp_path / "r") as store, pytest.raises(MeasurementError, match=told):
        tcp.measure(cluster, store, tcp.TcpSettings(), lambda *_: None)


def test_intervals_are_those_that_iperf3_knows() -> None:
    lengths_s = (3, 6, 1800, 3600)
    assert [tcp.TcpSettings(seconds=seconds).interval_s() for seconds in lengths_s] == [0.1, 0.2, 60.0, 60.0]


def test_a_length_that_iperf3_would_cut_is_refused(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(CLUSTER)
    for seconds in ("1.9", "2", "3601"):
        done = CliRunner().invoke(command, ["measure", str(tmp_path / "two.toml"), "tcp", "--seconds", seconds])
        assert done.exit_code == 2 and "Invalid value for '--seconds'" in done.output


def test_all_gives_whole_seconds_and_keeps_within_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two.toml").write_text(CLUSTER)
    asked: list[tcp.TcpSettings] = []
    monkeypatch.setattr(tcp, "measure", lambda cluster, store, settings, progress: asked.append(settings))
    cluster = load_cluster(tmp_path / "two.toml")
    with Store.open(tmp_path / "r") as store:
        steps = suite._steps(cluster, store, suite.SuiteSettings(pairs=(1, 4)), lambda *_: None)
    (step,) = [step for step in steps if step.name == "tcp"]
    shares_s = [step.least_s, 33.3, 100.0, 1000.0]
    for share_s in shares_s:
        step.run(share_s)
    assert [settings.seconds for settings in asked] == [3, 3, 6, 10]
    assert all(isinstance(settings.seconds, int) for settings in asked)
    for settings, share_s in zip(asked, shares_s, strict=True):
        assert settings.until.budget_s is not None and settings.until.budget_s > 0
        assert settings.until.budget_s + settings.seconds + CONNECTING_S == pytest.approx(share_s)


def test_configurations_that_there_was_no_time_for_are_told(tmp_path: Path) -> None:
    plan = {"seconds": 6.0, "streams": [1, 16], "directions": ["one", "both"]}
    ends_s = [[0.2 * (k + 1) for k in range(30)]]
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": tcp.BENCHMARK, "cluster": "c"}, plan=plan)
        labels = {"streams": 1, "both": 0, "round": 0, "seconds": 6.0}
        for name, values, unit in (
            ("interval_end_s", ends_s, "s"),
            ("received_B", [[1e6] * 30], "B"),
            ("retransmits_count", [[0.0] * 30], "count"),
        ):
            store.add_series(run, name, values, unit, labels)
        store.finish_run(run)
    found = reports.load([tmp_path])
    assert found.of("tcp")[0].missing == 3
    assert (
        "tcp: 0 of 1 medians are within ±5 % (95 % confidence intervals); 3 configurations not measured (time budget)"
        in "\n".join(reports.findings(found))
    )
