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
from fairlead.lab.congestion import runner


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
