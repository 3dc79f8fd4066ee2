"""Writes a managed run into the store while it goes on: every event that matters, then the end."""

from collections.abc import Sequence
from typing import Any

from fairlead.agents.agent import Message
from fairlead.store import Event, Store

# What is kept. Everything else (`log`, answers) is for the terminal.
RECORDED = frozenset(
    [
        *("zone", "moved", "returned", "stayed", "notice", "rejected", "clock", "stats", "path_latency"),
        *("base_shifted", "base_learnt", "communication", "died", "restarted", "given_up", "error"),
        *("plane", "plane_lost", "plane_cleaned"),
        *("migration", "port"),
    ]
)


class Journal:
    """Events of one run, by the store. Called from the events' thread; the store does its own locking."""

    def __init__(self, store: Store, run: int, names: list[str]) -> None:
        self._store = store
        self._run = run
        self._names = names

    def __call__(self, host: int, event: Message, now_s: float) -> None:
        entry = recorded(self._names, host, event, now_s)
        if entry is not None:
            self._store.add_event(self._run, entry.t_s, entry.kind, entry.data)


def recorded(names: Sequence[str], host: int, event: Message, now_s: float) -> Event | None:
    """An agent's event as it is recorded, with hosts by name; None if it is not."""
    kind = event["type"]
    if kind not in RECORDED:
        return None
    data: dict[str, Any] = {key: value for key, value in event.items() if key not in ("type", "t_s")}
    data["host"] = names[host]
    _name(names, data)
    if "flows" in data:
        data["flows"] = [dict(flow) for flow in data["flows"]]
        for flow in data["flows"]:
            _name(names, flow)
    if kind in ("zone", "moved", "returned", "stayed"):
        data.setdefault("source", names[host])
    return Event(float(event.get("t_s", now_s)), kind, data)


def _name(names: Sequence[str], data: dict[str, Any]) -> None:
    """Hosts by name in place of their index."""
    for key in ("source", "destination", "relay", "peer", "from"):
        if isinstance(data.get(key), int):
            data[key] = names[data[key]]
