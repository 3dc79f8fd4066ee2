"""The rings that ranks leave the ends of their messages in while they run, on every MPI library."""

import subprocess
from pathlib import Path

import mpi_libraries
import numpy as np
import pytest
import recorded
from message_rings import NO_NUMBER, RECEIVE, RECORDS, SEND, numbers, of_ranks, read
from mpi_libraries import Mpi, every_family

from fairlead import native
from fairlead.profile import record
from fairlead.profile.reading import record_files
from fairlead.profile.traces import message_tables

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "message_rings.c"


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


AT_ONCE = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    int rank, data[8] = {0};
    MPI_Request requests[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 8; ++i) {
            if (rank == 0) MPI_Isend(&data[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
            if (rank == 1) MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
        }
        int flag = 0;
        if (round % 2) MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        else while (!flag) MPI_Testall(8, requests, &flag, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
}
"""
NETWORK = {
    "mpich": {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
    "intelmpi": {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"},
}


@every_family
@pytest.mark.parametrize("kept", ["0", "1"], ids=["rings", "rings and file"])
def test_sends_that_are_complete_at_once(mpi: Mpi, kept: str, tmp_path: Path) -> None:
    """Between hosts, MPICH gives one handle to all of them."""
    (tmp_path / "at_once.c").write_text(AT_ONCE)
    program = mpi.need().compile(tmp_path / "at_once.c", tmp_path / "at_once")
    env = {**recorded.environment(tmp_path, kept), "FAIRLEAD_RINGS": str(tmp_path), **NETWORK.get(mpi.family, {})}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    sent, received = of_ranks(tmp_path)
    for tag in range(8):
        assert sorted(numbers(sent, tag)) == numbers(received, tag) == list(range(1, 101))
    if kept != "0":
        for each in recorded.read(tmp_path):
            ends = each.ends[each.ends["end"] != record.COLLECTIVE]
            assert len(ends) == 800
            assert not np.isnan(ends["done_s"]).any()


FREED = """
#include <mpi.h>
int main(int argc, char** argv) {
    int rank, data[2] = {0};
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; ++i) {
        if (rank == 0) MPI_Isend(&data[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[i]);
        if (rank == 1) MPI_Recv(&data[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        int alike = requests[0] == requests[1];
        MPI_Request_free(&requests[0]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Send(&alike, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        if (!alike) MPI_Send(&alike, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        int alike;
        MPI_Recv(&alike, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!alike) MPI_Recv(&alike, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
"""


@every_family
def test_a_send_that_is_complete_at_once_and_freed(mpi: Mpi, tmp_path: Path) -> None:
    """Where it has the handle of another one, both are told, whichever of them is freed."""
    (tmp_path / "freed.c").write_text(FREED)
    program = mpi.need().compile(tmp_path / "freed.c", tmp_path / "freed")
    env = {**recorded.environment(tmp_path, "0"), "FAIRLEAD_RINGS": str(tmp_path), **NETWORK.get(mpi.family, {})}
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=100)
    sent, received = of_ranks(tmp_path)
    alike = not numbers(received, 3)
    assert alike or mpi.family == "openmpi"
    assert sorted(numbers(sent, 1)) == ([1, 2] if alike else [2])


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


def keeping_all(mpi: Mpi, ranks: int, source: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of which every end of a message is kept in ``directory``."""
    (directory / "program.c").write_text(source)
    program = mpi.need().compile(directory / "program.c", directory / "program")
    command = mpi.command(ranks, [str(program)], recorded.environment(directory, 2**62))
    with mpi_libraries.no_leftovers():
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100)


MANY = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
    int rank, data = 0, mapped = 0;
    char line[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100000; ++i) {
        if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    FILE* maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) mapped += strstr(line, ".record") != NULL;
    printf("%d\\n", mapped);
    MPI_Finalize();
}
"""


def test_many_messages_take_few_mappings(tmp_path: Path) -> None:
    """A process may have 65530 (vm.max_map_count), and no more of its file than twice what is in it."""
    done = keeping_all(mpi_libraries.LIBRARIES[1], 2, MANY, tmp_path)
    # Of 6.4 MB: 128, 128, 256, 512 KiB, 1, 2, 4 MiB; the header, names, counters, peers.
    assert [int(number) for number in done.stdout.split()] == [7 + 4] * 2
    for path in tmp_path.glob("*.record"):
        assert path.stat().st_size < 2 * 6.4e6
        assert (record.read(path).ends["end"] != record.COLLECTIVE).sum() == 100_000


FULL = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
static long memory_KiB(void) {
    char line[200];
    long size = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmRSS: %ld", &size);
    fclose(status);
    return size;
}
int main(int argc, char** argv) {
    int data[2] = {0};
    struct rlimit most = {1 << 20, 1 << 20};
    MPI_Init(&argc, &argv);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &most);
    long before = memory_KiB();
    for (int i = 0; i < 500000; ++i)
        MPI_Sendrecv(&data[0], 1, MPI_INT, 0, 1, &data[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%ld\\n", memory_KiB() - before);
    MPI_Finalize();
}
"""


def test_what_the_disk_has_no_room_for_takes_no_memory(tmp_path: Path) -> None:
    done = keeping_all(mpi_libraries.LIBRARIES[3], 1, FULL, tmp_path)
    assert "cannot grow: File too large" in done.stderr
    assert int(done.stdout) < 10_000  # a million ends take 62 500 KiB
    (each,) = recorded.read(tmp_path)
    assert each.messages.sent_messages.tolist() == [500_000, 0]
    assert len(each.ends) > 1000
