"""Files of runs tell living runs from dead ones by process id and start time."""

import dataclasses
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from fairlead import lab, runtime
from fairlead.errors import FairleadError
from fairlead.manage import live_runs
from fairlead.runtime import Process


@pytest.fixture(autouse=True)
def private_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))


def _state(job: str, pid: int, ticks: int) -> live_runs.RunState:
    return live_runs.RunState(job, "/c.toml", ["cg"], pid, ticks, time.time())


def test_registered_while_it_runs_and_gone_after() -> None:
    with live_runs.Registration(_state("00000001", os.getpid(), Process.own().start_ticks)) as registration:
        registration.state.detours["h0→h1"] = "h2"
        registration.write()
        (state,) = live_runs.look().runs
        assert state.alive
        assert state.detours == {"h0→h1": "h2"}
    assert live_runs.look().runs == []


def test_an_event_that_is_told_late_does_not_register_the_run_again() -> None:
    """An agent's end is held back for seconds, and told by a thread of its own, where Slurm ends jobs."""
    with live_runs.Registration(_state("00000001", os.getpid(), Process.own().start_ticks)) as registration:
        registration.change()
    registration.change()
    registration._written_s -= live_runs.WRITTEN_EVERY_S
    registration.publish()
    registration.write()
    assert live_runs.look().runs == []


def test_dead_supervisor_is_recognised_also_when_its_pid_is_used_again() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        ticks = runtime.start_ticks(process.pid)
        live_runs.Registration(_state("0000000a", process.pid, ticks)).write()
        live_runs.Registration(_state("0000000b", process.pid, ticks - 1)).write()
        assert {run.job: run.alive for run in live_runs.look().runs} == {"0000000a": True, "0000000b": False}
        process.kill()
    assert not any(run.alive for run in live_runs.look().runs)
    live_runs.forget("0000000a")
    assert [run.job for run in live_runs.look().runs] == ["0000000b"]


def test_runs_may_be_looked_at_before_the_first_lab(tmp_path: Path) -> None:
    assert live_runs.look().runs == []
    assert lab.running_labs() == []
    assert (tmp_path / "fairlead").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "fairlead" / "runs").stat().st_mode & 0o777 == 0o700


def test_notes_that_others_could_have_written_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "fairlead" / "runs").mkdir(parents=True)
    (tmp_path / "fairlead").chmod(0o777)
    (tmp_path / "fairlead" / "runs" / "0000000a.json").write_text('{"job": "0000000a"}')
    with pytest.raises(FairleadError, match="not a private directory of yours"):
        live_runs.look()


def test_a_note_of_an_earlier_version_is_a_run_of_which_less_is_known() -> None:
    own = Process.own()
    note = {"job": "0000000a", "cluster_file": "/c.toml", "argv": ["cg"], "pid": own.pid, "started_at_s": 1.0}
    note |= {"started_ticks": own.start_ticks, "detours": {"h0→h1": "h2"}, "zones": {"h0→h1": "high"}}
    (runtime.directory("runs") / "0000000a.json").write_text(json.dumps(note))
    (state,) = live_runs.look().runs
    assert (state.job, state.alive, state.detours, state.levels) == ("0000000a", True, {"h0→h1": "h2"}, {})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"job": "0000000a", "pid": 1}', "no cluster_file, argv, started_ticks, started_at_s"),
        ("{", "Expecting property name"),
        ("[]", "no job, cluster_file"),
    ],
)
def test_a_note_that_tells_of_no_run_is_told_with_the_way_out_beside_the_others(text: str, why: str) -> None:
    path = runtime.directory("runs") / "0000000a.json"
    path.write_text(text)
    live_runs.Registration(_state("0000000b", 1, 1)).write()
    found = live_runs.look()
    assert [run.job for run in found.runs] == ["0000000b"]
    (complaint,) = found.complaints()
    assert complaint.startswith(f"{path}: is not a record of a run ({why}") and complaint.endswith("remove the file")


def test_many_changes_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = 100.0
    monkeypatch.setattr(live_runs.time, "monotonic", lambda: clock_s)
    with live_runs.Registration(_state("00000001", os.getpid(), Process.own().start_ticks)) as registration:
        for number in range(300):
            clock_s += 0.001
            registration.state.levels["h0→h1"] = "high" if number % 2 else "medium"
            registration.change()
            registration.publish()
        (known,) = live_runs.look().runs
        assert known.levels == {}  # as it was in the beginning
        clock_s += live_runs.WRITTEN_EVERY_S
        registration.publish()  # with the next event, whatever it is
        (known,) = live_runs.look().runs
        assert known.levels == {"h0→h1": "high"}


@pytest.mark.parametrize(
    ("key", "value"),
    [("argv", "cg"), ("argv", [1]), ("pid", "12"), ("started_at_s", None), ("levels", None), ("detours", {"a": 1})],
)
def test_a_note_whose_values_are_of_another_kind_is_unreadable_and_ends_no_command(key: str, value: object) -> None:
    note = {"job": "0000000a", "cluster_file": "/c.toml", "argv": ["cg"], "pid": 1, "started_ticks": 1}
    note |= {"started_at_s": 1.0, key: value}
    path = runtime.directory("runs") / "0000000a.json"
    path.write_text(json.dumps(note))
    found = live_runs.look()
    assert (found.runs, list(found.unreadable)) == ([], [path])
    assert key in found.unreadable[path]


def test_every_field_of_a_note_is_looked_at() -> None:
    assert {each.name for each in dataclasses.fields(live_runs.RunState)} == set(live_runs._KINDS)
