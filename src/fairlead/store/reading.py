"""Reading the SQLite file: leaves nothing beside it, and works on files and directories that may not be written.

SQLite makes two files (``-wal``, ``-shm``) for every connection to a file with a write-ahead log, also for one that
only reads, and a reader that is killed, or may not write the directory, cannot remove them. So the file is opened as
one that does not change (``immutable``), which makes none, as long as nobody writes.

On a network file system nobody can tell that: what the kernel knows of a file there is seconds old. There the file is
read under SQLite's locks, which makes no files since writers keep no write-ahead log there. If there is one all the
same (of a process on the file server, to which the file system is a local one), its index would be shared memory that
is not shared: it is read from a copy.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from fairlead.errors import NoSuchResultsError, StoreError, of_system
from fairlead.store import filesystem, schema
from fairlead.store.connection import BUSY_MS, FILE_NAME, LOCK_NAME, refuse_foreign, translated
from fairlead.store.lock import holder_session

_SIDE_FILES = ("-wal", "-shm", "-journal")
_COPIES = 5  # a writer may put the journal into the file while it is copied


class _Version(NamedTuple):
    """What changes when somebody writes: the file's identity, size and time, and the journals beside it."""

    inode: int
    size_B: int
    changed_ns: int
    journals: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> "_Version":
        status = path.stat()
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, tuple(map(str, _journals(path))))


class ReadConnection:
    """Answers queries of one store and refuses every other statement; also beside a living writer.

    Raises:
        StoreError: no store is there, it is not one, or its schema is not this fairlead's.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        if not self._path.is_file():
            raise NoSuchResultsError(
                f"{directory}: there are no results here ({FILE_NAME} is missing)",
                hint="name the directory given as --results; commands write to `results` by default",
            )
        self._shared_memory = filesystem.journal_mode(filesystem.type_of(directory)) == "WAL"
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._unchanged: _Version | None = None  # as long as this holds, nobody writes
        self._connection: sqlite3.Connection | None = None
        with translated(self._path):
            self._open()

    def fetch(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """All rows of a query."""
        assert self._connection is not None, "it was closed"
        if self._unchanged is None:
            return self._connection.execute(sql, parameters).fetchall()
        failure = None
        try:
            rows = self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:  # of pages of two versions, perhaps
            failure = error
        if _Version.of(self._path) != self._unchanged:  # somebody has begun to write: what was read may be of both
            self.close()
            self._open()
            return self.fetch(sql, parameters)
        if failure is not None:
            raise failure
        return rows

    def close(self) -> None:
        """Give everything back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def _open(self) -> None:
        self._unchanged = None
        version = _Version.of(self._path)
        logged = self._path.with_name(f"{FILE_NAME}-wal").exists()
        if not version.journals and (self._shared_memory or _has_log(self._path)):
            self._unchanged = version
            self._connection = _connect(self._path, "mode=ro&immutable=1")
        elif logged and not self._shared_memory:
            self._connection = _connect(self._copied(), "mode=rw")
        elif not version.journals:
            self._connection = _connect(self._path, "mode=ro")
        elif all(os.access(each, os.W_OK) for each in (self._path.parent, self._path, *_journals(self._path))):
            # SQLite takes in what a killed writer left, and removes the journal once the last connection ends.
            self._connection = _connect(self._path, "mode=rw")
        elif holder_session(self._path.with_name(LOCK_NAME)) is not None:
            self._connection = _connect(self._path, "mode=ro")  # the writer keeps the journal's files there
        else:
            self._connection = _connect(self._copied(), "mode=rw")
        try:
            _check(self._connection, self._path)
        except BaseException:
            self.close()
            raise

    def _copied(self) -> Path:
        """A copy with what is in the journal, which can only be taken in where one may write."""
        self._copy = tempfile.TemporaryDirectory(prefix="fairlead-results-")
        try:
            for _ in range(_COPIES):
                before = _Version.of(self._path)
                for each in (self._path, *_journals(self._path)):
                    if not each.name.endswith("-shm"):  # an index that SQLite makes anew
                        with suppress(FileNotFoundError):
                            shutil.copyfile(each, Path(self._copy.name, each.name))
                if _Version.of(self._path) == before:
                    break
        except OSError as error:
            self.close()
            doing = "cannot be copied for reading (its journal cannot be merged in place)"
            hint = "set TMPDIR to a directory with room"
            raise of_system(error, self._path, doing=doing, hint=hint, kind=StoreError) from error
        return Path(self._copy.name, FILE_NAME)


def fetch(
    connection: sqlite3.Connection | ReadConnection, sql: str, parameters: Sequence[Any] | Mapping[str, Any]
) -> list[Any]:
    """All rows of a query, by a connection that may write or by one that only reads."""
    if isinstance(connection, ReadConnection):
        return connection.fetch(sql, parameters)
    return connection.execute(sql, parameters).fetchall()


def _journals(path: Path) -> list[Path]:
    """The files beside it that hold what is not in it yet."""
    return [each for suffix in _SIDE_FILES if (each := path.with_name(path.name + suffix)).exists()]


def _connect(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _has_log(path: Path) -> bool:
    """Whether its journal is a write-ahead log, when it has one (sqlite.org, "Database File Format", section 1.3)."""
    with path.open("rb") as file:
        return file.read(19)[18:] == b"\x02"


def _check(connection: sqlite3.Connection, path: Path) -> None:
    refuse_foreign(connection, path)
    version = schema.version_of(connection)
    if version == 0:
        raise NoSuchResultsError(f"{path.parent}: there are no results here yet ({path.name} is empty)")
    if version < schema.VERSION:
        raise StoreError(
            f"{path}: schema version {version}, this fairlead reads {schema.VERSION}",
            hint="the next command that writes there (`fairlead run`, `fairlead compare`, ...) migrates it",
        )
