"""`Store`: the one way to write and read results."""

import logging
import math
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fairlead.errors import FairleadError, NoSuchResultsError, StoreError, StoreHeldError, of_system
from fairlead.store import apart, former_names, numbers, run_queries, table_rows
from fairlead.store import series as arrays
from fairlead.store.apart_reading import StoreApart, fetch_from
from fairlead.store.connection import (
    FILE_NAME,
    LOCK_NAME,
    from_json,
    open_for_writing,
    to_json,
    transaction,
    translated,
)
from fairlead.store.events import EventBuffer, EventRow
from fairlead.store.lock import PATIENCE_S, WriterLock
from fairlead.store.reading import ReadConnection, fetch
from fairlead.store.records import Attachment, Event, Label, Run, Series, Status

_log = logging.getLogger(__name__)
ENDINGS = ("ok", "failed", "aborted")


class Store:
    """The results of one directory.

    ``Store.open`` writes and reads and is the only writer; ``Store.open_apart`` writes one run beside it;
    ``Store.read`` reads beside them, what is recorded apart, too. All are context managers and may be used from several
    threads. Every method that writes has committed when it returns, but for `add_event`, whose events are committed
    within half a second and by `finish_run`.

    Attributes:
        directory: where its file is.
        problems: why stores of runs could not be taken in, the last time that this was tried.
    """

    def __init__(
        self,
        directory: Path,
        connection: sqlite3.Connection | ReadConnection,
        lock: WriterLock | None = None,
        session: str = "",
        results: Path | None = None,
    ) -> None:
        """Not for callers: use `open`, `open_apart` or `read`.

        Args:
            results: the results directory, if this is the store of a run of it.
        """
        self.directory = directory
        self.problems: list[FairleadError] = []
        self._path, self._connection = directory / FILE_NAME, connection
        self._lock = lock
        self._session = session
        self._results = results or directory
        self._guard = threading.RLock()
        self._events = EventBuffer(self._commit_events)
        self._unfinished: set[int] = set()  # runs known to have no ending, so that events need no query each
        self._apart: list[StoreApart] = []

    @classmethod
    def open(cls, directory: Path | str, create: bool = True, *, patience_s: float = PATIENCE_S) -> Self:
        """Open for writing, and take in the runs that were recorded apart and have ended, now and after each run.

        Args:
            create: make the directory and an empty store where there is none.
            patience_s: how long to wait for another writer.

        Raises:
            StoreHeldError: another writer lives.
            StoreError: a newer schema, not a store, or nothing there and ``create`` is false.
        """
        directory = Path(directory)
        if not create and not (directory / FILE_NAME).is_file():
            raise NoSuchResultsError(f"{directory}: there are no results here ({FILE_NAME} is missing)")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            store = cls._locked(directory, uuid.uuid4().hex, patience_s=patience_s)
        except OSError as error:
            raise of_system(error, directory, doing="cannot be used for results", kind=StoreError) from error
        try:
            store._take_in()
        except BaseException:
            store._release()
            raise
        return store

    @classmethod
    def open_apart(cls, results: Path) -> Self:
        """Open a new store for one run of a results directory, whoever writes there meanwhile.

        The main store takes the run in once this one is closed, or its process has died: its next writer does.

        Raises:
            StoreError: it cannot be made.
        """
        session = uuid.uuid4().hex
        try:
            return cls._locked(apart.made(results, session), session, results=results)
        except OSError as error:
            raise of_system(error, results, doing="cannot be used for results", kind=StoreError) from error

    @classmethod
    def _locked(
        cls, directory: Path, session: str, results: Path | None = None, patience_s: float = PATIENCE_S
    ) -> Self:
        lock = WriterLock(directory / LOCK_NAME, session, patience_s)
        try:
            return cls(directory, open_for_writing(directory), lock, session, results)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def read(cls, directory: Path | str) -> Self:
        """Open for reading, also while other processes write.

        Raises:
            StoreError: no store there, not a store, or a schema version that this fairlead does not read.
        """
        directory = Path(directory)
        beside = StoreApart.of(directory)  # before the main store: what is taken in meanwhile is there then
        try:
            store = cls(directory, ReadConnection(directory))
        except BaseException:
            for each in beside:
                each.connection.close()
            raise
        store._apart = beside
        return store

    def close(self) -> None:
        """Commit what is pending, take in what others have recorded, and give the lock back.

        Runs without an end stay recognisable as interrupted.
        """
        try:
            if self._lock is not None:
                self._events.close()
                self._take_in()
        finally:
            self._release()

    def _release(self) -> None:
        with self._guard:
            for each in self._apart:
                each.connection.close()
            self._connection.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def _take_in(self) -> None:
        if self._results == self.directory:
            assert isinstance(self._connection, sqlite3.Connection)
            with self._guard:
                self.problems = apart.take_in(self.directory, self._connection, self._draw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self.close()
        except StoreError as problem:
            if error is None:
                raise
            _log.warning("%s", problem)  # it must not hide what ended the block, which may be Ctrl-C

    # ---------------------------------------------------------------- writing

    def begin_run(
        self,
        kind: str,
        labels: Mapping[str, Label],
        *,
        parent: int | None = None,
        plan: Any = None,
        seed: int | None = None,
        position: int | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> int:
        """Record that something starts now.

        Args:
            kind: ``run``, ``characterization``, ``experiment`` (docs/reference/results.md lists what each holds).
            labels: what `runs` selects by: program, class, ranks, scenario, replication, ...
            plan: the plan's row (anything JSON), by which `remaining` knows it again.
            position: place in the executed order, from 0.

        Returns:
            The run's id.
        """
        self._require_writer()
        table_rows.check_labels(labels)
        if parent is not None:
            self._require_unfinished(parent)
        row = table_rows.run_row(self._session, kind, parent, plan, seed, position, facts or {})
        with self._transaction() as cursor:
            run = self._insert_run(cursor, (*row, time.time()), labels)
        self._unfinished.add(run)
        return run

    def add_series(
        self,
        run: int,
        name: str,
        values: npt.ArrayLike,
        unit: str,
        labels: Mapping[str, Label] | None = None,
        *,
        missing: bool = False,
    ) -> None:
        """Store an array of samples of any shape, unrounded.

        Args:
            unit: one of `fairlead.store.series.UNITS`; must agree with a name that ends in a unit (``time_s``).
            missing: NaN is allowed and means "there is none" (the diagonal of a matrix).

        Raises:
            StoreError: unknown or disagreeing unit, NaN or infinity, nothing in it, or the run has ended.
        """
        self._require_unfinished(run)
        table_rows.check_name("series", name)
        dtype, shape, data = arrays.encode(arrays.check(name, values, unit, missing=missing))
        table_rows.check_labels(labels or {})
        series = Series(name, unit, labels or {}, np.asarray(values))
        with self._transaction() as cursor:
            table_rows.insert_series(cursor, run, series, (dtype, shape, data), time.time())

    def add_event(self, run: int, t_s: float, kind: str, data: Mapping[str, Any]) -> None:
        """Record an event at ``t_s`` (seconds since the epoch); committed within half a second."""
        self._require_unfinished(run)
        if not math.isfinite(t_s):
            raise StoreError(f"event {kind} of run {run}: its time is {t_s}")
        self._events.add((run, float(t_s), kind, to_json(f"event {kind}", dict(data))))

    def attach(self, run: int, name: str, content: bytes) -> None:
        """Keep captured output or a file with the run; a name can be used once a run."""
        self._require_unfinished(run)
        table_rows.check_name("attachment", name)
        with self._transaction() as cursor:
            table_rows.insert_attachment(cursor, run, Attachment(name, content), time.time())

    def finish_run(
        self, run: int, status: Status = "ok", exit_code: int | None = None, error: str | None = None
    ) -> None:
        """Record the end. Nothing can be added to the run afterwards.

        Args:
            status: ``ok``, ``failed`` (it ended by itself, wrongly) or ``aborted`` (the user ended it).
        """
        if status not in ENDINGS:
            raise StoreError(f"run {run}: {status!r} is not a final status", hint=f"use one of {', '.join(ENDINGS)}")
        self._require_unfinished(run)
        self._events.flush()
        with self._transaction() as cursor:
            table_rows.insert_ending(cursor, (run, time.time(), status, exit_code, error))
        self._unfinished.discard(run)
        self._take_in()

    def record(
        self,
        kind: str,
        labels: Mapping[str, Label],
        *,
        parent: int | None,
        plan: Any,
        started_s: float,
        seed: int | None = None,
        position: int | None = None,
        facts: Mapping[str, Any] | None = None,
        series: Sequence[Series] = (),
        events: Sequence[Event] = (),
        attachments: Sequence[Attachment] = (),
        status: Status = "ok",
        exit_code: int | None = None,
        error: str | None = None,
    ) -> int:
        """A whole run that is over, in one transaction: it is there with everything, or not at all.

        Arguments are those of `begin_run`, `add_series`, `add_event`, `attach` and `finish_run`.

        Returns:
            The run's id.
        """
        table_rows.check_labels(labels)
        self._require_unfinished(parent) if parent is not None else self._require_writer()
        for what, named in (("series", series), ("attachment", attachments)):
            for each in named:
                table_rows.check_name(what, each.name)
        row = table_rows.run_row(self._session, kind, parent, plan, seed, position, facts or {})
        encoded = [arrays.encode(arrays.check(each.name, each.values, each.unit, missing=False)) for each in series]
        now_s = time.time()
        with self._transaction() as cursor:
            run = self._insert_run(cursor, (*row, started_s), labels)
            table_rows.insert_all(cursor, run, list(zip(series, encoded, strict=True)), events, attachments, now_s)
            table_rows.insert_ending(cursor, (run, now_s, status, exit_code, error))
        self._take_in()
        return run

    # ---------------------------------------------------------------- reading

    def runs(self, kind: str | None = None, *, parent: int | None = None, **labels: Label) -> list[Run]:
        """Runs in the order in which they began, optionally of one kind, parent and with all the given labels."""
        return self._read_runs(*run_queries.chosen(kind, parent, labels))

    def run(self, run: int) -> Run:
        """The run with this id.

        Raises:
            StoreError: there is none.
        """
        found = self._read_runs(run_queries.ONE, {"run": run}) if 0 < run <= table_rows.LARGEST_WHOLE else []
        if not found:
            hint = f"`fairlead report {self.directory} --list` lists what there is"
            raise NoSuchResultsError(f"{self._path}: there is no run {run}", hint=hint)
        return found[0]

    def outermost_runs(self) -> list[Run]:
        """Runs that are no part of another, in the order in which they began."""
        return self._read_runs(run_queries.OUTERMOST, {})

    def numbers_of_children(self, *kinds: str) -> dict[int, int]:
        """How many runs of these kinds each run has whose parent it is; those without are left out."""
        marks = ", ".join("?" * len(kinds))
        query = f"SELECT parent, count(*) FROM runs WHERE parent IS NOT NULL AND kind IN ({marks}) GROUP BY parent"
        return dict(self._query(query, kinds))

    def series(self, run: int, name: str | None = None) -> list[Series]:
        """The run's series in the order stored, optionally of one name."""
        rows = self._query(
            "SELECT name, unit, labels, dtype, shape, data FROM series "
            "WHERE run = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY id",
            (run, name),
        )
        return [Series(n, u, from_json(ls), arrays.decode(dtype, shape, data)) for n, u, ls, dtype, shape, data in rows]

    def has_series(self, run: int) -> bool:
        """Whether the run has samples."""
        return bool(self._query("SELECT 1 FROM series WHERE run = ? LIMIT 1", (run,)))

    def one_series(self, run: int, name: str) -> Series:
        """The run's only series of this name.

        Raises:
            StoreError: there is none, or more than one.
        """
        found = self.series(run, name)
        if len(found) != 1:
            raise StoreError(f"{self._path}: run {run} has {len(found)} series {name!r} where one is expected")
        return found[0]

    def series_of_children(self, parent: int, name: str) -> dict[int, list[Series]]:
        """Series of one name of all runs of a parent that ended with ``ok``, by run, in the order stored."""
        rows = self._query(
            "SELECT series.run, series.unit, series.labels, series.dtype, series.shape, series.data FROM runs "
            "JOIN endings ON endings.run = runs.id JOIN series ON series.run = runs.id "
            "WHERE runs.parent = ? AND endings.status = 'ok' AND series.name = ? ORDER BY series.id",
            (parent, name),
        )
        found: dict[int, list[Series]] = {}
        for run, unit, labels, dtype, shape, data in rows:
            found.setdefault(run, []).append(Series(name, unit, from_json(labels), arrays.decode(dtype, shape, data)))
        return found

    def events(self, run: int, *kinds: str) -> list[Event]:
        """The run's events by time; if kinds are given, only those."""
        if self._lock is not None:
            self._events.flush()
        former = (former_names.FORMER_KINDS[kind] for kind in kinds if kind in former_names.FORMER_KINDS)
        stored = (*kinds, *former)
        among = f" AND kind IN ({', '.join('?' * len(stored))})" if stored else ""
        rows = self._query(
            f"SELECT t_s, kind, data FROM events WHERE run = ?{among} ORDER BY t_s, id",
            (run, *stored),
        )
        return [Event(t_s, *former_names.event(stored, from_json(data))) for t_s, stored, data in rows]

    def attachments(self, run: int) -> list[Attachment]:
        """What was attached to the run, by name."""
        rows = self._query("SELECT name, data FROM attachments WHERE run = ? ORDER BY name", (run,))
        return [Attachment(name, data) for name, data in rows]

    # ---------------------------------------------------------------- inside

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        assert isinstance(self._connection, sqlite3.Connection)
        with self._guard, translated(self._path), transaction(self._connection) as cursor:
            yield cursor

    def _insert_run(self, cursor: sqlite3.Cursor, row: Sequence[Any], labels: Mapping[str, Label]) -> int:
        table_rows.insert_session(cursor, self._session, time.time())
        run = self._draw()
        table_rows.insert_run(cursor, run, row, labels)
        return run

    def _draw(self) -> int:
        """A new run number of the results directory."""
        if self._results == self.directory:
            ((above,),) = self._query("SELECT coalesce(max(id), 0) FROM runs", ())
        else:  # the counter knows of all runs, but for those of a store that no writer has opened since it was made
            above = 0 if numbers.any_drawn(self._results) else _highest(self._results)
        return numbers.draw(self._results, above)

    def _commit_events(self, rows: list[EventRow]) -> None:
        with self._transaction() as cursor:
            for row in rows:
                table_rows.insert_event(cursor, row)

    def _query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """Rows of this store and, of a reader, of the stores of single runs that are not in it yet.

        ``:session`` stands for the session that writes the store which a row is of.
        """
        with self._guard, translated(self._path):
            while True:
                rows = fetch_from(self.directory, self._connection, sql, parameters)
                try:
                    for each in self._apart:
                        rows += fetch_from(each.directory, each.connection, sql, parameters)
                except (OSError, sqlite3.Error, StoreError):
                    if not self._drop_taken_in():  # else it was removed meanwhile
                        raise
                else:
                    if not self._drop_taken_in():  # else its rows may be there twice
                        return rows

    def _drop_taken_in(self) -> bool:
        """Forget the stores of runs that are in the main store by now; whether there was any."""
        taken = [
            each for each in self._apart if fetch(self._connection, "SELECT 1 FROM sessions WHERE id = ?", each.session)
        ]
        for each in taken:
            each.connection.close()
            self._apart.remove(each)
        return bool(taken)

    def _read_runs(self, sql: str, parameters: Mapping[str, Any]) -> list[Run]:
        rows = sorted(self._query(sql, parameters), key=lambda row: int(row[0]))
        if not rows:
            return []
        labels: dict[int, dict[str, Label]] = {row[0]: {} for row in rows}
        span = (min(labels), max(labels))
        for run, name, value in self._query("SELECT run, name, value FROM labels WHERE run BETWEEN ? AND ?", span):
            if run in labels:
                labels[run][name] = value
        facts = {text: from_json(text) for text in {row[6] for row in rows}}  # most runs share theirs
        return [table_rows.run_of(row, labels[row[0]], facts[row[6]]) for row in rows]

    def _require_writer(self) -> None:
        if self._lock is None:
            raise StoreError(f"{self._path} is not open for writing")

    def _require_unfinished(self, run: int) -> None:
        self._require_writer()
        if run in self._unfinished:
            return
        if self.run(run).ended_s is not None:
            raise StoreError(f"{self._path}: run {run} has ended; nothing can be added to it")
        self._unfinished.add(run)


def _highest(results: Path) -> int:
    """The highest run number that a reader sees; 0 where there is no store, or it is just being made."""
    try:
        with Store.read(results) as store:
            return max((number for (number,) in store._query("SELECT max(id) FROM runs", ()) if number), default=0)
    except StoreError:  # if it is there and cannot be read, the run gets another number when it is taken in
        return 0


def take_in(results: Path, *, patience_s: float = 0.0) -> list[FairleadError]:
    """Take runs that were recorded apart into the main store, unless another process writes there: that one does.

    Args:
        patience_s: how long to wait for the other process.

    Returns:
        Why stores of runs could not be taken in.

    Raises:
        StoreError: the main store cannot be written, for another reason.
    """
    with suppress(StoreHeldError), Store.open(results, patience_s=patience_s) as store:
        return store.problems
    return []
