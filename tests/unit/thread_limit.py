"""Makes this process one that may start few further threads."""

import threading
from collections.abc import Callable

import pytest


def allow(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many threads can be started from now on, and no more."""
    start: Callable[[threading.Thread], None] = threading.Thread.start
    left = [count]

    def limited(thread: threading.Thread) -> None:
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
