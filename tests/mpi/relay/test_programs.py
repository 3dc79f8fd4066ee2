"""Bundled programs verify their results when messages take two paths at random (docs/explanation/relay-plane.md)."""

from collections import Counter
from pathlib import Path

import bundled
import pytest
from mpi_libraries import EACH_FAMILY, LIBRARIES, Mpi, every_mpi

from fairlead import native

from .test_semantics import NOT_ZERO, run

pytestmark = [pytest.mark.mpi, pytest.mark.slow]
SOURCES = Path(__file__).parent / "sources"
PROGRAMS = {
    "cg": ["--class", "S"],
    "nbody": ["--steps", "5"],
    "lu": ["--class", "S"],
    "mg": ["--class", "S"],
    "sp": ["--class", "S"],
    "bt": ["--class", "S"],
    "random-traffic": [],
}
# Their bytes travel in collective calls but for a few.
COLLECTIVE = {"is": ["--class", "S"], "ft": ["--class", "S"], "ep": ["--class", "S"]}


@pytest.mark.drawn
@pytest.mark.parametrize("mpi", EACH_FAMILY, ids=lambda each: each.name)
@pytest.mark.parametrize("program", [*PROGRAMS, *COLLECTIVE])
def test_results_are_verified(mpi: Mpi, program: str, tmp_path: Path) -> None:
    path = native.mpi_program(mpi.need().family, program)
    arguments = (PROGRAMS | COLLECTIVE)[program]
    said, counts = run(mpi, 4, [str(path), *arguments], 11, tmp_path / "records")
    (result,) = bundled.results("\n".join(said))
    assert result["verified"] is True
    if program in PROGRAMS:
        used = {"direct", "relayed", "takeovers", "cancelled", "pulled", "held"}
        assert {name for name in used if counts[name] == 0} == set()


@every_mpi
def test_threads(mpi: Mpi, tmp_path: Path) -> None:
    """A cancel fails only where a message has just come, by chance: the counts are of several runs."""
    program = mpi.need().compile(SOURCES / "threads.c", tmp_path / "threads", "-w")
    together: Counter[str] = Counter()
    for seed in (12, 13, 14):
        said, counts = run(mpi, 2, [str(program)], seed, tmp_path / f"records-{seed}")
        assert said == ["threads"]
        together.update(counts)
    assert {name for name in NOT_ZERO - {"waited"} if together[name] == 0} == set()


@pytest.mark.parametrize("mpi", LIBRARIES[:1], ids=lambda each: each.name)
@pytest.mark.parametrize("options", [["-DBINDING=mpi"], ["-DBINDING=mpi_f08", "-DF08"]], ids=["mpi", "mpi_f08"])
def test_fortran(mpi: Mpi, options: list[str], tmp_path: Path) -> None:
    program = mpi.need().compile_fortran(SOURCES / "fortran.F90", tmp_path / "fortran", *options)
    together: Counter[str] = Counter()  # whether a message is there before its receive is a matter of chance
    for seed in (13, 14, 15, 16):
        said, counts = run(mpi, 3, [str(program)], seed, tmp_path / f"records-{seed}")
        assert [line.strip() for line in said] == ["fortran"]
        together.update(counts)
    assert {name for name in ("direct", "relayed", "takeovers", "pulled") if together[name] == 0} == set()
