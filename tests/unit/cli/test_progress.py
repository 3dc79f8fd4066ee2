"""Progress: what is going on, how far it is, and about how long it still takes; never silent for long."""

import io
import re
import time

import pytest

from fairlead.cli.output.progress import EVERY_S, LONG_S, SELDOM_S, Lines, progress_on
from fairlead.cluster.remote import awaited
from fairlead.progress import SECONDS_OF_BUDGET


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def lines_of(clock: Clock) -> tuple[Lines, list[str]]:
    said: list[str] = []
    return Lines(said.append, now=clock), said


def test_a_beginning_is_a_line_and_every_step_is_not() -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    lines("probing the quiet network", 0, 6)
    clock.now_s += 0.3
    lines("probing the quiet network", 1, 6)
    lines("probing the quiet network", 6, 6)
    clock.now_s += 0.2
    lines("drawing the heat maps", 0, 1)
    assert said == ["   0.0 s  probing the quiet network (6 steps)\n", "   0.5 s  drawing the heat maps\n"]


def test_what_goes_on_is_told_again_with_how_long_it_still_takes() -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    lines("injecting traffic", 0, 56)
    clock.now_s += EVERY_S - 0.1
    lines.remind()
    assert len(said) == 1
    clock.now_s += 0.1
    lines.remind()
    lines("injecting traffic", 7, 56)
    clock.now_s += 1.5
    lines.remind()
    clock.now_s += 0.5
    lines.remind()
    assert said[1:] == [
        "   2.0 s  injecting traffic: 0 of 56\n",
        "   4.0 s  injecting traffic: 7 of 56, about 28 s left\n",
    ]


def test_nothing_is_told_of_what_is_over_or_has_no_steps() -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    lines("repeating outliers", 0, 0)
    clock.now_s += 60
    lines.remind()
    lines("drawing", 0, 1)
    clock.now_s += 3
    lines.remind()
    lines("drawing", 1, 1)
    clock.now_s += 60
    lines.remind()
    assert said == ["  60.0 s  drawing\n", "  63.0 s  drawing: 3 s so far\n"]


def test_what_is_over_soon_is_not_told_where_only_long_waits_are() -> None:
    clock, said = Clock(), []
    lines = Lines(said.append, now=clock, after_s=EVERY_S)
    lines("computing the matrices", 0, 1)
    clock.now_s += EVERY_S - 0.1
    lines.remind()
    lines("computing the matrices", 1, 1)
    lines("inferring the network", 0, 1)
    assert said == []
    clock.now_s += 0.2
    lines.remind()
    lines("drawing", 0, 1)
    assert said == ["   2.1 s  inferring the network: 0 s so far\n", "   2.1 s  drawing\n"]


def test_hosts_that_have_not_answered_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    monkeypatch.setattr(awaited, "SILENT_AFTER_S", 0.0)
    with awaited.awaited("h2"), awaited.awaited("h3"):
        clock.now_s += EVERY_S
        lines.remind()
        lines("looking at hosts", 3, 5)
        clock.now_s += EVERY_S
        lines.remind()
    assert said[0] == "   2.0 s  no answer yet from h2, h3\n"
    assert said[-1] == "   4.0 s  looking at hosts: 3 of 5, no answer yet from h2, h3\n"


def test_what_takes_very_long_is_told_seldom() -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    lines("sending", 0, 1000)
    clock.now_s += LONG_S
    lines.remind()
    for _ in range(int(SELDOM_S)):
        clock.now_s += 1
        lines.remind()
    assert len(said) == 3


def test_a_step_that_takes_long_is_not_silent() -> None:
    stream = io.StringIO()
    with progress_on(stream) as progress:
        progress("waiting", 0, 1)
        time.sleep(EVERY_S + 0.6)
    begun, reminded = stream.getvalue().splitlines()
    assert re.fullmatch(r" +\d\.\d s  waiting", begun)
    assert re.fullmatch(r" +\d\.\d s  waiting: [23] s so far", reminded)


def test_lines_tell_what_is_left_of_a_budget() -> None:
    clock = Clock()
    lines, said = lines_of(clock)
    lines(SECONDS_OF_BUDGET, 0, 60)
    lines("injecting traffic", 0, 56)
    clock.now_s += 2
    lines(SECONDS_OF_BUDGET, 2, 60)
    lines("injecting traffic", 7, 56)
    lines.remind()
    lines(SECONDS_OF_BUDGET, 60, 60)
    clock.now_s += 2
    lines.remind()
    assert said == [
        "   0.0 s  injecting traffic (56 steps)\n",
        "   2.0 s  injecting traffic: 7 of 56, about 14 s left, 58 s of the budget left\n",
        "   4.0 s  injecting traffic: 7 of 56, about 28 s left\n",
    ]
