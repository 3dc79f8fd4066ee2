"""The registry tells living runs from dead ones by process id and start time."""

import os
import subprocess
import time
from pathlib import Path

from fairlead.manage import registry


def _state(job: str, pid: int, ticks: int) -> registry.RunState:
    return registry.RunState(job, "/c.toml", ["cg"], pid, ticks, time.time())


def test_registered_while_it_runs_and_gone_after(tmp_path: Path) -> None:
    ticks = registry.process_started_ticks(os.getpid())
    assert ticks is not None
    with registry.Registration(_state("00000001", os.getpid(), ticks), tmp_path) as registration:
        registration.state.detours["h0→h1"] = "h2"
        registration.write()
        (state,) = registry.runs(tmp_path)
        assert state.alive
        assert state.detours == {"h0→h1": "h2"}
    assert list(registry.runs(tmp_path)) == []


def test_dead_supervisor_is_recognised_also_when_its_pid_is_used_again(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        ticks = registry.process_started_ticks(process.pid)
        assert ticks is not None
        registry.Registration(_state("0000000a", process.pid, ticks), tmp_path).write()
        registry.Registration(_state("0000000b", process.pid, ticks - 1), tmp_path).write()
        assert {run.job: run.alive for run in registry.runs(tmp_path)} == {"0000000a": True, "0000000b": False}
        process.kill()
    assert not any(run.alive for run in registry.runs(tmp_path))
    registry.forget("0000000a", tmp_path)
    assert [run.job for run in registry.runs(tmp_path)] == ["0000000b"]


def test_zombie_is_dead() -> None:
    process = subprocess.Popen(["true"])
    deadline = time.monotonic() + 5
    while registry.process_started_ticks(process.pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert registry.process_started_ticks(process.pid) is None
    process.wait()
