"""What a killed comparison or evaluation left is ended by the next start, and noted until it has ended."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from fairlead.cluster.jobs import launch
from fairlead.errors import FairleadError, HostError
from fairlead.experiment.running.cleanup_ledger import FILE_NAME, CleanupLedger, end_left_over
from fairlead.lab import lab as labs
from fairlead.lab import state
from fairlead.net import apply as net
from fairlead.runtime import Process
from fairlead.store import Store

CLUSTER = (
    '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)


@pytest.fixture(autouse=True)
def private_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))


@pytest.fixture
def holder() -> Iterator[subprocess.Popen[bytes]]:
    """What looks like the holder of lab "left", of another version."""
    process = subprocess.Popen(["sleep", "60"])
    directory = state.lab_directory("left")
    directory.mkdir()
    ticks = Process.of(process.pid).start_ticks
    record = {"holder": {"pid": process.pid, "start_ticks": ticks}, "plan": {"hosts": []}}
    (directory / "lab.json").write_text(json.dumps(record))
    yield process
    process.kill()
    process.wait()


def note(results: Path, **changes: object) -> Path:
    """The note of a killed one, with the cluster file that it had written beside it."""
    results.mkdir(exist_ok=True)
    whole = {"lab": None, "cluster": None, "jobs": {}, "undo": [], "on": "hosts", "bonded": False, "groups": []}
    (results / FILE_NAME).write_text(json.dumps(whole | changes))
    (results / "left.cluster.toml").write_text("")
    return results


def test_a_lab_is_ended_also_when_another_version_started_it(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    results = note(tmp_path / "results", lab="left", jobs={"0a0b0c0d": None})
    assert CleanupLedger(results).end() == ["lab left"]
    assert holder.wait(5) == -9
    assert list(results.iterdir()) == []
    assert not state.lab_directory("left").exists()


def test_a_lab_that_does_not_end_stays_noted_and_nothing_begins_beside_it(
    tmp_path: Path, holder: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(holder: Process) -> None:
        raise FairleadError(f"process {holder.pid} did not end within 20 s")

    monkeypatch.setattr(labs, "end_holder", stays)
    results = note(tmp_path / "results", lab="left")
    for _ in range(2):
        with pytest.raises(FairleadError, match=rf"{holder.pid} did not end(.|\n)*remove {results / FILE_NAME}"):
            CleanupLedger(results).end()
        assert json.loads((results / FILE_NAME).read_text())["lab"] == "left"
        assert (results / "left.cluster.toml").exists()
    monkeypatch.undo()
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    assert CleanupLedger(results).end() == ["lab left"]


def test_what_is_set_up_on_hosts_is_noted_on_the_disk_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power failure here leaves it on the hosts."""
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
    )
    CleanupLedger(tmp_path).note_undo([["true"]], "hosts")
    assert synced[0].startswith(f"{tmp_path}/.{FILE_NAME}-")
    assert synced[1:] == [str(tmp_path)]


def test_a_lab_that_is_gone_takes_along_what_was_set_up_in_it(tmp_path: Path) -> None:
    results = note(tmp_path / "results", lab="left", undo=[["false"]], on="hosts")
    assert CleanupLedger(results).end() == []
    assert list(results.iterdir()) == []


def test_a_runtime_directory_that_cannot_be_trusted_does_not_pass_for_a_lab_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "fairlead").mkdir()
    (tmp_path / "fairlead").chmod(0o755)
    results = note(tmp_path / "results", lab="left")
    with pytest.raises(FairleadError, match="not a private directory of yours"):
        CleanupLedger(results).end()
    assert (results / FILE_NAME).exists()


def test_bonds_and_commands_are_taken_back_each_whatever_becomes_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise HostError("a: not reached", hint="see ssh a")

    (tmp_path / "here.toml").write_text(CLUSTER)
    noted = {"cluster": str(tmp_path / "here.toml"), "bonded": True}
    results = note(tmp_path / "results", **noted, undo=[["touch", str(tmp_path / "undone")]])
    monkeypatch.setattr(net, "restore", unreachable)
    with pytest.raises(FairleadError) as raised:
        CleanupLedger(results).end()
    assert (tmp_path / "undone").exists()
    assert str(raised.value).splitlines() == [
        "the leftovers cannot be ended or undone: a: not reached",
        "  see ssh a",
        "  the same command tries again; if you clean up by hand (bonds: `fairlead net restore "
        f"{tmp_path / 'here.toml'}`), remove {results / FILE_NAME}",
    ]
    assert json.loads((results / FILE_NAME).read_text()) | noted == json.loads((results / FILE_NAME).read_text())
    assert json.loads((results / FILE_NAME).read_text())["undo"] == []
    monkeypatch.setattr(net, "restore", lambda executor, hosts: [])
    assert CleanupLedger(results).end() == ["bonds"]
    assert not (results / FILE_NAME).exists()


def test_the_note_is_there_while_something_runs(tmp_path: Path) -> None:
    ledger = CleanupLedger(tmp_path)
    ledger.note_cluster("c.toml")
    assert not (tmp_path / FILE_NAME).exists()
    with ledger.running("0a0b0c0d"):
        assert json.loads((tmp_path / FILE_NAME).read_text()) == {
            **{"lab": None, "cluster": "c.toml", "jobs": {"0a0b0c0d": "c.toml"}, "undo": []},
            **{"on": "hosts", "bonded": False, "groups": []},
        }
    assert not (tmp_path / FILE_NAME).exists()


def test_a_job_that_may_run_on_stays_noted_and_is_ended_by_the_next_start_on_its_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = str(tmp_path / "here.toml"), str(tmp_path / "there.toml")
    Path(here).write_text(CLUSTER)
    Path(there).write_text(CLUSTER.replace("here", "there"))
    ledger = CleanupLedger(tmp_path)
    ledger.note_cluster(here)
    with ledger.running("0a0b0c0d"):
        ledger.left_behind("0a0b0c0d")
    ledger.note_cluster(there)  # the next rows' cluster
    ledger.add("1a1b1c1d")
    ledger.remove("1a1b1c1d")
    ledger.left_behind("1a1b1c1d")  # a neighbour, whose thread saw its mpirun end before
    assert json.loads((tmp_path / FILE_NAME).read_text())["jobs"] == {"0a0b0c0d": here, "1a1b1c1d": there}
    tried: list[tuple[str, str]] = []
    monkeypatch.setattr(launch, "end_leftovers_of", lambda cluster, job: tried.append((cluster.name, job)))
    assert CleanupLedger(tmp_path).end() == ["job 0a0b0c0d", "job 1a1b1c1d"]
    assert tried == [("here", "0a0b0c0d"), ("there", "1a1b1c1d")]
    assert not (tmp_path / FILE_NAME).exists()
    note(tmp_path, cluster=there, jobs=["2a2b2c2d"])  # as other versions write it
    assert CleanupLedger(tmp_path).end() == ["job 2a2b2c2d"]
    assert tried[-1] == ("there", "2a2b2c2d")


def owned_by(process: Process, results: Path) -> None:
    """The lab "left" is noted as one that was started for a process alone."""
    file = state.lab_directory("left") / "lab.json"
    owner = {"process": asdict(process), "ledger": str(results / FILE_NAME)}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"owner": owner}))


DEAD = Process(Process.own().pid, 1)


def test_what_a_killed_process_left_is_ended_with_all_that_it_noted(
    tmp_path: Path, holder: subprocess.Popen[bytes]
) -> None:
    with Store.open(tmp_path / "results"):
        pass
    results = note(tmp_path / "results", lab="left", undo=[["touch", str(tmp_path / "undone")]], on="here")
    owned_by(DEAD, results)
    assert end_left_over(dry_run=True) == (["lab left"], [])
    assert holder.poll() is None
    assert end_left_over() == (["lab left", "what was set up"], [])
    assert holder.wait(5) == -9
    assert (tmp_path / "undone").exists()
    assert not (results / FILE_NAME).exists()
    assert end_left_over() == ([], [])


def test_a_lab_is_ended_also_when_its_results_are_gone(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    owned_by(DEAD, tmp_path / "removed")
    assert end_left_over() == (["lab left"], [])
    assert holder.wait(5) == -9


def test_labs_of_the_living_and_of_nobody_stay(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    assert end_left_over() == ([], [])
    owned_by(Process.own(), tmp_path / "results")
    assert end_left_over() == ([], [])
    with Store.open(tmp_path / "results"):  # the next demo has begun there, and ends it
        owned_by(DEAD, tmp_path / "results")
        assert end_left_over() == ([], [])
    assert holder.poll() is None
