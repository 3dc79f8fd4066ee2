"""The tournament: every pair once, pairs of a round disjoint, conflicts kept apart."""

from itertools import combinations

import pytest

from fairlead.characterize import tournament


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 13, 16])
def test_rounds_hold_every_pair_once_and_no_host_twice(count: int) -> None:
    schedule = tournament.tournament_rounds(count)
    assert len(schedule) == (count - 1 if count % 2 == 0 else count)
    for pairs in schedule:
        hosts = [host for pair in pairs for host in pair]
        assert len(set(hosts)) == len(hosts)
        assert len(pairs) == count // 2
    assert sorted(pair for pairs in schedule for pair in pairs) == list(combinations(range(count), 2))


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_hosts_have_no_rounds(count: int) -> None:
    assert tournament.tournament_rounds(count) == []


def every_pair(count: int) -> list[tournament.Pair]:
    return [pair for round_ in tournament.tournament_rounds(count) for pair in round_]


@pytest.mark.parametrize("count", [2, 3, 6, 7, 8, 16])
def test_pairs_without_conflicts_are_scheduled_as_the_rounds(count: int) -> None:
    found = [sorted(group) for group in tournament.scheduled(every_pair(count), lambda first, second: False)]
    assert found == tournament.tournament_rounds(count)


def test_conflicting_pairs_never_meet() -> None:
    def crosses(pair: tuple[int, int]) -> bool:
        return (pair[0] < 4) != (pair[1] < 4)

    schedule = tournament.scheduled(every_pair(8), lambda first, second: crosses(first) and crosses(second))
    assert sorted(pair for group in schedule for pair in group) == list(combinations(range(8), 2))
    for group in schedule:
        assert sum(crosses(pair) for pair in group) <= 1
        assert len({host for pair in group for host in pair}) == 2 * len(group)
    assert len(schedule) == 16, "one group for each of the 16 pairs that cross; the others fit beside them"


def test_some_pairs_are_scheduled_in_their_order() -> None:
    schedule = tournament.scheduled(
        [(0, 1), (1, 2), (2, 3), (4, 5)], lambda first, second: {first, second} == {(1, 2), (4, 5)}
    )
    assert schedule == [[(0, 1), (2, 3), (4, 5)], [(1, 2)]]
