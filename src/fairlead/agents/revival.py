"""Starts agents that ended again: their ssh session fell, somebody killed them, their host was cut off for a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from fairlead.agents.agent import EventCallback
from fairlead.errors import FairleadError
from fairlead.protocol import answers, events

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0)
"""Before each start in a row. Together they are longer than a lease: an agent that a cut-off host still has keeps its
port until that runs out."""
LATER_S = 60.0
"""Before each start after the row: a host that was away for long, behind a broken switch, is managed again."""
STEADY_S = 60.0
"""An agent that lived so long since its start was none of a row of failures."""


class Revival:
    """Keeps agents alive: a row of starts with growing pauses, then one now and then.

    Tells the events `Restarted`, with what the new agent says of its plane, and `GivenUp` once, when the last start of
    a row failed. Attempts count the starts since an agent lived for `STEADY_S`: not all that there were.

    Args:
        start: starts the agent of a host, by index, and returns what it says of its plane; None: it was to have none.
        tell: takes (host index, event).
        pauses_s: before each start.
    """

    def __init__(
        self,
        start: Callable[[int], Awaitable[answers.Ready | None]],
        tell: EventCallback,
        pauses_s: Sequence[float],
    ) -> None:
        self._start = start
        self._tell = tell
        self._pauses_s = pauses_s
        self._attempts: dict[int, int] = {}  # of the present row, by host
        self._started_s: dict[int, float] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._stopping = False

    def died(self, host: int) -> None:
        """The agent of a host has ended, or did not start with the others."""
        if self._stopping:
            return
        if time.monotonic() - self._started_s.get(host, float("-inf")) > STEADY_S:
            self._attempts[host] = 0
        self._tasks[host] = asyncio.get_running_loop().create_task(self._revive(host))

    def revives(self, host: int) -> bool:
        """Whether a host's agent is being started again."""
        return host in self._tasks and not self._tasks[host].done()

    async def stop(self) -> None:
        """Start none any more; returns when none is being started."""
        self._stopping = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _revive(self, host: int) -> None:
        row = len(self._pauses_s)
        why = "it keeps ending"
        while True:
            attempt = self._attempts[host] + 1
            if attempt == row + 1:
                self._tell(host, events.GivenUp(reason=f"{why} ({row} starts)"))
            self._attempts[host] = attempt
            await asyncio.sleep(self._pauses_s[attempt - 1] if attempt <= row else LATER_S)
            try:
                ready = await self._start(host)
            except Exception as error:  # noqa: BLE001  # whatever keeps it from starting, nobody else looks at this task
                why = error.message if isinstance(error, FairleadError) else repr(error)
                continue
            self._started_s[host] = time.monotonic()
            plane, plane_reason = (ready.plane, ready.plane_reason) if ready else (None, None)
            self._tell(host, events.Restarted(attempt=attempt, plane=plane, plane_reason=plane_reason))
            return
