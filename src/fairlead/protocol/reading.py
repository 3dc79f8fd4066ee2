"""Messages of agents' lines, and events of stores."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from fairlead.protocol import events
from fairlead.protocol.fields import Fields, text, whole
from fairlead.protocol.messages import Answer, Event, StoredEvent

EventT = TypeVar("EventT", bound=StoredEvent)

_EVENTS: Mapping[str, type[Event[Any]]] = {each.TYPE: each for each in events.EVENTS}


def line_fields(line: Any, what: str) -> Fields[int]:
    """The fields of a line: hosts by index.

    Raises:
        ValueError: it is no object.
    """
    return Fields(line, what, whole)


def event_of(kind: str, line: Any) -> Event[int]:
    """The event that an agent's line says.

    Raises:
        ValueError: there is no such event, or it lacks something.
    """
    if kind not in _EVENTS:
        raise ValueError(f"there is no event {kind!r}")
    return _EVENTS[kind].read(line_fields(line, f"event {kind!r}"))


def answer_of(answer: type[Answer], line: Any) -> Answer:
    """The answer that an agent's line says.

    Raises:
        ValueError: it lacks something.
    """
    return answer.read(line_fields(line, f"answer {answer.TYPE!r}"))


def stored_event(kind: type[EventT], t_s: float, data: Mapping[str, Any]) -> EventT:
    """An event of a store, of this version or an earlier one: hosts by name.

    Raises:
        ValueError: it lacks what must be there.
    """
    what = f"event {kind.TYPE!r} at {t_s:.3f} s"
    return cast(EventT, kind.read(Fields({**data, "t_s": t_s}, what, text, earlier=True)))
