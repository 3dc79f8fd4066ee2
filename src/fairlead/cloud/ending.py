"""The end of a migration that nobody wants any more."""

import time

from fairlead.cloud.driver import Migration, Moved
from fairlead.errors import CloudError

POLL_S = 0.05


class EndUnknownError(CloudError):
    """A migration was asked to end, and no end was seen: it may go on, and its machine may be anywhere."""


def end(migration: Migration, vm: str, limit_s: float) -> Moved:
    """Abort a migration and follow it to its end, which may be that the machine had moved already.

    Raises:
        EndUnknownError: no end was seen within ``limit_s``.
        CloudError: it was aborted, or failed, as `Migration.poll` says.
    """
    deadline_s = time.monotonic() + limit_s
    migration.abort()
    while not isinstance(said := migration.poll(), Moved):
        if time.monotonic() >= deadline_s:
            raise EndUnknownError(
                f"{vm} was to stay, but no end of its migration was seen within {limit_s:g} s: whether it still moves, "
                f"and where it runs, is not known; the last word: {said.text}"
            )
        time.sleep(POLL_S)
    return said
