"""Ctrl-C and SIGTERM: everything ends, the record says so, and what can be resumed is resumed."""

import os
import signal
from pathlib import Path

import pytest
from managed_runs import (
    MESH,
    MOVED,
    PROGRAM,
    cluster_file,
    nothing_left,
    once,
    processes,
    run,
    start,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.store import Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_ends_with_its_program(lab: labs.Lab, tmp_path: Path, number: signal.Signals, code: int) -> None:
    with run(cluster_file(lab, tmp_path), *MOVED, program=traffic(60), results=tmp_path) as command:
        wait_for(lambda: all(processes(lab, host, PROGRAM) for host in ("h0", "h1", "h2")), "the ranks' start")
        command.process.send_signal(number)
        assert command.end() == code, command.text()
    assert nothing_left(lab)
    ended, _ = command.record()
    assert (ended.status, ended.exit_code, ended.error) == ("aborted", code, f"interrupted ({number.name})")


def test_a_run_is_interrupted_before_its_program_starts(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *MOVED, program=traffic(60), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h2", "fairlead-agent"), "an agent's start")
        command.process.send_signal(signal.SIGTERM)
        assert command.end() == 143, command.text()
    assert "Traceback" not in command.text()
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
    assert command.record()[0].status == "aborted"


def test_characterize_ends_on_sigterm(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    with start("characterize", cluster, "--results", tmp_path, results=tmp_path) as command:
        command.wait_to_hear("injections")
        command.process.send_signal(signal.SIGTERM)
        assert command.end() == 143, command.text()
    assert "marked incomplete, as run 1" in command.text() and "Traceback" not in command.text()
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
    with Store.read(tmp_path) as store:
        assert store.run(1).status == "aborted"


PLAN = """
[comparison]
name = "resumed"
lab = "lab.toml"
replications = 1

[congestion]
places = [{ kind = "streams", between = ["leaf0", "leaf1"], streams = 2 }]

[[programs]]
name = "traffic"
command = ["random-traffic", "--seconds", "1.5", "--bytes", "16384"]
ranks = 3
mpirun = "mpirun.openmpi"
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_comparison_stops_at_once_and_goes_on_by_the_same_command(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "lab.toml").write_text(MESH.format(name=f"resumed-{os.getpid()}"))
    (tmp_path / "plan.toml").write_text(PLAN)
    arguments = ("compare", tmp_path / "plan.toml", "--results", tmp_path / "results")
    with start(*arguments, results=tmp_path / "results") as command:
        command.wait_to_hear("run 2 of 4")
        command.process.send_signal(number)
        assert command.end() == code, command.text()
    assert "Traceback" not in command.text()
    assert labs.running_labs() == [] or all("resumed" not in lab.name for lab in labs.running_labs())
    stopped = rows(tmp_path / "results")
    assert stopped.count("ok") >= 2 and stopped.count("ok") + stopped.count("aborted") == len(stopped)
    again = once(*arguments)
    assert again.returncode == 0, again.stderr
    assert "run 1 of 4" not in again.stderr
    assert (tmp_path / "results" / "report.html").is_file()
    assert rows(tmp_path / "results").count("ok") == 5  # the pilot and one of each scenario
    with Store.read(tmp_path / "results") as store:
        assert [run.status for run in store.runs("experiment")] == ["ok"]


def rows(results: Path) -> list[str]:
    """How the comparison's runs ended."""
    with Store.read(results) as store:
        return [str(run.status) for run in store.runs("run")]
