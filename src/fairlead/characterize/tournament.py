"""Which pairs of hosts can be measured at the same time: a round-robin tournament."""

import random
from collections.abc import Callable, Iterable
from typing import TypeVar

Pair = tuple[int, int]
TestT = TypeVar("TestT")


def tournament_rounds(count: int) -> list[list[Pair]]:
    """All pairs of ``count`` hosts in rounds of disjoint pairs (the circle method).

    An even number needs count - 1 rounds of count / 2 pairs; of an odd number one host has a bye in each of ``count``
    rounds. Each unordered pair (i < j) comes exactly once.
    """
    if count < 2:
        return []
    bye = count if count % 2 else None
    seats = list(range(count + count % 2))
    half = len(seats) // 2
    schedule = []
    for _ in range(len(seats) - 1):
        pairs = zip(seats[:half], reversed(seats[half:]), strict=True)
        schedule.append(sorted((min(pair), max(pair)) for pair in pairs if bye not in pair))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return schedule


def scheduled(pairs: Iterable[Pair], conflict: Callable[[Pair, Pair], bool]) -> list[list[Pair]]:
    """Pairs in groups of disjoint ones of which no two are in ``conflict``.

    They go into the first group that takes them, in their order.
    """
    schedule: list[list[Pair]] = []
    busy: list[set[int]] = []
    for pair in pairs:
        for group, ends in zip(schedule, busy, strict=True):
            if not ends.intersection(pair) and not any(conflict(pair, other) for other in group):
                group.append(pair)
                ends.update(pair)
                break
        else:
            schedule.append([pair])
            busy.append(set(pair))
    return schedule


def disjoint(tests: Iterable[TestT], most: int, ends: Callable[[TestT], set[int]]) -> list[TestT]:
    """The first ``most`` tests that have no end in common."""
    taken: list[TestT] = []
    busy: set[int] = set()
    for test in tests:
        if len(taken) < most and not ends(test) & busy:
            taken.append(test)
            busy |= ends(test)
    return taken


def each_once(count: int, draw: random.Random) -> list[Pair]:
    """Ordered pairs of ``count`` hosts in which each sends once and receives once, in a drawn order."""
    ring = draw.sample(range(count), count)
    pairs = [(ring[k - 1], ring[k]) for k in range(count)] if count > 2 else [(0, 1), (1, 0)]
    draw.shuffle(pairs)
    return pairs
