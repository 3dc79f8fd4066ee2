"""``fairlead workload``: what is named, and what is listed of a tree."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.programs import workloads


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """It is known, and has no program yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "npb" / "bin").mkdir(parents=True)
    workloads.add("npb", tmp_path / "npb")
    return tmp_path / "npb"


def listed() -> list[str]:
    done = CliRunner().invoke(command, ["workload", "list"], prog_name="fairlead")
    assert done.exit_code == 0, done.exception
    return done.output.splitlines()


def test_a_file_that_cannot_be_executed_does_not_end_the_list(tree: Path) -> None:
    (tree / "bin" / "cg.A.x").touch(0o644)
    (tree / "bin" / "mg.A.x").write_text("#!/bin/sh\n")
    (tree / "bin" / "mg.A.x").chmod(0o755)
    assert listed() == [
        f"npb: {tree}",
        "  npb:cg.A  is not an executable file",
        "  npb:mg.A  no MPI library",
    ]


def test_a_tree_without_programs_is_told(tree: Path) -> None:
    assert listed() == [f"npb: {tree}", f"no program is built there: `fairlead workload add npb {tree}`"]


@pytest.mark.parametrize("option", ["--apps", "--classes"])
def test_nothing_is_no_list(option: str, tree: Path) -> None:
    words = ["workload", "add", "npb", str(tree), option, " ,"]
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    assert done.exit_code == 2
    assert (
        done.output.splitlines()[-1]
        == f"Error: Invalid value for '{option}': ' ,' names nothing; write for example A,B"
    )
