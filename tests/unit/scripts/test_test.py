"""scripts/test.sh with imitated tests: what runs beside what, what is run once more, and how all of it ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
# Pytest and C++ tests: say when they begin and end. `fails` has a file for each group that fails so many times.
FAKE = """
import os, sys, time
from pathlib import Path

group = next((word.rpartition("/")[2] for word in sys.argv if word.startswith("cache_dir=")), "native")
what = " ".join([group, *sys.argv[1:]]) if group == "native" else group + " again" * ("--last-failed" in sys.argv)


def note(text):
    with open("log", "a") as log:
        log.write(f"{text}\\n")


try:
    note(f"{what} begins")
    print("tests of", group)
    time.sleep(float(os.environ["LASTS_S"]))
except KeyboardInterrupt:
    note(f"{what} is tidied up")
    sys.exit(2)
note(f"{what} ends")
left = Path("fails", group)
if left.exists() and (times := int(left.read_text())):
    left.write_text(str(times - 1))
    cache = Path("build/pytest", group, "v/cache")
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "lastfailed").write_text(f'{{"tests/{group}/test_one.py::test_two": true}}')
    sys.exit(1)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("scripts", "fails", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(SCRIPTS / "test.sh", tmp_path / "scripts")
    lane = tmp_path / "scripts" / "at-nice.sh"
    lane.write_text((SCRIPTS / lane.name).read_text().replace("\nnice=$2\n", "\nnice=0\n"))  # on a busy machine, too
    lane.chmod(0o755)
    for name in (".venv/bin/python", "scripts/test-native.sh"):
        (tmp_path / name).write_text(f"#!{sys.executable} -IS\n{FAKE}")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def started(site: Path, *groups: str, lasts_s: float = 0.2) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [site / "scripts" / "test.sh", *groups],
        env={**os.environ, "LASTS_S": str(lasts_s)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ran(site: Path, *groups: str) -> tuple[int, str, list[str]]:
    """The exit code, what was said, and what the tests noted."""
    with started(site, *groups) as process:
        said, _ = process.communicate(timeout=60)
    return process.returncode, said, (site / "log").read_text().splitlines()


def test_mpi_programs_wait_for_the_others_and_what_looks_at_times_comes_last(site: Path) -> None:
    code, said, noted = ran(site)
    assert code == 0, said
    assert noted.index("mpi begins") > max(noted.index("kernel ends"), noted.index("unit ends"))
    assert noted[-4:-2] == ["native timed begins", "native timed ends"]
    assert noted[-2:] == ["native again begins", "native again ends"]
    assert (site / "build/test/unit.log").read_text() == "tests of unit\n"
    assert said.splitlines()[-1].endswith("all passed")


def test_what_fails_is_run_once_more_when_all_others_are_through(site: Path) -> None:
    (site / "fails/kernel").write_text("1")
    code, said, noted = ran(site, "kernel", "mpi")
    assert code == 0, said
    assert noted[-2:] == ["kernel again begins", "kernel again ends"]
    assert noted.count("mpi begins") == 1
    assert "failed at first and passed by themselves: tests/kernel/test_one.py::test_two" in said


def test_what_fails_again_fails_the_run(site: Path) -> None:
    (site / "fails/unit").write_text("2")
    code, said, noted = ran(site, "unit")
    assert code == 1
    assert noted.count("unit again begins") == 1
    assert "passed by themselves" not in said


def test_cpp_tests_that_cannot_be_built_fail_the_run_and_nothing_of_them_is_run(site: Path) -> None:
    (site / "fails/native").write_text("1")
    code, _, noted = ran(site, "native", "mpi")
    assert code == 1
    assert [line for line in noted if line.startswith("native")] == [
        "native build computing begins",
        "native build computing ends",
    ]


def test_ctrl_c_reaches_all_that_runs_and_is_waited_for(site: Path) -> None:
    begun = {"kernel begins", "unit begins", "native build computing begins"}
    with started(site, lasts_s=60) as process:
        try:
            until_s = time.monotonic() + 30
            while not (site / "log").exists() or set((site / "log").read_text().splitlines()) != begun:
                assert time.monotonic() < until_s, "not all began"
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=30)
        finally:
            process.terminate()  # where something failed: ends all that runs, too
    assert process.returncode == 130, said
    noted = (site / "log").read_text().splitlines()
    assert set(noted[3:]) == {line.replace("begins", "is tidied up") for line in begun}


def test_an_unknown_group_is_told_with_those_that_exist(site: Path) -> None:
    with started(site, "labs") as process:
        said, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    assert said == "test.sh: no group is called labs; there are: kernel unit mpi native\n"


def test_a_lane_has_a_session_and_a_nice_value_of_its_own() -> None:
    code = "import os; print(os.nice(0), os.getsid(0) == os.getpid())"
    argv = [SCRIPTS / "at-nice.sh", "3", sys.executable, "-IS", "-c", code]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert said == f"{min(19, os.nice(0) + 3)} True\n"
