"""The examples that come with fairlead, by name wherever a command takes a plan or a lab."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fairlead import example_files
from fairlead.cli.example_file import ExampleFile
from fairlead.cli.main import command

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_package_has_those_of_the_source_tree() -> None:
    assert example_files.DIRECTORY.resolve() == EXAMPLES


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mesh8", "mesh8.toml"),
        ("mesh8.toml", "mesh8.toml"),
        ("examples/mesh8.toml", "mesh8.toml"),
        ("evaluate/small", "evaluate/small.toml"),
        ("examples/evaluate/802.3ad", "evaluate/802.3ad.toml"),
        ("simulation/mesh8.json", "simulation/mesh8.json"),
        ("nosuch", None),
        ("evaluate", None),
        ("", None),
        ("../examples/mesh8.toml", None),
        ("/mesh8.toml", None),
    ],
)
def test_names(name: str, file: str | None) -> None:
    assert example_files.find(name) == (None if file is None else example_files.DIRECTORY / file)


def test_a_file_that_is_there_is_no_example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    @click.command
    @click.argument("file", type=ExampleFile())
    def show(file: Path) -> None:
        click.echo(f"[{file}]")

    done = CliRunner().invoke(show, ["mesh8.toml"])
    assert done.output.splitlines() == [
        f"mesh8.toml: taken from fairlead's examples, {example_files.DIRECTORY / 'mesh8.toml'}",
        f"[{example_files.DIRECTORY / 'mesh8.toml'}]",
    ]
    (tmp_path / "mesh8.toml").touch()
    assert CliRunner().invoke(show, ["mesh8.toml"]).output == "[mesh8.toml]\n"
    assert CliRunner().invoke(show, ["other.toml"]).output == "[other.toml]\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate plan examples/evaluate/small.toml", "54 rows"),
        ("compare relay --show-plan", "clean"),
        ("evaluate import published/example.csv --columns published/example.toml", "example"),
    ],
)
def test_commands_take_them_elsewhere(line: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, line.split())
    assert (done.exit_code, said in done.output) == (0, True), done.output
