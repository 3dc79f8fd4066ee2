"""Notes of running labs: what is alive, what is stale, what is not ours."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.lab import command
from fairlead.errors import LabError
from fairlead.lab import state
from fairlead.lab.lab import CongestionRunner, Lab, congestion_runners
from fairlead.runtime import Process


@pytest.fixture(autouse=True)
def private_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))


def note(name: str, process: Process) -> Path:
    directory = state.lab_directory(name)
    directory.mkdir()
    holder = {"pid": process.pid, "start_ticks": process.start_ticks}
    (directory / "lab.json").write_text(json.dumps({"holder": holder}))
    return directory


def test_a_lab_is_forgotten_although_a_file_of_it_goes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "lab" / "congestion"
    directory.mkdir(parents=True)
    (directory / "streams.log").touch()
    (directory / "streams.json").touch()
    unlink = os.unlink

    def gone_before(path: str, **where: int) -> None:
        if path == "streams.log" and (directory / path).exists():
            (directory / path).unlink()
        unlink(path, **where)

    monkeypatch.setattr(os, "unlink", gone_before)
    state.remove(directory.parent)
    assert not directory.parent.exists()


def test_the_notes_of_dead_labs_are_removed_and_others_stay() -> None:
    own = Process.own()
    stale, alive = note("stale", Process(own.pid, own.start_ticks - 1)), note("alive", own)
    starting = state.lab_directory("starting")
    starting.mkdir()
    (starting / "starter").write_text(f"{own.pid} {own.start_ticks}\n")
    assert state.remove_stale() == ["stale"]
    assert (stale.exists(), alive.exists(), starting.exists()) == (False, True, True)


def test_a_lab_that_comes_up_meanwhile_is_not_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Process.own()
    directory = state.lab_directory("new")
    directory.mkdir()
    (directory / "starter").write_text(f"{own.pid} {own.start_ticks}\n")
    looked = state.holder_of

    def comes_up_then(where: Path) -> Process | None:
        found = looked(where)
        (where / "lab.json").write_text(json.dumps({"holder": {"pid": own.pid, "start_ticks": own.start_ticks}}))
        (where / "starter").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(state, "holder_of", comes_up_then)
    assert state.stale() == []


@pytest.mark.parametrize("name", ["../x", ".x", "a/b"])
def test_names_do_not_leave_the_directory(name: str) -> None:
    with pytest.raises(LabError):
        state.lab_directory(name)


def test_a_congestion_note_that_vanishes_while_notes_are_read_is_no_runner(tmp_path: Path) -> None:
    notes = tmp_path / "congestion"
    notes.mkdir()
    own = Process.own()
    runner = {"pid": own.pid, "start_ticks": own.start_ticks}
    (notes / "alive.json").write_text(json.dumps({"runner": runner, "text": "2 streams"}))
    (notes / "ended.json").symlink_to("gone")  # listed, but not there any more
    assert congestion_runners(tmp_path) == [CongestionRunner(notes / "alive.json", own, "2 streams")]


def test_a_lab_of_another_version_is_told_with_the_way_out() -> None:
    process = Process.own()
    directory = note("old", process)
    record = {"holder": {"pid": process.pid, "start_ticks": process.start_ticks}, "plan": {"hosts": [], "links": []}}
    with pytest.raises(LabError, match=rf"lab old was started by another version(.|\n)*kill {process.pid}"):
        Lab(directory, record)


def test_labs_are_listed_as_json() -> None:
    done = CliRunner().invoke(command, ["show", "--json"])
    assert (done.exit_code, json.loads(done.output)) == (0, [])
