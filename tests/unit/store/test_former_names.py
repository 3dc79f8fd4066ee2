"""Stores of earlier versions: what they say has its present names for whoever reads them."""

from pathlib import Path

from fairlead.protocol import events
from fairlead.protocol.enums import CongestionLevel
from fairlead.protocol.recorded_events import entries
from fairlead.store import Store

PAIR = {"source": "h0", "destination": "h1", "host": "h0"}


def test_events_of_an_earlier_version_are_those_of_today(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg"})
        store.add_event(run, 1.0, "zone", {**PAIR, "from": "low", "zone": "high", "queue_delay_s": 0.01})
        store.add_event(run, 2.0, "stayed", {**PAIR, "reason": "move_failed: busy"})
        store.add_event(run, 3.0, "moved", {**PAIR, "relay": "h2", "reason": "a queue"})
        store.add_event(run, 4.0, "path_latency", {**PAIR, "latency_s": 1e-3, "zone": "medium"})
        store.add_event(run, 5.0, "returned", {**PAIR, "relay": "h2", "reason": "direct_good"})
        store.add_event(run, 6.0, "congestion", {"place": "leaf0–leaf1", "ended_s": 9.0})
        store.add_event(run, 7.0, "rerouted", {**PAIR, "relay": "h3", "reason": "of this version"})

    with Store.read(tmp_path) as store:
        assert [event.kind for event in store.events(run)] == [
            "level_changed", "kept", "rerouted", "path_latency", "restored", "congestion", "rerouted",
        ]  # fmt: skip
        assert [event.data["relay"] for event in store.events(run, "rerouted")] == ["h2", "h3"]
        kinds = (events.LevelChanged, events.Kept, events.Rerouted, events.PathLatency, events.Restored)
        level, kept, _, latency, restored, _ = (each.event for each in entries(store, store.run(run), *kinds))
        (congestion,) = (each.event for each in entries(store, store.run(run), events.Congestion))
    assert isinstance(level, events.LevelChanged) and level.congestion_level == CongestionLevel.HIGH
    assert isinstance(kept, events.Kept) and kept.reason == "reroute_failed: busy"
    assert isinstance(latency, events.PathLatency) and latency.congestion_level == CongestionLevel.MEDIUM
    assert isinstance(restored, events.Restored) and restored.reason == "direct_good"
    assert isinstance(congestion, events.Congestion) and congestion.bottleneck == "leaf0–leaf1"


def test_plans_of_an_earlier_version_have_the_keys_of_today(tmp_path: Path) -> None:
    streams = [{"kind": "streams", "between": ["leaf0", "leaf1"]}]
    named = {"places": "none", "busy": {"places": streams}}
    with Store.open(tmp_path) as store:
        store.begin_run("comparison", {}, plan={"congestion": {"places": streams, "moves": 1}, "congestions": named})
        store.begin_run("evaluation", {}, plan={"congestion": {"factor": "network", "levels": named}, "places": [1]})
        store.begin_run("measurement", {}, plan={"train_B": 1024, "size_B": 8})
        store.begin_run("run", {}, plan=["cg", "--class", "A"])

    with Store.read(tmp_path) as store:
        first, second, third, fourth = (run.plan for run in store.runs())
    today = {"places": "none", "busy": {"bottlenecks": streams}}
    assert first == {"congestion": {"bottlenecks": streams, "moves": 1}, "congestions": today}
    assert second == {"congestion": {"factor": "network", "levels": today}, "places": [1]}
    assert third == {"bulk_B": 1024, "size_B": 8}
    assert fourth == ["cg", "--class", "A"]
