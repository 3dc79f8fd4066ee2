"""Congestion in the background: what its process is told, and for how long it stays."""

import io
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import FairleadError
from fairlead.lab.congestion import runner
from fairlead.lab.lab import CongestionRunner


class Started:
    """In place of the process that holds the congestion."""

    argv: list[str]

    def __init__(self, argv: list[str], **_: Any) -> None:
        Started.argv = argv
        self.stdin, self.stdout = io.StringIO(), io.StringIO('{"started": "MPI traffic"}\n')


@pytest.mark.parametrize(("options", "told"), [(["--for", "30"], ["30.0"]), ([], [])])
def test_the_process_in_the_background_is_told_how_long(
    options: list[str], told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlead.lab.find_lab", lambda name: SimpleNamespace(directory=tmp_path))
    monkeypatch.setattr("subprocess.Popen", Started)
    words = ["lab", "congest", "mesh8", "mpi", *options, "--background"]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert (done.exception, done.output) == (None, "started: MPI traffic\n")
    assert Started.argv[1:] == ["-m", "fairlead.lab.congestion.runner", str(tmp_path), *told]


@pytest.mark.parametrize(("told", "lasts_s"), [(["30.0"], 30.0), ([], None)])
def test_it_stays_for_as_long_as_it_is_told(
    told: list[str], lasts_s: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float | None] = []
    ended: list[bool] = []
    congestion = SimpleNamespace(start=lambda: None, stop=lambda: ended.append(True), describe=lambda: "MPI traffic")
    monkeypatch.setattr(sys, "argv", ["runner", str(tmp_path), *told])
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"kind": "mpi"}'))
    monkeypatch.setattr("fairlead.lab.state.read", lambda directory: {})
    monkeypatch.setattr(runner, "Lab", lambda directory, record: SimpleNamespace())
    monkeypatch.setattr(runner, "make", lambda lab, description: congestion)
    monkeypatch.setattr(runner, "noted", lambda lab, text: nullcontext())
    monkeypatch.setattr(runner, "wait", lambda lab, held, timeout_s: waited.append(timeout_s))
    with monkeypatch.context() as own:  # what pytest needs itself
        own.setattr(signal, "signal", lambda *_: None)
        own.setattr(os, "dup2", lambda *_: None)
        runner.main()
    assert (waited, ended) == ([lasts_s], [True])


def test_congestion_that_does_not_end_keeps_no_other_from_being_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def held(name: str) -> CongestionRunner:
        def wait(timeout_s: float) -> None:
            raise FairleadError(f"process {name} did not end within {timeout_s:g} s")

        process: Any = SimpleNamespace(send=lambda number: told.append(name), wait=wait)
        return CongestionRunner(tmp_path / name, process, name)

    monkeypatch.setattr(runner, "congestion_runners", lambda directory: [held("a"), held("b")])
    lab: Any = SimpleNamespace(directory=tmp_path)
    with pytest.raises(FairleadError, match="process a did not end"):
        runner.stop_all(lab)
    assert told == ["a", "b"]
