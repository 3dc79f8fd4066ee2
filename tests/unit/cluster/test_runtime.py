"""Processes as they are noted, and the directory that is this user's alone."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairlead import runtime
from fairlead.errors import FairleadError
from fairlead.runtime import Process


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    return tmp_path / "fairlead"


def test_all_sessions_of_a_user_have_the_same_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log-in has an XDG_RUNTIME_DIR; cron, su and batch systems have none."""
    monkeypatch.delenv("FAIRLEAD_RUNTIME_DIR")
    wanted: list[Path] = []

    def below(path: Path) -> Path:
        wanted.append(path)
        return tmp_path  # nothing is made in /tmp itself

    monkeypatch.setattr(runtime, "_private", below)
    for value in (str(tmp_path), ""):
        monkeypatch.setenv("XDG_RUNTIME_DIR", value)
        assert runtime.directory("runs") == tmp_path / "runs"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", "elsewhere")
    runtime.directory()
    assert wanted == [Path(f"/tmp/fairlead-{os.getuid()}")] * 2 + [tmp_path / "elsewhere"]


def test_a_process_is_its_number_and_its_start_time() -> None:
    own = Process.own()
    assert own == Process.of(os.getpid())
    assert own.is_alive()
    assert not Process(own.pid, own.start_ticks + 1).is_alive()


def test_a_dead_process_is_dead_also_before_it_is_reaped() -> None:
    child = subprocess.Popen(["true"])
    deadline_s = time.monotonic() + 5
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline_s:
            runtime.start_ticks(child.pid)
    child.wait()


@contextmanager
def no_descriptor_free() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_child_can_be_ended_where_no_descriptor_is_free() -> None:
    child = subprocess.Popen(["sleep", "60"])
    noted = Process.of(child.pid)
    with no_descriptor_free():
        assert noted.is_alive()
        noted.send(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not noted.is_alive()
        noted.send(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
        with pytest.raises(OSError, match="Too many open files"):
            Process(os.getppid(), 1).is_alive()  # of what is no child, nothing is known


def test_only_its_user_can_look_into_the_directory_whatever_the_umask(private: Path) -> None:
    before = os.umask(0)
    try:
        assert runtime.directory("runs") == private / "runs"
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (private, private / "runs")] == [0o700, 0o700]
    assert runtime.directory() == private


def test_a_directory_that_others_may_read_is_refused(private: Path) -> None:
    private.mkdir(mode=0o755)
    with pytest.raises(FairleadError, match="not a private directory"):
        runtime.directory("runs")


def test_a_link_in_place_of_the_directory_is_refused(private: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    private.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FairleadError, match="not a private directory"):
        runtime.directory()


def test_a_file_in_place_of_the_directory_and_a_place_that_is_not_there_are_told(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private.write_text("")
    with pytest.raises(FairleadError, match="cannot be used: File exists"):
        runtime.directory()
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(private.parent / "gone" / "fairlead"))
    with pytest.raises(FairleadError, match=r"cannot be used: No such file(.|\n)*FAIRLEAD_RUNTIME_DIR"):
        runtime.directory()
