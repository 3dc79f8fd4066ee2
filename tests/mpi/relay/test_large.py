"""Messages of more than 2 GiB, for which Open MPI has no functions of their own: of large elements, and from copies."""

import subprocess
from pathlib import Path

import mpi_libraries
import pytest
from mpi_libraries import LIBRARIES, Mpi

from .test_semantics import run

# Each takes up to 6 GiB of memory, of both ranks together.
pytestmark = [pytest.mark.mpi, pytest.mark.slow, pytest.mark.timeout(1000)]
PROGRAM = Path(__file__).parent / "sources" / "large.c"
WHOLE_B = 2049 << 20
WHOLE = f"{WHOLE_B} bytes from 0, 0 wrong"
OPENMPI4, OPENMPI5, _, MPICH5, _ = LIBRARIES
by_name = {"ids": lambda each: each.name if isinstance(each, Mpi) else each}


@pytest.mark.parametrize("mpi", [OPENMPI4, OPENMPI5, MPICH5], **by_name)
@pytest.mark.parametrize("case", ["elements", "element"])
def test_as_without_the_plane(mpi: Mpi, case: str, tmp_path: Path) -> None:
    program = mpi.need().compile(PROGRAM, tmp_path / "large", "-O2")
    with mpi_libraries.no_leftovers():
        argv = mpi.command(2, [str(program), case], {})
        alone = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=True)
    assert alone.stdout.splitlines() == [WHOLE]
    said, _ = run(mpi, 2, [str(program), case], None, tmp_path / "records")
    assert said == [WHOLE]


@pytest.mark.parametrize("mpi", [OPENMPI4, OPENMPI5, MPICH5], **by_name)
@pytest.mark.parametrize("case", ["buffered", "persistent"])
def test_buffered_sends_without_room_are_refused(mpi: Mpi, case: str, tmp_path: Path) -> None:
    """No buffer is so large: its size is an int. What comes next goes as usual.

    Open MPI 4.1 alone refuses them, too, but the next message never arrives; it says that a persistent one began.
    """
    program = mpi.need().compile(PROGRAM, tmp_path / "large", "-O2")
    said, _ = run(mpi, 2, [str(program), case], None, tmp_path / "records")
    assert said == (["no room", "no room", "success"] if case == "buffered" else ["no room"])


@pytest.mark.parametrize(
    ("case", "source"), [("later", 0), ("partitioned", 0), ("to itself", 1)], ids=["later", "partitioned", "to itself"]
)
def test_what_open_mpi_5_has_of_mpi_4(case: str, source: int, tmp_path: Path) -> None:
    """Alone, it ends only the partitioned message to another process."""
    program = OPENMPI5.need().compile(PROGRAM, tmp_path / "large", "-O2")
    said, counts = run(OPENMPI5, 2, [str(program), case], None, tmp_path / "records")
    assert said == [f"{WHOLE_B} bytes from {source}, 0 wrong"]
    assert counts["relayed"] == (1 if case == "partitioned" else 0)


@pytest.mark.parametrize(("case", "size_B"), [("element", WHOLE_B), ("part", (3 << 20) + 8)], ids=["element", "part"])
def test_a_large_element_is_relayed(case: str, size_B: int, tmp_path: Path) -> None:
    """By seed 1 of chaos mode."""
    program = OPENMPI4.need().compile(PROGRAM, tmp_path / "large", "-O2")
    said, counts = run(OPENMPI4, 2, [str(program), case], 1, tmp_path / "records")
    assert said == [f"{size_B} bytes from 0, 0 wrong"]
    assert (counts["direct"], counts["relayed"]) == (0, 1)
