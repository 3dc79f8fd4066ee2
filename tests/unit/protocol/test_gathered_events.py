"""What is said of messages every second becomes less in long runs, and its sums stay the same."""

from itertools import pairwise

import pytest

from fairlead.protocol import events
from fairlead.protocol.gathered_events import MOST_PAIRS, GatheredEvents
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

NOTHING = {"messages": 0, "size_B": 0, "waits": 0, "dropped": 0, "mismatches": 0}
NO_TIME = {"waited_s": 0.0, "known_s": 0.0, "network_s": 0.0, "late_sender_s": 0.0}


def received(t_s: float | None = None, **fields: object) -> AgentEvent:
    return event("communication", **{"t_s": t_s, **NOTHING, **NO_TIME, **fields})


def pairs(t_s: float, *ranks: tuple[int, int], **fields: object) -> AgentEvent:
    zero = {"messages": 1, "size_B": 8, "known_s": 0.1, "transmission_s": 0.05, "processing_s": 0.2}
    listed = [
        {"source": 0, "source_rank": source, "rank": rank, "waited_s": 0.1, **zero, **fields} for source, rank in ranks
    ]
    return event("rank_pairs", t_s=t_s, destination=1, span_s=2.0, pairs=listed)


def test_of_a_short_run_everything_is_kept() -> None:
    gathered = GatheredEvents()
    for second in range(60):
        assert gathered.add(1, received(100.0 + second), 0.0) == received(100.0 + second)
    assert list(gathered.rest()) == []


def test_of_a_day_some_hundreds_are_kept_and_nothing_is_lost() -> None:
    gathered = GatheredEvents()
    kept = [each for t_s in range(86400) if (each := gathered.add(1, received(float(t_s), messages=2, size_B=16), 0.0))]
    kept += [each for _, each in gathered.rest()]
    assert 450 < len(kept) < 550
    assert all(isinstance(each, events.Communication) for each in kept)
    assert sum(each.messages for each in kept) == 2 * 86400  # type: ignore[attr-defined]
    assert sum(each.size_B for each in kept) == 16 * 86400  # type: ignore[attr-defined]
    apart_s = [(b.t_s or 0) - (a.t_s or 0) for a, b in pairwise(kept)]
    assert max(apart_s) <= 86400 / 60 + 1


def test_what_becomes_one() -> None:
    gathered = GatheredEvents()
    gathered.add(1, received(0.0), 0.0)
    gathered.add(1, received(600.0), 0.0)
    first = received(601.0, messages=3, waited_s=0.5, known_s=0.4, network_s=0.3, late_sender_s=0.1, joined=2,
                     latency_median_s=0.01, latency_max_s=0.05, clock_error_s=1e-4, dropped=4)  # fmt: skip
    without = received(602.0, messages=1, waited_s=0.25, dropped=4, mismatches=1)
    last = received(603.0, messages=2, waited_s=0.25, known_s=0.2, network_s=0.2, joined=1,
                    latency_median_s=0.03, latency_max_s=0.03, clock_error_s=3e-4, dropped=6, mismatches=1)  # fmt: skip
    for each in (first, without, last):
        assert gathered.add(1, each, 0.0) is None
    ((host, found),) = gathered.rest()
    assert host == 1
    assert isinstance(found, events.Communication)
    assert (found.t_s, found.messages, found.joined, found.dropped, found.mismatches) == (603.0, 6, 3, 6, 1)
    assert (found.waited_s, found.known_s) == (1.0, pytest.approx(0.6))
    assert (found.network_s, found.late_sender_s) == (pytest.approx(0.5), pytest.approx(0.1))
    assert found.latency_median_s == pytest.approx(0.02)
    assert (found.latency_max_s, found.clock_error_s) == (0.05, 3e-4)
    assert list(gathered.rest()) == []


def test_what_has_no_latency_has_none_together() -> None:
    gathered = GatheredEvents()
    for t_s in (0.0, 600.0, 601.0, 602.0):
        gathered.add(1, received(t_s), 0.0)
    ((_, found),) = gathered.rest()
    assert isinstance(found, events.Communication)
    assert (found.latency_median_s, found.latency_max_s, found.clock_error_s) == (None, None, None)


def test_hosts_and_sources_are_apart_and_what_has_no_time_came_now() -> None:
    gathered = GatheredEvents()
    for host, source in ((1, 0), (1, 2), (2, 0)):
        gathered.add(host, received(source=source, destination=host), 0.0)
        gathered.add(host, received(source=source, destination=host), 600.0)
        assert gathered.add(host, received(source=source, destination=host, messages=host), 601.0) is None
    found = [(host, each.source, each.messages, each.t_s) for host, each in gathered.rest()]  # type: ignore[attr-defined]
    assert found == [(1, 0, 1, 601.0), (1, 2, 1, 601.0), (2, 0, 2, 601.0)]


def test_pairs_of_ranks() -> None:
    gathered = GatheredEvents()
    gathered.add(1, pairs(0.0, (0, 4)), 0.0)
    gathered.add(1, pairs(600.0, (0, 4)), 0.0)
    for t_s, ranks in ((602.0, [(0, 4), (1, 4)]), (604.0, [(1, 5), (0, 4)])):
        assert gathered.add(1, pairs(t_s, *ranks), 0.0) is None
    ((_, found),) = gathered.rest()
    assert isinstance(found, events.RankPairs)
    assert (found.t_s, found.span_s) == (604.0, 4.0)
    assert [(each.source_rank, each.rank, each.messages, each.size_B) for each in found.pairs] == [
        (0, 4, 2, 16),
        (1, 4, 1, 8),
        (1, 5, 1, 8),
    ]
    assert found.pairs[0].processing_s == pytest.approx(0.4)
    assert found.pairs[0].waited_s == pytest.approx(0.2)


def test_so_many_pairs_of_ranks_are_in_one_report() -> None:
    gathered = GatheredEvents()
    gathered.add(1, pairs(0.0, (0, 4)), 0.0)
    gathered.add(1, pairs(86400.0, (0, 4)), 0.0)
    for k in range(30):
        assert gathered.add(1, pairs(86402.0 + 2 * k, *((k, rank) for rank in range(256))), 0.0) is None
    ((_, found),) = gathered.rest()
    assert isinstance(found, events.RankPairs)
    assert len(found.pairs) == MOST_PAIRS
    assert found.span_s == 60.0


def test_all_other_events_pass() -> None:
    gathered = GatheredEvents()
    level = event("level_changed", t_s=1e6, congestion_level="high", queue_delay_s=0.1)
    assert [gathered.add(0, level, 0.0) for _ in range(3)] == [level] * 3
