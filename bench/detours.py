"""Which host pairs are on a detour now, from the agents' events; safe to ask from any thread."""

import threading
import time
from collections.abc import Callable, Sequence

from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

Pair = tuple[str, str]


class Detours:
    """A sink for events of `fairlead.manage.supervisor.supervise`."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._changed = threading.Condition()
        self._away: set[Pair] = set()
        self.reroutes: list[tuple[float, Pair]] = []
        """(seconds since the epoch when the kernel had acknowledged it, pair), in order of arrival."""

    def __call__(self, host: int, event: AgentEvent) -> None:
        if not isinstance(event, events.Rerouted | events.Restored):
            return
        pair = self._names[event.source], self._names[event.destination]
        with self._changed:
            if isinstance(event, events.Rerouted):
                assert event.t_s is not None
                self._away.add(pair)
                self.reroutes.append((event.t_s, pair))
            else:
                self._away.discard(pair)
            self._changed.notify_all()

    def wait_until_home(self, timeout_s: float) -> bool:
        """Wait until no pair is on a detour; False if some still are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._away, timeout_s)

    def first_reroute(self, since_s: float, of: Callable[[Pair], bool], timeout_s: float) -> float | None:
        """Time of the first reroute since then of a pair that ``of`` accepts; None if there is none in time."""

        def found() -> float | None:
            return min((t_s for t_s, pair in self.reroutes if t_s >= since_s and of(pair)), default=None)

        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while found() is None and (left_s := deadline_s - time.monotonic()) > 0:
                self._changed.wait(left_s)
            return found()
