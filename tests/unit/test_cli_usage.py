"""What the command line says to those who type it in another order."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import ConfigError


def test_a_benchmark_without_cluster_says_where_the_cluster_belongs() -> None:
    done = CliRunner().invoke(command, ["measure", "impact", "--quick"], prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == "Error: CLUSTER comes first: fairlead measure CLUSTER impact --quick"


@pytest.mark.parametrize("words", [["mpi-latency", "--help"], ["mpi-latency", "--pairs", "2", "-h"]])
def test_help_of_a_benchmark_needs_no_cluster(words: list[str]) -> None:
    done = CliRunner().invoke(command, ["measure", *words], prog_name="fairlead")
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == "Usage: fairlead measure CLUSTER mpi-latency [OPTIONS]"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reprot r", "there is no command 'reprot': did you mean 'report'?"),
        ("evaluate chekc x.json", "no command 'chekc': did you mean 'check'? (if not: fairlead evaluate run chekc)"),
        ("characterize shwo", "did you mean 'show'? (if not: fairlead characterize measure shwo)"),
        ("profile shwo x.json", "did you mean 'show'? (if not: fairlead profile run shwo)"),
    ],
)
def test_a_misspelt_command_is_no_argument(line: str, told: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].endswith(told)


def test_what_is_there_is_an_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plann").write_text("no plan")
    Path("shov").write_text("#!/bin/sh\n")
    Path("shov").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for words in (["evaluate", "plann"], ["evaluate", "run", "plam"], ["characterize", "--", "shwo"]):
        done = CliRunner().invoke(command, words, prog_name="fairlead")
        assert isinstance(done.exception, ConfigError) and words[-1] in str(done.exception)
    started: list[str] = []
    monkeypatch.setattr("fairlead.profile.run.run", lambda argv, **_: started.append(argv[0]))
    CliRunner().invoke(command, ["profile", "shov"], prog_name="fairlead")
    assert started == ["shov"]


@pytest.mark.parametrize(
    "line",
    [
        "profile --json -- true",
        "profile --html -- true",
        "profile --cluster -- true",
        "profile show p.json --json --",
        "placement p.json c.toml --json --",
        "run c.toml --placement -- true",
    ],
)
def test_the_end_of_options_is_no_name(line: str) -> None:
    done = CliRunner().invoke(command, line.split(), prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1].endswith(": a name is missing: -- ends the options")


def test_no_labs_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlead.lab.running_labs", list)
    assert CliRunner().invoke(command, ["lab", "show"]).output == "no labs are up\n"
    assert CliRunner().invoke(command, ["lab", "show", "--json"]).output == "[]\n"


def _commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    with click.Context(group) as context:
        names = group.list_commands(context)
        for name in names:
            found = group.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*path, name))


def test_help_texts_of_commands_with_subcommands_have_examples() -> None:
    groups = {"lab", "net", "characterize", "evaluate", "workload", "profile", "cloud"}
    told = {path: each.help or "" for path, each in _commands(command) if path[0] in groups}
    del told["lab", "congest", "stop"]  # there is nothing to say of it
    assert len(told) > 25
    assert [path for path, text in told.items() if f"fairlead {path[0]} " not in text] == []


def test_an_import_names_no_cluster() -> None:
    done = CliRunner().invoke(command, ["measure", "import", "--help"], prog_name="fairlead")
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == "Usage: fairlead measure import [OPTIONS] FORMAT FILE.."


def test_a_launch_line_of_ones_own_names_its_mpirun(tmp_path: Path) -> None:
    (tmp_path / "c.toml").touch()
    line = ["--own-mpirun", "--mpirun", "mpirun.mpich", "--", "mpirun", "./x"]
    for words in (["run", str(tmp_path / "c.toml"), *line], ["profile", *line]):
        done = CliRunner().invoke(command, words, prog_name="fairlead")
        assert done.exit_code == 2
        assert done.output.splitlines()[-1] == (
            "Error: --mpirun: with --own-mpirun the launch line names its mpirun: leave --mpirun out"
        )
