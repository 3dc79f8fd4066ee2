"""What a long build shows while it goes on, and what is left of it where it fails."""

import os
import pty
import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "with-progress.sh"
BUILD = """
echo '-- Configuring done'
for step in 1 2 3; do echo "  [$step/3] Building CXX object x$step.o"; done
"""
FAILS = BUILD + "echo '  FAILED: x3.o'; echo 'x.cpp:1: error: no'; echo 'ninja: build stopped'; exit 3"


def command(log: Path, script: str) -> list[str]:
    return [str(SCRIPT), "setup", str(log), "sh", "-c", script]


def test_on_a_terminal_one_line_counts(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(command(tmp_path / "log", BUILD), stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # nobody has the other end any more
                break
    os.close(ours)
    assert process.returncode == 0
    assert b"\n" not in shown
    assert re.findall(rb"\[(./.)\]", shown) == [b"1/3", b"2/3", b"3/3"]
    assert shown.endswith(b"\r\033[K")
    assert (tmp_path / "log").read_text().splitlines()[0] == "-- Configuring done"


def test_elsewhere_a_short_build_shows_nothing(tmp_path: Path) -> None:
    done = subprocess.run(command(tmp_path / "log", BUILD), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_failed_build_shows_its_first_error_and_the_log(tmp_path: Path) -> None:
    done = subprocess.run(command(tmp_path / "log", FAILS), capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "  FAILED: x3.o",
        "x.cpp:1: error: no",
        "ninja: build stopped",
        f"setup: the build failed; the whole output is in {tmp_path / 'log'}",
    ]


def test_where_no_error_is_known_by_its_looks_the_end_is_shown(tmp_path: Path) -> None:
    done = subprocess.run(command(tmp_path / "log", "seq 1 60; exit 1"), capture_output=True, text=True)
    assert done.stderr.splitlines()[:-1] == [str(number) for number in range(21, 61)]
