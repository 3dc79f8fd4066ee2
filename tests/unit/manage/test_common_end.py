"""An agent's end that may be the program's."""

import time

import pytest

from fairlead.manage.common_end import CommonEnd
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

DIED = event("died", reason="the agent ended with exit code 0")
LOST = event("plane_lost", reason="the guardian has ended")
STOPPED = event("restored", relay=2, reason="peer_stopped")
FREE = event("restored", relay=2, reason="direct_good")
REROUTED = event("rerouted", relay=2, reason="12.3 ms of queue")
Told = list[tuple[int, AgentEvent]]


def gate(told: Told, patience_s: float) -> CommonEnd:
    return CommonEnd(lambda host, event: told.append((host, event)), patience_s)


def test_what_is_no_end_is_handed_on_at_once() -> None:
    told: Told = []
    events = gate(told, 60)
    events(0, REROUTED)
    events(0, FREE)
    assert told == [(0, REROUTED), (0, FREE)]


@pytest.mark.parametrize("end", [DIED, LOST, STOPPED])
def test_an_end_with_the_program_is_not_told(end: AgentEvent) -> None:
    told: Told = []
    events = gate(told, 60)
    events(1, end)
    events(1, FREE)
    events.program_ended()
    events(0, end)
    events(0, REROUTED)
    assert told == [(1, FREE), (0, REROUTED)]


def test_an_end_while_the_program_goes_on_is_told_late_and_in_order() -> None:
    told: Told = []
    events = gate(told, 1.5)
    events(1, DIED)
    events(1, REROUTED)
    events(0, FREE)
    assert told == [(0, FREE)]
    limit_s = time.monotonic() + 10
    while len(told) < 3 and time.monotonic() < limit_s:
        time.sleep(0.01)
    assert told == [(0, FREE), (1, DIED), (1, REROUTED)]
