"""The cases that `make verify` draws, and those of which `make test` runs one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import draw

TESTS = Path(__file__).parents[1]
ALIKE = """
import pytest

names = pytest.mark.parametrize("name", ["a", "b", pytest.param("c", marks=pytest.mark.slow)])

@pytest.mark.by_turns
@names
def test_alike(name): ...

@names
def test_other(name): ...
"""
MANY = [f"file.py::test[{number}]" for number in range(11)]
ALONE = "file.py::alone[1]"


def test_a_tenth_of_each_test_is_drawn() -> None:
    drawn = draw.tenth_of_each_test([*MANY, ALONE], "2026-01-01")
    assert ALONE in drawn
    assert len(drawn & set(MANY)) == 2


def test_a_seed_draws_the_same_in_every_process_and_another_draws_others() -> None:
    assert draw.tenth_of_each_test(MANY, "1") == draw.tenth_of_each_test(reversed(MANY), "1")
    ever = set().union(*(draw.tenth_of_each_test(MANY, str(seed)) for seed in range(80)))
    assert ever == set(MANY)


def test_each_case_has_its_turn() -> None:
    cases = [f"file.py::test[{name}]" for name in ("mpich5", "mpich5abi", "openmpi4")]
    turns = [draw.one_of_each_test([*reversed(cases), ALONE], turn) for turn in range(20_000, 20_003)]
    assert all(len(turn) == 2 and ALONE in turn for turn in turns)
    assert set().union(*turns) == {*cases, ALONE}


@pytest.mark.parametrize("turn", [0, 1])
def test_of_what_is_alike_one_runs_and_what_is_slow_has_no_turn(turn: int, tmp_path: Path) -> None:
    for name in ("conftest.py", "draw.py"):
        shutil.copy(TESTS / name, tmp_path)
    (tmp_path / "test_alike.py").write_text(ALIKE)
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "-c", "/dev/null"]
    command += ["--rootdir", str(tmp_path), "-m", "not slow", "--turn", str(turn), str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line for line in said.splitlines() if "::" in line] == [
        f"test_alike.py::test_alike[{'ab'[turn]}]",
        "test_alike.py::test_other[a]",
        "test_alike.py::test_other[b]",
    ]
