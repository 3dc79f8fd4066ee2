"""What carries a migration out: whom it stops, how it ends, and that the machine goes on whatever happens to it."""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.errors import LabError
from fairlead.lab.migration import carrier, pause
from fairlead.lab.migration import run as migration_run
from fairlead.lab.migration.run import Migration


def test_a_process_whose_name_is_cut_in_the_middle_of_a_character_is_found() -> None:
    named = 'printf "rechenl\\303" >/proc/self/comm; echo named; read -r end'
    with subprocess.Popen(["sh", "-c", named], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"named\n"
        assert Path(f"/proc/{process.pid}/comm").read_bytes() == b"rechenl\xc3\n"
        found = pause.processes_in(Path("/proc/self/ns/net").stat().st_ino, "RSDI")
        process.stdin.close()
    assert process.pid in [each.pid for each in found]


def test_a_paused_machine_goes_on_where_it_cannot_be_plugged_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    went_on = tmp_path / "went on"

    def refused(_server: str) -> None:
        raise LabError("no space left on device")

    plug: Any = SimpleNamespace(vm="h0", found_in=lambda: "server0", into=refused, network_id=lambda node: 1)
    monkeypatch.setattr(pause, "processes_in", lambda network_id, states: [])
    monkeypatch.setattr(pause, "go_on", lambda processes: went_on.touch())
    with pytest.raises(InterruptedError), carrier._finished_whatever_happens(plug):
        raise InterruptedError
    assert went_on.exists()


def test_one_that_has_ended_when_it_is_aborted_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_run, "refusal", lambda plan, vm, server: None)
    plan = SimpleNamespace(host_by_name={"h0": SimpleNamespace(server="server0")})
    lab: Any = SimpleNamespace(plan=plan, directory=tmp_path, enter_command=lambda node, argv: ["true"])
    with pytest.raises(LabError, match="the process that carried it out died"), Migration(lab, "h0", "s1") as migration:
        migration._process.wait()
        migration.abort()
        migration.wait()
