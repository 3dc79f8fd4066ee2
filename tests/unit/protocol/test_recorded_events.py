"""What agents say, as it is stored and read again: hosts by name, everywhere."""

import math
from pathlib import Path

import pytest

from fairlead.errors import StoreError
from fairlead.protocol import events
from fairlead.protocol.enums import CongestionLevel
from fairlead.protocol.recorded_events import EventRecorder, entries, of_kind, recorded
from fairlead.store import Store

from ..agent_events import event

NAMES = ["h0", "h1", "h2"]
FLOWS = [
    {"source": 2, "destination": 1, "relay": 0, "rate_bps": 1e6},
    {"source": 0, "destination": 1, "relay": None, "rate_bps": 2e6},
]
KEPT = event(
    "kept", t_s=7.0, relay=None, reason="own_load", queue_delay_s=0.01, foreign_share=0.5, present_latency_s=0.02,
    best=2, best_latency_s=0.03, flows=FLOWS,
)  # fmt: skip


def test_hosts_have_their_names() -> None:
    stored = recorded(NAMES, 0, KEPT, 9.0)
    assert stored is not None
    assert (stored.t_s, stored.kind) == (7.0, "kept")
    assert stored.data == {
        "source": "h0", "destination": "h1", "relay": None, "reason": "own_load", "host": "h0",
        "queue_delay_s": 0.01, "foreign_share": 0.5, "present_latency_s": 0.02, "best": "h2", "best_latency_s": 0.03,
        "flows": [{"source": "h2", "destination": "h1", "relay": "h0", "rate_bps": 1e6},
                  {"source": "h0", "destination": "h1", "relay": None, "rate_bps": 2e6}],
    }  # fmt: skip


def test_what_is_for_the_terminal_only() -> None:
    assert recorded(NAMES, 0, event("log", level="error", text="x"), 9.0) is None


def test_a_number_that_is_not_finite_is_null_in_lines_and_stores(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg"})
        EventRecorder(store, run, NAMES)(
            0, event("level_changed", t_s=7.0, congestion_level="high", queue_delay_s=None), 9.0
        )
        assert store.events(run)[0].data["queue_delay_s"] is None
        ((_, _, level),) = of_kind(entries(store, store.run(run), events.LevelChanged), events.LevelChanged)
    assert math.isnan(level.queue_delay_s)


def test_what_has_no_time_has_that_at_which_it_came() -> None:
    stored = recorded(NAMES, 2, event("died", reason="killed"), 9.0)
    assert stored is not None
    assert (stored.t_s, stored.data) == (9.0, {"reason": "killed", "host": "h2"})


def test_what_is_recorded_can_be_read(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg"})
        record = EventRecorder(store, run, NAMES)
        for host, each in (
            (0, KEPT),
            (2, event("level_changed", congestion_level="high", queue_delay_s=0.1, source=2, t_s=8.0)),
        ):
            record(host, each, 9.0)
        store.add_event(run, 8.5, "neighbour_runs", {"instance": 1})  # an evaluation's
        found = list(entries(store, store.run(run), events.Kept, events.LevelChanged))
    assert [(each.t_s, each.host, each.event.TYPE) for each in found] == [
        (7.0, "h0", "kept"),
        (8.0, "h2", "level_changed"),
    ]
    ((_, _, level),) = of_kind(found, events.LevelChanged)
    assert (level.source, level.destination, level.congestion_level) == ("h2", "h1", CongestionLevel.HIGH)
    ((_, _, kept),) = of_kind(found, events.Kept)
    assert [(flow.source, flow.relay) for flow in kept.flows] == [("h2", "h0"), ("h0", None)]


def test_earlier_versions_recorded_less(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg"})
        store.add_event(run, 1.0, "rerouted", {"source": "h0", "destination": "h1", "relay": "h2", "host": "h0"})
        ((_, _, rerouted),) = of_kind(entries(store, store.run(run), events.Rerouted), events.Rerouted)
        assert (rerouted.relay, rerouted.before, rerouted.reason, rerouted.flows) == ("h2", None, "", ())
        assert math.isnan(rerouted.queue_delay_s)
        store.add_event(run, 2.0, "level_changed", {"source": "h0", "destination": "h1", "congestion_level": "purple"})
        with pytest.raises(
            StoreError,
            match=r"run 1: event 'level_changed' at 2.000 s: 'congestion_level' is none of low, medium, high",
        ):
            list(entries(store, store.run(run), events.LevelChanged))
