"""Opening the SQLite file for writing, with the right journal; what writing and reading have in common."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlead.errors import StoreError
from fairlead.store import filesystem, schema

FILE_NAME = "results.sqlite"
LOCK_NAME = "results.lock"

_LITTLE_B = 1 << 20  # with less, a full disk is the likely cause of an error
BUSY_MS = 10_000  # a checkpoint of a reader's end may hold the file for a moment


def open_for_writing(directory: Path) -> sqlite3.Connection:
    """Connection that may write, migrated to the present schema.

    ``synchronous=FULL``: a committed sample survives the death of the process (any setting gives that) and, where the
    disk keeps its promises, of the machine. It costs one fsync a commit, and commits are at most a few a second.
    """
    path = directory / FILE_NAME
    with translated(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            refuse_foreign(connection, path)
            connection.execute(f"PRAGMA journal_mode = {filesystem.journal_mode(filesystem.type_of(directory))}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            schema.migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a store, or one that a newer fairlead wrote.

    Raises:
        StoreError: it is such a file.
    """
    version = schema.version_of(connection)
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if tables and application != schema.APPLICATION_ID:
        raise StoreError(f"{path}: a SQLite file of another program")
    if version > schema.VERSION:
        raise StoreError(
            f"{path}: schema version {version} was written by a newer fairlead; this one knows {schema.VERSION}",
            hint="use the newer fairlead, or another results directory",
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Cursor]:
    """What is executed by the cursor is there with everything, or not at all."""
    cursor = connection.cursor()
    cursor.execute("BEGIN IMMEDIATE")
    try:
        yield cursor
        cursor.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite rolls back by itself on a full disk
            cursor.execute("ROLLBACK")
        raise


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as `StoreError` with the file's name."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", hint=_space_hint(path)) from error


def _space_hint(path: Path) -> str:
    """SQLite tells of a full disk as "disk I/O error" when it is the journal that does not fit."""
    try:
        filesystem_state = os.statvfs(path.parent)
    except OSError:
        return ""
    left_B = filesystem_state.f_bavail * filesystem_state.f_frsize
    return f"its file system has {left_B >> 10} KiB left; make room and run it again" if left_B < _LITTLE_B else ""


def to_json(what: str, value: object) -> str:
    """Canonical JSON (sorted keys), so that equal values have equal text.

    Raises:
        StoreError: ``value`` holds NaN, infinity, or something that JSON has no form for.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise StoreError(f"{what}: not storable as JSON: {error}") from error


def from_json(text: str) -> Any:
    """Inverse of `to_json`."""
    return json.loads(text)
