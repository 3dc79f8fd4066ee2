"""``fairlead status``: what it prints of the runs that are registered."""

import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.status import command
from fairlead.manage import live_runs
from fairlead.runtime import Process


def test_paths_keep_their_order_from_one_look_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are still rerouted though not congested: with --watch they stay where they are."""
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    own = Process.own()
    state = live_runs.RunState("0000000a", "/c.toml", ["cg"], os.getpid(), own.start_ticks, time.time())
    state.detours = {f"h{number}→h0": "h9" for number in range(1, 9)}
    state.levels = {"h3→h0": "high"}
    with live_runs.Registration(state):
        said = CliRunner().invoke(command, []).output.splitlines()
    assert said[1] == "  h3→h0  high, rerouted over h9"
    assert said[2:] == [f"  h{number}→h0  low, still rerouted over h9" for number in (1, 2, 4, 5, 6, 7, 8)]
