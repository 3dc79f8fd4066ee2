"""Which cases of tests with many alike run: a fifth of them, others with another seed."""

import hashlib
from collections.abc import Iterable


def fifth_of_each_test(cases: Iterable[str], seed: str) -> set[str]:
    """Of the cases of each test (``file::test[case]``), a fifth, rounded up, drawn by the seed."""
    by_test: dict[str, list[str]] = {}
    for case in cases:
        by_test.setdefault(case.partition("[")[0], []).append(case)
    drawn: set[str] = set()
    for of_test in by_test.values():
        of_test.sort(key=lambda case: hashlib.sha256(f"{seed} {case}".encode()).digest())
        drawn.update(of_test[: (len(of_test) + 4) // 5])
    return drawn
