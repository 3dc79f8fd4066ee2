"""What is told on the terminal: what concerns the program's traffic, not every flutter of a path it has left."""

import io
from dataclasses import replace

import pytest

from fairlead.manage.narrator import Narrator, sentence
from fairlead.protocol.enums import CongestionLevel
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import Flow

from ..agent_events import event

NAMES = ["h0", "h1", "h2"]
HIGH = event("level_changed", congestion_level="high", queue_delay_s=0.0123)
REROUTED = event("rerouted", relay=2, reason="12.3 ms of queue")
RESTORED = event("restored", relay=2, reason="direct_good")


def _told(*events: AgentEvent) -> list[str]:
    stream = io.StringIO()
    narrator = Narrator(NAMES, stream)
    for each in events:
        narrator(0, each)
    return [line.removeprefix("fairlead: ") for line in stream.getvalue().splitlines()]


def test_congestion_and_reroutes_are_told_in_words() -> None:
    assert _told(HIGH, REROUTED, RESTORED) == [
        "h0→h1 is congested: 12.3 ms of queueing delay",
        "h0→h1 rerouted over h2: 12.3 ms of queue",
        "h0→h1 back on its direct path: the direct path has been free of congestion for long enough",
    ]


def test_an_equal_cost_path_is_no_host() -> None:
    moved = event("rerouted", relay=1, reason="19.3 ms of queue")
    assert _told(moved) == ["h0→h1 rerouted over another equal-cost path: 19.3 ms of queue"]


def test_pairs_of_the_job_on_the_same_bottleneck_are_named() -> None:
    flows = tuple(
        Flow(source=source, destination=destination, relay=None, rate_bps=1e6)
        for source, destination in ((0, 1), (2, 1), (1, 2))
    )
    assert _told(replace(REROUTED, flows=flows[:1])) == ["h0→h1 rerouted over h2: 12.3 ms of queue"]
    assert _told(replace(REROUTED, flows=flows[:2]))[0].endswith("of queue; h2→h1 shares the bottleneck")
    assert _told(replace(REROUTED, flows=flows))[0].endswith("of queue; h2→h1, h1→h2 share the bottleneck")
    assert _told(replace(REROUTED, flows=flows * 2))[0].endswith("h2→h1, h1→h2, h2→h1 and 1 more share the bottleneck")


def test_of_many_pairs_some_are_told_and_the_others_counted() -> None:
    stream = io.StringIO()
    now_s = 0.0
    narrator = Narrator([f"h{k}" for k in range(40)], stream, clock=lambda: now_s)
    for now_s in (100.0, 101.0, 105.5):  # noqa: B007  # the clock reads it
        for destination in range(1, 11):
            # A host's own clock says nothing.
            narrator(0, replace(HIGH, destination=destination, t_s=3600.0 * destination))
    narrator.program_ended()
    lines = [line.removeprefix("fairlead: ") for line in stream.getvalue().splitlines()]
    assert [line.partition(":")[0] for line in lines] == [
        *(f"h0→h{k} is congested" for k in range(1, 9)),
        "12 more paths are congested; the record names them",
        *(f"h0→h{k} is congested" for k in range(1, 9)),
        "2 more paths are congested; the record names them",
    ]


def test_a_path_that_traffic_has_left_is_quiet_until_it_is_back() -> None:
    assert len(_told(REROUTED, HIGH, HIGH)) == 1
    assert len(_told(REROUTED, HIGH, RESTORED, HIGH)) == 3


def test_other_levels_and_records_are_not_told() -> None:
    assert _told(replace(HIGH, congestion_level=CongestionLevel.MEDIUM), event("stats", cpu_s=1.0, bytes_sent=1)) == []


def test_a_dead_agent_is_named() -> None:
    text = sentence(NAMES, 2, event("died", reason="killed"))
    assert text is not None and "agent of h2 died" in text


def test_what_a_dead_agent_had_rerouted_is_back() -> None:
    died = event("died", reason="killed")
    assert len(_told(REROUTED, HIGH, died, HIGH)) == 3


def test_an_agents_second_life_is_told() -> None:
    reroutes = event("restarted", attempt=1, plane="route", plane_reason="")
    assert sentence(NAMES, 2, reroutes) == "the agent of h2 is running again"
    told = sentence(NAMES, 2, replace(reroutes, plane="none", plane_reason="no privilege"))
    assert told == "the agent of h2 is running again, but it cannot reroute traffic: no privilege"
    assert sentence(NAMES, 2, event("restarted", attempt=1)) == "the agent of h2 is running again"
    told = sentence(NAMES, 2, event("given_up", reason="h2: not reached (10 starts)"))
    assert told == "the agent of h2 still does not start; retrying once a minute: h2: not reached (10 starts)"


def test_times_are_those_of_the_report_since_the_programs_start() -> None:
    stream = io.StringIO()
    narrator = Narrator(NAMES, stream)
    narrator.say("agents are up")
    narrator.program_started(1000.0)
    narrator(0, replace(HIGH, t_s=1004.99))
    narrator(0, replace(REROUTED, t_s=1005.04))
    narrator.say("a line of our own", 1006.0)
    assert stream.getvalue().splitlines() == [
        "fairlead: agents are up",
        "fairlead    0.00 s  program started; times here and in the report are seconds since then",
        "fairlead    4.99 s  h0→h1 is congested: 12.3 ms of queueing delay",
        "fairlead    5.04 s  h0→h1 rerouted over h2: 12.3 ms of queue",
        "fairlead    6.00 s  a line of our own",
    ]


def test_quiet_says_nothing() -> None:
    stream = io.StringIO()
    Narrator(NAMES, stream, quiet=True)(0, REROUTED)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("reason", ["stopping", "peer_stopped"])
def test_that_detours_end_with_the_program_goes_without_saying(reason: str) -> None:
    stream = io.StringIO()
    narrator = Narrator(NAMES, stream)
    narrator(0, REROUTED)
    narrator.program_ended()
    narrator(0, replace(RESTORED, reason=reason))
    assert len(stream.getvalue().splitlines()) == 1


def test_a_detour_that_ends_with_a_peer_in_the_middle_of_a_run_is_told() -> None:
    told = _told(REROUTED, replace(RESTORED, reason="peer_stopped"))
    assert told[1] == "h0→h1 back on its direct path: the other host's agent was stopped"
    assert len(_told(REROUTED, replace(RESTORED, reason="stopping"))) == 1


def test_pauses_in_which_a_run_compares_go_without_saying() -> None:
    pause = replace(RESTORED, reason="paused")
    told = _told(REROUTED, pause, HIGH, replace(REROUTED, again=True), HIGH, RESTORED)
    assert told == [
        "h0→h1 rerouted over h2: 12.3 ms of queue",
        "h0→h1 back on its direct path: the direct path has been free of congestion for long enough",
    ]


def test_of_what_reroutes_give_only_their_suspension_is_told() -> None:
    compared = event("benefit", action="compared", reason="faster", ratio=1.4, comparisons=1)
    suspended = event("benefit", action="suspended", reason="reroutes slow the program")
    assert _told(compared, suspended) == ["reroutes slow the program"]


def test_a_program_that_fills_its_own_path_is_nothing_to_tell() -> None:
    kept = event("kept", reason="own_load")
    assert _told(kept) == []
    assert _told(replace(kept, reason="no_candidate")) == ["h0→h1 not rerouted: no other host can relay its traffic"]


def test_it_is_told_how_many_equal_cost_paths_were_measured() -> None:
    assert _told(event("kept", reason="no_better_way: all 3 were measured")) == [
        "h0→h1 not rerouted: none of the other equal-cost paths is sufficiently faster: all 3 were measured"
    ]


def test_migrations_are_told_with_their_reasons() -> None:
    details = {"vm": "h0", "server": "s0", "to": "s1", "reason": "all is slow"}
    said = {
        action: sentence(["h0"], 0, event("migration", action=action, **details))
        for action in ("would", "begins", "moved", "failed", "unknown")
    }
    assert said == {
        "would": "dry run: h0 would be migrated from s0 to s1: all is slow",
        "begins": "h0 is being migrated from s0 to s1: all is slow",
        "moved": "h0 was migrated from s0 to s1 all is slow",
        "failed": "the migration of h0 from s0 to s1 failed: all is slow",
        "unknown": "whether h0 moves from s0 to s1 is not known: all is slow",
    }
