"""Rows of the store's tables: how records become rows, and rows records; which names and labels they may have."""

import math
import os
import re
import socket
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from fairlead.errors import StoreError
from fairlead.store import former_names
from fairlead.store.connection import from_json, to_json
from fairlead.store.events import EventRow
from fairlead.store.records import Attachment, Event, Label, Run, Series, Status

LARGEST_WHOLE = 2**63 - 1  # that SQLite keeps


def insert_session(cursor: sqlite3.Cursor, session: str, now_s: float) -> None:
    """This process as the writer of a session, unless it is there already. ``now_s``: seconds since the epoch."""
    writer = (session, _as_text(socket.gethostname()), os.getpid(), now_s)
    cursor.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, ?)", writer)


def run_row(
    session: str,
    kind: str,
    parent: int | None,
    plan: Any,
    seed: int | None,
    position: int | None,
    facts: Mapping[str, Any],
) -> tuple[Any, ...]:
    """What is known of a run before it has a number, but for the time of its beginning.

    Raises:
        StoreError: plan or facts cannot be kept as JSON, or a number has more than 64 bits.
    """
    for what, number in (("seed", seed), ("position", position)):
        if number is not None:
            _check_whole(what, number)
    return (session, parent, kind, to_json("plan", plan), seed, position, to_json("facts", dict(facts)))


def insert_run(cursor: sqlite3.Cursor, run: int, row: Sequence[Any], labels: Mapping[str, Label]) -> None:
    """A run that begins. ``row``: `run_row` and when it began, in seconds since the epoch."""
    cursor.execute(
        "INSERT INTO runs (id, session, parent, kind, plan, seed, position, facts, started_s) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (run, *row),
    )
    cursor.executemany("INSERT INTO labels VALUES (?, ?, ?)", [(run, name, value) for name, value in labels.items()])


def insert_ending(cursor: sqlite3.Cursor, row: tuple[int, float, Status, int | None, str | None]) -> None:
    """How a run ended. ``row``: the run, when, in seconds since the epoch, status, exit code, error."""
    *others, error = row
    cursor.execute("INSERT INTO endings VALUES (?, ?, ?, ?, ?)", (*others, None if error is None else _as_text(error)))


def insert_series(
    cursor: sqlite3.Cursor, run: int, series: Series, encoded: tuple[str, str, bytes], stored_s: float
) -> None:
    """A series of a run. ``encoded``: its type, shape and bytes; ``stored_s``: seconds since the epoch."""
    cursor.execute(
        "INSERT INTO series (run, name, unit, dtype, shape, labels, data, stored_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (run, series.name, series.unit, *encoded[:2], to_json("labels", dict(series.labels)), encoded[2], stored_s),
    )


def insert_all(
    cursor: sqlite3.Cursor,
    run: int,
    series: Sequence[tuple[Series, tuple[str, str, bytes]]],
    events: Sequence[Event],
    attachments: Sequence[Attachment],
    stored_s: float,
) -> None:
    """All that a run has, in the transaction of the cursor."""
    for each, encoded in series:
        insert_series(cursor, run, each, encoded, stored_s)
    for event in events:
        insert_event(cursor, (run, event.t_s, event.kind, to_json(f"event {event.kind}", dict(event.data))))
    for attachment in attachments:
        insert_attachment(cursor, run, attachment, stored_s)


def insert_attachment(cursor: sqlite3.Cursor, run: int, attachment: Attachment, stored_s: float) -> None:
    """An attachment of a run. ``stored_s``: seconds since the epoch."""
    row = (run, attachment.name, attachment.content, stored_s)
    cursor.execute("INSERT INTO attachments VALUES (?, ?, ?, ?)", row)


def insert_event(cursor: sqlite3.Cursor, row: EventRow) -> None:
    """One event, already as text."""
    cursor.execute("INSERT INTO events (run, t_s, kind, data) VALUES (?, ?, ?, ?)", row)


def run_of(row: Sequence[Any], labels: dict[str, Label], facts: Mapping[str, Any]) -> Run:
    """A run from its row.

    Args:
        row: id, parent, kind, plan, seed, position, facts as text, beginning and end in seconds since the epoch,
            status, exit code, error, and whether its writer lives.
    """
    run, parent, kind, plan, seed, position, _, started_s, ended_s, status, exit_code, error, alive = row
    if status is None:
        status = "running" if alive else "interrupted"
    return Run(
        id=run,
        parent=parent,
        kind=kind,
        labels=labels,
        plan=former_names.plan(from_json(plan)),
        seed=seed,
        position=position,
        facts=facts,
        started_s=started_s,
        ended_s=ended_s,
        status=status,
        exit_code=exit_code,
        error=error,
    )


def check_name(what: str, name: str) -> None:
    """Names become columns and file names of an export.

    Raises:
        StoreError: it has other characters than letters, digits and _ . + -.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", name):
        raise StoreError(f"{what} {name!r}: use letters, digits and _ . + - only")


def check_labels(labels: Mapping[str, object]) -> None:
    """A label is text or a finite number.

    Raises:
        StoreError: one is neither, or its name is no name.
    """
    for name, value in labels.items():
        check_name("label", name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise StoreError(f"label {name}: {value!r} is neither text nor a number")
        if isinstance(value, float) and not math.isfinite(value):
            raise StoreError(f"label {name} is {value}")
        if isinstance(value, int):
            _check_whole(f"label {name}", value)
        if isinstance(value, str):
            _check_text(f"label {name}", value)


def _as_text(said: str) -> str:
    """With bytes that are no UTF-8, as names of hosts and files may have, written as \\udcff."""
    return said.encode(errors="backslashreplace").decode()


def _check_text(what: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise StoreError(f"{what} {text!r}: is no text in UTF-8", hint="give the file another name") from error


def _check_whole(what: str, number: int) -> None:
    if not -LARGEST_WHOLE - 1 <= number <= LARGEST_WHOLE:
        raise StoreError(f"{what} {number}: has more than 64 bits", hint="use a smaller number")
