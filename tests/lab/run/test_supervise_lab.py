"""``fairlead supervise``: a program that something else starts, on hosts of a lab."""

import subprocess
from pathlib import Path

import pytest
from managed_runs import COMMAND, cluster_file, nothing_left, rerouted_routes

from fairlead import lab as labs
from fairlead.store import Store

pytestmark = pytest.mark.root
REROUTE = ["--no-detection", "--reroute", "h0:h1:h2"]


def start(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, "supervise", *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("answer", "status", "code"), [("exit 0\n", "ok", 0), ("exit 3\n", "failed", 3), ("", "aborted", None)]
)
def test_management_lasts_as_long_as_the_caller_says(
    lab: labs.Lab, tmp_path: Path, answer: str, status: str, code: int | None
) -> None:
    cluster = cluster_file(lab, tmp_path)
    with start(cluster, "--results", tmp_path, *REROUTE, "--", "./program", "--its-option") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert rerouted_routes(lab, "h0")
        output, told = process.communicate(answer, 30)
    assert (process.returncode, output) == (0, "")
    assert "h0→h1 rerouted over h2: by hand" in told
    assert nothing_left(lab)
    with Store.read(tmp_path) as store:
        run = store.runs("run")[-1]
    assert (run.status, run.exit_code, run.plan) == (status, code, ["./program", "--its-option"])


def test_the_programs_environment_is_the_callers_to_set(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    with start(cluster, "--results", tmp_path, "--plane", "relay", "--no-detection", "-q", "--", "p") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        _, told = process.communicate("exit 0\n", 30)
    names = [line.removeprefix("set ").partition("=")[0] for line in lines]
    assert sorted(names[:2]) == ["FAIRLEAD_RELAY", "LD_PRELOAD"]
    assert lines[2] == "ready\n"
    assert told == ""


def test_what_cannot_be_managed_is_one_line(tmp_path: Path) -> None:
    with start(tmp_path / "none.toml", "--", "p") as process:
        output, told = process.communicate("", 30)
    assert (process.returncode, output) == (1, "")
    (line,) = told.splitlines()
    assert line.startswith("fairlead: ")
    assert "none.toml" in line
    assert line.endswith("; the program runs unmanaged")
