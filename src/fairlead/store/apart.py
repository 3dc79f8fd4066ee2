"""Stores of single runs, each in a folder of its own below the results directory, and how the main store takes them in.

Runs go on side by side, on several machines, and the main store has one writer. So each `fairlead run` records into a
store apart, and whoever writes the main store takes in those whose writer has ended, or was killed. A store's session
is in the main store once its runs are: both come with one transaction, so that nothing is lost or taken in twice,
wherever the process that takes in is killed.
"""

import os
import shutil
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlead.errors import FairleadError, StoreError, StoreHeldError, of_system
from fairlead.store.connection import FILE_NAME, LOCK_NAME, open_for_writing, transaction, translated
from fairlead.store.lock import WriterLock

FOLDER = "results.runs"

_TAKEN_IN = ".taken-in-"
_ABANDONED_S = 3600.0  # a folder without a store this long after it was made: its process was killed at once
_OF_A_RUN = ("labels", "endings", "series", "events", "attachments")


def made(results: Path, session: str) -> Path:
    """A new folder for the store of one run.

    Raises:
        OSError: it cannot be made.
    """
    path = results / FOLDER / f"{socket.gethostname()}-{os.getpid()}-{session[:8]}"
    path.mkdir(parents=True)
    return path


def stores(results: Path) -> list[Path]:
    """Folders of the stores that are there, of runs that have ended and of runs that go on."""
    return [each for each in _folders(results) if (each / FILE_NAME).is_file()]


def take_in(results: Path, main: sqlite3.Connection, draw: Callable[[], int]) -> list[FairleadError]:
    """Take the runs of all stores apart that nobody writes into the main store, and remove those stores.

    Args:
        main: connection of the main store's writer.
        draw: a new run number, for a run whose number another one has (of a counter that was lost).

    Returns:
        Why stores could not be taken in; they stay.
    """
    problems: list[FairleadError] = []
    try:
        for path in _folders(results):
            try:
                _take_in(path, main, draw)
            except StoreHeldError:
                continue  # its run goes on
            except StoreError as error:
                problems.append(error)
            except OSError as error:
                problems.append(of_system(error, path, doing="cannot be taken in", kind=StoreError))
        for path in (results / FOLDER).glob(f"{_TAKEN_IN}*"):
            shutil.rmtree(path, ignore_errors=True)  # a reader on NFS may keep a file of it; the next one removes it
    except OSError as error:  # a file server's handle may be stale
        problems.append(of_system(error, results / FOLDER, doing="cannot be listed", kind=StoreError))
    return problems


def _folders(results: Path) -> list[Path]:
    folder = results / FOLDER
    if not folder.is_dir():
        return []
    return sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))


def _take_in(path: Path, main: sqlite3.Connection, draw: Callable[[], int]) -> None:
    if not (path / FILE_NAME).is_file():  # it is just being made: its process makes the lock before the store
        old = time.time() - path.stat().st_mtime > _ABANDONED_S
        if old and {each.name for each in path.iterdir()} <= {LOCK_NAME}:
            _remove(path)
        return
    lock = WriterLock(path / LOCK_NAME, session="", patience_s=0.0)
    try:
        open_for_writing(path).close()  # takes in a journal that a kill left, and brings it to the present schema
        with translated(path / FILE_NAME), _attached(main, path / FILE_NAME):
            _copy(main, draw)
        _remove(path)
    finally:
        lock.release()


@contextmanager
def _attached(main: sqlite3.Connection, path: Path) -> Iterator[None]:
    main.execute("ATTACH ? AS apart", (os.fsencode(path),))  # as bytes: a directory's name may be no text
    try:
        yield
    finally:
        main.execute("DETACH apart")


def _copy(main: sqlite3.Connection, draw: Callable[[], int]) -> None:
    with transaction(main) as cursor:
        known = "SELECT 1 FROM apart.sessions JOIN main.sessions USING (id)"
        if cursor.execute(known).fetchone():  # whoever took it in was killed before it was removed
            return
        cursor.execute("INSERT INTO main.sessions SELECT * FROM apart.sessions")
        for (number,) in cursor.execute("SELECT id FROM apart.runs ORDER BY id").fetchall():
            taken = cursor.execute("SELECT 1 FROM main.runs WHERE id = ?", (number,)).fetchone()
            new = draw() if taken else number
            _copy_rows(cursor, "runs", "id", number, new)
            for table in _OF_A_RUN:
                _copy_rows(cursor, table, "run", number, new)


def _copy_rows(cursor: sqlite3.Cursor, table: str, key: str, number: int, new: int) -> None:
    """A run's rows of a table, in their order; ids of other things than runs are given anew."""
    columns = [row[1] for row in cursor.execute(f"PRAGMA main.table_info({table})").fetchall()]
    others = ", ".join(name for name in columns if name not in ("id", "run"))
    order = "ORDER BY id" if "id" in columns else ""
    cursor.execute(
        f"INSERT INTO main.{table} ({key}, {others}) SELECT ?, {others} FROM apart.{table} WHERE {key} = ? {order}",
        (new, number),
    )


def _remove(path: Path) -> None:
    """Takes it out of sight at once: what is left of it, for whatever reason, is no store any more."""
    path.rename(path.with_name(_TAKEN_IN + path.name))
