"""Reading a store leaves nothing beside it, whoever reads, whatever was left there, and however the reader ends."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.errors import StoreError
from fairlead.store import Store

ALONE = ["results.lock", "results.numbers", "results.sqlite"]
LEFT = [*ALONE, "results.sqlite-shm", "results.sqlite-wal"]
KILLED_WRITER = "s = Store.open(sys.argv[1]); s.begin_run('run', {}); os.kill(os.getpid(), 9)"
KILLED_READER = "s = Store.read(sys.argv[1]); assert len(s.runs()) == 1; os.kill(os.getpid(), 9)"


def written(directory: Path) -> Path:
    with Store.open(directory) as store:
        store.finish_run(store.begin_run("run", {"program": "cg"}))
    return directory


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def elsewhere(code: str, directory: Path) -> None:
    code = f"import os, sys; from fairlead.store import Store; {code}"
    assert subprocess.run([sys.executable, "-c", code, directory], check=False).returncode == -9


def refuse_writing(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """As for a user without the permission; root is asked, too."""
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path not in paths and allowed(path, mode))


def test_nothing_is_made_even_while_reading_and_nothing_changes(tmp_path: Path) -> None:
    written(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with Store.read(tmp_path) as reader:
        assert [run.status for run in reader.runs()] == ["ok"]
        assert names(tmp_path) == ALONE
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._connection.fetch("DELETE FROM runs", ())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_reader_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    elsewhere(KILLED_READER, written(tmp_path))
    assert names(tmp_path) == ALONE


def test_what_a_killed_writer_left_is_taken_in_and_removed(tmp_path: Path) -> None:
    elsewhere(KILLED_WRITER, tmp_path)
    assert names(tmp_path) == LEFT
    with Store.read(tmp_path) as reader:
        assert [run.status for run in reader.runs()] == ["interrupted"]
    assert names(tmp_path) == ALONE


@pytest.mark.parametrize("what", [".", "results.sqlite"])
def test_what_a_killed_writer_left_is_read_where_nothing_may_be_written(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(KILLED_WRITER, tmp_path / "r")
    (tmp_path / "r" / "results.sqlite-shm").unlink()
    before = {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()}
    refuse_writing(monkeypatch, tmp_path / "r" / what)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    with Store.read(tmp_path / "r") as reader:
        assert [run.status for run in reader.runs()] == ["interrupted"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()} == before
    assert names(tmp_path / "t") == []


def test_where_there_is_no_room_for_the_copy_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    elsewhere(KILLED_WRITER, tmp_path)
    refuse_writing(monkeypatch, tmp_path)
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StoreError, match=r"cannot be copied .*: the file system is full\n  set TMPDIR to"):
        Store.read(tmp_path)


def test_a_writer_that_begins_meanwhile_is_seen(tmp_path: Path) -> None:
    written(tmp_path)
    with Store.read(tmp_path) as reader:
        assert len(reader.runs()) == 1
        with Store.open(tmp_path) as store:
            run = store.begin_run("run", {"program": "nbody"})
            store.add_series(run, "x", list(range(200_000)), "1")  # more than fits into the journal: the file changes
            assert [each.status for each in reader.runs()] == ["ok", "running"]
            store.finish_run(run)
        assert [each.status for each in reader.runs()] == ["ok", "ok"]
    assert names(tmp_path) == ALONE


def test_a_reader_beside_a_writer_may_lack_the_permission_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path) as store:
        store.begin_run("run", {})
        refuse_writing(monkeypatch, tmp_path)
        with Store.read(tmp_path) as reader:
            assert [run.status for run in reader.runs()] == ["running"]
    assert names(tmp_path) == ALONE
