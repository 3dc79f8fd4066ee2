"""libfairlead's counters against programs whose communication is known exactly, on every MPI library."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mpi_libraries
import numpy as np
import pytest
import recorded
from mpi_libraries import FAMILIES, Mpi

from fairlead.profile import record
from fairlead.profile.analysis import waiting
from fairlead.profile.profile import mpi_s
from fairlead.profile.record import Record

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "cases.c"
RANKS = 3
CLOCKS_S = 1e-6  # by which the clocks of two processes differ at most
Run = Callable[[str], list[Record]]
Matrix = list[list[int]]


@dataclass
class Programs:
    """The compiled cases of one MPI library, and where their records go."""

    mpi: Mpi
    program: Path
    directory: Path

    def run(self, case: str, *, code: int = 0) -> list[Record]:
        """The records of a case's ranks, in rank order."""
        directory = self.directory / case
        directory.mkdir()
        env = recorded.environment(directory)
        with mpi_libraries.no_leftovers():
            done = subprocess.run(
                self.mpi.command(RANKS, [str(self.program), case], env), capture_output=True, text=True, timeout=60
            )
        assert (done.returncode == 0) == (code == 0), done.stdout + done.stderr
        assert "fairlead" not in done.stderr
        records = recorded.read(directory)
        assert {each.rank for each in records} == set(range(RANKS))
        assert all(each.ranks == RANKS for each in records)
        return records


@pytest.fixture(scope="module", params=FAMILIES)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    mpi: Mpi = request.param.need()
    directory = tmp_path_factory.mktemp(mpi.name)
    yield Programs(mpi, mpi.compile(SOURCE, directory / "cases", "-Wno-stringop-overflow"), directory)


def messages(records: list[Record]) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Sent number and bytes, received number and bytes; a row for each rank, the last column outside the world."""
    kept = [each.messages for each in records]
    return (
        [each.sent_messages.tolist() for each in kept],
        [each.sent_B.tolist() for each in kept],
        [each.received_messages.tolist() for each in kept],
        [each.received_B.tolist() for each in kept],
    )


def pairs(records: list[Record]) -> Matrix:
    """Messages of which both ends were kept and belong together; shaped as the numbers of `messages`."""
    ends = np.concatenate([each.ends for each in records])
    rank = np.repeat(range(RANKS), [len(each.ends) for each in records])
    sends, receives = waiting.joined(ends, rank)
    assert ends["size_B"][sends].tolist() == ends["size_B"][receives].tolist()
    assert not np.isnan(ends["done_s"][receives]).any()
    assert (ends["begun_s"][sends] <= ends["done_s"][receives] + CLOCKS_S).all()
    matrix = np.zeros((RANKS, RANKS + 1), int)
    np.add.at(matrix, (rank[sends], rank[receives]), 1)
    return matrix.tolist()


def transposed(matrix: Matrix) -> Matrix:
    """What the others must have received, with an empty last column."""
    return [[matrix[source][rank] for source in range(RANKS)] + [0] for rank in range(RANKS)]


def used(each: Record, name: str) -> tuple[int, int, int]:
    """Calls, bytes sent, bytes received of one function."""
    usage = each.functions.get(name)
    return (usage.calls, usage.sent_B, usage.received_B) if usage else (0, 0, 0)


def test_modes(programs: Programs) -> None:
    zero, one, two = records = programs.run("modes")
    numbers, sizes, got_numbers, got_sizes = messages(records)
    ring = [32 + 5 + 4 * (rank + 1) for rank in range(RANKS)]
    assert numbers == [[0, 4 + 3, 0, 0], [1, 0, 3, 0], [3, 0, 0, 0]]
    assert sizes == [[0, 40 + 24 + 5 + 7 + ring[0], 0, 0], [0, 0, ring[1], 0], [ring[2], 0, 0, 0]]
    assert got_numbers == transposed(numbers)
    assert pairs(records) == numbers
    assert got_sizes == transposed(sizes)
    assert used(zero, "MPI_Send") == (2, 40, 0)
    assert used(zero, "MPI_Ssend") == (1, 24, 0)
    assert used(zero, "MPI_Bsend") == (1, 5, 0)
    assert used(zero, "MPI_Rsend") == (1, 7, 0)
    assert used(zero, "MPI_Isend") == (1, 0, 0)
    assert used(zero, "MPI_Recv") == (2, 0, 0)
    assert used(one, "MPI_Recv") == (3, 0, 40 + 24 + 5)
    assert used(one, "MPI_Irecv") == (2, 0, 7)
    assert used(one, "MPI_Wait") == (2, 0, 0)
    assert used(two, "MPI_Sendrecv") == (1, 12, 8)
    assert used(two, "MPI_Sendrecv_replace") == (2, 37, 37)
    classes = {0: 1, 3: 1, 4: 1, 6: 1}  # 0 B; 5 B; 8 B round the ring; 32 B
    assert {size: int(count) for size, count in enumerate(one.sizes.sent) if count} == classes


def test_every_call_that_completes(programs: Programs) -> None:
    records = programs.run("completions")
    numbers, sizes, got_numbers, got_sizes = messages(records)
    assert numbers == [[0, 0, 0, 0], [8, 0, 0, 0], [8, 0, 0, 0]]
    assert sizes == [[0, 0, 0, 0], [280 + 8, 0, 0, 0], [280 + 16, 0, 0, 0]]
    assert got_numbers == transposed(numbers)
    assert pairs(records) == numbers
    assert got_sizes == transposed(sizes)
    assert used(records[0], "MPI_Irecv") == (16, 0, 280 + 8 + 280 + 16)
    assert used(records[0], "MPI_Wait") == (2, 0, 0)
    assert used(records[0], "MPI_Waitany") == (3, 0, 0)
    assert used(records[0], "MPI_Waitall") == (1, 0, 0)
    for name in ("MPI_Test", "MPI_Testany", "MPI_Testall", "MPI_Testsome", "MPI_Waitsome"):
        assert used(records[0], name)[0] >= 1, name
    assert used(records[1], "MPI_Isend") == (8, 288, 0)


def test_persistent(programs: Programs) -> None:
    records = programs.run("persistent")
    assert pairs(records) == [[0, 6, 0, 0], [0, 0, 6, 0], [6, 0, 0, 0]]
    for rank, each in enumerate(records):
        after, before = (rank + 1) % RANKS, (rank + RANKS - 1) % RANKS
        assert each.messages.sent_messages.tolist() == [6 if peer == after else 0 for peer in range(4)]
        assert each.messages.sent_B.tolist() == [5 * 256 + 3 if peer == after else 0 for peer in range(4)]
        assert each.messages.received_messages.tolist() == [6 if peer == before else 0 for peer in range(4)]
        assert each.messages.received_B.tolist() == [5 * 256 + 3 if peer == before else 0 for peer in range(4)]
        assert used(each, "MPI_Send_init") == (1, 5 * 256, 0)
        assert used(each, "MPI_Recv_init") == (2, 0, 5 * 256 + 3)
        assert used(each, "MPI_Startall") == (5, 0, 0)
        assert used(each, "MPI_Start") == (1, 0, 0)
        assert used(each, "MPI_Request_free") == (3, 0, 0)


def test_matched_probes(programs: Programs) -> None:
    zero, one, two = records = programs.run("matched")
    assert pairs(records) == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert zero.messages.received_messages.tolist() == [0, 1, 1, 0]
    assert zero.messages.received_B.tolist() == [0, 11, 22, 0]
    assert used(zero, "MPI_Mprobe")[0] == 2
    assert used(zero, "MPI_Mrecv")[0] == 2
    assert used(zero, "MPI_Mrecv")[2] + used(zero, "MPI_Imrecv")[2] == 33
    assert used(zero, "MPI_Irecv") == (1, 0, 0)  # cancelled
    assert used(one, "MPI_Send") == (1, 11, 0)
    assert used(two, "MPI_Send") == (1, 22, 0)


def test_ranks_of_other_communicators(programs: Programs) -> None:
    records = programs.run("communicators")
    numbers, sizes, got_numbers, got_sizes = messages(records)
    assert numbers == [[0, 0, 2, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert sizes == [[0, 0, 14, 0], [6, 0, 0, 0], [0, 0, 0, 0]]
    assert got_numbers == transposed(numbers)
    assert pairs(records) == numbers
    assert got_sizes == transposed(sizes)
    assert [used(each, "MPI_Bcast") for each in records] == [(1, 100, 0), (1, 0, 100), (1, 0, 100)]


# Bytes given and got, by rank. An int has 4 bytes; the root is rank 1.
COLLECTIVES = {
    "MPI_Barrier": [(0, 0)] * 3,
    "MPI_Bcast": [(0, 40), (40, 0), (0, 40)],
    "MPI_Gather": [(40, 0), (40, 120), (40, 0)],
    "MPI_Gatherv": [(4, 0), (8, 24), (12, 0)],
    "MPI_Scatter": [(0, 40), (120, 40), (0, 40)],
    "MPI_Scatterv": [(0, 4), (24, 8), (0, 12)],
    "MPI_Allgather": [(40, 120)] * 3,
    "MPI_Allgatherv": [(4, 24), (8, 24), (12, 24)],
    "MPI_Alltoall": [(120, 120)] * 3,
    "MPI_Alltoallv": [(48, 48)] * 3,
    "MPI_Alltoallw": [(48, 48)] * 3,
    "MPI_Reduce": [(40, 0), (40, 40), (40, 0)],
    "MPI_Allreduce": [(40, 40)] * 3,
    "MPI_Reduce_scatter": [(24, 4), (24, 8), (24, 12)],
    "MPI_Reduce_scatter_block": [(120, 40)] * 3,
    "MPI_Scan": [(40, 40)] * 3,
    "MPI_Exscan": [(40, 0), (40, 40), (40, 40)],
    "MPI_Iallreduce": [(0, 0)] * 3,
    "MPI_Igather": [(40, 0), (40, 120), (40, 0)],
    "MPI_Neighbor_allgather": [(40, 80)] * 3,
    "MPI_Neighbor_alltoall": [(80, 80)] * 3,
}


def test_collectives(programs: Programs) -> None:
    records = programs.run("collectives")
    for name, expected in COLLECTIVES.items():
        assert [used(each, name) for each in records] == [(1, *sizes) for sizes in expected], name
    assert all(not matrix for each in messages(records) for row in each for matrix in row)
    # What a rank gave to each of the 21 calls, by size class: rank 0.
    sizes = [given for each in COLLECTIVES.values() for given in (each[0][0],)]
    expected_classes = [sum(size.bit_length() == number for size in sizes) for number in range(record.SIZE_CLASSES)]
    assert records[0].sizes.given.tolist() == expected_classes


def test_one_sided(programs: Programs) -> None:
    zero, one, _ = programs.run("one_sided")
    assert used(zero, "MPI_Put") == (2, 40, 0)
    assert used(zero, "MPI_Get") == (1, 0, 20)
    assert used(one, "MPI_Fetch_and_op") == (1, 4, 4)


def test_datatypes_that_nobody_looks_at(programs: Programs) -> None:
    for each in programs.run("null_types"):
        assert used(each, "MPI_Get_accumulate") == (2, 0, 2 * 12)
        assert used(each, "MPI_Fetch_and_op") == (1, 0, 4)
        if programs.mpi.family != "openmpi":  # which refuses them
            assert used(each, "MPI_Alltoallw") == used(each, "MPI_Ialltoallw") == (1, 0, 0)


def test_what_mpi_4_added(programs: Programs) -> None:
    if programs.mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1 and 5 are of MPI 3.1")
    zero, one, two = records = programs.run("mpi4")
    numbers, sizes, got_numbers, got_sizes = messages(records)
    assert numbers == [[0, 2 + 1, 2, 0], [0, 0, 2, 0], [2, 0, 0, 0]]
    assert sizes == [[0, 30 + 4000, 300, 0], [0, 0, 30, 0], [30, 0, 0, 0]]
    # What MPICH's MPI_Isendrecv receives is not known: its status is never set.
    assert got_numbers == [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0]]
    assert pairs(records) == transposed(got_numbers)
    assert got_sizes == [[0, 0, 0, 0], [4000, 0, 0, 0], [300, 0, 0, 0]]
    assert used(zero, "MPI_Isendrecv") == (1, 10, 0)
    assert used(zero, "MPI_Isendrecv_replace") == (1, 20, 0)
    assert used(zero, "MPI_Send_c") == (1, 4000, 0)
    assert used(one, "MPI_Recv_c") == (1, 0, 4000)
    assert used(zero, "MPI_Psend_init") == (1, 300, 0)
    assert used(two, "MPI_Precv_init") == (1, 0, 300)
    assert [used(each, "MPI_Allreduce_init") for each in records] == [(1, 120, 120)] * 3
    assert [used(each, "MPI_Gather_init") for each in records] == [(1, 120, 360), (1, 120, 0), (1, 120, 0)]
    assert used(zero, "MPI_Allreduce_c") == (1, 400, 400)


def test_calls_inside_calls_are_part_of_them(programs: Programs) -> None:
    for each in programs.run("nested"):
        assert used(each, "MPI_Type_size") == (1, 0, 0)  # the program's own; those of its operation are not
        assert used(each, "MPI_Allreduce") == (1, 4, 4)
        assert used(each, "MPI_Pcontrol") == (1, 0, 0)
        assert each.functions["MPI_Allreduce"].time_s > 0


@pytest.mark.parametrize(
    ("case", "code", "states"),
    [
        ("finalize", 0, {"finalized"}),
        ("abort", 3, {"aborted", "running", "exited"}),
        ("exit", 4, {"exited", "running"}),
        ("kill", 137, {"running"}),
    ],
)
def test_every_end_leaves_what_was_counted(programs: Programs, case: str, code: int, states: set[str]) -> None:
    zero, one, _ = records = programs.run(case, code=code)
    assert {each.state for each in records} <= states
    assert used(zero, "MPI_Send") == (1, 8, 0)
    assert used(one, "MPI_Recv") == (1, 0, 8)
    assert zero.messages.sent_B.tolist() == [0, 8, 0, 0]
    assert one.messages.received_B.tolist() == [8, 0, 0, 0]
    for each in records:
        # Who is killed inside a call has not counted it.
        assert used(each, "MPI_Barrier")[0] == 1 or each.state == "running"
        assert 0 < mpi_s(each) <= each.time_s < 60
