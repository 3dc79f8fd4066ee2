"""The time that steps of one end share, and what is told of hosts that do not answer in it."""

import time

import pytest

from fairlead.cluster.remote import end_limit
from fairlead.cluster.remote.end_limit import EndLimit


def test_nobody_is_hurried_before_somebody_wants_the_end() -> None:
    limit = EndLimit()
    limit.program_ended()
    assert not limit.begun
    assert limit.left_s(30.0) == limit.left_s(30.0, "h1") == 30.0
    assert limit.give_up("h1", "its agent") is False, "whoever waited has to tell it"
    assert limit.words() == []


def test_all_steps_together_have_the_time_of_one_and_hosts_that_answer_always_some() -> None:
    limit = EndLimit()
    limit.begin(4.0)
    assert 3.5 < limit.left_s(30.0) <= 4.0
    assert limit.left_s(1.0) == 1.0
    limit.begin(-10.0)
    assert limit.left_s(30.0) == end_limit.LEAST_S
    assert limit.left_s(0.5) == 0.5


def test_what_the_program_did_not_need_of_its_grace_time_is_nobodys() -> None:
    limit = EndLimit()
    limit.begin(300.0)
    limit.program_ended()
    first_s = limit.left_s(60.0)
    assert end_limit.TIDY_S - 0.5 < first_s <= end_limit.TIDY_S
    time.sleep(0.02)
    limit.program_ended()  # a second time gives no more
    assert limit.left_s(60.0) < first_s
    limit.begin(0.1)  # it took all of it
    limit.program_ended()
    assert limit.left_s(60.0) > end_limit.TIDY_S - 0.5
    limit.begin(-100.0)  # a launch line of one's own may go on for long
    limit.program_ended()
    assert limit.left_s(60.0) > end_limit.TIDY_S - 0.5


def test_a_host_that_was_given_up_holds_up_nobody_again_and_is_told_in_one_line() -> None:
    limit = EndLimit()
    limit.begin(10.0)
    assert limit.give_up("h2", "ranks may run on") is True
    assert limit.give_up("h2", "its agent ends by itself") is True
    assert limit.give_up("h2", "ranks may run on") is True
    assert limit.left_s(30.0, "h2") == end_limit.AGAIN_S
    assert limit.left_s(5.0, "h1") == 5.0
    assert limit.give_up("h1", "its agent ends by itself", silent=False) is True
    assert limit.left_s(5.0, "h1") == 5.0
    assert (limit.gave_up("h2"), limit.gave_up("h1")) == (True, False)
    assert limit.words() == [
        "h2: does not answer, and is not waited for any more: ranks may run on; its agent ends by itself",
        "h1: does not answer, and is not waited for any more: its agent ends by itself",
    ]


def test_who_wants_the_end_once_more_has_all_of_it_tried_again() -> None:
    limit = EndLimit()
    limit.begin(0.0)
    limit.give_up("h2", "ranks may run on")
    limit.begin(5.0)
    assert (limit.gave_up("h2"), limit.words()) == (False, [])
    assert limit.left_s(30.0, "h2") > 4.0


def test_ctrl_c_as_an_exception_is_a_wish_for_the_end() -> None:
    limit = EndLimit()
    with pytest.raises(ValueError), limit.begun_by_interrupts():
        raise ValueError
    assert not limit.begun
    with pytest.raises(KeyboardInterrupt), limit.begun_by_interrupts():
        raise KeyboardInterrupt
    assert limit.left_s(60.0) <= end_limit.TIDY_S
    limit.give_up("h2", "ranks may run on")
    with pytest.raises(KeyboardInterrupt), limit.begun_by_interrupts():
        raise KeyboardInterrupt
    assert (limit.gave_up("h2"), len(limit.words())) == (False, 1)
