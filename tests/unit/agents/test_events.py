"""Events are handed on in a thread of their own; what is held waits, and may be forgotten."""

import threading

from fairlead.agents.events import EventThread
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

LIMIT_S = 10.0


def test_events_that_are_held_wait_for_their_release() -> None:
    told: list[tuple[int, AgentEvent]] = []
    came = threading.Event()

    def look(host: int, said: AgentEvent) -> None:
        told.append((host, said))
        came.set()

    first, second = event("died", reason="first"), event("died", reason="second")
    with EventThread(look, held=True) as events:
        events.put(1, first)
        assert not came.wait(0.05)
        events.release()
        events.put(2, second)
        events.drain()
        assert told == [(1, first), (2, second)]


def test_events_that_are_discarded_are_not_handed_on() -> None:
    told: list[tuple[int, AgentEvent]] = []
    with EventThread(lambda host, said: told.append((host, said)), held=True) as events:
        events.put(1, event("died", reason="before"))
        events.discard()
        events.put(1, event("died", reason="after"))
        events.drain()
    assert told == []


def test_what_is_held_to_the_end_is_handed_on() -> None:
    told: list[tuple[int, AgentEvent]] = []
    last = event("died", reason="it never started")
    with EventThread(lambda host, said: told.append((host, said)), held=True) as events:
        events.put(0, last)
    assert told == [(0, last)]
