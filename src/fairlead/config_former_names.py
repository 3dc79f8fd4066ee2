"""What earlier versions called keys of plans, and options in their steps: such plans are refused with today's names.

A key is told as renamed where the table has one of the present name, for another table may mean something else by it.
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
    return f"`{former}` is called `{present}` now: rename it"


def _present(names: dict[str, str], former: str, known: Collection[str]) -> str | None:
    name = names.get(former)
    return name if name in known else None
