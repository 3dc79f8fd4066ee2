"""Which host pairs are on a detour now, from the agents' events; safe to ask from any thread."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

Pair = tuple[str, str]


@dataclass(frozen=True)
class Steps:
    """When one reroute came about, in seconds since the epoch.

    Attributes:
        suspected_s: the sockets, a notice or the pattern raised the suspicion.
        confirmed_s: probes and counted bytes had shown cross-traffic.
        decided_s: the relay had granted the detour, and an echo had proved it.
        rerouted_s: the kernel had acknowledged the route.
    """

    pair: Pair
    suspected_s: float
    confirmed_s: float
    decided_s: float
    rerouted_s: float


class Detours:
    """A sink for events of `fairlead.manage.supervisor.supervise`."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._changed = threading.Condition()
        self._away: set[Pair] = set()
        self.reroutes: list[tuple[float, Pair]] = []
        """(seconds since the epoch when the kernel had acknowledged it, pair), in order of arrival."""
        self._steps: list[Steps] = []

    def __call__(self, host: int, event: AgentEvent) -> None:
        if not isinstance(event, events.Rerouted | events.Restored):
            return
        pair = self._names[event.source], self._names[event.destination]
        with self._changed:
            if isinstance(event, events.Rerouted):
                assert event.t_s is not None
                self._away.add(pair)
                self.reroutes.append((event.t_s, pair))
                self._steps.append(
                    Steps(pair, event.suspected_t_s, event.confirmed_t_s, event.decided_t_s, rerouted_s=event.t_s)
                )
            else:
                self._away.discard(pair)
            self._changed.notify_all()

    def wait_until_home(self, timeout_s: float) -> bool:
        """Wait until no pair is on a detour; False if some still are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._away, timeout_s)

    def first_reroute(self, since_s: float, of: Callable[[Pair], bool], timeout_s: float) -> Steps | None:
        """The first reroute since then of a pair that ``of`` accepts; None if there is none in time."""

        def found() -> Steps | None:
            there = (steps for steps in self._steps if steps.rerouted_s >= since_s and of(steps.pair))
            return min(there, key=lambda steps: steps.rerouted_s, default=None)

        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while found() is None and (left_s := deadline_s - time.monotonic()) > 0:
                self._changed.wait(left_s)
            return found()
