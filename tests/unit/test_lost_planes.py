"""Whose leftovers are removed, when, and what is told of it."""

import threading
import time
from typing import Any

import pytest

from fairlead.errors import HostError
from fairlead.manage.lost_planes import LostPlanes


def told_of(*events: tuple[int, str], left: dict[int, list[str]]) -> list[tuple[int, dict[str, Any]]]:
    """What is reported when these events come and the guardians left these things; host 9 is not reached."""
    told: list[tuple[int, dict[str, Any]]] = []

    def clean(host: int) -> list[str]:
        if host == 9:
            raise HostError("h9: ssh did not get there")
        return left.pop(host, [])

    with LostPlanes(clean, lambda host, event: told.append((host, event))) as planes:
        for host, kind in events:
            planes(host, {"type": kind, "destination": 3, "relay": 4})
    return told


def test_what_a_dead_guardian_left_is_removed() -> None:
    assert told_of((2, "moved"), (1, "plane_lost"), left={1: ["device"], 2: ["device"]}) == [
        (1, {"type": "plane_cleaned", "removed": ["device"]})
    ]


def test_after_an_agents_death_the_host_is_looked_at_once_more() -> None:
    assert told_of((1, "died"), left={}) == []
    assert told_of((1, "died"), left={1: ["rule"]}) == [(1, {"type": "plane_cleaned", "removed": ["rule"]})]


def test_a_failure_is_told() -> None:
    ((host, event),) = told_of((9, "plane_lost"), left={})
    assert (host, event["type"]) == (9, "error")
    assert "still there: h9: ssh did not get there" in event["reason"]


@pytest.mark.parametrize("lost", [0, 1, 2], ids=["source", "destination", "relay"])
def test_a_host_is_cleaned_when_its_detours_have_returned(lost: int) -> None:
    order: list[str] = []
    with LostPlanes(lambda _: order.append("cleaned") or [], lambda *_: None, patience_s=30) as planes:
        planes(0, {"type": "moved", "source": 0, "destination": 1, "relay": 2})
        planes(0, {"type": "moved", "source": 0, "destination": 3, "relay": 4})  # has nothing to do with the host
        if lost == 0:
            planes(0, {"type": "returned", "destination": 3})
        planes(lost, {"type": "plane_lost"})
        time.sleep(0.05)
        order.append("returned")
        planes(0, {"type": "returned", "source": 0, "destination": 1})
    assert order == ["returned", "cleaned"]


def test_a_source_that_died_is_not_waited_for() -> None:
    cleaned = threading.Event()
    with LostPlanes(lambda host: [cleaned.set()][:0], lambda *_: None, patience_s=60) as planes:
        planes(0, {"type": "moved", "destination": 1, "relay": 2})
        planes(2, {"type": "plane_lost"})
        planes(0, {"type": "died"})
        assert cleaned.wait(30)


def test_a_source_that_is_silent_is_not_waited_for_long() -> None:
    cleaned = threading.Event()
    with LostPlanes(lambda host: [cleaned.set()][:0], lambda *_: None, patience_s=0.05) as planes:
        planes(3, {"type": "moved", "destination": 2, "relay": 1})
        planes(2, {"type": "plane_lost"})
        assert cleaned.wait(30)
