"""Hosts whose answers are awaited just now: who shows how far a command is can name those that keep it waiting.

Known in one place for all of fairlead: what waits (an executor's command, a probe, an agent that starts) and what shows
it lie far from each other.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fairlead.display.words import first_of

SILENT_AFTER_S = 2.0

_guard = threading.Lock()
_since_s: dict[object, tuple[str, float]] = {}  # by a key for each wait: host, and since when


@contextmanager
def awaited(host: str) -> Iterator[None]:
    """Within: an answer of this host is awaited."""
    key = object()
    with _guard:
        _since_s[key] = host, time.monotonic()
    try:
        yield
    finally:
        with _guard:
            del _since_s[key]


def silent(for_s: float | None = None) -> list[str]:
    """Hosts whose answers have been awaited for so long (default: `SILENT_AFTER_S`), longest first."""
    for_s = SILENT_AFTER_S if for_s is None else for_s
    now_s = time.monotonic()
    with _guard:
        waits = list(_since_s.values())  # in the order in which they began
    return list(dict.fromkeys(host for host, since_s in waits if now_s - since_s >= for_s))


def words(hosts: list[str]) -> str:
    """For people: "no answer yet from h2, h3"; empty for no host."""
    return f"no answer yet from {first_of(hosts)}" if hosts else ""
