"""libfairlead's counters against a Fortran program whose communication is known exactly, by each of the interfaces."""

import subprocess
import sys
from pathlib import Path

import message_rings
import mpi_libraries
import numpy as np
import pytest
from mpi_libraries import BUILT, INTEL, INTEL_ABI, LIBRARIES, Mpi

from fairlead import native
from fairlead.profile import record
from fairlead.profile.record import Record

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "fortran.F90"
RANKS = 3
INTERFACES = {"mpif.h": ["-DMPIF"], "use mpi": ["-DUSE_MPI"], "use mpi_f08": []}


OPENMPI4, OPENMPI5, MPICH4, MPICH5, _ = LIBRARIES  # the fifths come without Fortran bindings


def bindings_of_mpich4(directory: Path) -> dict[str, str]:
    """The environment in which programs for MPICH 4 run with MPICH 5, which has the same binary interface."""
    directory.mkdir()
    (directory / "libmpich.so.12").symlink_to(BUILT / "mpich5" / "lib" / "libmpi.so.12")
    its_own = {str(path.parent) for path in (BUILT / "mpich5" / "lib").rglob("*.so*")}
    return {"LD_LIBRARY_PATH": ":".join([str(directory), *its_own])}


def run(mpi: Mpi, argv: list[str], kept: Path, more: dict[str, str]) -> list[Record]:
    """The records of a program's ranks, in rank order."""
    kept.mkdir()
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_PROFILE": str(kept), **more}
    with mpi_libraries.no_leftovers():
        done = subprocess.run(mpi.command(RANKS, argv, env), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    # A launcher may put two ranks' lines into one.
    assert done.stdout.count("correct") == RANKS and not done.stdout.replace("correct", "").split(), done.stdout
    assert "fairlead" not in done.stderr
    return sorted((record.read(path) for path in kept.iterdir()), key=lambda each: each.rank or 0)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((mpi, interface), id=f"{mpi.name}, {interface}", marks=pytest.mark.slow if mpi is INTEL else ())
        for mpi in (OPENMPI4, MPICH4, MPICH5, INTEL)
        for interface in INTERFACES
        if mpi is not INTEL or interface == "mpif.h"  # PyPI's modules are those of Intel's compiler
    ],
)
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """The records of the program's ranks, in rank order."""
    mpi, interface = request.param
    directory = tmp_path_factory.mktemp(mpi.need().name)
    compiler = MPICH4.need() if mpi is MPICH5 else mpi
    program = compiler.compile_fortran(SOURCE, directory / "program", *INTERFACES[interface])
    found = run(
        mpi, [str(program)], directory / "records", bindings_of_mpich4(directory / "lib") if mpi is MPICH5 else {}
    )
    assert all(("Version:      5" in each.library) == (mpi is MPICH5) for each in found)
    return found


def used(each: Record, name: str) -> tuple[int, int, int]:
    """Calls, bytes sent, bytes received of one function."""
    usage = each.functions.get(name)
    return (usage.calls, usage.sent_B, usage.received_B) if usage else (0, 0, 0)


def expected() -> tuple[np.ndarray, np.ndarray]:
    """Messages and bytes from each rank to each; the last column is for processes outside the world."""
    messages = np.zeros((RANKS, RANKS + 1), int)
    sent_B = np.zeros((RANKS, RANKS + 1), int)
    for rank in range(RANKS):
        after, before = (rank + 1) % RANKS, (rank - 1) % RANKS
        # MPI_Sendrecv; MPI_Isend in three procedures; six persistent rounds; the strided type
        messages[rank, after] += 1 + 2 + 3 + 6 + 1
        sent_B[rank, after] += 44 + 4 * (rank + 1) + 20 + 4 * (7 + 9 + 3) + 6 * 256 + 32
        messages[rank, before] += 3
        sent_B[rank, before] += 4 * (7 + 9 + 3)
    singles = [(0, 1, 40), (0, 1, 24), (0, 2, 40), (0, 2, 80), (0, 2, 36), (2, 0, 24), (1, 0, 16), (1, 0, 20)]
    for source, target, size_B in singles:
        messages[source, target] += 1
        sent_B[source, target] += size_B
    return messages, sent_B


def test_matrix(records: list[Record]) -> None:
    messages, sent_B = expected()
    for rank, each in enumerate(records):
        assert (each.rank, each.ranks, each.state) == (rank, RANKS, "finalized")
        assert each.messages.sent_messages.tolist() == messages[rank].tolist()
        assert each.messages.sent_B.tolist() == sent_B[rank].tolist()
        assert each.messages.received_messages.tolist() == [*messages[:, rank], 0]
        assert each.messages.received_B.tolist() == [*sent_B[:, rank], 0]
        assert sum(each.sizes.sent) == messages[rank].sum()
        assert sum(each.sizes.received) == messages[:, rank].sum()


def test_functions_of_messages(records: list[Record]) -> None:
    zero, one, two = records
    assert [used(each, "MPI_Send") for each in records] == [(5, 40 + 40 + 80 + 36, 0), (2, 16 + 20, 0), (1, 24, 0)]
    assert [used(each, "MPI_Recv") for each in records] == [(2, 0, 24 + 16), (2, 0, 40 + 24), (3, 0, 40 + 80 + 36)]
    assert used(zero, "MPI_Ssend") == (1, 24, 0)
    assert used(zero, "MPI_Mprobe") == (1, 0, 0)
    assert used(zero, "MPI_Mrecv") == (1, 0, 20)
    assert used(zero, "MPI_Probe") == (1, 0, 0)
    assert used(zero, "MPI_Iprobe")[0] >= 1
    assert used(one, "MPI_Get_count") == used(zero, "MPI_Get_count") == (1, 0, 0)
    assert used(two, "MPI_Get_count") == (0, 0, 0)
    for rank, each in enumerate(records):
        before = (rank - 1) % RANKS
        assert used(each, "MPI_Sendrecv") == (1, 44, 44)
        assert used(each, "MPI_Sendrecv_replace") == (1, 32, 32)
        assert used(each, "MPI_Isend") == (2 + 6, 4 * (rank + 1) + 20 + 8 * (7 + 9 + 3), 0)
        assert used(each, "MPI_Irecv") == (2 + 6, 0, 4 * (before + 1) + 20 + 8 * (7 + 9 + 3))
        assert used(each, "MPI_Waitall") == (1 + 3 + 5 + 1, 0, 0)
        assert used(each, "MPI_Wait") == (2, 0, 0)
        assert used(each, "MPI_Waitany") == (3, 0, 0)
        assert used(each, "MPI_Send_init") == (1, 6 * 256, 0)
        assert used(each, "MPI_Recv_init") == (1, 0, 6 * 256)
        assert used(each, "MPI_Startall") == (5, 0, 0)
        assert used(each, "MPI_Start") == (2, 0, 0)
        assert used(each, "MPI_Request_free") == (2, 0, 0)
        for name in ("MPI_Test", "MPI_Testall", "MPI_Waitsome"):
            assert used(each, name)[0] >= 1, name


# Bytes given and got, by rank. The root is rank 1.
COLLECTIVES = {
    "MPI_Barrier": [(0, 0)] * 3,
    "MPI_Bcast": [(0, 40), (40, 0), (0, 40)],
    "MPI_Allreduce": [(40, 40)] * 3,
    "MPI_Allgatherv": [(4, 24), (8, 24), (12, 24)],
    "MPI_Gather": [(40, 0), (40, 120), (40, 0)],
    "MPI_Scatterv": [(0, 4), (24, 8), (0, 12)],
    "MPI_Alltoallw": [(48, 48)] * 3,
    "MPI_Reduce_scatter": [(24, 4), (24, 8), (24, 12)],
    "MPI_Iallreduce": [(80, 80)] * 3,
    "MPI_Neighbor_allgather": [(40, 80)] * 3,
}


def test_collectives(records: list[Record]) -> None:
    for name, sizes in COLLECTIVES.items():
        assert [used(each, name) for each in records] == [(1, *size) for size in sizes], name
    assert [sum(each.sizes.given) for each in records] == [len(COLLECTIVES)] * RANKS


def test_no_call_of_a_binding_for_itself_is_counted(records: list[Record]) -> None:
    """Bindings ask for sizes of communicators and dimensions, and make types of array sections."""
    calls = {
        "MPI_Init_thread": 1, "MPI_Initialized": 1, "MPI_Finalize": 1, "MPI_Comm_size": 1, "MPI_Comm_rank": 2,
        "MPI_Comm_split": 1, "MPI_Comm_set_name": 1, "MPI_Comm_get_name": 1, "MPI_Comm_free": 3,
        "MPI_Type_vector": 1, "MPI_Type_commit": 1, "MPI_Type_free": 1,
        "MPI_Cart_create": 1, "MPI_Cartdim_get": 1, "MPI_Cart_rank": 1, "MPI_Cart_sub": 1,
    }  # fmt: skip
    messages = {
        "MPI_Send", "MPI_Ssend", "MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isend", "MPI_Irecv",
        "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall", "MPI_Send_init",
        "MPI_Recv_init", "MPI_Start", "MPI_Startall", "MPI_Request_free", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe",
        "MPI_Mrecv", "MPI_Get_count",
    }  # fmt: skip
    for each in records:
        others = {name: usage.calls for name, usage in each.functions.items() if name not in messages}
        assert others == {**calls, **dict.fromkeys(COLLECTIVES, 1)}
        assert each.functions["MPI_Waitall"].time_s > 0


@pytest.mark.parametrize("mpi", [OPENMPI4, MPICH4], ids=["openmpi4", "mpich4"])
def test_rings_alone(mpi: Mpi, tmp_path: Path) -> None:
    """As `fairlead run --monitor` asks for them."""
    program = mpi.need().compile_fortran(SOURCE, tmp_path / "program", *INTERFACES["use mpi"])
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RINGS": str(tmp_path)}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(RANKS, [str(program)], env), check=True, capture_output=True, timeout=60)
    rings = message_rings.of_ranks(tmp_path)
    sends = [(ends["end_and_number"] & 0xFF == message_rings.SEND).sum() for ends in rings]
    assert sends == expected()[0].sum(axis=1).tolist()


@pytest.mark.parametrize("mpi", [OPENMPI4, MPICH4], ids=["openmpi4", "mpich4"])
def test_bindings_that_python_opens_late(mpi: Mpi, tmp_path: Path) -> None:
    library = mpi.need().compile_fortran(SOURCE, tmp_path / "late.so", "-shared", "-fPIC")
    late = f"import ctypes; ctypes.CDLL({str(library)!r}).main(0, None)"
    found = run(mpi, [sys.executable, "-c", late], tmp_path / "records", {})
    assert [each.messages.sent_B.tolist() for each in found] == expected()[1].tolist()
    assert [each.messages.received_B.tolist() for each in found] == [
        [*row, 0] for row in expected()[1].T.tolist()[:RANKS]
    ]


def run_bindings(mpi: Mpi, directory: Path, *options: str) -> list[Record]:
    """The records of a program with bindings of its own, whose addresses are read-only when it starts."""
    source = SOURCE.with_name("binding.c")
    bindings = mpi.need().compile(source, directory / "libbindings.so", "-shared", "-fPIC", "-Wl,-z,now", *options)
    program = mpi.compile(source, directory / "program", "-DPROGRAM", str(bindings))
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_PROFILE": str(directory)}
    done = subprocess.run(mpi.command(2, [str(program)], env), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted((record.read(path) for path in directory.glob("*.record")), key=lambda each: each.rank or 0)


def test_bindings_in_the_manner_of_open_mpi_5(tmp_path: Path) -> None:
    for rank, each in enumerate(run_bindings(OPENMPI5, tmp_path)):
        assert each.messages.sent_B.tolist() == each.messages.received_B.tolist() == [40 * rank, 40 - 40 * rank, 0]
        assert {name: used(each, name) for name in each.functions} == {
            "MPI_Init": (1, 0, 0), "MPI_Comm_rank": (1, 0, 0), "MPI_Comm_size": (1, 0, 0), "MPI_Send": (1, 40, 0),
            "MPI_Irecv": (1, 0, 40), "MPI_Wait": (1, 0, 0), "MPI_Allgatherv": (1, 4 + 4 * rank, 12),
            "MPI_Finalize": (1, 0, 0),
        }  # fmt: skip


def test_fortran_functions_of_a_tool_are_left_alone(tmp_path: Path) -> None:
    """It counts the calls itself, and calls the profiling interface."""
    assert not run_bindings(OPENMPI4, tmp_path, "-DTOOL")


# What a Fortran compiler makes of calls with mpif.h: the handles of MPI_COMM_WORLD and MPI_INTEGER as the ABI has them.
AS_FORTRAN = """
#include <stdio.h>
void mpi_init_(int*), mpi_finalize_(int*), mpi_comm_rank_(int*, int*, int*);
void mpi_send_(void*, int*, int*, int*, int*, int*, int*), mpi_recv_(void*, int*, int*, int*, int*, int*, int*, int*);
int main(void) {
    int world = 0x101, integer = 0x219, number[3] = {7, 8, 9}, status[8], three = 3, zero = 0, one = 1, rank, error;
    mpi_init_(&error);
    mpi_comm_rank_(&world, &rank, &error);
    if (rank == 0) mpi_send_(number, &three, &integer, &one, &zero, &world, &error);
    if (rank == 1) mpi_recv_(number, &three, &integer, &zero, &zero, &world, status, &error);
    puts("correct");
    mpi_finalize_(&error);
    return 0;
}
"""


@pytest.mark.slow
def test_the_bindings_for_the_standard_abi(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(AS_FORTRAN)
    program = INTEL_ABI.need().compile(tmp_path / "program.c", tmp_path / "program", "-lmpifort_abi", "-lmpi_abi")
    zero, one, _ = run(INTEL_ABI, [str(program)], tmp_path / "kept", {})
    assert zero.messages.sent_B.tolist() == [0, 12, 0, 0]
    assert one.messages.received_B.tolist() == [12, 0, 0, 0]
    assert zero.functions["MPI_Send"].calls == one.functions["MPI_Recv"].calls == 1
