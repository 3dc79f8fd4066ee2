"""A number that has come to mean another process: nothing is sent to it, whoever noted it."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import lab, runtime
from fairlead.cluster.jobs import running_job
from fairlead.lab import state
from fairlead.lab.lab import congestion_runners
from fairlead.lab.migration import pause
from fairlead.manage import live_runs
from fairlead.manage.clean import clean
from fairlead.runtime import START_OF, Process


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """A living process that has nothing to do with anything noted."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def earlier(process: subprocess.Popen[bytes]) -> Process:
    """What is noted of one that had this number before."""
    return Process(process.pid, Process.of(process.pid).start_ticks - 100)


def unharmed(process: subprocess.Popen[bytes]) -> bool:
    time.sleep(0.1)
    return process.poll() is None and Path(f"/proc/{process.pid}/stat").read_text().split()[2] not in "TtZX"


def test_a_name_that_the_kernel_cuts_in_the_middle_of_a_character(tmp_path: Path) -> None:
    """It keeps 15 bytes of it."""
    script = tmp_path / "run_計算流体.sh"
    script.write_text("#!/bin/sh\nsleep 60\n")
    script.chmod(0o755)
    with subprocess.Popen([script], start_new_session=True) as process:
        try:
            assert Process.of(process.pid).is_alive()
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_a_process_that_was_noted(other: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
        earlier(other).send(number)
    earlier(other).wait(0.1)  # it is gone
    assert unharmed(other)


def test_the_holder_of_a_lab(other: subprocess.Popen[bytes]) -> None:
    noted = earlier(other)
    directory = state.lab_directory("old")
    (directory / "congestion").mkdir(parents=True)
    holder = {"pid": noted.pid, "start_ticks": noted.start_ticks}
    (directory / "lab.json").write_text(json.dumps({"holder": holder}))
    (directory / "congestion" / "1.json").write_text(json.dumps({"runner": holder, "text": "streams"}))
    assert state.holder_of(directory) is None
    assert congestion_runners(directory) == []
    assert lab.take_down("old") is False
    assert state.remove_stale() == ["old"]
    assert unharmed(other)


def test_the_supervisor_of_a_run(other: subprocess.Popen[bytes], tmp_path: Path) -> None:
    noted = earlier(other)
    run = live_runs.RunState("1f3a9c02", str(tmp_path / "gone.toml"), ["a"], noted.pid, noted.start_ticks, time.time())
    live_runs.Registration(run).write()
    assert [each.alive for each in live_runs.look().runs] == [False]
    assert clean([]).forgotten == ["1f3a9c02"]
    assert unharmed(other)


def test_mpirun_on_the_launching_host(other: subprocess.Popen[bytes], tmp_path: Path) -> None:
    note = tmp_path / ".cache" / "fairlead" / "run" / "1f3a9c02"
    note.parent.mkdir(parents=True)

    def tell() -> None:
        subprocess.run(["sh", "-c", running_job._SIGNAL_NOTED, "1f3a9c02", "KILL", "50"], check=True)

    for noted in (f"{other.pid} {earlier(other).start_ticks}\n", f"{other.pid}\n"):
        note.write_text(noted)
        tell()
        assert unharmed(other)
    with subprocess.Popen(["sh", "-c", running_job.RUN_NOTED, "1f3a9c02", "sleep", "60"]) as mpirun:
        while len(written := note.read_text().split()) < 2 or written[0] != str(mpirun.pid):
            time.sleep(0.01)
        tell()
        assert mpirun.wait(5) == -signal.SIGKILL
    assert unharmed(other)


def test_mpirun_starts_though_its_note_cannot_be_written(tmp_path: Path) -> None:
    """The home is full, or read-only."""
    (tmp_path / ".cache").write_text("a file")
    done = subprocess.run(
        ["sh", "-c", running_job.RUN_NOTED, "1f3a9c02", "sh", "-c", "exit 7"],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 7
    assert "signals will not reach mpirun" in done.stderr


def test_what_a_migration_had_stopped(other: subprocess.Popen[bytes]) -> None:
    os.kill(other.pid, signal.SIGSTOP)
    while Path(f"/proc/{other.pid}/stat").read_text().split()[2] != "T":
        time.sleep(0.01)
    pause.go_on([earlier(other)])
    time.sleep(0.1)
    assert Path(f"/proc/{other.pid}/stat").read_text().split()[2] == "T"
    pause.go_on([Process.of(other.pid)])
    assert unharmed(other)


def test_shells_know_start_times_as_we_do(tmp_path: Path) -> None:
    """Also of a program whose name looks like the fields behind it."""
    odd = tmp_path / "a) S 1 (b"
    odd.write_bytes(Path("/bin/sleep").resolve().read_bytes())
    odd.chmod(0o755)
    with subprocess.Popen([odd, "60"]) as process:
        while Path(f"/proc/{process.pid}/comm").read_text() != "a) S 1 (b\n":
            time.sleep(0.01)
        said = subprocess.run(
            ["sh", "-c", f'{START_OF} start_of "$1"', "sh", str(process.pid)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert int(said) == runtime.start_ticks(process.pid)
        process.kill()
    gone = subprocess.run(["sh", "-c", f'{START_OF} start_of "$1"', "sh", str(process.pid)], check=False)
    assert gone.returncode == 1
