"""How a measurement's run of the store ends: however it does, what was measured is kept, and marked."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fairlead import interrupts
from fairlead.errors import FairleadError
from fairlead.store import Store


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
        store.finish_run(run, "aborted", error="interrupted by the user")
        interrupted = MeasurementInterrupted(
            "interrupted", hint=f"what was measured is kept, marked incomplete, as run {run} in {store.directory}"
        )
        interrupted.exit_code = interrupts.exit_code(error)
        raise interrupted from error
    except FairleadError as error:
        store.finish_run(run, "failed", error=str(error).splitlines()[0])
        raise
    if ending.aborted_because:
        store.finish_run(run, "aborted", error=ending.aborted_because)
    else:
        store.finish_run(run)
