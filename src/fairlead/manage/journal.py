"""Writes a managed run into the store while it goes on: every event that matters, then the end."""

from typing import Any

from fairlead.manage.agents import Message
from fairlead.store import Store

# What is kept. Everything else (`log`, answers) is for the terminal.
RECORDED = frozenset(
    [
        *("zone", "moved", "returned", "stayed", "notice", "rejected", "clock", "stats", "path_latency"),
        *("base_shifted", "communication", "died", "error", "plane", "plane_lost", "plane_cleaned"),
    ]
)


class Journal:
    """Events of one run, by the store. Called from the agents' thread; the store does its own locking."""

    def __init__(self, store: Store, run: int, names: list[str]) -> None:
        self._store = store
        self._run = run
        self._names = names

    def __call__(self, host: int, event: Message, now_s: float) -> None:
        kind = event["type"]
        if kind not in RECORDED:
            return
        data: dict[str, Any] = {key: value for key, value in event.items() if key not in ("type", "t_s")}
        data["host"] = self._names[host]
        for key in ("source", "destination", "relay", "peer", "from"):
            if isinstance(data.get(key), int):
                data[key] = self._names[data[key]]
        if kind in ("zone", "moved", "returned", "stayed"):
            data.setdefault("source", self._names[host])
        self._store.add_event(self._run, float(event.get("t_s", now_s)), kind, data)
