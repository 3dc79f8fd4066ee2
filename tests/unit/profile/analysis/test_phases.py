"""The repetitive phases of sequences that are known."""

from dataclasses import replace

import numpy as np
import pytest

from fairlead.profile.analysis import phases
from fairlead.profile.record import COLLECTIVE, NO_ROOT, SEND, Record

from ..kept_messages import a_record, end


def found(tokens: list[int], least: int = 1) -> list[tuple[int, int, int]]:
    return sorted(phases.stretches(np.array(tokens, np.int64), least))


def test_one_block() -> None:
    assert found([1, 2, 3] * 5) == [(0, 3, 15)]
    assert found([7] * 4) == [(0, 1, 4)]


def test_between_a_beginning_and_an_end() -> None:
    assert found([9, 8, *[1, 2, 3] * 5, 1, 7]) == [(2, 3, 16)]  # with the beginning of a sixth


def test_two_phases() -> None:
    assert found([*[1, 2] * 10, *[3, 3, 4] * 6]) == [(0, 2, 20), (20, 3, 18)]


def test_of_loops_in_loops_the_outer_one() -> None:
    step = [*[1, 2] * 26, 5]
    assert found(step * 4) == [(0, 53, 212)]


def test_twice_is_no_repetition() -> None:
    assert found([1, 2, 3, 1, 2, 3]) == []
    assert found([]) == []
    assert found([1, 2, 3, 4, 5]) == []


def test_short_stretches_are_left_out() -> None:
    assert found([1, 2, 3, *[4] * 5, 6, 7, *[8, 9] * 20], least=6) == [(10, 2, 40)]


def a_program(iterations: int, *, kept: int | None = None) -> Record:
    """One message, then iterations of 100 ms with messages of 8, 8 and 5000 B to two ranks."""
    sent = [end(SEND, 1, 1.0, 1.0, 1.0, size_B=77)]
    for number in range(iterations):
        at = 2.0 + 0.1 * number
        sent += [
            end(SEND, 1, at, at, at),
            end(SEND, 1, at + 0.01, at + 0.01, at + 0.01),
            end(SEND, 2, at + 0.02, at + 0.02, at + 0.02, size_B=5000),
        ]
    record = a_record(3, sent[:kept])
    messages = replace(record.messages, sent_messages=np.array([0, len(sent), 0], np.uint64))
    return replace(record, messages=messages)


def test_a_program() -> None:
    pattern = phases.of([a_record(0, []), a_program(20)])
    assert pattern is not None
    (phase,) = pattern.phases
    assert pattern.rank == 3
    assert phase.sizes_B.tolist() == [8, 8, 5000]
    assert (phase.repetitions, phase.expected_repetitions) == (20, 20)
    assert phase.repetition_s == pytest.approx(0.1)
    assert phase.begun_s == pytest.approx(1.0)
    assert phase.share == pytest.approx(60 / 61)


def test_a_long_run_is_known_from_its_beginning() -> None:
    pattern = phases.of([a_program(1000, kept=62)])
    assert pattern is not None
    (phase,) = pattern.phases
    assert (phase.repetitions, phase.expected_repetitions) == (20, 1000)
    assert pattern.searched is None


def test_of_very_many_only_the_first_are_searched() -> None:
    pattern = phases.of([a_program(20_000)])
    assert pattern is not None
    assert pattern.searched == phases.MOST_SEARCHED == 32_768
    (phase,) = pattern.phases
    assert (phase.repetitions, phase.expected_repetitions) == (32_767 // 3, 20_000)
    assert phase.share == pytest.approx(32_767 / 32_768)


def test_collective_calls_are_in_phases() -> None:
    """Of MPI_Alltoallv the size follows from the data."""
    names = ("MPI_Send", "MPI_Alltoallv", "MPI_Allreduce")
    kept = []
    for number in range(10):
        at = 2.0 + 0.1 * number
        kept += [
            end(SEND, 1, at, at, at),
            end(COLLECTIVE, NO_ROOT, at + 0.01, at, at, size_B=1000 + number, function=1),
            end(COLLECTIVE, NO_ROOT, at + 0.02, at, at, size_B=8, function=2),
            end(COLLECTIVE, NO_ROOT, at + 0.03, at, at, size_B=8, function=2),
        ]
    record = a_record(0, kept)
    given = np.bincount([4], [3 * 20], 65).astype(np.uint64)
    messages = replace(record.messages, sent_messages=np.array([0, 20, 0], np.uint64))
    record = replace(record, function_names=names, messages=messages, sizes=replace(record.sizes, given=given))
    pattern = phases.of([record])
    assert pattern is not None
    (phase,) = pattern.phases
    assert phase.sizes_B.tolist() == [8]
    assert phase.collectives == (("MPI_Alltoallv", 1004), ("MPI_Allreduce", 8), ("MPI_Allreduce", 8))
    assert (phase.repetitions, phase.expected_repetitions) == (10, 20)
    other = replace(record, function_names=("MPI_Send", "MPI_Alltoall", "MPI_Allreduce"))
    assert phases.of([other]) == phases.Pattern(0, ())


def test_nothing_sent() -> None:
    assert phases.of([a_record(0, [])]) is None
    assert phases.of([]) is None
