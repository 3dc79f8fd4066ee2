"""Where a managed run is recorded, and what comes of its record when the run does not come to its end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead import interrupts
from fairlead.errors import FairleadError, StoreError
from fairlead.manage.say import say
from fairlead.manage.supervisor import Outcome
from fairlead.store import Store, take_in
from fairlead.store.apart import FOLDER
from fairlead.store.records import Label, Status

_PATIENCE_S = 1.0  # at the end of a run, for another one that takes in what was recorded


def recorded(
    execute: Callable[[Store, int], Outcome],
    record: Callable[[Store, int, Outcome], None],
    *,
    results: Path,
    argv: Sequence[str],
    labels: Mapping[str, Label],
    facts: Mapping[str, Any],
    interrupted: str,
    quiet: bool,
) -> tuple[Outcome, int | None]:
    """Run a program and record the run. The results are as for `recording`, what tells of the run as for `begun_run`.

    Args:
        execute: runs the program; takes the store and the run's number in it.
        record: writes how it ended.

    Returns:
        The outcome, and the run's number; None: its record is incomplete, which is said.

    Raises:
        FairleadError: the program was not run to its end.
    """
    outcome: Outcome | None = None
    try:
        with recording(results) as store:
            with begun_run(store, argv, labels, facts, interrupted) as identity:
                outcome = execute(store, identity)
            with interrupts.held():  # Ctrl-C comes too late to end the program, and must not leave its end unrecorded
                record(store, identity, outcome)
    except StoreError as error:
        if outcome is None:
            raise
        say(f"the record of this run is incomplete: {error}", quiet=False)
        return outcome, None
    say(f"recorded as run {identity} in {results}; report: fairlead report {results} --run {identity}", quiet)
    return outcome, identity


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
        _finish(store, identity, "failed", str(error))
        raise
    except KeyboardInterrupt as error:
        _finish(store, identity, "aborted", interrupted.format(error))
        raise


def _finish(store: Store, identity: int, status: Status, why: str) -> None:
    """Record why a program was not run to its end; where that cannot be done, it is raised all the same."""
    try:
        store.finish_run(identity, status, error=why)
    except StoreError as error:
        say(f"the record of this run is incomplete: {error}", quiet=False)


def record_outcome(store: Store, identity: int, outcome: Outcome, exit_code: int | None, aborted: str | None) -> None:
    """Record how a program ended.

    Args:
        exit_code: the program's; None: nobody says it.
        aborted: why it counts as aborted, if it did not end well; None: as failed.
    """
    store.add_event(identity, outcome.started_s, "started", {})
    if exit_code == 0:
        store.add_series(identity, "time_s", [outcome.time_s], "s")
        store.finish_run(identity, "ok", 0)
    else:
        store.finish_run(identity, "failed" if aborted is None else "aborted", exit_code, aborted)


def _tell(problems: Sequence[FairleadError], results: Path) -> None:
    for problem in problems:
        say(f"{results / FOLDER} has a run that could not be merged into the main store: {problem}", quiet=False)


@contextmanager
def with_earlier(results: Path, own: Store) -> Iterator[Store]:
    """What earlier runs left; where that cannot be read now, the run's own store, which holds nothing of them."""
    try:
        store = Store.read(results)
    except StoreError as error:
        say(f"earlier measurements are not used: {error}", quiet=False)
        yield own
        return
    with store:
        yield store
