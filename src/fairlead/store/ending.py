"""How a measurement's run of the store ends: however it does, what was measured is kept, and marked."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fairlead import interrupts
from fairlead.errors import FairleadError, StoreError
from fairlead.store import Status, Store

_log = logging.getLogger(__name__)


class MeasurementInterrupted(FairleadError):
    """The user ended the measurement; what was taken is stored."""


@dataclass
class Ending:
    """How a run ends if its block does.

    Attributes:
        aborted_because: why what it has says too little; empty if it does not.
    """

    aborted_because: str = ""


@contextmanager
def ended(store: Store, run: int) -> Iterator[Ending]:
    """Marks ``run`` as finished, failed or aborted, by how the block ends.

    Raises:
        Interrupted: Ctrl-C.
    """
    ending = Ending()
    try:
        yield ending
    except KeyboardInterrupt as error:
        _mark(store, run, "aborted", "interrupted by the user")
        interrupted = MeasurementInterrupted(
            "interrupted", hint=f"what was measured is kept, marked incomplete, as run {run} in {store.directory}"
        )
        interrupted.exit_code = interrupts.exit_code(error)
        raise interrupted from error
    except FairleadError as error:
        _mark(store, run, "failed", str(error).splitlines()[0])
        raise
    if ending.aborted_because:
        store.finish_run(run, "aborted", error=ending.aborted_because)
    else:
        store.finish_run(run)


def _mark(store: Store, run: int, status: Status, why: str) -> None:
    """What ended a run is raised, whether that can be recorded or not; without an end it counts as interrupted."""
    try:
        store.finish_run(run, status, error=why)
    except StoreError as error:
        _log.warning("run %d is not marked as %s: %s", run, status, error)
