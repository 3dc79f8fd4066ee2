"""What `fairlead demo` shows of a run: pace, events, and what came of it."""

from pathlib import Path

import pytest

from fairlead import demo
from fairlead.demo import pace
from fairlead.demo.live import Live
from fairlead.demo.pace import Pace, Second
from fairlead.demo.show import Shown
from fairlead.experiment.comparisons import session
from fairlead.protocol import events, reasons
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

NAMES = ("h0", "h1", "h2")


def received(size_B: int) -> events.Communication[int]:
    nothing = dict.fromkeys(("messages", "waits", "dropped", "mismatches"), 0)
    none_s = dict.fromkeys(("waited_s", "known_s", "network_s", "late_sender_s"), 0.0)
    told = event("communication", size_B=size_B, **nothing, **none_s)
    assert isinstance(told, events.Communication)
    return told


def congested() -> AgentEvent:
    return event("level_changed", t_s=100.0, congestion_level="high", queue_delay_s=0.0139)


def shown(congested_s: float, rerouted_s: float) -> Shown:
    return Shown(6.0, congested_s, rerouted_s, 2, 0.5, Path("report.html"))


def test_pace_adds_up_what_hosts_tell_of_a_second() -> None:
    seen = Pace()
    assert seen.take(received(1000), 0.4) == []
    assert seen.take(received(500), 1.2) == []  # of the first second, told late
    assert seen.take(received(250), 1.3) == [Second(1.0, 12_000.0)]
    assert seen.take(received(1), 3.3) == [Second(2.0, 2_000.0), Second(3.0, 0.0)]
    assert seen.seconds == [Second(1.0, 12_000.0), Second(2.0, 2_000.0), Second(3.0, 0.0)]
    assert seen.fastest_bps == 12_000.0
    assert Pace().fastest_bps == 0.0


@pytest.mark.parametrize(("rate_bps", "blocks"), [(0.0, 0), (25e6, 15), (50e6, 30), (80e6, 30)])
def test_a_bar_is_a_share_of_the_full_rate(rate_bps: float, blocks: int) -> None:
    drawn = pace.bar(rate_bps, 50e6)
    assert drawn.count(pace.BAR) == blocks
    assert drawn.index("bit/s") > pace.BAR_WIDTH


def test_a_bar_where_nothing_has_flowed() -> None:
    assert pace.bar(0.0, 0.0).strip() == "0\u00a0bit/s"


def test_a_run_is_told_by_seconds_and_events(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr("fairlead.demo.live.time.time", lambda: now_s)
    said: list[str] = []
    live = Live(NAMES, said.append, full_bps=16_000.0)
    live.start()
    live(0, received(0))
    live(0, congested())  # by the program itself: others are not there yet
    now_s = 102.3
    live(0, received(1000))  # two seconds without a message are over: ranks start
    assert said == []
    live.others_come("leaf0–leaf1")
    live(0, congested())
    live(0, congested())  # told once
    live(0, event("rerouted", t_s=103.0, relay=2, reason="2 ms"))
    now_s = 103.3
    live(0, received(0))
    live(0, event("restored", t_s=104.0, reason=reasons.PEER_STOPPED))
    assert said == [
        "    2.3 s  cross-traffic begins on leaf0–leaf1",
        "    0.0 s  h0→h1 is congested: 13.9 ms of queueing delay",
        "    3.0 s  h0→h1 rerouted over h2: 2 ms",
        f"    3.0 s  {pace.bar(8_000.0, 16_000.0)}",
    ]
    assert live.reroutes == 1


def test_share_of_the_lost_time_that_is_recovered() -> None:
    assert shown(16.0, 8.0).recovered == pytest.approx(0.8)
    assert shown(16.0, 17.0).recovered == pytest.approx(-0.1)
    assert shown(6.0, 6.0).recovered is None


def test_the_plan_that_it_runs_by_is_the_one_that_it_writes(tmp_path: Path) -> None:
    plan = session.read(demo.write(tmp_path)[0])
    (program,) = plan.programs
    assert program.of_length(7).command == ("cg", "--class", "A", "--iterations", "7")
    assert plan.congestion is not None and plan.congestion.bottlenecks[0].between == ("leaf0", "leaf1")  # type: ignore[union-attr]
