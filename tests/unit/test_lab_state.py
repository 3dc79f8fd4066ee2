"""Notes of running labs: what is alive, what is stale, what is not ours."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from fairlead.errors import LabError
from fairlead.lab import state
from fairlead.lab.lab import CongestionRunner, Lab, congestion_runners


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "fairlead"


def note(name: str, process: state.Process) -> Path:
    directory = state.lab_directory(name)
    directory.mkdir()
    holder = {"pid": process.pid, "start_ticks": process.start_ticks}
    (directory / "lab.json").write_text(json.dumps({"holder": holder}))
    return directory


def test_a_process_is_its_number_and_its_start_time() -> None:
    own = state.Process.of(os.getpid())
    assert own.is_alive()
    assert not state.Process(own.pid, own.start_ticks + 1).is_alive()


def test_a_dead_process_is_dead_also_before_it_is_reaped() -> None:
    child = subprocess.Popen(["true"])
    deadline_s = time.monotonic() + 5
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline_s:
            state.start_ticks(child.pid)
    child.wait()


def test_the_notes_of_dead_labs_are_removed_and_others_stay() -> None:
    own = state.Process.of(os.getpid())
    stale, alive = note("stale", state.Process(own.pid, own.start_ticks - 1)), note("alive", own)
    starting = state.lab_directory("starting")
    starting.mkdir()
    (starting / "starter").write_text(f"{own.pid} {own.start_ticks}\n")
    assert state.remove_stale() == ["stale"]
    assert (stale.exists(), alive.exists(), starting.exists()) == (False, True, True)


def test_a_directory_that_others_may_read_is_refused(runtime: Path) -> None:
    runtime.mkdir(mode=0o755)
    with pytest.raises(LabError, match="not a private directory"):
        state.runtime_directory()


def test_a_link_in_place_of_the_directory_is_refused(runtime: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    runtime.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LabError, match="not a private directory"):
        state.runtime_directory()


@pytest.mark.parametrize("name", ["../x", ".x", "a/b"])
def test_names_do_not_leave_the_directory(name: str) -> None:
    with pytest.raises(LabError):
        state.lab_directory(name)


def test_a_congestion_note_that_vanishes_while_notes_are_read_is_no_runner(tmp_path: Path) -> None:
    notes = tmp_path / "congestion"
    notes.mkdir()
    own = state.Process.of(os.getpid())
    runner = {"pid": own.pid, "start_ticks": own.start_ticks}
    (notes / "alive.json").write_text(json.dumps({"runner": runner, "text": "2 streams"}))
    (notes / "ended.json").symlink_to("gone")  # listed, but not there any more
    assert congestion_runners(tmp_path) == [CongestionRunner(notes / "alive.json", own, "2 streams")]


def test_a_lab_of_another_version_is_told_with_the_way_out() -> None:
    process = state.Process.of(os.getpid())
    directory = note("old", process)
    record = {"holder": {"pid": process.pid, "start_ticks": process.start_ticks}, "plan": {"hosts": [], "links": []}}
    with pytest.raises(LabError, match=rf"lab old was started by another version(.|\n)*kill {process.pid}"):
        Lab(directory, record)
