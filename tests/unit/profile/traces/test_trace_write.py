"""Traces for fairlead-sim, written of kept messages and collective calls."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import FairleadError, MeasurementError
from fairlead.profile import profile
from fairlead.profile.profile import Profile
from fairlead.profile.record import COLLECTIVE, NO_ROOT, RECEIVE, SEND, Record
from fairlead.profile.traces import trace_write

from ..kept_messages import a_record, end

NAMES = ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Sendrecv", "MPI_Alltoall", "MPI_Bcast",
         "MPI_Gather")  # fmt: skip
SEND_CALL, RECV_CALL, ISEND_CALL, IRECV_CALL, WAITALL_CALL, SENDRECV_CALL, ALLTOALL, BCAST, GATHER = range(9)


def ranks_of(*ends: list[tuple[float, ...]], host: str = "a") -> list[Record]:
    return [
        replace(a_record(rank, each, host=host, ranks=len(ends)), function_names=NAMES)
        for rank, each in enumerate(ends)
    ]


def lines(found: Profile, path: Path) -> list[str]:
    trace_write.write(found, path / "t")
    return (path / "t").read_text().splitlines()


def collective(function: int, begun: float, done: float, member: int, members: int, size_B: int, root: int = NO_ROOT):
    return end(COLLECTIVE, root, begun, begun, done, function=function, by=function, member=member, tag=members,
               size_B=size_B)  # fmt: skip


def test_what_passes_between_calls_is_computing_and_calls_take_what_the_network_makes_of_them(tmp_path: Path) -> None:
    both = {"by": WAITALL_CALL, "tag": 7, "size_B": 24}
    found = profile.of(
        ranks_of(
            [
                end(SEND, 1, 10, 10, 10.5, function=SEND_CALL, by=SEND_CALL),
                end(RECEIVE, 1, 11, 13, 14, function=IRECV_CALL, **both),
                end(SEND, 1, 12, 13, 14, function=ISEND_CALL, **both),
            ],
            [
                end(RECEIVE, 0, 10.25, 10.25, 10.75, function=RECV_CALL, by=RECV_CALL),
                end(RECEIVE, 0, 11, 12, 13.5, function=IRECV_CALL, **both),
                end(SEND, 0, 11.5, 12, 13.5, function=ISEND_CALL, **both),
            ],
        ),
        ["a", "a"],
    )
    assert lines(found, tmp_path) == [
        "fairlead-trace 1", "ranks 2",
        "0 send 1 8 1 0", "0 compute 0.500000000", "0 irecv 1 24 7 0 1", "0 compute 1.000000000", "0 isend 1 24 7 0 2",
        "0 compute 1.000000000", "0 wait 1", "0 wait 2",
        "1 compute 0.250000000", "1 recv 0 8 1 0", "1 compute 0.250000000", "1 irecv 0 24 7 0 1",
        "1 compute 0.500000000", "1 isend 0 24 7 0 2", "1 compute 0.500000000", "1 wait 1", "1 wait 2",
    ]  # fmt: skip
    assert trace_write.write(found, tmp_path / "t") == trace_write.TraceContents(3, 0, 0)


def test_a_sendrecv_sends_and_receives_at_the_same_time(tmp_path: Path) -> None:
    each = {"function": SENDRECV_CALL, "by": SENDRECV_CALL}
    ends = [[end(SEND, 1 - rank, 1, 1, 2, **each), end(RECEIVE, 1 - rank, 1, 1, 2, **each)] for rank in range(2)]
    assert lines(profile.of(ranks_of(*ends), ["a", "a"]), tmp_path)[2:6] == [
        "0 isend 1 8 1 0 1", "0 irecv 1 8 1 0 2", "0 wait 1", "0 wait 2",
    ]  # fmt: skip


def test_work_between_the_tests_of_one_that_polls_is_computing(tmp_path: Path) -> None:
    ends = [
        [end(SEND, 1, 1, 1, 1.5, function=SEND_CALL, by=SEND_CALL)],
        [end(RECEIVE, 0, 1, 2, 4, function=IRECV_CALL, by=WAITALL_CALL, computed_s=1.75)],
    ]
    assert lines(profile.of(ranks_of(*ends), ["a", "a"]), tmp_path)[3:] == [
        "1 irecv 0 8 1 0 1", "1 compute 1.000000000", "1 compute 1.750000000", "1 wait 1",
    ]  # fmt: skip


def test_collective_calls_have_the_size_of_what_the_trace_speaks_of(tmp_path: Path) -> None:
    """A record has what a rank gives or gets, whichever is more: all blocks of an alltoall, or at a gather's root."""
    ends = [
        [
            collective(ALLTOALL, 1, 2, rank, 2, 200),
            collective(BCAST, 3, 4, rank, 2, 64, root=1),
            collective(GATHER, 5, 6, rank, 2, 60 if rank == 1 else 30, root=1),
        ]
        for rank in range(2)
    ]
    assert lines(profile.of(ranks_of(*ends), ["a", "a"]), tmp_path)[2:7] == [
        "0 alltoall 100 0", "0 compute 1.000000000", "0 bcast 64 0 1", "0 compute 1.000000000", "0 gather 30 0 1",
    ]  # fmt: skip
    assert lines(profile.of(ranks_of(*ends), ["a", "a"]), tmp_path)[-1] == "1 gather 30 0 1"


def test_communicators_have_members_and_those_of_messages_the_world(tmp_path: Path) -> None:
    """Ranks 2 and 0 make a communicator in this order, and send each other something on another one."""
    other = {"communicator": 5, "function": SEND_CALL, "by": SEND_CALL}
    row = {"communicator": 9, "function": BCAST, "by": BCAST, "tag": 2, "size_B": 8}
    found = profile.of(
        ranks_of(
            [
                end(SEND, 2, 1, 1, 2, function=SEND_CALL, by=SEND_CALL),
                end(SEND, 2, 3, 3, 4, **other),
                end(COLLECTIVE, 2, 5, 5, 6, member=1, **row),
            ],
            [],
            [
                end(RECEIVE, 0, 1, 1, 2, function=RECV_CALL, by=RECV_CALL),
                end(RECEIVE, 0, 3, 3, 4, communicator=5, function=RECV_CALL, by=RECV_CALL),
                end(COLLECTIVE, 2, 5, 5, 6, member=0, **row),
            ],
        ),
        ["a", "a", "a"],
    )
    text = lines(found, tmp_path)
    assert text[2:4] == ["communicator 2 0 1 2", "communicator 3 2 0"]
    assert [line for line in text[4:] if line.startswith("0 ") and "compute" not in line] == [
        "0 send 2 8 1 0", "0 send 2 8 1 2", "0 bcast 8 3 2",
    ]  # fmt: skip


def test_messages_of_which_one_end_was_not_kept_are_left_out(tmp_path: Path) -> None:
    sends = [end(SEND, 1, time, time, time + 0.5, function=SEND_CALL, by=SEND_CALL) for time in (1, 2, 3)]
    receives = [
        end(RECEIVE, 0, 1, 1, 2, function=RECV_CALL, by=RECV_CALL),
        end(RECEIVE, 0, 2, 2, np.nan, function=RECV_CALL, by=RECV_CALL),
    ]
    found = profile.of(ranks_of(sends, receives), ["a", "a"])
    assert lines(found, tmp_path)[2:] == ["0 send 1 8 1 0", "1 recv 0 8 1 0"]
    assert trace_write.write(found, tmp_path / "t").told() == (
        "1 messages and 0 collective operations; 3 ends left out, whose others were not kept"
    )


def test_what_cannot_be_a_trace_is_told(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="kept no messages"):
        trace_write.write(profile.of(ranks_of([], []), ["a", "a"]), tmp_path / "t")
    one = [end(SEND, 1, 1, 1, 2), end(SEND, 1, 1, 1, 2, thread=1)]
    with pytest.raises(MeasurementError, match="rank 0 communicates from several threads"):
        trace_write.write(profile.of(ranks_of(one, []), ["a", "a"]), tmp_path / "t")
    with pytest.raises(MeasurementError, match="rank 1 left no record"):
        trace_write.write(profile.of([replace(ranks_of(one, [])[0], ranks=2)], ["a", "a"]), tmp_path / "t")
    ends = [[end(SEND, 1, 1, 1, 2)], [end(RECEIVE, 0, 1, 1, 2)]]
    with pytest.raises(FairleadError, match="cannot be written: No such file"):
        trace_write.write(profile.of(ranks_of(*ends), ["a", "a"]), tmp_path / "none" / "t")
