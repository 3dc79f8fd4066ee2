"""A results store as `fairlead characterize` and `fairlead compare` leave it, synthesised from a seed.

Eight hosts, two on each of four leafs that are joined pairwise; others load the link between two leafs.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.samples import Exchanges, Window
from fairlead.store import Store

HOSTS = tuple(f"h{k}" for k in range(8))
LEAF = {name: k // 2 for k, name in enumerate(HOSTS)}
LINK_BPS = 200e6
SIZES_B = (64, 1024, 65536, 1048576)
FACTS = {
    "software": {"fairlead": "0.1.0", "python": "3.11.2", "mpi": "mpirun (Open MPI) 4.1.4"},
    "here": {"kernel": "6.1.0", "cpu": "Example CPU", "cpus": "2", "congestion_control": "cubic"},
    "hosts": {},
}
SCENARIOS = ("clean", "clean_managed", "congested", "congested_managed")
TIMES_S = {
    "cg": {"clean": 5.0, "clean_managed": 5.03, "congested": 15.2, "congested_managed": 5.8},
    "nbody": {"clean": 8.0, "clean_managed": 8.05, "congested": 21.0, "congested_managed": 9.4},
}
STAGED_S = {
    "cg": {
        "clean": 5.0,
        "congested": 15.2,
        "clean_agents": 5.01,
        "congested_agents": 15.3,
        "clean_detection": 5.03,
        "congested_detection": 15.2,
        "clean_detours": 5.04,
        "congested_detours": 5.9,
    }
}


class Clock:
    """Lets a fixture's runs take their time without waiting for it: the store asks it for the time of day."""

    def __init__(self) -> None:
        self.now_s = 1_760_000_000.0

    def time(self) -> float:
        self.now_s += 0.01
        return self.now_s


@contextmanager
def at(clock: Clock) -> Iterator[None]:
    """Within it, ``time.time`` is the clock's."""
    real = time.time
    time.time = clock.time
    try:
        yield
    finally:
        time.time = real


def characterize(store: Store, clock: Clock, seed: int = 1) -> int:
    """A complete characterization of the eight hosts; returns its run."""
    draw = np.random.default_rng(seed)
    facts = {"hosts": [{"name": name, "address": f"10.64.0.{k + 1}"} for k, name in enumerate(HOSTS)]}
    run = store.begin_run("characterization", {"cluster": "mesh8"}, seed=seed, facts=facts)
    sink = StoreSink(store, run)
    for i in range(8):
        for j in range(i + 1, 8):
            for size in SIZES_B:
                sink.exchanges(_exchanges((i, j), size, draw))
    sink.window(Window.of_all((), (), _delays(draw)))
    for i in range(8):
        for j in range(8):
            if i != j:
                rate_bps = LINK_BPS * draw.uniform(0.93, 0.97)
                sink.window(Window.of_all((((i, j),),), (rate_bps,), _delays(draw, (i, j))))
    clock.now_s += 41.0
    store.finish_run(run)
    return run


def _exchanges(pair: tuple[int, int], size_B: int, draw: np.random.Generator) -> Exchanges:
    hops = 2 if pair[0] // 2 == pair[1] // 2 else 3
    one_way_s = hops * 32e-6 + 8 * size_B / LINK_BPS
    forward_s = one_way_s + draw.gamma(1.5, 4e-6, 30)
    return Exchanges(pair, size_B, forward_s + one_way_s + draw.gamma(1.5, 4e-6, 30), forward_s, 2e-6, True)


def _links(i: int, j: int) -> set[object]:
    """Directed links of a path: the sender's uplink, the link between leafs, the receiver's downlink."""
    between = {("leaf", i // 2, j // 2)} if i // 2 != j // 2 else set()
    return {("up", i), ("down", j)} | between


def _delays(draw: np.random.Generator, injected: tuple[int, int] | None = None) -> np.ndarray:
    delays = np.full((8, 8, 6), np.nan)
    for i in range(8):
        for j in range(8):
            if i == j:
                continue
            queued = injected is not None and bool(_links(i, j) & _links(*injected))
            delays[i, j] = 90e-6 + draw.gamma(1.5, 4e-6, 6) + (draw.uniform(0.012, 0.02, 6) if queued else 0.0)
    return delays


def compare(
    store: Store,
    clock: Clock,
    times_s: dict,
    replications: int = 8,
    seed: int = 7,
    finish: bool = True,
    plan: object = "demo",
) -> int:
    """An experiment with all programs and scenarios of ``times_s``; returns its run."""
    draw = np.random.default_rng(seed)
    experiment = store.begin_run("experiment", {"name": "demo", "cluster": "mesh8"}, plan=plan, seed=seed, facts=FACTS)
    position = 0
    for replication in range(replications):
        block = [(program, scenario) for program in times_s for scenario in times_s[program]]
        draw.shuffle(block)
        drift = draw.lognormal(0, 0.02)
        for program, scenario in block:
            time_s = times_s[program][scenario] * drift * draw.lognormal(0, 0.015)
            labels = {"program": program, "ranks": 8, "scenario": scenario, "replication": replication}
            labels |= {"cluster": "mesh8"}
            run = store.begin_run("run", labels, parent=experiment, plan=position, position=position, facts=FACTS)
            _play(store, clock, run, scenario, time_s, draw)
            position += 1
    if finish:
        store.finish_run(experiment)
    return experiment


def _play(store: Store, clock: Clock, run: int, scenario: str, time_s: float, draw: np.random.Generator) -> None:
    events = play(clock, scenario, time_s, draw)
    for t_s, kind, data in events:
        store.add_event(run, t_s, kind, data)
    clock.now_s = events[0][0] + time_s
    store.add_series(run, "time_s", [time_s], "s")
    store.finish_run(run, "ok", 0)


def play(clock: Clock, scenario: str, time_s: float, draw: np.random.Generator) -> list[tuple[float, str, dict]]:
    """Events of a run that starts now, as (time, kind, data); the first is its start."""
    clock.now_s += 0.6
    start_s = clock.time()
    onset_s = 0.22 * time_s
    half_s = 0.6 * time_s
    events = [(start_s, "started", {})]
    if scenario.startswith("congested"):
        events += [
            (start_s + onset_s, "congestion", {"bottleneck": 0, "ended_s": start_s + half_s}),
            (start_s + half_s, "congestion", {"bottleneck": 1, "ended_s": start_s + time_s}),
        ]
    if "_" in scenario:
        events += _stats(start_s, time_s, draw)
        if scenario in ("congested_managed", "congested_detours"):
            events += _managed(start_s, time_s, ((onset_s, half_s, 0, 1), (half_s, time_s, 2, 3)), draw)
    return events


def _stats(start_s: float, time_s: float, draw: np.random.Generator) -> list[tuple[float, str, dict]]:
    """Counters that grow by 0.2 % of a CPU and 2 kB a second and host, from half a second before the start."""
    return [
        (start_s - 0.5 + t, "stats", {"host": host, "cpu_s": 0.01 + 0.002 * t, "bytes_sent": 500 + 2000 * t})
        for host in HOSTS
        for t in np.arange(0.0, time_s + 0.6, 1.0)
    ]


def _managed(
    start_s: float, time_s: float, episodes: tuple, draw: np.random.Generator
) -> list[tuple[float, str, dict]]:
    events: list[tuple[float, str, dict]] = []
    spans = {}
    for begin_s, end_s, a, b in episodes:
        relays = [h for h in HOSTS if LEAF[h] not in (a, b)]
        for source in HOSTS:
            for destination in HOSTS:
                if {LEAF[source], LEAF[destination]} == {a, b}:
                    relay = str(draw.choice(relays))
                    rerouted_s = begin_s + draw.uniform(0.05, 0.11)
                    back_s = min(end_s + draw.uniform(0.4, 0.6), time_s + 1)
                    spans[source, destination] = (begin_s, end_s, rerouted_s, back_s, relay)
                    pair = {"source": source, "destination": destination}
                    low = {"congestion_level": "low", "queue_delay_s": 1e-5}
                    flows = [pair | {"relay": None, "rate_bps": 60e6},
                             {"source": "h9", "destination": "h8", "relay": None, "rate_bps": 25e6}]  # fmt: skip
                    why = {"queue_delay_s": 9e-3, "reason": "low latency", "flows": flows}
                    events += [
                        (
                            rerouted_s - 0.03,
                            "level_changed",
                            pair | {"congestion_level": "medium", "queue_delay_s": 2e-4},
                        ),
                        (
                            rerouted_s - 0.01,
                            "level_changed",
                            pair | {"congestion_level": "high", "queue_delay_s": 9e-3},
                        ),
                        (rerouted_s, "rerouted", pair | why | {"relay": relay}),
                    ]
                    if back_s < time_s:
                        events += [
                            (end_s + 0.1, "level_changed", pair | low),
                            (back_s, "restored", pair | {"reason": "the direct path stayed good for 0.4 s"}),
                        ]
    events.append((episodes[0][0] + 0.2, "kept", {"source": "h0", "destination": "h1", "reason": "nothing is better"}))
    events += _latencies(time_s, spans, draw)
    return [(start_s + t_s, kind, data) for t_s, kind, data in events]


def _latencies(time_s: float, spans: dict, draw: np.random.Generator) -> list[tuple[float, str, dict]]:
    events = []
    for (source, destination), (begin_s, end_s, rerouted_s, back_s, relay) in spans.items():
        pair = {"source": source, "destination": destination}
        for t_s in np.arange(0.02, time_s, 0.1) + draw.uniform(0, 0.05):
            queue_s = draw.lognormal(np.log(9e-3), 0.25) if begin_s < t_s < end_s else 0.0
            away = rerouted_s < t_s < back_s
            latency_s = (2.1e-4 if away else 95e-6 + queue_s) * draw.lognormal(0, 0.08)
            data = {"latency_s": latency_s, "queue_delay_s": queue_s, "relay": relay if away else None}
            events.append((t_s, "path_latency", pair | data))
    return events


def build(directory: Path, times_s: dict | None = None, replications: int = 8, finish: bool = True) -> int:
    """A whole store: a characterization, then a comparison; returns the experiment."""
    clock = Clock()
    with at(clock), Store.open(directory) as store:
        characterize(store, clock)
        return compare(store, clock, times_s or TIMES_S, replications, finish=finish)
