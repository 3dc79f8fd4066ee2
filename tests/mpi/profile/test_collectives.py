"""Collective calls one by one, in a program in which one rank enters each late, on every MPI library."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import recorded
from mpi_libraries import Mpi, every_family

from fairlead.profile.analysis import phases, waiting
from fairlead.profile.record import COLLECTIVE, NO_ROOT, Record

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "collectives.c"
RANKS = 3
LATE_S = 0.15
ATTEMPTS = 3  # a busy machine keeps ranks waiting, too, but not each time
FUNCTIONS = (
    "MPI_Barrier", "MPI_Allreduce", "MPI_Alltoallv", "MPI_Bcast", "MPI_Gather", "MPI_Scan", "MPI_Iallreduce",
    "MPI_Ibarrier", "MPI_Allgather", "MPI_Allreduce", None, "MPI_Iallreduce",
)  # fmt: skip
SPLIT = 8  # the section that makes a communicator of its own
# Who waits for the late rank.
WAITING = {
    0: (0, 2), 1: (0, 2), 2: (0, 2), 3: (0, 2), 4: (0,), 5: (2,), 6: (0, 2), 7: (), 8: (0,), 9: (), 11: (0, 2),
}  # fmt: skip


def sections(records: list[Record]) -> dict[int, list[Record]]:
    """What each section kept, by its function and place: sections 0 to 11 come one after another, a barrier of all
    before each."""
    found: dict[int, list[Record]] = {}
    for each in records:
        world = np.uint64(each.ends["communicator"][0])
        begins = np.flatnonzero((each.ends["communicator"] == world) & (each.ends["end"] == COLLECTIVE))
        for number in range(len(FUNCTIONS)):
            part = each.ends[begins[number] + 1 : begins[number + 1]]
            found.setdefault(number, []).append(replace(each, ends=part))
    return found


def sizes_and_phases(records: list[Record]) -> None:
    kept = sections(records)
    sizes_B = [[int(each.ends["size_B"][-1]) for each in kept[number]] for number in (1, 2, 3, 4, 8)]
    assert sizes_B == [[16] * 3, [12] * 3, [16] * 3, [48, 16, 16], [8, 4, 8]]
    pattern = phases.of(records)
    assert pattern is not None
    (phase,) = pattern.phases
    assert phase.sizes_B.tolist() == []
    assert dict(phase.collectives) == {"MPI_Allreduce": 8, "MPI_Alltoallv": 18, "MPI_Barrier": 0}
    assert phase.repetitions == 10


def mistimed(records: list[Record]) -> list[str]:
    """Waits for the late rank that are not seen, and others that are."""
    found = []
    for number, kept in sections(records).items():
        if FUNCTIONS[number] is None:
            continue
        seen = waiting.of(kept, RANKS, ["here"] * RANKS)
        assert seen is not None
        assert seen.unknown_s.sum() == 0
        for rank in range(RANKS):
            late_s = seen.late_others_s[rank]
            if not (late_s > 0.5 * LATE_S if rank in WAITING[number] else late_s < 0.3 * LATE_S):
                found.append(f"{FUNCTIONS[number]}, rank {rank}: {late_s} s")
    return found


@every_family
def test_one_enters_late(mpi: Mpi, tmp_path: Path) -> None:
    for attempt in range(ATTEMPTS):
        directory = tmp_path / str(attempt)
        directory.mkdir()
        records = recorded.run(mpi.need(), SOURCE, RANKS, directory)
        calls_are_kept(records)
        if not mistimed(records):
            break
    assert mistimed(records) == []


def calls_are_kept(records: list[Record]) -> None:
    sizes_and_phases(records)
    for number, kept in sections(records).items():
        calls = [each.ends[each.ends["end"] == COLLECTIVE] for each in kept]
        function = FUNCTIONS[number]
        if function is None:
            assert [len(each) for each in calls] == [0] * RANKS
            continue
        named = [[each.function_names[end["function"]] for end in part] for each, part in zip(kept, calls, strict=True)]
        assert named == [[function]] * RANKS
        assert len({each["communicator"][0] for each in calls}) == (1 if number != SPLIT else 2)
        assert [int(each["tag"][0]) for each in calls] == ([RANKS] * RANKS if number != SPLIT else [2, 1, 2])
        assert [int(each["member"][0]) for each in calls] == ([0, 1, 2] if number != SPLIT else [1, 0, 0])
        root = {"MPI_Bcast": 1, "MPI_Gather": 0}.get(function, NO_ROOT)
        assert [int(each["peer"][0]) for each in calls] == [root] * RANKS
