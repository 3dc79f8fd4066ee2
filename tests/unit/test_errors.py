"""What the operating system refuses is told in words, with the file and the way out, and never by its number."""

import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairlead import runtime
from fairlead.cli import main
from fairlead.errors import MORE_PROCESSES, FairleadError, FileError, LabError, StoreError, of_system, reason_of
from fairlead.lab import holder, start
from fairlead.manage.audience import Audience
from fairlead.manage.narrator import Narrator
from fairlead.store import Store

FULL = OSError(28, "No space left on device", "/data/results.lock")


@pytest.mark.parametrize(
    ("error", "path", "doing", "text"),
    [
        (FULL, "", "", "/data/results.lock: the file system is full\n  free some space there, or use another"),
        (FULL, "/data", "cannot be used for results", "/data: cannot be used for results: the file system is full\n"),
        (OSError(122, "Disk quota exceeded"), "r", "cannot be written", "r: cannot be written: your disk quota is"),
        (OSError(30, "Read-only file system", b"r"), "", "", "r: the file system is read-only\n  use another"),
        (OSError(24, "Too many open files"), "", "", "this process has too many open files\n  raise the limit with"),
        (
            OSError(11, os.strerror(11)),
            "",
            "",
            "the limit of processes is reached\n  raise the limit of your processes",
        ),
        (BlockingIOError(11, "write could not complete without blocking", 5), "", "", "write could not complete"),
        (OSError(40, "Too many levels of symbolic links", "r"), "", "", "r: Too many levels of symbolic links"),
    ],
)
def test_an_error_of_the_system_names_the_file_the_reason_and_the_way_out(
    error: OSError, path: str, doing: str, text: str
) -> None:
    told = of_system(error, path, doing=doing)
    assert isinstance(told, FileError)
    assert str(told).startswith(text)
    assert "Errno" not in str(told)


def test_a_limit_of_threads_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(main.command, "main", refuse)
    with pytest.raises(SystemExit) as ended:
        main._main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        "fairlead: this machine: no further thread can be started: the limit of processes is reached",
        f"  {MORE_PROCESSES}",
    ]


def test_the_class_and_the_way_out_may_be_the_callers() -> None:
    told = of_system(FULL, kind=StoreError, hint="use --output")
    assert (type(told), told.hint) == (StoreError, "use --output")
    assert reason_of(ValueError("no number")) == "no number"


def test_results_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _length: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "ftruncate", full)
    with pytest.raises(StoreError) as told:
        Store.open(tmp_path)
    assert str(told.value).splitlines() == [
        f"{tmp_path}: cannot be used for results: the file system is full",
        "  free some space there, or use another directory",
    ]


def test_a_directory_for_what_runs_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(runtime.VARIABLE, "/proc/fairlead")
    with pytest.raises(FairleadError, match=f"^/proc/fairlead: cannot be used: .*\n  set {runtime.VARIABLE} to"):
        runtime.directory()


def test_a_run_that_cannot_be_recorded_says_so_without_a_number() -> None:
    stream = io.StringIO()

    def fail(_host: int, _event: object) -> None:
        raise FULL

    audience = Audience(["h0"], Narrator(["h0"], stream), SimpleNamespace(), [fail])  # type: ignore[arg-type]
    audience(0, {"type": "log", "level": "info", "text": ""})
    assert "its record has gaps: /data/results.lock: the file system is full" in stream.getvalue()
    assert "Errno" not in stream.getvalue()


def test_a_limit_of_namespaces_is_told_as_one() -> None:
    error = OSError(28, "unshare(1073741824): No space left on device")
    assert holder._told(error) == "unshare(1073741824): No space left on device"
    assert holder._told(OSError(2, "No such file", "/bin/x")) == "/bin/x: No such file"
    reading, writing = os.pipe()
    os.write(writing, json.dumps({"error": holder._told(error), "errno": 28}).encode() + b"\n")
    with pytest.raises(LabError) as told:
        start._message(start._Lines(reading), "ready", 1e9)
    os.close(reading)
    os.close(writing)
    assert str(told.value).startswith("no lab can be made: unshare(1073741824): No space left on device\n  a limit of")


def test_a_lab_that_cannot_be_noted_names_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _text: str) -> int:
        raise OSError(28, "No space left on device")  # as on closing a file: it is not named

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.setattr(start.state, "remove_stale", lambda: None)
    with pytest.raises(LabError) as told, start._named(tmp_path / "mesh8"):
        start._claim("mesh8", tmp_path / "mesh8")
    assert str(told.value).startswith(f"{tmp_path}/mesh8: the file system is full\n  free some space there, or set ")
    assert not (tmp_path / "mesh8").exists()
