"""Events for tests: what a test does not say has the value that it has in a store of an earlier version."""

from typing import Any

from fairlead.protocol import events
from fairlead.protocol.fields import Fields, whole
from fairlead.protocol.messages import AgentEvent

_KINDS = {each.TYPE: each for each in events.EVENTS}


def event(kind: str, **fields: Any) -> AgentEvent:
    """One of these fields, from h0 to h1 unless they say otherwise."""
    said = {"source": 0, "destination": 1, **fields}
    return _KINDS[kind].read(Fields(said, f"event {kind!r}", whole, earlier=True))
