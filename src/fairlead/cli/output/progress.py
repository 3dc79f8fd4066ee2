"""Progress of what takes long: moving bars on a terminal, else lines. Nothing is silent for longer than `EVERY_S`."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from fairlead.cluster.remote import awaited
from fairlead.progress import SECONDS_OF_BUDGET

if TYPE_CHECKING:
    from fairlead.progress import Progress

EVERY_S = 2.0
LONG_S, SELDOM_S = 300.0, 30.0
"""What takes longer than this is left alone: a line so often is enough in its log."""


@contextmanager
def progress_on(stream: TextIO, *, passing: bool = False) -> Iterator["Progress"]:
    """Where progress goes: bars on a terminal, else lines. They name hosts that are waited for.

    Args:
        passing: it is of no interest later: the bars vanish, and lines are written only of what takes long.
    """
    if not stream.isatty():
        with lines_on(stream, after_s=EVERY_S if passing else 0.0) as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from fairlead.manage import silent_hosts

    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
    left = TextColumn("left"), TimeRemainingColumn()
    with (
        Bars(*columns, *left, console=Console(file=stream), transient=passing) as bars,
        silent_hosts.told(bars.console.print),
    ):
        tasks = {}

        def show_bar(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield show_bar


@contextmanager
def lines_on(stream: TextIO, *, after_s: float) -> Iterator["Lines"]:
    """Progress as lines, also on a terminal, where something else may be written meanwhile; none before ``after_s``."""
    lines = Lines(stream.write, stream.flush, after_s=after_s)
    with lines.reminding():
        yield lines


class Lines:
    """A line when something begins, and one every `EVERY_S` while it goes on: how far it is, and about how long yet."""

    def __init__(
        self,
        write: Callable[[str], object],
        flush: Callable[[], object] = lambda: None,
        *,
        now: Callable[[], float] = time.monotonic,
        after_s: float = 0.0,
    ) -> None:
        """
        Args:
            after_s: nothing is said before: most often all is done by then.
        """
        self._write, self._flush, self._now = write, flush, now
        self._start_s = self._told_s = self._begin_s = now()
        self._step = ("", 0, 0)  # what is being done, steps that are done, steps there are
        self._after_s = after_s
        self._begun: set[str] = set()
        self._budget_left_s: int | None = None  # while there is one
        self._guard = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        with self._guard:
            if what == SECONDS_OF_BUDGET:
                self._budget_left_s = total - done if done < total else None
                return
            if what != self._step[0]:
                self._begin_s = self._now()
            self._step = what, done, total
            if what not in self._begun and done < total and self._now() - self._start_s >= self._after_s:
                self._begun.add(what)
                self._say(f"{what} ({total} steps)" if total > 1 else what)

    def remind(self) -> None:
        """Say how far it is, if nothing was said for `EVERY_S` and something goes on, or a host is waited for."""
        with self._guard:
            what, done, total = self._step
            now_s = self._now()
            silence_s = EVERY_S if now_s - self._start_s < LONG_S else SELDOM_S
            if now_s - self._told_s < max(silence_s, self._after_s):
                return
            if done < total:
                self._begun.add(what)
                self._say(f"{what}: {self._how_far(done, total, now_s - self._begin_s)}")
            elif silent := awaited.silent():
                self._say(awaited.words(silent))

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

    def _how_far(self, done: int, total: int, elapsed_s: float) -> str:
        silent = awaited.words(awaited.silent())
        if total == 1:
            return ", ".join(filter(None, [f"{elapsed_s:.0f} s so far", silent]))
        left = f"about {elapsed_s / done * (total - done):.0f} s left" if done and not silent else silent
        budget = "" if self._budget_left_s is None else f"{self._budget_left_s} s of the budget left"
        return ", ".join(filter(None, [f"{done} of {total}", left, budget]))

    def _say(self, text: str) -> None:
        self._told_s = self._now()
        self._write(f"{self._told_s - self._start_s:6.1f} s  {text}\n")
        self._flush()
