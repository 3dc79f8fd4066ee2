"""Names that stores of earlier versions have for events and for what plans say.

Rows never change (`fairlead.store.schema`), so they are translated as they are read: nothing else knows the former
names.
"""

from collections.abc import Mapping
from typing import Any

FORMER_KINDS = {"rerouted": "moved", "restored": "returned", "kept": "stayed", "level_changed": "zone"}
"""The former kind of an event, by its present one."""

_PRESENT_KINDS = {former: present for present, former in FORMER_KINDS.items()}
_FIELDS = {
    "level_changed": {"zone": "congestion_level"},
    "notice": {"zone": "congestion_level"},
    "path_latency": {"zone": "congestion_level"},
    "congestion": {"place": "bottleneck"},
}
_REASONS = {"move_failed": "reroute_failed"}


def event(kind: str, data: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Kind and fields of an event under their present names."""
    kind = _PRESENT_KINDS.get(kind, kind)
    names = _FIELDS.get(kind, {})
    fields = {names.get(name, name): value for name, value in data.items()}
    if kind == "kept" and "reason" in fields:
        reason, colon, words = str(fields["reason"]).partition(":")
        fields["reason"] = _REASONS.get(reason, reason) + colon + words
    return kind, fields


def plan(stored: Any) -> Any:
    """A run's plan under the present names of its keys."""
    if not isinstance(stored, dict):
        return stored
    names = {"train_B": "bulk_B"}
    return {
        names.get(name, name): _congestion(value) if name in ("congestion", "congestions") else value
        for name, value in stored.items()
    }


def _congestion(table: Any) -> Any:
    """Congestion, by name or by level of a factor, or one of them. What has such a name itself is no list."""
    if not isinstance(table, dict):
        return table
    return {
        "bottlenecks" if name == "places" and isinstance(value, list) else name: _congestion(value)
        for name, value in table.items()
    }
