"""Renamed keys of plans, and options of their steps: a plan that uses an old name is refused with the current one.

An old name counts only in a table that has the current one; elsewhere it may mean something else.
"""

from collections.abc import Collection

PRESENT_KEYS = {"places": "bottlenecks"}
"""The present name of a key, by its former one."""
PRESENT_OPTIONS = {"--train-size": "--bulk-size", "--within": "--precision"}
"""The same of options in the steps of a measurement plan."""


def present_key(former: str, known: Collection[str]) -> str | None:
    """What a key is called today, of a table that may have the keys ``known``; None: it was never renamed there."""
    return _present(PRESENT_KEYS, former, known)


def former_keys(present: str) -> list[str]:
    """What a key was called before."""
    return [former for former, name in PRESENT_KEYS.items() if name == present]


def present_option(former: str, known: Collection[str]) -> str | None:
    """What an option is called today, of a benchmark that has the options ``known``; None: it was not renamed."""
    return _present(PRESENT_OPTIONS, former, known)


def told(former: str, present: str) -> str:
    """For people: what to write instead."""
    return f"`{former}` was renamed: write `{present}`"


def _present(names: dict[str, str], former: str, known: Collection[str]) -> str | None:
    name = names.get(former)
    return name if name in known else None
