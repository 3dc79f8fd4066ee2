"""The user is told once, when enough was seen; the record also has what the whole run says."""

import io
from dataclasses import replace
from typing import Any

import pytest

from fairlead.manage import user_mitigation
from fairlead.manage.narrator import Narrator
from fairlead.manage.user_mitigation import LEAST_S, SETTLED_S, UserMitigation
from fairlead.mitigation.advice import BetterPlacement
from fairlead.mitigation.evidence import Evidence
from fairlead.mitigation.own_traffic import OwnTraffic
from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

NAMES = ["h0", "h1"]


def report(span_s: float, transmission_s: float) -> AgentEvent:
    pair: dict[str, Any] = {"source": 0, "source_rank": 0, "rank": 1, "messages": 10, "size_B": 1000}
    pair |= {"waited_s": transmission_s, "known_s": transmission_s, "transmission_s": transmission_s}
    return event("rank_pairs", destination=1, span_s=span_s, pairs=[{**pair, "processing_s": 0.1}])


def advised(*reports: AgentEvent) -> tuple[list[events.Mitigation[int]], UserMitigation]:
    said: list[events.Mitigation[int]] = []

    def keep(host: int, told: AgentEvent) -> None:
        assert isinstance(told, events.Mitigation)
        assert host == 1
        said.append(told)

    mitigation = UserMitigation(NAMES, Evidence(OwnTraffic(None)), lambda _: BetterPlacement(NAMES, 0.5), keep)
    for each in reports:
        mitigation(1, each)
    return said, mitigation


def test_it_is_told_once_when_enough_was_seen() -> None:
    half = report(SETTLED_S / 2, SETTLED_S / 4)
    said, mitigation = advised(half)
    assert said == []
    for _ in range(3):
        mitigation(1, half)
    assert [each.observed_s for each in said] == [SETTLED_S]


def test_a_long_run_is_looked_at_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at_s: list[float] = []
    monkeypatch.setattr(user_mitigation, "advice", lambda seen, *_: looked_at_s.append(seen.observed_s))
    advised(*[report(2.0, 0.0)] * 1800)
    assert looked_at_s[:4] == [10.0, 14.0, 18.0, 24.0]
    assert len(looked_at_s) < 30


def test_the_end_has_what_the_whole_run_says() -> None:
    half = report(SETTLED_S / 2, SETTLED_S / 4)
    _, mitigation = advised(half, half, half)
    last = mitigation.at_end()
    assert last is not None
    assert last[0] == 1
    assert isinstance(last[1], events.Mitigation)
    assert last[1].observed_s == 1.5 * SETTLED_S
    _, short = advised(report(LEAST_S - 0.5, 1.0))
    assert short.at_end() is None
    _, fine = advised(report(SETTLED_S, 0.05))
    assert fine.at_end() is None


def test_the_terminal_has_one_line_of_it() -> None:
    said, _ = advised(report(SETTLED_S, SETTLED_S / 2))
    stream = io.StringIO()
    narrator = Narrator(NAMES, stream)
    narrator(1, said[0])
    narrator(1, replace(said[0], reason="by all that was seen"))
    assert stream.getvalue() == f"fairlead: {said[0].reason}\n"
