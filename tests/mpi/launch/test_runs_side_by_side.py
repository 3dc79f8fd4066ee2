"""Several ``fairlead run`` with one results directory, at once and beside whoever writes there: all are kept."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairlead.store import Store, apart

pytestmark = pytest.mark.mpi
COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
HERE = """
[cluster]
name = "here"
executor = "local"
interface = "lo"
mpirun = "mpirun.openmpi"
cores_shared = true
[[hosts]]
name = "localhost"
address = "127.0.0.1"
slots = 2
"""
LIMIT_S = 60.0


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    path = tmp_path / "here.toml"
    path.write_text(HERE)
    return path


def start(cluster: Path, results: Path, *program: str) -> "subprocess.Popen[str]":
    """A run of a program that is no MPI program: it does not matter here."""
    line = [*COMMAND, "run", cluster, "--results", results, "-n", "2", "--", "sh", "-c", *program]
    return subprocess.Popen(list(map(str, line)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def once(*arguments: object) -> str:
    """What a command of fairlead's prints, which ends with 0."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ended(run: "subprocess.Popen[str]", code: int = 0, *, reported: bool = False) -> int:
    """The number that a run says it is recorded as, once it has ended; and the command works that it names."""
    _, said = run.communicate(timeout=LIMIT_S)
    assert run.returncode == code, said
    last = said.splitlines()[-1]
    words = last.partition("report: fairlead ")[2].split()
    number = int(words[-1])
    assert f"recorded as run {number} in " in last
    if reported:  # it takes some seconds
        once(*words, "--output", Path(words[1]) / f"{number}.html")
    return number


def wait_for(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def listed(results: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(once("report", results, "--list", "--json"))
    return found


@pytest.mark.parametrize("count", [2, 4])
def test_runs_at_once_are_all_recorded(cluster: Path, tmp_path: Path, count: int) -> None:
    results = tmp_path / "results"
    waiting = f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"  # until all are there
    runs = [start(cluster, results, waiting) for _ in range(count)]
    wait_for(lambda: len(apart.stores(results)) == count)
    wait_for(lambda: [each["status"] for each in listed(results)] == ["running"] * count)
    (tmp_path / "go").touch()
    assert sorted(ended(run, reported=run is runs[0]) for run in runs) == list(range(1, count + 1))
    assert [(each["run"], each["status"]) for each in listed(results)] == [(k + 1, "ok") for k in range(count)]
    assert apart.stores(results) == []  # the last one took them in
    with Store.read(results) as store:
        assert all(store.one_series(run.id, "time_s").scalar() > 0 for run in store.runs())


def test_a_run_beside_a_long_writer_is_reported_at_once_and_taken_in_at_its_end(cluster: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path) as comparison:
        experiment = comparison.begin_run("experiment", {"name": "long"})
        assert ended(start(cluster, tmp_path, "exit 3"), 3, reported=True) == 2
        assert [(each["run"], each["status"]) for each in listed(tmp_path)] == [(1, "running"), (2, "failed")]
        written = once("export", tmp_path, "--output", tmp_path / "tables").split()
        assert (tmp_path / "tables" / "runs.csv").read_text().count("\n") == 3, written
        comparison.record("run", {"case": "x"}, parent=experiment, plan=1, started_s=time.time())
        assert ended(start(cluster, tmp_path, "exit 0")) == 4
    assert apart.stores(tmp_path) == []
    with Store.read(tmp_path) as store:
        assert [(run.id, run.parent, run.exit_code) for run in store.runs("run")] == [
            *((2, None, 3), (3, 1, None), (4, None, 0)),
        ]


def test_a_run_that_is_killed_is_kept_as_interrupted(cluster: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    run = start(cluster, results, f"touch {tmp_path}/runs; sleep 5 & wait")
    wait_for((tmp_path / "runs").exists)
    os.kill(run.pid, signal.SIGKILL)
    run.wait(LIMIT_S)
    assert [(each["run"], each["status"]) for each in listed(results)] == [(1, "interrupted")]
    assert ended(start(cluster, results, "exit 0")) == 2
    assert [(each["run"], each["status"]) for each in listed(results)] == [(1, "interrupted"), (2, "ok")]
    assert apart.stores(results) == []
    for stream in (run.stdout, run.stderr):
        assert stream is not None
        stream.close()
