"""scripts/test-native.sh with imitated tools: what becomes of C++ tests that fail."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
# Two of those that only compute fail; `AGAIN` is how each ends when it is run once more.
FAKES = {
    "cmake": 'echo "cmake $*" >>"$SITE/log"; exit "$CMAKE"',
    "ctest": """
        echo "ctest $*" >>"$SITE/log"
        case "$*" in
          *-I*) exit "$AGAIN" ;;
          *sanitize*-L\\ computing)
            echo "  1/20 Test  #1: One.Passed .......   Passed    0.03 sec"
            echo " 12/20 Test #12: Other.One ........***Failed    0.03 sec"
            printf 'The following tests did not run:\\n\\t  4 - Left.Out (Skipped)\\n'
            printf 'The following tests FAILED:\\n\\t  3 - Of.All/two words, and more (Timeout)\\n'
            printf '\\t 12 - Other.One (Failed)\\nErrors while running CTest\\n'
            exit 8 ;;
        esac""",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("scripts", "bin"):
        (tmp_path / name).mkdir()
    for name in ("test-native.sh", "with-progress.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts")
    for name, body in FAKES.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def ran(site: Path, *stages: str, cmake: int = 0, again: int = 0) -> tuple[int, str, list[str]]:
    """The exit code, what was said, and the tools' command lines."""
    environment = {
        **os.environ,
        "PATH": f"{site}/bin:{os.environ['PATH']}",
        "SITE": str(site),
        "CMAKE": str(cmake),
        "AGAIN": str(again),
    }
    done = subprocess.run(
        [site / "scripts/test-native.sh", *stages],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, (site / "log").read_text().splitlines()


def test_what_passes_by_itself_is_named(site: Path) -> None:
    code, said, tools = ran(site)
    assert code == 0, said
    assert "failed at first and passed by themselves: Of.All/two words, and more Other.One" in said
    assert "Test #12: Other.One" in said
    assert "One.Passed" not in said
    assert [line.rpartition(" ")[2] for line in tools if " -I " in line] == ["3,3", "12,12"]


def test_what_fails_again_fails_the_run(site: Path) -> None:
    code, said, _ = ran(site, again=8)
    assert code == 1
    assert "test-native: failed: Of.All/two words, and more Other.One" in said


def test_stages_by_themselves_hand_on_what_failed(site: Path) -> None:
    assert ran(site, "build", "computing")[0] == 0
    assert ran(site, "timed")[0] == 0
    code, _, tools = ran(site, "again", again=8)
    assert code == 1
    assert [line.rpartition(" ")[2] for line in tools if " -I " in line] == ["3,3", "12,12"]
    assert ran(site, "build", "timed", "again")[0] == 0, "a new build begins anew"


def test_what_cannot_be_built_ends_it(site: Path) -> None:
    code, said, tools = ran(site, cmake=1)
    assert code == 2
    assert "the build failed" in said
    assert [line for line in tools if line.startswith("ctest")] == []
