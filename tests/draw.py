"""Which cases of tests with many alike run: a tenth of them, others with another seed; or one, and each in its turn."""

import hashlib
from collections.abc import Iterable


def tenth_of_each_test(cases: Iterable[str], seed: str) -> set[str]:
    """Of the cases of each test (``file::test[case]``), a tenth, rounded up, drawn by the seed."""
    drawn: set[str] = set()
    for of_test in _by_test(cases):
        of_test.sort(key=lambda case: hashlib.sha256(f"{seed} {case}".encode()).digest())
        drawn.update(of_test[: (len(of_test) + 9) // 10])
    return drawn


def one_of_each_test(cases: Iterable[str], turn: int) -> set[str]:
    """Of the cases of each test, one: as many turns in a row as a test has cases choose all of them."""
    return {sorted(of_test)[turn % len(of_test)] for of_test in _by_test(cases)}


def _by_test(cases: Iterable[str]) -> list[list[str]]:
    by_test: dict[str, list[str]] = {}
    for case in cases:
        by_test.setdefault(case.partition("[")[0], []).append(case)
    return list(by_test.values())
