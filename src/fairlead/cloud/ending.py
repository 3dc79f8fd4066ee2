"""The end of something that nobody wants any more."""

import time
from typing import TypeVar

from fairlead.cloud.driver import CloudWork, Migration, Moved, Progress
from fairlead.errors import CloudError

POLL_S = 0.05

_Outcome = TypeVar("_Outcome")


class EndUnknownError(CloudError):
    """A cloud was asked for something, or to end it, and neither it nor its end was seen: it may go on."""


def end_migration(migration: Migration, vm: str, limit_s: float) -> Moved:
    """`end_work` of a migration."""
    return end_work(migration, limit_s, doubt_of_migration(vm, limit_s))


def doubt_of_migration(vm: str, limit_s: float) -> str:
    """What is not known if the end of a migration was not seen."""
    return (
        f"{vm} was to stay, but no end of its migration was seen within {limit_s:g} s: whether it still moves, and "
        "where it runs, is not known"
    )


def end_work(work: CloudWork[_Outcome], limit_s: float, doubt: str) -> _Outcome:
    """Abort something and follow it to its end, which may be that it was done already.

    Raises:
        EndUnknownError: no end was seen within ``limit_s``; ``doubt`` says what is not known then.
        CloudError: it was aborted, or failed, as `CloudWork.poll` says.
    """
    deadline_s = time.monotonic() + limit_s
    work.abort()
    while isinstance(said := work.poll(), Progress):
        if time.monotonic() >= deadline_s:
            raise EndUnknownError(f"{doubt}; the last word: {said.text}")
        time.sleep(POLL_S)
    return said
