"""The examples that come with fairlead, by name wherever a command takes a plan or a lab."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fairlead import example_files
from fairlead.cli.main import command
from fairlead.cli.parameters.example_file import ExampleFile
from fairlead.errors import ConfigError

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
    ("name", "near"),
    [
        ("examples/mseh8.toml", "examples/mesh8.toml"),
        ("mehs8", "examples/mesh8.toml"),
        ("evaluate/smal", "examples/evaluate/small.toml"),
        ("quite-another.toml", None),
    ],
)
def test_a_misspelt_name_is_told_with_the_right_one(name: str, near: str | None) -> None:
    assert example_files.similar(name) == near
    done = CliRunner().invoke(command, ["lab", "up", name])
    assert isinstance(done.exception, ConfigError)
    said = [f"{name}: no such file", *([f"  did you mean {near}, which comes with fairlead?"] if near else [])]
    assert str(done.exception).splitlines() == said


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
