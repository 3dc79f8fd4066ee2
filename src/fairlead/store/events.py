"""Events are many and small: they are collected and committed together, at least every `PERIOD_S`."""

import threading
from collections.abc import Callable

from fairlead import interrupts, threads
from fairlead.errors import HostError

PERIOD_S = 0.5

EventRow = tuple[int, float, str, str]
"""run, t_s, kind, data (JSON)"""


class EventBuffer:
    """Collects rows and hands them to ``commit`` from a thread of its own; one by one where there can be none.

    A commit that fails is not lost sight of: `add` and `flush` raise its error. The rows are kept, those added
    meanwhile too, and committed with the first that succeeds: a disk that is full for a while costs nothing.
    """

    def __init__(self, commit: Callable[[list[EventRow]], None]) -> None:
        self._commit = commit
        self._rows: list[EventRow] = []
        self._guard = threading.Lock()
        self._committing = threading.Lock()  # keeps batches in order when `flush` meets the thread
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    def add(self, row: EventRow) -> None:
        """Append a row; it is committed within `PERIOD_S`."""
        with self._guard:
            self._rows.append(row)
            alone = self._thread is None and not self._begin()
        if alone:
            self.flush()
        if self._failure is not None:
            raise self._failure

    def flush(self) -> None:
        """Commit what is there; on return it is durable."""
        with self._committing:
            with self._guard:
                rows = list(self._rows)
            if rows:
                with interrupts.held():  # else a signal between the two would have them committed twice
                    self._commit(rows)
                    with self._guard:
                        del self._rows[: len(rows)]
            self._failure = None

    def close(self) -> None:
        """Stop the thread and commit the rest."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def _begin(self) -> bool:
        """Start the thread; whether there can be one."""
        thread = threading.Thread(target=self._run, name="fairlead-events", daemon=True)
        try:
            threads.start(thread)
        except HostError:
            return False
        self._thread = thread
        return True

    def _run(self) -> None:
        while not self._stop.wait(PERIOD_S):
            try:
                self.flush()
            except Exception as error:  # noqa: BLE001 - re-raised to the caller by `add`
                self._failure = error
