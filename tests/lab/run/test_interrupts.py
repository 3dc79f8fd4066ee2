"""Ctrl-C and SIGTERM: everything ends, the record says so, and what can be resumed is resumed."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from managed_runs import (
    PROGRAM,
    REROUTED,
    cluster_file,
    comparison_text,
    mesh_text,
    nothing_left,
    once,
    processes,
    run,
    start,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.experiment.running.cleanup_ledger import FILE_NAME
from fairlead.runtime import Process
from fairlead.store import Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_ends_with_its_program(lab: labs.Lab, tmp_path: Path, number: signal.Signals, code: int) -> None:
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(60), results=tmp_path) as command:
        wait_for(lambda: all(processes(lab, host, PROGRAM) for host in ("h0", "h1", "h2")), "the ranks' start")
        command.process.send_signal(number)
        assert command.end() == code, command.text()
    assert nothing_left(lab)
    ended, _ = command.record()
    assert (ended.status, ended.exit_code, ended.error) == ("aborted", code, f"interrupted ({number.name})")


def test_a_run_is_interrupted_before_its_program_starts(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(60), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h2", "fairlead-agent"), "an agent's start")
        command.process.send_signal(signal.SIGTERM)
        assert command.end() == 143, command.text()
    assert "Traceback" not in command.text()
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
    assert command.record()[0].status == "aborted"


def test_characterize_ends_on_sigterm(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    with start("characterize", cluster, "--results", tmp_path, results=tmp_path) as command:
        command.wait_to_hear("injecting traffic")
        command.process.send_signal(signal.SIGTERM)
        assert command.end() == 143, command.text()
    assert "marked incomplete, as run 1" in command.text() and "Traceback" not in command.text()
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
    with Store.read(tmp_path) as store:
        assert store.run(1).status == "aborted"


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_comparison_stops_at_once_and_goes_on_by_the_same_command(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "lab.toml").write_text(mesh_text("resumed"))
    (tmp_path / "plan.toml").write_text(comparison_text("resumed"))
    arguments = ("compare", tmp_path / "plan.toml", "--results", tmp_path / "results")
    with start(*arguments, results=tmp_path / "results") as command:
        command.wait_to_hear("run 2 of 4")
        command.process.send_signal(number)
        assert command.end() == code, command.text()
    assert "Traceback" not in command.text()
    assert f"kept in {tmp_path / 'results'}; repeat the command to continue" in command.text()
    assert labs.running_labs() == [] or all("resumed" not in lab.name for lab in labs.running_labs())
    stopped = rows(tmp_path / "results")
    assert stopped.count("ok") >= 2
    assert set(stopped) <= {"ok", "aborted", "interrupted"}  # before it was launched, or while it ran
    again = once(*arguments)
    assert again.returncode == 0, again.stderr
    assert "run 1 of 4" not in again.stderr
    assert (tmp_path / "results" / "report.html").is_file()
    assert rows(tmp_path / "results").count("ok") == 5  # the pilot and one of each scenario
    with Store.read(tmp_path / "results") as store:
        assert [run.status for run in store.runs("experiment")] == ["ok"]


@pytest.mark.slow
def test_a_killed_comparison_goes_on_in_a_new_lab_once_the_old_one_is_gone(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(mesh_text("killed"))
    (tmp_path / "plan.toml").write_text(comparison_text("resumed"))
    results = tmp_path / "results"
    noted = killed(tmp_path / "plan.toml", results)
    assert ours() == [noted["lab"]]
    assert (results / f"{noted['lab']}.cluster.toml").is_file()
    again = once("compare", tmp_path / "plan.toml", "--results", results)
    assert again.returncode == 0, again.stderr
    told = again.stderr.splitlines()
    assert told[0] == f"cleaned up after an earlier start: lab {noted['lab']}"
    assert ours() == []
    assert not marked(next(iter(noted["jobs"])))
    assert not (results / FILE_NAME).exists()
    assert not list(results.glob("*.cluster.toml"))
    assert_nothing_doubled(results)


@pytest.mark.slow
def test_a_killed_comparison_takes_its_program_along_also_in_a_lab_that_stays(lab: labs.Lab, tmp_path: Path) -> None:
    cluster_file(lab, tmp_path)
    (tmp_path / "plan.toml").write_text(
        comparison_text("resumed").replace('lab = "lab.toml"', 'cluster = "lab.cluster.toml"')
    )
    results = tmp_path / "results"
    (job,) = killed(tmp_path / "plan.toml", results)["jobs"]
    wait_for(lambda: not marked(job), "the end of the program by its leash", 10)
    again = once("compare", tmp_path / "plan.toml", "--results", results)
    assert again.returncode == 0, again.stderr
    assert again.stderr.splitlines()[0] == f"cleaned up after an earlier start: job {job}"
    assert nothing_left(lab)
    assert not (results / FILE_NAME).exists()
    assert_nothing_doubled(results)


def test_what_a_killed_demo_leaves_is_ended_by_clean(tmp_path: Path) -> None:
    results = tmp_path / "results"
    env = {"FAIRLEAD_RUNTIME_DIR": str(tmp_path / "runtime")}  # of others' dead runs nothing is cleaned
    with start("demo", "--results", results, results=results, **env) as command:
        wait_for(lambda: any("1 of 3" in line for line in command.output), "the demo's lab")
        noted = json.loads((results / FILE_NAME).read_text())
        assert once("clean", "--dry-run", **env).stdout == "nothing to clean\n"
        command.process.kill()
        command.process.wait()
    lab = json.loads((tmp_path / "runtime" / "labs" / noted["lab"] / "lab.json").read_text())
    holder = Process(**lab["holder"])
    assert holder.is_alive()
    said = once("clean", "--dry-run", **env)
    assert said.stdout.splitlines()[0] == f"would clean up after a killed command: lab {noted['lab']}", said.stderr
    said = once("clean", **env)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[0] == f"cleaned up after a killed command: lab {noted['lab']}"
    assert not holder.is_alive()
    assert not any(marked(job) for job in noted["jobs"])
    assert not (results / FILE_NAME).exists() and not list(results.glob("*.cluster.toml"))
    assert once("clean", **env).stdout == "nothing to clean\n"


def killed(plan: Path, results: Path) -> dict[str, Any]:
    """Kill a comparison while the program of its second row runs on all hosts; what it had noted."""
    with start("compare", plan, "--results", results, results=results) as command:
        command.wait_to_hear("run 2 of 4")

        def ranks() -> int:
            jobs = json.loads((results / FILE_NAME).read_text())["jobs"] if (results / FILE_NAME).is_file() else []
            return len([name for job in jobs for name in marked(job).values() if name == PROGRAM[:15]])

        wait_for(lambda: ranks() == 3, "the start of three ranks")
        command.process.kill()
        command.process.wait()
    noted: dict[str, Any] = json.loads((results / FILE_NAME).read_text())
    with Store.read(results) as store:
        assert [run.status for run in store.runs("run")] == ["ok", "ok"]  # the first is the pilot
    return noted


def marked(job: str) -> dict[int, str]:
    """Processes of this machine that carry the job's mark, by their number, and what they are called."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if f"FAIRLEAD_JOB={job}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found[int(path.name)] = (path / "comm").read_text().strip()
        except OSError:
            continue
    return found


def ours() -> list[str]:
    return [lab.name for lab in labs.running_labs() if lab.name.startswith("killed-")]


def assert_nothing_doubled(results: Path) -> None:
    with Store.read(results) as store:
        assert [run.status for run in store.runs("experiment")] == ["ok"]
        runs = store.runs("run")
        done = sorted(str(run.labels["scenario"]) for run in runs if run.status == "ok")
        assert done == ["clean", "clean_managed", "congested", "congested_managed", "pilot"]
        assert [run.status for run in runs if run.status != "ok"] == []  # of the row that was killed nothing is there
        assert all(len(store.series(run.id, "time_s")) == 1 for run in runs)


def rows(results: Path) -> list[str]:
    """How the comparison's runs ended."""
    with Store.read(results) as store:
        return [str(run.status) for run in store.runs("run")]
