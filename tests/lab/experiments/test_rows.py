"""Every command of docs/rows.md runs, in its smallest form, in the order of the page.

Plans that have long tests of their own are checked whole here and not run: `--show-plan` looks at each case's program,
class, ranks, files and memory.
"""

import re
import secrets
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import COMMAND

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rows.md").read_text(encoding="utf-8")
SMALLER = {
    "profile --cluster": [],
    "run mesh8": [],
    "characterize mesh8": ["--large-budget", "5"],
    "characterize measure": ["--every", "1", "--times", "2", "--sizes", "64"],
    "measure mesh8.cluster.toml all-pairs": ["--exactly", "2"],
    "measure mesh8.cluster.toml mpi-latency": ["--exactly", "2", "--sizes", "1,64KiB", "--pairs", "1,2"],
    "measure mesh8.cluster.toml mpi-throughput": ["--exactly", "2", "--sizes", "1,64KiB", "--pairs", "1,2"],
    "measure mesh8.cluster.toml tcp": ["--exactly", "2", "--seconds", "3", "--streams", "1,2"],
    "measure mesh8.cluster.toml stress": ["--seconds", "2"],
    "measure mesh8.cluster.toml burst": ["--size", "1KiB", "--train", "1", "--runs", "1"],
    "measure mesh8.cluster.toml noise ": ["--detours", "100", "--seconds", "2"],
    "measure mesh8.cluster.toml noise-effect": ["--seconds", "2"],
    "compare": ["--show-plan"],
    "evaluate examples/evaluate/bonds.toml": ["--set", 'program=["ft"]'],
    "evaluate examples/evaluate/interconnection": ["--set", 'program=["is"]', "--set", 'neighbours=["none", "1 is"]'],
    "evaluate examples": ["--set", 'program=["is"]'],
}
"""Options that make a command small, by how it begins; the last of several that say the same thing counts."""
CLAIMS_THAT_FAIL = "evaluate check examples/published/example_claims.json"
"""One of the example's claims does not follow from its data: the exit code is 1."""
NEEDS = {"characterize show": "characterize mesh8.cluster.toml"}
"""What a command shows the results of, by how it begins: of the rows that are drawn none may have made them."""
INSTEAD = {"plan examples/measure/noise-thesis.toml": "plan examples/measure/small.toml"}


def rows() -> list[tuple[str, list[str]]]:
    """Each row's name and its commands."""
    found = []
    for line in PAGE.splitlines():
        cells = line.strip("| ").split(" | ")
        if line.startswith("| ") and len(cells) > 2 and cells[2].startswith("`fairlead "):
            found.append((cells[0], re.findall(r"`fairlead ([^`]+)`", cells[2])))
    return found


def small(command: str) -> list[str]:
    for long, short in INSTEAD.items():
        command = command.replace(long, short)
    more = [options for start, options in SMALLER.items() if (command + " ").startswith(start)]
    return shlex.split(command) + (more[0] if more else [])


@pytest.fixture(scope="module")
def ground(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A directory as the page has it, and the name of its lab."""
    directory = tmp_path_factory.mktemp("rows", numbered=True)
    name = f"rows{secrets.token_hex(2)}"
    (directory / "examples").symlink_to(ROOT / "examples")
    fairlead(directory, "lab", "up", "mesh8", "--name", name, "--output", "mesh8.cluster.toml")
    yield directory, name
    fairlead(directory, "lab", "down", name)


def fairlead(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=directory, capture_output=True, text=True, timeout=900, check=False
    )
    expected = 1 if shlex.join(arguments).startswith(CLAIMS_THAT_FAIL) else 0
    assert done.returncode == expected, f"{shlex.join(arguments)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


@pytest.mark.drawn
@pytest.mark.parametrize("commands", [pytest.param(commands, id=name) for name, commands in rows()])
def test_row(ground: tuple[Path, str], commands: list[str]) -> None:
    directory, lab = ground
    for command in commands:
        for shown, made_by in NEEDS.items():
            if command.startswith(shown) and not (directory / "results" / "results.sqlite").exists():
                fairlead(directory, *small(made_by))
        arguments = [lab if word == "mesh8" else word for word in small(command)]
        assert fairlead(directory, *arguments).strip()
