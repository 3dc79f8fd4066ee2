"""mpi4py's own test suite has the same outcomes under ``fairlead profile`` as without it, test by test.

So have its tests of messages, collective calls and communicators when messages take two paths at random.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from mpi_libraries import LIBRARIES, Mpi, no_leftovers

from fairlead import native

pytestmark = [pytest.mark.mpi, pytest.mark.slow]
HERE = Path(__file__).parent
LOCK = HERE / "mpi4py.lock"
RANKS = 2
FAIRLEAD = Path(sys.executable).with_name("fairlead")
TESTED = [mpi for mpi in LIBRARIES if mpi.name in ("openmpi4", "mpich5")]
# Processes that are spawned or connected: their libraries' own faults end the suite (test_library.py has some).
EXCLUDED = ("spawn", "dynproc")
# Of the files that are run with two paths: what the relay plane refuses is not in them.
TWO_PATHS = {
    "openmpi4": ("p2p_buf.py", "p2p_buf_matched", "p2p_obj", "msgspec", "msgzero", "request", "comm.py", "cco"),
    "mpich5": ("p2p_buf_matched", "p2p_obj", "msgspec", "msgzero", "comm.py", "cco"),
}
PARTS = 3  # in which the suite's files are run, each a case of its own
SEED = 14
BUILD_TIMEOUT_S, SUITE_TIMEOUT_S = 900, 600


def checked(command: list[object], *, timeout_s: float, **environment: str) -> None:
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **environment}, capture_output=True, text=True, timeout=timeout_s
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source package, of which all libraries' builds are made: its C source is made once."""
    directory = tmp_path_factory.mktemp("mpi4py")
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
    checked([*pip, "-d", directory, "-r", LOCK], timeout_s=BUILD_TIMEOUT_S)
    (archive,) = directory.glob("mpi4py-*.tar.gz")
    checked(["tar", "-xzf", archive, "-C", directory], timeout_s=60)
    return directory / archive.name.removesuffix(".tar.gz")


def build(mpi: Mpi, source: Path, directory: Path) -> Path:
    """Where mpi4py for the library is installed."""
    checked(["rm", "-rf", source / "build"], timeout_s=60)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-warn-script-location"]
    target = directory / "packages"
    # Only the binding is built, and it is not to be fast. Python's own -L comes before mpicc's: there may be another
    # library's libmpi.so.
    flags = {"CFLAGS": "-O0 -w", "LDFLAGS": f"-L{Path(mpi.compiler).parents[1] / 'lib'}" if "/" in mpi.compiler else ""}
    checked([*pip, "--target", target, source], timeout_s=BUILD_TIMEOUT_S, MPICC=mpi.compiler, **flags)
    return target


def outcomes(command: list[str], directory: Path) -> list[dict[str, str]]:
    """The outcome of every test by its name, for each rank."""
    with no_leftovers():
        done = subprocess.run(command, capture_output=True, text=True, timeout=SUITE_TIMEOUT_S)
    found = []
    for rank in range(RANKS):
        lines = [line.split(" ", 1) for line in (directory / f"{rank}.txt").read_text().splitlines()]
        found.append({name: outcome for outcome, name in lines})
    assert not any("began" in each.values() for each in found), f"ended within a test: {done.stderr[-3000:]}"
    return found


def files_of(source: Path, part: int) -> list[str]:
    """Of the suite's files every third, but for those that are excluded."""
    names = sorted(path.name for path in (source / "test").glob("test_*.py"))
    return [name for name in names if not any(word in name for word in EXCLUDED)][part::PARTS]


def including(names: Iterable[str]) -> list[str]:
    return [word for name in names for word in ("-i", name)]


@pytest.mark.timeout(2 * BUILD_TIMEOUT_S + 3 * SUITE_TIMEOUT_S)
@pytest.mark.drawn
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("mpi", TESTED, ids=[mpi.name for mpi in TESTED])
def test_the_suite_has_the_same_outcomes(mpi: Mpi, part: int, source: Path, tmp_path: Path) -> None:
    packages = build(mpi.need(), source, tmp_path)
    suite = [sys.executable, str(HERE / "mpi4py_suite.py"), str(source / "test"), str(packages)]
    files = files_of(source, part)
    found = {}
    for way in ("plain", "profiled"):
        directory = tmp_path / way
        directory.mkdir()
        launch = mpi.command(RANKS, [*suite, str(directory), *including(files)], {})
        if way == "profiled":
            launch = [str(FAIRLEAD), "profile", "--own-mpirun", "--", *launch]
        found[way] = outcomes(launch, directory)
    directory = tmp_path / "chaos"
    directory.mkdir()
    chosen = [name for name in files if any(word in name for word in TWO_PATHS[mpi.name])]
    assert chosen
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_CHAOS": str(SEED)}
    found["chaos"] = outcomes(mpi.command(RANKS, [*suite, str(directory), *including(chosen)], env), directory)
    for plain, chaos in zip(found["plain"], found["chaos"], strict=True):
        assert list(chaos.values()).count("passed") > 100 / PARTS
        assert {name: (plain[name], outcome) for name, outcome in chaos.items() if plain[name] != outcome} == {}
    for plain, profiled in zip(found["plain"], found["profiled"], strict=True):
        assert list(plain.values()).count("passed") > 1000 / PARTS
        changed = {name: (plain.get(name), profiled.get(name)) for name in plain | profiled}
        assert {name: pair for name, pair in changed.items() if pair[0] != pair[1]} == {}
