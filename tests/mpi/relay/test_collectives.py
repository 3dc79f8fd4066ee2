"""Collective calls give the same with the relay plane as without it, bit by bit: docs/explanation/relay-plane.md."""

import subprocess
from pathlib import Path

import mpi_libraries
import pytest
from mpi_libraries import EACH_ABI, LIBRARIES, Mpi

from fairlead import native

pytestmark = pytest.mark.mpi
PROGRAM = Path(__file__).parent / "sources" / "collectives"
# MPICH 5 takes another algorithm for reductions, with another order, once a communicator has had so many calls within a
# host; it counts the plane's own, too.
ONE_ORDER = {"MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": "1000000"}
THE_LIBRARYS_OWN = {"MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": "5"}


def results(mpi: Mpi, program: Path, ranks: int, kept: Path, **env: str) -> list[list[str]]:
    """What came out of each call, by rank."""
    kept.mkdir()
    with mpi_libraries.no_leftovers():
        argv = mpi.command(ranks, [str(program), str(kept)], ONE_ORDER | env)
        done = subprocess.run(argv, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [(kept / str(rank)).read_text().splitlines() for rank in range(ranks)]
    assert all(each[-1].startswith("beside messages 39: ") for each in lines)
    return lines


def compare(mpi: Mpi, ranks: int, where: Path, ways: dict[str, dict[str, str]], *options: str, **common: str) -> None:
    """``common``: of the runs with and without the plane."""
    program = mpi.need().compile(PROGRAM, where / "collectives", "-w", *options)
    plain = results(mpi, program, ranks, where / "plain", **common)
    preload = str(native.library("libfairlead.so"))
    for way, env in ways.items():
        armed = results(mpi, program, ranks, where / way, LD_PRELOAD=preload, **common, **env)
        for rank in range(ranks):
            differing = [pair for pair in zip(plain[rank], armed[rank], strict=True) if pair[0] != pair[1]]
            assert differing[:3] == [], f"rank {rank}, {way}"


@pytest.mark.parametrize("mpi", EACH_ABI, ids=lambda each: each.name)
def test_the_same_with_the_plane(mpi: Mpi, tmp_path: Path) -> None:
    """Two processes: on a periodic ring each is the other's neighbor twice."""
    compare(mpi, 2, tmp_path, {"chaos": {"FAIRLEAD_CHAOS": "51"}}, "-DSHORT")


@pytest.mark.slow
@pytest.mark.drawn
@pytest.mark.parametrize(
    ("ranks", "mpi"),
    # One of each binary interface; the others with a few, since MPICH 4.0 takes minutes with more.
    [
        pytest.param(ranks, mpi, id=f"{ranks}-{mpi.name}")
        for ranks in range(1, 10)
        for mpi in (LIBRARIES if ranks <= 5 else EACH_ABI)
    ],
)
def test_the_same_among_any_number(ranks: int, mpi: Mpi, tmp_path: Path) -> None:
    """Armed, where no agent answers, and with messages that take two paths."""
    ways = {"armed": {"FAIRLEAD_RELAY": str(tmp_path)}, "chaos": {"FAIRLEAD_CHAOS": str(52 + ranks)}}
    # MPICH spins while it waits: with more ranks than cores each message takes time slices.
    options = ["-DSHORT"] if ranks > 4 and "mpich" in mpi.name else []
    compare(mpi, ranks, tmp_path, ways, *options)


@pytest.mark.parametrize("ranks", [3, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (5, 7))])
@pytest.mark.parametrize("mpi", EACH_ABI, ids=lambda each: each.name)
def test_reductions_are_made_in_the_librarys_order(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    """Between two processes no order shows. As the library is by itself, after the first calls: see `ONE_ORDER`."""
    ways = {"armed": {"FAIRLEAD_RELAY": str(tmp_path)}, "chaos": {"FAIRLEAD_CHAOS": str(70 + ranks)}}
    compare(mpi, ranks, tmp_path, ways, "-DREDUCTIONS", "-DLATER", "-DSHORT", **THE_LIBRARYS_OWN)


@pytest.mark.slow
def test_the_same_with_large_counts(tmp_path: Path) -> None:
    compare(LIBRARIES[3], 4, tmp_path, {"chaos": {"FAIRLEAD_CHAOS": "62"}}, "-DLARGE")
