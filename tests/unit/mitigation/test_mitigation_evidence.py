"""What is added up of pairs of ranks: all messages, and their transmission while no one else congested the path."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from fairlead.mitigation import evidence, own_traffic
from fairlead.mitigation.evidence import Evidence
from fairlead.mitigation.own_traffic import OwnTraffic
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

SPAN_S = 2.0


def report(*, t_s: float = 0.0, source: int = 0, known: float = 1.0, destination: int = 1) -> AgentEvent:
    """Rank 0, on a host, sends to rank 1, on host 1: 1 s of waiting, of which half is transmission."""
    pair = {"source": source, "source_rank": 0, "rank": 1, "messages": 10, "size_B": 1000, "waited_s": 1.0}
    pair |= {"known_s": known, "transmission_s": known / 2, "processing_s": 0.25}
    return event("rank_pairs", destination=destination, span_s=SPAN_S, pairs=[pair], t_s=t_s)


def level(name: str) -> AgentEvent:
    return event("level_changed", congestion_level=name, queue_delay_s=0.01)


def after(*events: AgentEvent, own: OwnTraffic | None = None) -> Evidence:
    seen = Evidence(own or OwnTraffic(None))
    for each in events:
        seen(each)
    return seen


def counted(seen: Evidence) -> tuple[float, float]:
    """Transmission that counts, and the time that it is of."""
    return seen.pairs[0, 1].transmission_s, seen.counted_s((0, 1))


def test_reports_are_added_up() -> None:
    seen = after(report(), report())
    sums = seen.pairs[0, 1]
    assert (sums.path, sums.messages, sums.size_B, sums.processing_s) == ((0, 1), 20, 2000, 0.5)
    assert counted(seen) == (1.0, 4.0)
    assert seen.observed_s == 4.0
    assert seen.hosts() == [0, 1]


def test_waiting_whose_sender_is_not_known_is_divided_as_the_known() -> None:
    assert counted(after(report(known=0.1)))[0] == pytest.approx(0.5)
    assert counted(after(report(known=0.0)))[0] == 0.0


@pytest.mark.parametrize("name", ["medium", "high"])
def test_what_others_congest_is_left_out_also_where_it_was_short(name: str) -> None:
    seen = after(report(), level(name), report(), level("low"), report(), report())
    # The second report is of a congested path, and the third began with one.
    assert counted(seen) == (1.0, 4.0)
    assert seen.observed_s == 8.0
    assert seen.left_out == {(0, 1)}
    assert seen.pairs[0, 1].messages == 40  # another placement is looked for by all of them
    assert seen.pairs[0, 1].processing_s == 1.0
    assert counted(after(level(name), level("low"), report(), report())) == (0.5, 2.0)


def test_a_pair_on_a_detour_is_left_out_unless_it_was_put_there_by_hand() -> None:
    assert counted(after(event("rerouted", relay=2), report())) == (0.0, 0.0)
    assert counted(after(event("rerouted", relay=2), report(), event("restored"), report(), report())) == (0.5, 2.0)
    assert counted(after(event("rerouted", relay=2, manual=True), report())) == (0.5, 2.0)


def test_other_paths_do_not_matter() -> None:
    elsewhere = event("level_changed", source=2, destination=1, congestion_level="high")
    assert counted(after(elsewhere, report())) == (0.5, 2.0)


def test_a_queue_that_the_program_makes_by_itself_stays_in() -> None:
    own = event("kept", reason="own_load")
    assert counted(after(level("high"), own, report())) == (0.5, 2.0)
    # The next search found others.
    assert counted(after(level("high"), own, event("kept", reason="not_better"), report())) == (0.0, 0.0)


class Network:
    """Two bottlenecks of 100 Mbit/s: one for the pairs 0→1 and 2→1, one for 0→2."""

    rates_bps = np.full((3, 3), 100e6)

    @property
    def sensitivity(self) -> "Network":
        return self

    def hurting(self, path: tuple[int, int]) -> np.ndarray:
        sharing = np.zeros((3, 3), dtype=bool)
        if path in ((0, 1), (2, 1)):
            sharing[0, 1] = sharing[2, 1] = True
        return sharing


def rate(source: int, destination: int, rate_bps: float, t_s: float) -> AgentEvent:
    return event("path_latency", source=source, destination=destination, latency_s=1e-3, rate_bps=rate_bps, t_s=t_s)


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ([rate(0, 1, 40e6, 9.0), rate(2, 1, 35e6, 9.0)], 0.5),  # the job's own 75 Mbit/s fill it
        ([rate(0, 1, 75e6, 9.0), rate(0, 1, 0.0, 9.9)], 0.5),  # the queue lasts on
        ([rate(0, 1, 75e6, 6.0), rate(0, 1, 0.0, 9.9)], 0.0),
        ([rate(0, 1, 40e6, 9.0), rate(2, 1, 20e6, 9.0)], 0.0),
        ([rate(0, 1, 40e6, 9.0), rate(0, 2, 60e6, 9.0)], 0.0),  # another bottleneck
        ([rate(0, 1, 40e6, 9.0), rate(2, 1, 35e6, 5.0)], 0.0),  # long ago
        ([], 0.0),
    ],
)
def test_where_no_agent_counts_rates_tell_whose_a_queue_is(rates: list[AgentEvent], expected: float) -> None:
    own = OwnTraffic(Network())  # type: ignore[arg-type]
    assert counted(after(level("high"), *rates, report(t_s=10.0), own=own))[0] == expected


def test_hosts_are_known_once_every_rank_was_seen() -> None:
    pair = {"source": 0, "source_rank": 0, "rank": 2, "messages": 1, "size_B": 1}
    pair |= {"waited_s": 0.0, "known_s": 0.0, "transmission_s": 0.0, "processing_s": 0.0}
    gap = event("rank_pairs", destination=2, span_s=1.0, pairs=[pair])
    assert after().hosts() is None
    assert after(gap).hosts() is None
    assert after(gap, report()).hosts() == [0, 1, 2]


def test_of_very_many_pairs_the_first_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_PAIRS", 2)
    pair = {"source": 0, "source_rank": 0, "messages": 1, "size_B": 1}
    pair |= {"waited_s": 0.0, "known_s": 0.0, "transmission_s": 0.0, "processing_s": 0.0}
    seen = after(*[event("rank_pairs", destination=2, span_s=1.0, pairs=[{**pair, "rank": k}]) for k in (2, 3, 4, 2)])
    assert {ranks: sums.messages for ranks, sums in seen.pairs.items()} == {(0, 2): 2, (0, 3): 1}


def test_what_explains_a_queue_is_the_same_as_for_agents() -> None:
    table = tomllib.loads((Path(__file__).parents[3] / "protocol" / "agent.toml").read_text())
    foreign_share = table["settings"]["own_load"]["foreign_share"]["default"]
    assert pytest.approx(1 - foreign_share) == own_traffic.EXPLAINS
