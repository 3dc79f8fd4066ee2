"""Collective calls: joined over ranks, and what each waited for in one whose lateness is known."""

import numpy as np
import pytest

from fairlead.profile.analysis import collectives, waiting
from fairlead.profile.record import COLLECTIVE, NO_ROOT, NOT_ALL, RECEIVE, SEND, Record

from ..kept_messages import a_record, end, waited

NAN = float("nan")
FUNCTIONS = (
    "MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Scan", "MPI_Alltoallv", "MPI_Ineighbor_allgather",
    "MPI_Iallreduce", "MPI_Wait",
)  # fmt: skip


def call(function: str, begun: float, done: float, *, rank: int, members: int = 3, **others: float) -> tuple:
    values = {"tag": members, "member": rank, "function": FUNCTIONS.index(function), "needed": begun, **others}
    needed = values.pop("needed")
    return end(COLLECTIVE, int(values.pop("root", NO_ROOT)), begun, needed, done, **values)


def records(*ends: list[tuple]) -> list[Record]:
    made = [a_record(rank, each, ranks=len(ends)) for rank, each in enumerate(ends)]
    for record in made:
        object.__setattr__(record, "function_names", FUNCTIONS)
    return made


def found(*ends: list[tuple], hosts: list[str] | None = None) -> waiting.Waiting:
    return waited(records(*ends), hosts)


def of_function(function: str, *times: tuple[float, float], **others: float) -> waiting.Waiting:
    """One call by each rank, entered and left at the given times."""
    return found(*([call(function, *each, rank=rank, **others)] for rank, each in enumerate(times)))


def test_in_a_barrier_all_wait_for_the_last() -> None:
    result = of_function("MPI_Barrier", (10, 15), (14, 15), (11, 15.5), size_B=0)
    assert result.late_others_s.tolist() == [4, 0, 3]
    assert result.collective_s.tolist() == [1, 1, 1.5]
    assert result.in_function == {"MPI_Barrier": waiting.InFunction(3, 7, 3.5, 0)}


def test_n_to_n() -> None:
    for function in ("MPI_Allreduce", "MPI_Alltoallv"):
        result = of_function(function, (10, 15), (14, 15), (11, 15.5))
        assert result.late_others_s.tolist() == [4, 0, 3]
        assert result.collective_s.tolist() == [1, 1, 1.5]


def test_nobody_waits_for_nothing() -> None:
    result = of_function("MPI_Allreduce", (10, 10.5), (14, 14.5), (11, 11.5), size_B=0)
    assert result.late_others_s.tolist() == [0, 0, 0]
    assert result.collective_s.tolist() == [0.5, 0.5, 0.5]


def test_a_late_root() -> None:
    """Rank 1 is the root of a broadcast; rank 2 enters after it."""
    result = of_function("MPI_Bcast", (10, 15), (14, 14.25), (14.5, 15), root=1)
    assert result.late_others_s.tolist() == [4, 0, 0]
    assert result.collective_s.tolist() == [1, 0.25, 0.5]


def test_an_early_root() -> None:
    result = of_function("MPI_Reduce", (10, 10.5), (11, 16), (14, 14.25), root=1)
    assert result.late_others_s.tolist() == [0, 3, 0]
    assert result.collective_s.tolist() == [0.5, 2, 0.25]


def test_a_prefix_needs_those_before_it() -> None:
    result = of_function("MPI_Scan", (12, 12.5), (10, 13), (11, 13))
    assert result.late_others_s.tolist() == [0, 2, 1]
    assert result.collective_s.tolist() == [0.5, 1, 1]


def test_what_a_wait_completes() -> None:
    """Entered by all before it was needed, or not; work between tests is no waiting."""
    later = {"needed": 20, "by": FUNCTIONS.index("MPI_Wait")}
    result = found(
        [call("MPI_Iallreduce", 10, 21, rank=0, members=2, **later)],
        [call("MPI_Iallreduce", 22, 23, rank=1, members=2)],
        [],
    )
    assert result.late_others_s.tolist() == [1, 0, 0]
    result = found(
        [call("MPI_Iallreduce", 10, 30, rank=0, members=2, computed_s=4, **later)],
        [call("MPI_Iallreduce", 23, 30, rank=1, members=2)],
        [],
    )
    assert result.late_others_s.tolist() == [3, 0, 0]
    assert result.collective_s.tolist() == [3, 7, 0]


def test_the_kth_call_on_a_communicator() -> None:
    """Beside calls on another communicator, made in another order among these."""
    one = [call("MPI_Barrier", 1, 2, rank=0, members=2, size_B=0, communicator=5),
           call("MPI_Barrier", 3, 8, rank=0, members=2, size_B=0)]  # fmt: skip
    two = [call("MPI_Barrier", 1, 8, rank=1, members=2, size_B=0),
           call("MPI_Barrier", 1.5, 9, rank=1, members=2, size_B=0, communicator=5)]  # fmt: skip
    ends = np.concatenate([each.ends for each in records(one, two)])
    joined = collectives.joined(ends, np.array([0, 0, 1, 1]), FUNCTIONS)
    pairs = np.split(joined.places, joined.first[1:])
    assert sorted(tuple(sorted(pair.tolist())) for pair in pairs) == [(0, 3), (1, 2)]


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        ([[call("MPI_Barrier", 1, 2, rank=0)], [call("MPI_Barrier", 1, 2, rank=1)], []], "one member kept none"),
        ([[call("MPI_Barrier", 1, 2, rank=0)], [call("MPI_Allreduce", 1, 2, rank=1)],
          [call("MPI_Barrier", 1, 2, rank=2)]], "other functions"),
        ([[call("MPI_Ineighbor_allgather", 1, 2, rank=rank, members=NOT_ALL)] for rank in range(3)], "neighbours"),
    ],
)  # fmt: skip
def test_what_is_not_known(ends: list[list[tuple]], why: str) -> None:
    result = found(*ends)
    assert result.late_others_s.sum() + result.collective_s.sum() == 0, why
    assert result.unknown_s.tolist() == [float(len(each)) for each in ends], why


def test_who_never_left_has_entered() -> None:
    result = of_function("MPI_Barrier", (10, 15), (14, NAN), (11, 15.5), size_B=0)
    assert result.late_others_s.tolist() == [4, 0, 3]


def test_collectives_bring_clocks_together() -> None:
    ahead_s = 1000.0
    zero, one = [], []
    for number in range(50):
        at = 10.0 + number
        zero += [call("MPI_Allreduce", at, at + 0.501, rank=0, members=2)]
        one += [call("MPI_Allreduce", at + 0.5 + ahead_s, at + 0.501 + ahead_s, rank=1, members=2)]
        zero += [call("MPI_Barrier", at + 0.8, at + 0.801, rank=0, members=2, size_B=0)]
        one += [call("MPI_Barrier", at + 0.7 + ahead_s, at + 0.801 + ahead_s, rank=1, members=2, size_B=0)]
    result = found(zero, one, hosts=["a", "b"])
    assert result.bound_s is not None
    assert 0 < result.bound_s <= 0.0011
    assert result.late_others_s[0] == pytest.approx(25, abs=50 * result.bound_s)
    assert result.late_others_s[1] == pytest.approx(5, abs=50 * result.bound_s)
    assert result.unknown_s.sum() == 0


def test_where_some_may_give_others_nothing_clocks_are_not_told() -> None:
    ends = np.concatenate([each.ends for each in records(
        [call("MPI_Alltoallv", 1, 2, rank=0, members=2), call("MPI_Allreduce", 3, 4, rank=0, members=2)],
        [call("MPI_Alltoallv", 1, 2, rank=1, members=2), call("MPI_Allreduce", 3.5, 4.5, rank=1, members=2)],
    )])  # fmt: skip
    rank = np.array([0, 0, 1, 1])
    told = collectives.flights(ends, rank, collectives.joined(ends, rank, FUNCTIONS))
    assert [column.tolist() for column in told] == [[0, 1], [1, 0], [3, 3.5], [4.5, 4]]


def test_collective_calls_are_no_processing() -> None:
    """Rank 1 receives, computes 1 s, spends 5 s in a barrier, computes 2 s and receives again."""
    receives = [
        end(RECEIVE, 0, 10, 10, 11), call("MPI_Barrier", 12, 17, rank=1, members=2), end(RECEIVE, 0, 19, 19, 20),
    ]  # fmt: skip
    sends = [end(SEND, 1, 10, 10, 10), call("MPI_Barrier", 16, 17, rank=0, members=2), end(SEND, 1, 18, 18, 18)]
    result = found(sends, receives)
    assert result.processing_between_s[0, 1] == 3
    assert result.late_others_s.tolist() == [0, 4]


def test_patterns_of_all_forms() -> None:
    assert collectives.pattern_of("MPI_Ireduce_scatter_block_c") == collectives.N_TO_N
    assert collectives.pattern_of("MPI_Ibarrier") == collectives.BARRIER
    assert collectives.pattern_of("MPI_Iscatterv") == collectives.ONE_TO_N
    assert collectives.pattern_of("MPI_Igather") == collectives.N_TO_ONE
    assert collectives.pattern_of("MPI_Iexscan_c") == collectives.PREFIX
    assert collectives.pattern_of("MPI_Neighbor_alltoall") == collectives.UNTOLD
    assert [name for name in FUNCTIONS if collectives.has_counts(name)] == ["MPI_Alltoallv"]
