"""What ranks waited for: both ends of messages joined, and a call's time told apart."""

from dataclasses import replace

import numpy as np
import pytest

from fairlead.profile.analysis import waiting
from fairlead.profile.record import ANY_SOURCE, ANY_TAG, CANCELLED, END, RECEIVE, SEND

from ..kept_messages import a_record, end, waited

NAN = float("nan")


def found(*ends: list[tuple[float, ...]], hosts: list[str] | None = None) -> waiting.Waiting:
    return waited([a_record(rank, each, ranks=len(ends)) for rank, each in enumerate(ends)], hosts)


def told(result: waiting.Waiting, rank: int) -> list[float]:
    """Late sender, late receiver, transfer, unknown."""
    columns = (result.late_sender_s, result.late_receiver_s, result.transfer_s, result.unknown_s)
    return [float(column[rank]) for column in columns]


def test_late_sender() -> None:
    result = found([end(SEND, 1, 13, 13, 13.5)], [end(RECEIVE, 0, 10, 10, 14)])
    assert told(result, 1) == pytest.approx([3, 0, 1, 0])
    assert told(result, 0) == pytest.approx([0, 0, 0.5, 0])
    assert result.transfer_between_s.tolist() == [[0, 1.5], [0, 0]]
    assert (result.joined, result.bound_s) == (1, 0)


def test_a_receiver_that_computed_first_did_not_wait() -> None:
    result = found([end(SEND, 1, 10, 10, 10.5)], [end(RECEIVE, 0, 9, 20, 20.25)])
    assert told(result, 1) == pytest.approx([0, 0, 0.25, 0])


def test_late_receiver() -> None:
    result = found([end(SEND, 1, 10, 10, 15)], [end(RECEIVE, 0, 14, 14, 15)])
    assert told(result, 0) == pytest.approx([0, 4, 1, 0])
    assert told(result, 1) == pytest.approx([0, 0, 1, 0])


def test_a_small_message_does_not_wait_for_its_receiver() -> None:
    result = found([end(SEND, 1, 10, 10, 10.5)], [end(RECEIVE, 0, 14, 14, 14.1)])
    assert told(result, 0) == pytest.approx([0, 0, 0.5, 0])


def test_work_between_tests_is_no_waiting() -> None:
    result = found([end(SEND, 1, 11, 11, 11)], [end(RECEIVE, 0, 9, 10, 20, computed_s=7)])
    assert told(result, 1) == pytest.approx([1, 0, 2, 0])


def test_a_call_that_completes_several_waited_for_the_last() -> None:
    receives = [end(RECEIVE, 0, 9, 10, 20), end(RECEIVE, 2, 9, 10, 20), end(SEND, 2, 9, 10, 20)]
    result = found([end(SEND, 1, 12, 12, 12)], receives, [end(SEND, 1, 16, 16, 16), end(RECEIVE, 1, 30, 30, 30)])
    assert told(result, 1) == pytest.approx([6, 0, 4, 0])
    assert result.transfer_between_s[2, 1] == 4
    assert result.transfer_between_s.sum() == 4


def test_messages_that_are_tested_in_turn_are_not_waited_for_twice() -> None:
    receives = [end(RECEIVE, 0, 9, 10, 12), end(RECEIVE, 0, 9, 10, 15, tag=2)]
    result = found([end(SEND, 1, 8, 8, 8), end(SEND, 1, 8, 8, 8, tag=2)], receives)
    assert told(result, 1) == pytest.approx([0, 0, 5, 0])


def test_the_kth_receive_that_was_begun_gets_the_kth_message() -> None:
    """Completed in the other order, beside other communicators, tags and a cancelled one."""
    sends = [
        end(SEND, 1, 1, 1, 1),
        end(SEND, 1, 2, 2, 2),
        end(SEND, 1, 3, 3, 3, communicator=5),
        end(SEND, 1, 4, 4, 4, tag=9),
    ]
    receives = [
        end(CANCELLED, 0, 0.0, NAN, NAN),
        end(RECEIVE, 0, 0.2, 10, 11),
        end(RECEIVE, 0, 0.1, 20, 21),
        end(RECEIVE, 0, 0.3, 30, 31, communicator=5),
        end(RECEIVE, 0, 0.4, 40, 41, tag=9),
        end(RECEIVE, ANY_SOURCE, 0.05, NAN, NAN, tag=ANY_TAG),
    ]
    ends = np.array([*sends, *receives], END)
    rank = np.array([0] * len(sends) + [1] * len(receives))
    pairs = dict(zip(*(places.tolist() for places in waiting.joined(ends, rank)), strict=True))
    assert pairs == {0: 6, 1: 5, 2: 7, 3: 8}


def test_where_sizes_differ_the_order_was_lost() -> None:
    sends = [end(SEND, 1, 1, 1, 1), end(SEND, 1, 2, 2, 2, size_B=9), end(SEND, 1, 3, 3, 3, tag=2)]
    receives = [end(RECEIVE, 0, 1, 10, 11, size_B=9), end(RECEIVE, 0, 2, 12, 13), end(RECEIVE, 0, 3, 14, 15, tag=2)]
    result = found(sends, receives)
    assert result.joined == 1
    assert told(result, 1) == pytest.approx([0, 0, 1, 2])


def test_an_end_without_its_other_is_unknown() -> None:
    result = found([], [end(RECEIVE, 0, 9, 10, 12)])
    assert told(result, 1) == pytest.approx([0, 0, 0, 2])


def test_clocks_of_hosts_are_brought_together() -> None:
    ahead_s = 1000.0
    zero, one = [], []
    for number in range(50):
        at = 10.0 + number
        zero += [end(SEND, 1, at, at, at), end(RECEIVE, 1, at, at, at + 0.011)]
        one += [end(RECEIVE, 0, at + ahead_s, at + ahead_s, at + ahead_s + 0.001)]
        one += [end(SEND, 0, at + ahead_s + 0.01, at + ahead_s + 0.01, at + ahead_s + 0.01)]
    result = found(zero, one, hosts=["a", "b"])
    assert result.bound_s is not None
    assert 0 < result.bound_s <= 0.0011
    late_s, _, transfer_s, unknown_s = told(result, 0)
    assert late_s == pytest.approx(0.5, abs=50 * result.bound_s)
    assert late_s + transfer_s == pytest.approx(0.55)
    assert unknown_s == 0


def test_clocks_that_nobody_knows() -> None:
    result = found([end(SEND, 1, 13, 13, 13)], [end(RECEIVE, 0, 10, 10, 14)], hosts=["a", "b"])
    assert result.bound_s is None
    assert told(result, 1) == pytest.approx([0, 0, 0, 4])


def test_threads_share_their_rank() -> None:
    record = replace(a_record(1, [end(RECEIVE, 0, 9, 10, 12), end(RECEIVE, 0, 9, 11, 14, thread=1, tag=2)]), threads=2)
    sender = a_record(0, [end(SEND, 1, 8, 8, 8), end(SEND, 1, 8, 8, 8, tag=2)])
    result = waiting.of([sender, record], 2, ["h", "h"])
    assert result is not None
    assert told(result, 1) == pytest.approx([0, 0, 2.5, 0])


def test_a_program_that_kept_none() -> None:
    assert waiting.of([a_record(0, []), a_record(1, [])], 2, ["h", "h"]) is None


def test_transmission_and_processing_of_a_pair() -> None:
    """Rank 1 receives from 0, computes 3 s, sends for nothing, computes 2 s, and receives from 0 again; then 7 s later
    from 2, whose first message it is. What 2 does after its last receive belongs to nobody."""
    sends = [end(SEND, 1, 10, 10, 10), end(SEND, 1, 16, 16, 16)]
    receives = [end(RECEIVE, 0, 10, 10, 11), end(SEND, 2, 14, 14, 14), end(RECEIVE, 0, 16, 16, 20)]
    last = end(RECEIVE, 2, 27, 27, 28)
    result = found(sends, [*receives, last], [end(RECEIVE, 1, 14, 14, 14), end(SEND, 1, 27, 27, 27)])
    assert result.receiving_between_s.tolist() == [[0, 5, 0], [0, 0, 0], [0, 1, 0]]
    assert result.processing_between_s.tolist() == [[0, 3 + 2, 0], [0, 0, 0], [0, 7, 0]]


def test_work_between_tests_is_processing() -> None:
    result = found([end(SEND, 1, 11, 11, 11)], [end(RECEIVE, 0, 9, 10, 20, computed_s=7)])
    assert result.processing_between_s[0, 1] == 7


def test_a_sender_that_waits_is_no_receiver_that_does() -> None:
    result = found([end(SEND, 1, 10, 10, 15)], [end(RECEIVE, 0, 14, 14, 14.5)])
    assert result.receiving_between_s[0, 1] == 0.5
    assert result.transfer_between_s[0, 1] == pytest.approx(1.5)
