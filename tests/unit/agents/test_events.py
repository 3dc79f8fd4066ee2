"""Events are handed on in a thread of their own; what is held waits, and may be forgotten."""

import threading

import pytest

from fairlead.agents.agent import EventCallback
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.errors import HostError
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


class FailingGroup:
    """Agents of which one lost its guardian while another one did not start."""

    def on_event(self, callback: EventCallback) -> None:
        self._tell = callback

    async def __aenter__(self) -> None:
        self._tell(1, event("plane_lost", reason="its guardian was killed"))
        raise HostError("h2 is not reached")


def test_what_was_held_is_handed_on_when_agents_cannot_be_started() -> None:
    """Before who cleans up after guardians has ended, which hears of them by it."""
    told: list[int] = []
    with EventThread(lambda host, said: told.append(host), held=True) as events:
        agents = AgentThread(FailingGroup, events)  # type: ignore[arg-type]
        with pytest.raises(HostError, match="h2 is not reached"):
            agents.__enter__()
        assert told == [1]
