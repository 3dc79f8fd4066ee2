"""Hands events on in a thread of its own: who looks at them may take his time, as on a disk that is slow or full."""

import logging
import threading
from collections import deque
from typing import Self

from fairlead import threads
from fairlead.agents.agent import EventCallback
from fairlead.agents.urgent_thread import go_first
from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

_log = logging.getLogger(__name__)
MOST_WAITING = 100_000


class EventThread:
    """A queue of events and the thread that empties it. A context manager, at whose end all that waits was handed on.

    What comes while `MOST_WAITING` events wait is left out, and how many these were is told as an `error` event. Events
    go on whatever ``on_event`` raises: the first such error is told.

    Args:
        on_event: called with (host index, event), one event at a time.
        held: events wait until `release`, or are left out from `discard` on.
    """

    def __init__(self, on_event: EventCallback, *, held: bool = False) -> None:
        self._on_event = on_event
        self._held = held
        self._discarding = False
        self._waiting: deque[tuple[int, AgentEvent]] = deque()
        self._left_out = 0
        self._last_host = 0  # of those left out
        self._busy = False
        self._failed = False
        self._ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._main, name="events", daemon=True)

    def put(self, host: int, event: AgentEvent) -> None:
        """Take an event, from any thread; never waits for who looks at it."""
        with self._changed:
            if self._discarding:
                return
            if len(self._waiting) >= MOST_WAITING:
                self._left_out += 1
                self._last_host = host
                return
            self._tell_left_out()
            self._waiting.append((host, event))
            self._changed.notify_all()

    def release(self) -> None:
        """Hand on what was held, and what comes."""
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def discard(self) -> None:
        """Forget what was held, and what comes."""
        with self._changed:
            self._discarding = True
            self._waiting.clear()
            self._left_out = 0

    def drain(self) -> None:
        """Wait until all that was put so far was handed on, held or not."""
        with self._changed:
            self._tell_left_out()
            self._held = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting and not self._busy)

    def __enter__(self) -> Self:
        """Raises HostError where the limit of processes is reached."""
        threads.start(self._thread)
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._tell_left_out()
            self._ended = True
            self._changed.notify_all()
        self._thread.join()

    def _tell_left_out(self) -> None:
        if self._left_out:
            reason = f"{self._left_out} events were left out: the program that follows the run is too slow"
            self._waiting.append((self._last_host, events.Error(reason=reason)))
            self._left_out = 0

    def _main(self) -> None:
        go_first()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: (self._waiting and not self._held) or self._ended)
                if not self._waiting:
                    return
                together, self._waiting = self._waiting, deque()
                self._busy = True
            for host, event in together:
                self._hand_on(host, event)
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _hand_on(self, host: int, event: AgentEvent) -> None:
        try:
            self._on_event(host, event)
        except Exception:  # noqa: BLE001  # as many things look at events, and the run is not theirs to end
            if not self._failed:
                self._failed = True
                _log.exception("an event could not be handled, and others may not be: %s", event)
