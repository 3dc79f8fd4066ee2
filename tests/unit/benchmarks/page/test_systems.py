"""Which runs stand for a system: those that ended well, each way of measuring, or those that were asked for."""

from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.page import systems
from fairlead.benchmarks.point_to_point.measure import LATENCY
from fairlead.cli.main import command
from fairlead.store import Store

from ..benchmark_fixtures import point_to_point_run


def latency_run(directory: Path, time_s: float, status: str = "ok") -> int:
    return point_to_point_run(directory, LATENCY, {MessageCell(1, 1): [time_s] * 20}, status=status)


def burst_run(directory: Path, time_s: float, **plan: Any) -> int:
    whole = {"pauses_s": [0.1, 0.0], "runs": 2, "size_B": 8, "asleep": False, "both": True, **plan}
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "burst", "cluster": "c"}, plan=whole)
        for _ in range(2):
            store.add_series(run, "train_s", np.full((2, 3), time_s), "s", {"train": 1, "size_B": 8})
        store.finish_run(run)
    return run


def test_an_interrupted_run_does_not_hide_a_complete_one(tmp_path: Path) -> None:
    whole, broken = latency_run(tmp_path, 20e-6), latency_run(tmp_path, 90e-6, "aborted")
    found = reports.load([tmp_path])
    assert found.of("mpi-latency")[0].run.id == whole
    said = "\n".join(reports.findings(found))
    assert f"mpi-latency: run {broken} of " in said
    assert f"is incomplete (aborted); shown is run {whole}, the newest one that is (--run {broken} shows" in said
    later = latency_run(tmp_path, 30e-6)
    found = reports.load([tmp_path])
    assert found.of("mpi-latency")[0].run.id == later
    assert "shown is run" not in "\n".join(reports.findings(found))


def test_where_no_run_ended_well_the_newest_stands_there_and_is_marked(tmp_path: Path) -> None:
    latency_run(tmp_path, 20e-6, "failed")
    newest = latency_run(tmp_path, 30e-6, "aborted")
    found = reports.load([tmp_path])
    assert found.of("mpi-latency")[0].run.id == newest
    assert "the run is incomplete (aborted)" in "\n".join(reports.findings(found))


def test_bursts_of_all_kinds_of_pauses_stand_side_by_side(tmp_path: Path) -> None:
    burst_run(tmp_path, 1e-3)
    asleep = burst_run(tmp_path, 2e-3, asleep=True)
    alone = burst_run(tmp_path, 3e-3, both=False)
    newer = burst_run(tmp_path, 4e-3)
    found = reports.load([tmp_path])
    assert {each.run.id for each in found.of("burst")} == {newer, asleep, alone}
    assert {each.words() for each in found.of("burst")} == {
        "single messages, pauses busy on both ranks",
        "single messages, pauses asleep on both ranks",
        "single messages, pauses busy on one rank",
    }
    (drawing,) = reports.drawings(found)
    medians = {(row[-1].shown, row[5].value) for row in drawing.table.rows}
    assert medians == {("busy on both ranks", 4e-3), ("asleep on both ranks", 2e-3), ("busy on one rank", 3e-3)}


def test_another_way_of_measuring_that_is_not_shown_is_named(tmp_path: Path) -> None:
    runs = []
    for begin in ("barrier", "agreed"):
        plan = {"operations": ["bcast"], "sizes_B": [4], "ranks": [2], "hosts": ["a", "b"], "begin": begin}
        with Store.open(tmp_path) as store:
            run = store.begin_run(records.KIND, {"benchmark": "collectives", "cluster": "c"}, plan=plan)
            labels = {"operation": "bcast", "size_B": 4, "ranks": 2, "round": 0}
            store.add_series(run, "call_s", np.full((2, 20), 1e-5), "s", labels)
            store.finish_run(run)
        runs.append(run)
    (system,) = systems.find([tmp_path])
    assert system.runs["collectives"].id == runs[1]
    assert [run.id for run in system.variants("collectives")] == [runs[1], runs[0]]
    (note,) = systems.notes(system)
    text = f"shown is run {runs[1]}, at agreed moments; run {runs[0]} measured after a barrier (--run {runs[0]} shows"
    assert text in note


def test_runs_can_be_chosen(tmp_path: Path) -> None:
    first, second = latency_run(tmp_path, 20e-6), latency_run(tmp_path, 30e-6, "aborted")
    burst_run(tmp_path, 1e-3)
    for number, time in ((first, "10.0 µs"), (second, "15.1 µs")):
        done = CliRunner().invoke(command, ["report", str(tmp_path), "--run", str(number), "--run", "3"])
        assert done.exit_code == 0, done.output
        said = " ".join(done.output.split())
        assert f"a message of 1 B takes {time}" in said and "burst of single messages: 2 whole passes" in said
    with Store.open(tmp_path) as store:
        other = store.begin_run("run", {})
        store.finish_run(other)
    done = CliRunner().invoke(command, ["report", str(tmp_path), "--run", "1", "--run", str(other)])
    assert done.exit_code == 2 and "--run: only benchmarks of one directory" in done.output
