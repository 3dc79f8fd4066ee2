"""Events of a managed run in the store: written while it goes on, and read for reports."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fairlead.errors import StoreError
from fairlead.protocol import reading
from fairlead.protocol.gathered_events import GatheredEvents
from fairlead.protocol.messages import AgentEvent, EventKind, StoredEvent
from fairlead.protocol.reading import EventT
from fairlead.store import Event, Run, Store


class EventRecorder:
    """Events of one run, by the store. Called from the events' thread; the store does its own locking.

    What `GatheredEvents` holds back at the end is stored by `finish`.
    """

    def __init__(self, store: Store, run: int, names: list[str]) -> None:
        self._store = store
        self._run = run
        self._names = names
        self._gathered = GatheredEvents()

    def __call__(self, host: int, event: AgentEvent, now_s: float) -> None:
        due = self._gathered.add(host, event, now_s)
        if due is not None:
            self._record(host, due, now_s)

    def finish(self, now_s: float) -> None:
        """The run is over, and its events were all handed on."""
        for host, event in self._gathered.rest():
            self._record(host, event, now_s)

    def _record(self, host: int, event: AgentEvent, now_s: float) -> None:
        entry = recorded(self._names, host, event, now_s)
        if entry is not None:
            self._store.add_event(self._run, entry.t_s, entry.kind, entry.data)


def recorded(names: Sequence[str], host: int, event: AgentEvent, now_s: float) -> Event | None:
    """An agent's event as it is recorded, with hosts by name; None if it is not."""
    if not event.STORED:
        return None
    data = {name: _storable(value) for name, value in event.to_json(names.__getitem__).items()}
    return Event(now_s if event.t_s is None else event.t_s, event.TYPE, {**data, "host": names[host]})


def _storable(value: object) -> object:
    """Null for a number that is not finite, as agents say it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Entry:
    """A recorded event: the host whose agent said it (empty where none did), and when, in seconds since the epoch."""

    t_s: float
    host: str
    event: StoredEvent


def entries(store: Store, run: Run, *kinds: EventKind) -> Iterator[Entry]:
    """What was recorded of a run, of these kinds, by this version or an earlier one; by time.

    Raises:
        StoreError: an event lacks what it must have (docs/reference/agent-protocol.md).
    """
    wanted = {kind.TYPE: kind for kind in kinds}
    for each in store.events(run.id, *wanted):
        try:
            event = reading.stored_event(wanted[each.kind], each.t_s, each.data)
        except ValueError as error:
            raise StoreError(f"run {run.id}: {error}") from error
        yield Entry(each.t_s, str(each.data.get("host", "")), event)


def of_kind(entries: Iterable[Entry], kind: type[EventT]) -> Iterator[tuple[float, str, EventT]]:
    """(time, host, event) of those entries that are of one kind."""
    for each in entries:
        if isinstance(each.event, kind):
            yield each.t_s, each.host, each.event
