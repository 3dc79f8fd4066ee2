"""The rings that ranks leave the ends of their messages in while they run, on every MPI library."""

import struct
import subprocess
from pathlib import Path

import mpi_libraries
import numpy as np
import pytest
from mpi_libraries import Mpi, every_family
from numpy.typing import NDArray

from fairlead import native
from fairlead.profile import message_tables, record, record_files

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).with_name("message_rings.c")
PAGE_B = 4096
RECORDS = 4096  # that a ring has room for
NO_NUMBER = 0xFFFFFF
HEAD = struct.Struct("<8s II iI 40x QQ 48x Q")
MESSAGE = np.dtype([
    ("communicator", "<u8"), ("size_B", "<u8"), ("begun", "<u8"), ("needed", "<u8"), ("computed", "<u8"),
    ("done", "<u8"), ("peer", "<i4"), ("tag", "<i4"), ("function", "<u2"), ("completed_by", "<u2"),
    ("end_and_number", "<u4"),
])  # fmt: skip
SEND, RECEIVE = 1, 2


def read(path: Path) -> tuple[int, int, NDArray[np.void]]:
    """A ring's rank, how many it dropped, and its records."""
    content = path.read_bytes()
    magic, version, pid, rank, _thread, written, dropped, taken = HEAD.unpack_from(content)
    assert (magic, version, taken) == (b"FAIRLRNG", 1, 0)
    assert path.name == f"{pid}-0.ring"
    assert len(content) == PAGE_B + RECORDS * MESSAGE.itemsize
    return rank, dropped, np.frombuffer(content, MESSAGE, written, PAGE_B)


def numbers(ends: NDArray[np.void], tag: int) -> list[int]:
    """Of the messages with one tag, in the order of completion."""
    return [int(number) >> 8 for number in ends["end_and_number"][ends["tag"] == tag]]


@every_family
def test_both_ends_have_the_number_that_they_match_by(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile(SOURCE, tmp_path / "rings")
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RINGS": str(tmp_path)}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.name != "rings") == [".ring", ".ring"]
    (rank0, dropped0, sent), (rank1, dropped1, received) = sorted(
        (read(path) for path in tmp_path.glob("*.ring")), key=lambda each: each[0]
    )
    assert (rank0, rank1) == (0, 1)
    assert len(sent) == len(received) == RECORDS  # nobody reads them: the rest is dropped, and the program goes on
    assert (dropped0, dropped1) == (12 + 10_000 - RECORDS, 13 + 10_000 - RECORDS)
    assert (sent["end_and_number"] & 0xFF == SEND).all() and (received["end_and_number"] & 0xFF == RECEIVE).all()
    assert (sent["peer"] == 1).all() and (received["peer"] == 0).all()
    assert (sent["size_B"] == 8).all() and (received["size_B"] == 8).all()
    assert len({*sent["communicator"], *received["communicator"]}) == 1
    assert (sent["done"] >= sent["needed"]).all() and (received["done"] >= received["needed"]).all()

    assert [numbers(sent, tag) for tag in range(1, 7)] == [[1, 2, 3], [1, 2, 3], [1, 2], [1, 2], [], [1, 2]]
    assert numbers(received, 1) == [3, 2, 1]
    assert numbers(received, 2) == [1, 2, 3]
    assert numbers(received, 3) == [NO_NUMBER] * 2
    assert numbers(received, 4) == [1, 2]
    assert numbers(received, 5) == [1]
    assert numbers(received, 6) == [NO_NUMBER] * 2
    assert numbers(received, 7) == list(range(1, RECORDS - 13 + 1))


def test_all_messages_go_to_a_file_as_well(tmp_path: Path) -> None:
    """However many there are, and whether rings drop them or not."""
    mpi = mpi_libraries.LIBRARIES[1].need()
    program = mpi.compile(SOURCE, tmp_path / "rings")
    env = {
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_RINGS": str(tmp_path),
        "FAIRLEAD_PROFILE": str(tmp_path),
        "FAIRLEAD_PROFILE_MESSAGES": "1",
    }
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    ends = {each.rank: each.ends for each in map(record.read, tmp_path.glob("*.record"))}
    assert [(ends[rank]["end"] == record.COLLECTIVE).sum() for rank in (0, 1)] == [1, 1]
    sends = ends[0][ends[0]["end"] == record.SEND]
    assert np.unique(sends["tag"], return_counts=True)[1].tolist() == [3, 3, 2, 2, 1, 2, 10_000]
    receives = ends[1][ends[1]["end"] == record.RECEIVE]
    assert np.unique(receives["tag"], return_counts=True)[1].tolist() == [3, 3, 2, 2, 1, 2, 10_000]
    assert (ends[1]["end"] == record.CANCELLED).sum() == 1
    assert np.isnan(receives["done_s"]).sum() == 0
    for path in tmp_path.glob("*.ring"):
        assert set(np.unique(read(path)[2]["end_and_number"] & 0xFF)) <= {SEND, RECEIVE}


KILLED = """
#include <mpi.h>
#include <signal.h>
int main(int argc, char** argv) {
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5000; ++i) {
        if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
}
"""


def test_a_killed_process_leaves_its_messages(tmp_path: Path) -> None:
    mpi = mpi_libraries.LIBRARIES[1].need()
    (tmp_path / "killed.c").write_text(KILLED)
    program = mpi.compile(tmp_path / "killed.c", tmp_path / "killed")
    env = {
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_PROFILE": str(tmp_path),
        "FAIRLEAD_PROFILE_MESSAGES": str(2**62),
    }
    with mpi_libraries.no_leftovers():
        done = subprocess.run(mpi.command(2, [str(program)], env), capture_output=True, timeout=100)
    assert done.returncode != 0
    tables = message_tables.of(record_files.read(tmp_path))
    assert (tables["messages"].num_rows, tables["collectives"].num_rows) == (5000, 2)
    assert tables["messages"]["receive_done_s"].null_count == 0
