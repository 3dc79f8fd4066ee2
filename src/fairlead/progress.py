"""How whoever waits is told how far something is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many of its steps are done, and how many there are."""

SECONDS_OF_BUDGET = "seconds of the budget"
"""Said of no step: how many of the seconds are over that all steps together may take."""


def unseen(what: str, done: int, total: int) -> None:
    """Progress where nobody waits."""
