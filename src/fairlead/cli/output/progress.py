"""Progress of what takes long: moving bars on a terminal, else lines. Nothing is silent for longer than `EVERY_S`."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from fairlead.progress import Progress

EVERY_S = 2.0
LONG_S, SELDOM_S = 300.0, 30.0
"""What takes longer than this is left alone: a line so often is enough in its log."""


@contextmanager
def progress_on(stream: TextIO) -> Iterator["Progress"]:
    """Where progress goes: bars on a terminal, else lines."""
    if not stream.isatty():
        lines = Lines(stream.write, stream.flush)
        with lines.reminding():
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    with Bars(*columns, TextColumn("left"), TimeRemainingColumn(), console=Console(file=stream)) as bars:
        tasks = {}

        def show_bar(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield show_bar


class Lines:
    """A line when something begins, and one every `EVERY_S` while it goes on: how far it is, and about how long yet."""

    def __init__(
        self,
        write: Callable[[str], object],
        flush: Callable[[], object] = lambda: None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._flush, self._now = write, flush, now
        self._start_s = self._told_s = self._begin_s = now()
        self._step = ("", 0, 0)  # what is being done, steps that are done, steps there are
        self._begun: set[str] = set()
        self._guard = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        with self._guard:
            if what != self._step[0]:
                self._begin_s = self._now()
            self._step = what, done, total
            if what not in self._begun and done < total:
                self._begun.add(what)
                self._say(f"{what} ({total} steps)" if total > 1 else what)

    def remind(self) -> None:
        """Say how far it is, if nothing was said for `EVERY_S` and something goes on."""
        with self._guard:
            what, done, total = self._step
            now_s = self._now()
            silence_s = EVERY_S if now_s - self._start_s < LONG_S else SELDOM_S
            if done < total and now_s - self._told_s >= silence_s:
                self._say(f"{what}: {self._how_far(done, total, now_s - self._begin_s)}")

    @contextmanager
    def reminding(self) -> Iterator[None]:
        """Within: `remind` is called often enough."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(EVERY_S / 8):
                self.remind()

        thread = threading.Thread(target=watch, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    @staticmethod
    def _how_far(done: int, total: int, elapsed_s: float) -> str:
        if total == 1:
            return f"{elapsed_s:.0f} s so far"
        left = f", about {elapsed_s / done * (total - done):.0f} s left" if done else ""
        return f"{done} of {total}{left}"

    def _say(self, text: str) -> None:
        self._told_s = self._now()
        self._write(f"{self._told_s - self._start_s:6.1f} s  {text}\n")
        self._flush()
