"""Removes, while the run goes on, what a guardian that was killed left in its host's kernel."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from fairlead.agents.agent import Message
from fairlead.errors import FairleadError


class LostPlanes:
    """Looks at the agents' events and cleans the hosts whose guardian is gone. A context manager.

    A host whose agent died is looked at when the run is over: its guardian withdraws by itself, unless it died too.

    Args:
        clean: removes what the dead left of this job on a host, by index; returns what was removed.
        report: takes (host index, event) with what came of it, in a thread of ours.
    """

    def __init__(self, clean: Callable[[int], list[Any]], report: Callable[[int, Message], None]) -> None:
        self._clean = clean
        self._report = report
        self._bereaved: set[int] = set()
        self._pool = ThreadPoolExecutor(thread_name_prefix="lost-planes")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for host in self._bereaved:
            self._pool.submit(self._remove, host)
        self._pool.shutdown()

    def __call__(self, host: int, event: Message) -> None:
        if event["type"] == "plane_lost":
            self._pool.submit(self._remove, host)
        elif event["type"] == "died":
            self._bereaved.add(host)

    def _remove(self, host: int) -> None:
        try:
            removed = self._clean(host)
        except FairleadError as error:
            self._report(host, {"type": "error", "reason": f"what its guardian left is still there: {error}"})
            return
        if removed:
            self._report(host, {"type": "plane_cleaned", "removed": removed})
