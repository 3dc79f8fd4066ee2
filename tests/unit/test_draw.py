"""The cases that `make verify` draws."""

import draw

MANY = [f"file.py::test[{number}]" for number in range(9)]
ALONE = "file.py::alone[1]"


def test_a_fifth_of_each_test_is_drawn() -> None:
    drawn = draw.fifth_of_each_test([*MANY, ALONE], "2026-01-01")
    assert ALONE in drawn
    assert len(drawn & set(MANY)) == 2


def test_a_seed_draws_the_same_in_every_process_and_another_draws_others() -> None:
    assert draw.fifth_of_each_test(MANY, "1") == draw.fifth_of_each_test(reversed(MANY), "1")
    ever = set().union(*(draw.fifth_of_each_test(MANY, str(seed)) for seed in range(40)))
    assert ever == set(MANY)
