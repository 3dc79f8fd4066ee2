"""Every function of MPI, called once on each library that has it, against its record: calls, bytes, peers, ends."""

import subprocess
from pathlib import Path

import mpi_libraries
import pytest
import recorded
from mpi_libraries import LIBRARIES, Mpi

from fairlead.profile import record
from fairlead.profile.analysis.collective_algorithms import operation_of
from fairlead.profile.record import CollectiveSum, Record

from . import every_function
from .every_function import ENDS_THE_PROGRAM, RANKS, Expected, Line, Message

pytestmark = pytest.mark.mpi
TESTED = [mpi for mpi in LIBRARIES if mpi.name != "mpich4"]  # MPICH 5 has all that it has
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
ENDS = {record.SEND: "sends", record.RECEIVE: "receives", record.CANCELLED: "cancels"}


def begins(name: str, rank: int) -> bool:
    """Rank 0 begins MPI in one way, the others in the other."""
    return {"MPI_Init": rank == 0, "MPI_Init_thread": rank != 0}.get(name, True)


def expected(chosen: list[Line], world: int) -> Expected:
    me = RANKS - 1 - world  # the communicator has the ranks in reverse order
    result = Expected()
    for name in ("MPI_Comm_split", "MPI_Cart_create"):  # the communicators themselves
        result.functions[name] = [1, 0, 0]
    for line in chosen:
        if begins(line.function, world) and (line.function != "MPI_File_delete" or me == 0):
            result.add(line, me)
    return result


def ends(each: Record, world: int) -> dict[str, list[Message]]:
    """By the function that their tag stands for; the peer of each is checked here."""
    table = mpi_libraries.function_names()
    found: dict[str, list[Message]] = {}
    for end in each.ends[each.ends["end"] != record.COLLECTIVE]:
        kind = ENDS[int(end["end"])]
        assert end["peer"] == (world + (RANKS - 1 if kind == "sends" else 1)) % RANKS
        begun, done = (each.function_names[end[column]] for column in ("function", "completed_by"))
        name = table[end["tag"]]
        is_done = end["done_s"] == end["done_s"]
        row = "" if is_done else begun
        found.setdefault(name, []).append(Message(kind, int(end["size_B"]) if is_done else None, begun, done, row))
    return found


def collectives(each: Record) -> dict[str, list[int]]:
    """Sizes of the collective calls that are kept one by one, by function."""
    found: dict[str, list[int]] = {}
    for end in each.ends[each.ends["end"] == record.COLLECTIVE]:
        found.setdefault(each.function_names[end["function"]], []).append(int(end["size_B"]))
    return found


def sums(wanted: Expected, world: int, communicator: int) -> dict[str, CollectiveSum]:
    """What the record must hold of each collective function whose calls tell who takes part: all but neighbours'."""
    return {
        name: CollectiveSum(
            name, communicator, size=RANKS, rank=RANKS - 1 - world,
            root=1 if operation_of(name) in ROOTED else record.NO_ROOT,
            calls=wanted.functions[name][0], given_B=wanted.functions[name][1], got_B=wanted.functions[name][2],
        )
        for name in wanted.collectives
        if "eighbor" not in name
    }  # fmt: skip


def without_rows(messages: list[Message]) -> list[tuple[str, int | None, str, str]]:
    """What an end holds; who completes one that is not done, it does not."""
    return [
        (each.end, each.size_B, each.begun_by, each.done_by if each.size_B is not None else "") for each in messages
    ]


@pytest.mark.parametrize("mpi", TESTED, ids=[mpi.name for mpi in TESTED])
def test_every_function_that_the_library_has(mpi: Mpi, tmp_path: Path) -> None:
    has = every_function.callable_functions(mpi.need())
    chosen = list(every_function.lines(has, receives_of_isendrecv=mpi.family == "openmpi"))
    assert {line.function for line in chosen} - {""} == has
    program = every_function.build(mpi, chosen, tmp_path)
    records = tmp_path / "records"
    records.mkdir()
    argv = [str(program), str(tmp_path / "file")]
    command = mpi.command(RANKS, argv, recorded.environment(records))
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {each.rank: each for each in recorded.read(records)}
    assert set(found) == set(range(RANKS))
    for world, each in found.items():
        assert world is not None
        wanted = expected(chosen, world)
        used = {name: [row.calls, row.sent_B, row.received_B] for name, row in each.functions.items()}
        assert used == wanted.functions
        assert {name: without_rows(kept) for name, kept in ends(each, world).items()} == {
            name: without_rows(kept) for name, kept in wanted.ends.items()
        }
        assert collectives(each) == wanted.collectives
        communicators = {one.communicator for one in each.collective_sums}
        assert len(communicators) == 1
        assert {one.function: one for one in each.collective_sums} == sums(wanted, world, *communicators)
        after, sent_B = (
            (world + RANKS - 1) % RANKS,
            sum(message.size_B or 0 for kept in wanted.ends.values() for message in kept if message.end == "sends"),
        )
        assert each.messages.sent_B.tolist() == [sent_B if peer == after else 0 for peer in range(RANKS + 1)]


def test_no_function_is_forgotten() -> None:
    """Each is called with some library."""
    called = set().union(*(every_function.callable_functions(mpi.need()) for mpi in TESTED))
    assert called == set(mpi_libraries.function_names()) - ENDS_THE_PROGRAM
