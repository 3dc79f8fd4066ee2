"""What the start of a lab hears from its holder, and what is left of one that is broken off."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fairlead import native
from fairlead.errors import LabError
from fairlead.lab import start, state
from fairlead.runtime import Process


@pytest.fixture(autouse=True)
def private_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))


def test_lines_that_come_together_are_both_heard() -> None:
    """As after Ctrl-Z and `fg`: the holder went on meanwhile, and says nothing more before it is answered."""
    reading, writing = os.pipe()
    try:
        said, deadline_s = start._Lines(reading), time.monotonic() + 2.0
        os.write(writing, b'{"holder": 7}\n{"ready": {"a": 1}}\n')
        assert start._message(said, "holder", deadline_s) == 7
        assert start._message(said, "ready", deadline_s) == {"a": 1}
        with pytest.raises(LabError, match="the lab was not ready within"):
            start._message(said, "ready", time.monotonic())
    finally:
        os.close(reading)
        os.close(writing)


def test_a_holder_that_dies_in_the_middle_of_a_line_is_told() -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"ready": {"a"')
    os.close(writing)
    with pytest.raises(LabError, match="the process that holds the lab died"):
        start._message(start._Lines(reading), "ready", time.monotonic() + 2.0)
    os.close(reading)


def test_a_holder_that_dies_before_it_has_read_its_job_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    job: Any = {"links": ["x" * 1_000_000]}  # more than a pipe holds
    with pytest.raises(LabError, match="the process that holds the lab died"), start._starting(job) as process:
        start._finish(process, Path("/nowhere"), lambda *_: pytest.fail("it did not say that it is ready"))
    assert process.returncode == 1


def test_a_lab_that_was_told_to_stay_ends_where_its_start_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would run on without a note of it, and nobody could end it."""
    directory = state.lab_directory("new")
    with subprocess.Popen(["sleep", "60"]) as holder:

        @contextmanager
        def starting(_job: object) -> Iterator[None]:
            yield
            raise KeyboardInterrupt

        def finish(*_: object) -> None:
            record = {"holder": state.note(Process.of(holder.pid))}
            (directory / "lab.json").write_text(json.dumps(record))

        monkeypatch.setattr(start, "_starting", starting)
        monkeypatch.setattr(start, "_finish", finish)
        monkeypatch.setattr(start, "_job", lambda *_: {"user_namespace": False})
        monkeypatch.setattr(native, "program", lambda name: tmp_path / name)
        plan: Any = type("Plan", (), {"name": "new"})()
        try:
            with pytest.raises(KeyboardInterrupt):
                start._made(plan, directory, [], False, None)
            assert holder.wait(5) == -9
        finally:
            holder.kill()
    assert not directory.exists()
