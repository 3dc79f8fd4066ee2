"""Where a managed run is recorded, and what comes of its record when the run does not come to its end."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead.errors import FairleadError, StoreError
from fairlead.manage.say import say
from fairlead.store import Store, take_in
from fairlead.store.apart import FOLDER
from fairlead.store.records import Label

_PATIENCE_S = 1.0  # at the end of a run, for another one that takes in what was recorded


@contextmanager
def recording(results: Path) -> Iterator[Store]:
    """The store that this run is recorded in, whoever holds the main one; that takes it in at the end, or later."""
    _tell(take_in(results), results)
    try:
        with Store.open_apart(results) as store:
            yield store
    finally:
        try:
            _tell(take_in(results, patience_s=_PATIENCE_S), results)
        except StoreError as error:
            _tell([error], results)


@contextmanager
def begun_run(
    store: Store, argv: Sequence[str], labels: Mapping[str, Label], facts: Mapping[str, Any], interrupted: str
) -> Iterator[int]:
    """A run that begins; within it the program is run. An error ends the record as failed, a signal as aborted.

    Args:
        argv: the program and its arguments.
        interrupted: why it is aborted; ``{}`` stands for the signal.
    """
    identity = store.begin_run("run", labels, plan=list(argv), facts=facts)
    try:
        yield identity
    except FairleadError as error:
        store.finish_run(identity, "failed", error=str(error))
        raise
    except KeyboardInterrupt as error:
        store.finish_run(identity, "aborted", error=interrupted.format(error))
        raise


def _tell(problems: Sequence[FairleadError], results: Path) -> None:
    for problem in problems:
        say(f"{results / FOLDER} keeps a run that could not be taken into the main store: {problem}", quiet=False)


@contextmanager
def with_earlier(results: Path, own: Store) -> Iterator[Store]:
    """What earlier runs left; where that cannot be read now, the run's own store, which holds nothing of them."""
    try:
        store = Store.read(results)
    except StoreError as error:
        say(f"what was measured before is not used: {error}", quiet=False)
        yield own
        return
    with store:
        yield store
