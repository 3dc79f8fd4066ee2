"""Where the limit of processes lets no thread be started: what that costs, and what is said."""

import pytest

from fairlead.agents.events import EventThread
from fairlead.errors import HostError
from fairlead.store.events import EventBuffer, EventRow

from . import thread_limit

ROW: EventRow = (1, 2.0, "started", "{}")


def test_events_of_a_store_are_committed_without_a_thread_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    committed: list[EventRow] = []
    buffer = EventBuffer(committed.extend)
    with monkeypatch.context() as patch:
        thread_limit.allow(0, patch)
        buffer.add(ROW)
        assert committed == [ROW]
    buffer.add(ROW)  # now there may be one
    buffer.close()
    assert committed == [ROW, ROW]


def test_what_needs_one_says_why_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_limit.allow(0, monkeypatch)
    with pytest.raises(HostError, match="no further thread can be started: the limit of processes"):
        EventThread(lambda host, event: None).__enter__()
