"""Whose leftovers are removed, when, and what is told of it."""

from typing import Any

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
            planes(host, {"type": kind})
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
