"""Files are written whole or not at all."""

import os
import stat
import sys
from pathlib import Path

import pytest

from fairlead import files
from fairlead.cli import main
from fairlead.errors import FairleadError


def test_a_file_and_what_is_above_it_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.txt"
    assert files.write(path, "größer\n") == path
    assert path.read_bytes() == "größer\n".encode()
    assert [each.name for each in path.parent.iterdir()] == ["c.txt"]


def test_rights_are_the_users_and_those_of_an_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "f"
    before = os.umask(0o027)
    try:
        files.write(path, b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        files.write(path, b"2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    files.write(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "x"


def test_what_was_there_stays_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def full(_descriptor: int, _mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(FairleadError, match=f"^{path}: cannot be written: the file system is full\n  make room$"):
        files.write(path, "new", hint="make room")
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"f": "old"}


@pytest.mark.parametrize("durable", [True, False])
def test_a_durable_file_is_on_the_disk_before_it_has_its_name(
    durable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    rename = Path.replace

    def renamed(path: Path, target: Path) -> Path:
        done.append(f"renamed {path.name.partition('-')[0]}")
        return rename(path, target)

    def synced(descriptor: int) -> None:
        done.append(Path(f"/proc/self/fd/{descriptor}").readlink().name.partition("-")[0])

    monkeypatch.setattr(Path, "replace", renamed)
    monkeypatch.setattr(os, "fsync", synced)
    (tmp_path / "d").mkdir()
    files.replace(tmp_path / "d" / "f", "x", durable=durable)
    assert done == ([".f", "renamed .f", "d"] if durable else ["renamed .f"])
    assert (tmp_path / "d" / "f").read_text() == "x"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("/dev/full", "the file system is full\n  free some space there"), ("f/below", ".*/f is not a directory")],
)
def test_where_nothing_can_be_written(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(FairleadError, match=f"{name}: cannot be written: {reason}"):
        files.write(tmp_path / name, "x")


def test_the_command_line_names_the_file_of_any_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise OSError(28, "No space left on device", "/run/x")

    monkeypatch.setattr(main.command, "main", fail)
    monkeypatch.setattr(sys, "argv", ["fairlead"])
    with pytest.raises(SystemExit) as ending:
        main.main()
    assert ending.value.code == 1
    assert capsys.readouterr().err == (
        "fairlead: /run/x: the file system is full\n  free some space there, or use another directory\n"
    )


def test_words_that_are_no_utf_8_are_written_with_their_bytes_told(tmp_path: Path) -> None:
    content = "./a" + b"\xff".decode(errors="surrogateescape") + "é"
    assert files.write(tmp_path / "f", content).read_bytes() == b"./a\\udcff\xc3\xa9"
