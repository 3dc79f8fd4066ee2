"""What happened in one managed run: congestion, moves, zones, latencies, and what the agents cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.errors import StoreError
from fairlead.report.statistics import median
from fairlead.store import Event, Run, Store

HostPair = tuple[str, str]

MOVE_KINDS = ("moved", "returned", "stayed")


@dataclass(frozen=True)
class Move:
    """A decision on the traffic of a directed host pair, at ``t_s`` seconds after the program's start.

    Attributes:
        kind: ``moved``, ``returned`` or ``stayed``.
        relay: the host that the traffic goes over from now on; None unless moved.
    """

    t_s: float
    kind: str
    pair: HostPair
    relay: str | None
    reason: str


@dataclass(frozen=True)
class ZoneChange:
    """From ``t_s`` on the pair's direct path was in this zone (low, medium, high)."""

    t_s: float
    pair: HostPair
    zone: str


@dataclass(frozen=True)
class Latency:
    """One sample of a path: direct (``relay`` None) or over a relay."""

    t_s: float
    pair: HostPair
    latency_s: float
    relay: str | None


@dataclass(frozen=True)
class Congestion:
    """Others loaded the network at one of the plan's places, from ``begin_s`` to ``end_s``."""

    begin_s: float
    end_s: float
    place: str


@dataclass(frozen=True)
class AgentCost:
    """What one host's agent spent during the program."""

    host: str
    cpu_s: float
    sent_B: float


@dataclass(frozen=True)
class ManagedRun:
    """One run; all times are seconds after the program's start, in order."""

    run: Run
    time_s: float
    congestion: tuple[Congestion, ...]
    moves: tuple[Move, ...]
    zones: tuple[ZoneChange, ...]
    latencies: tuple[Latency, ...]
    costs: tuple[AgentCost, ...]

    def pairs(self) -> list[HostPair]:
        """Pairs that were moved, in the order of their first move; then those that had to stay."""
        ordered = [move for move in self.moves if move.kind == "moved"]
        ordered += [move for move in self.moves if move.kind == "stayed"]
        return list(dict.fromkeys(move.pair for move in ordered))

    def detours(self, pair: HostPair) -> list[tuple[float, float, str]]:
        """(from, to, relay) while the pair's traffic was away from its direct path."""
        spans: list[tuple[float, float, str]] = []
        begin_s, relay = 0.0, None
        for move in self.moves:
            if move.pair != pair or move.kind == "stayed":
                continue
            if relay is not None:
                spans.append((begin_s, move.t_s, relay))
            begin_s, relay = move.t_s, move.relay
        if relay is not None:
            spans.append((begin_s, self.time_s, relay))
        return spans

    def reaction_s(self) -> list[float]:
        """For each beginning of congestion, the time to the first move after it; those without one are left out."""
        begins = [each.begin_s for each in self.congestion]
        reactions = []
        for begin_s, next_s in zip(begins, [*begins[1:], self.time_s], strict=True):
            after = [m.t_s for m in self.moves if m.kind == "moved" and begin_s <= m.t_s < next_s]
            reactions += [after[0] - begin_s] if after else []
        return reactions


def read(store: Store, run: Run, time_s: float) -> ManagedRun:
    """The run's events, translated to times after the program's start.

    Raises:
        StoreError: an event lacks what it must have (docs/results.md).
    """
    events = store.events(run.id)
    started = [event.t_s for event in events if event.kind == "started"]
    start_s = started[0] if started else run.started_s
    by_kind: dict[str, list[Event]] = {}
    for event in events:
        by_kind.setdefault(event.kind, []).append(event)
    congestion = tuple(_congestion(run, event, start_s, time_s) for event in by_kind.get("congestion", []))
    measured = [
        Latency(e.t_s - start_s, _pair(run, e), float(_of(run, e, "latency_s")), e.data.get("relay"))
        for e in by_kind.get("path_latency", [])
    ]
    probed = [e for e in events if e.kind in ("path_latency", "moved") and e.data.get("relay") is not None]
    derived = _direct_while_away(run, probed, measured, congestion, start_s)
    return ManagedRun(
        run,
        time_s,
        congestion,
        tuple(_move(run, e, start_s) for e in events if e.kind in MOVE_KINDS),
        tuple(ZoneChange(e.t_s - start_s, _pair(run, e), _of(run, e, "zone")) for e in by_kind.get("zone", [])),
        tuple(sorted([*measured, *derived], key=lambda each: each.t_s)),
        tuple(_costs(run, by_kind.get("stats", []), start_s, start_s + time_s)),
    )


def _direct_while_away(
    run: Run, probed: Sequence[Event], measured: Sequence[Latency], congestion: Sequence[Congestion], start_s: float
) -> list[Latency]:
    """Latencies of direct paths that carried no traffic: quiet median plus the queueing delay that their probes saw.

    Events of moved pairs carry ``queue_delay_s``, which is the direct path's whichever path the traffic takes.
    """
    quiet: dict[HostPair, list[float]] = {}
    for each in measured:
        if each.relay is None and not any(c.begin_s <= each.t_s <= c.end_s for c in congestion):
            quiet.setdefault(each.pair, []).append(each.latency_s)
    return [
        Latency(e.t_s - start_s, _pair(run, e), median(quiet[_pair(run, e)]) + float(e.data["queue_delay_s"]), None)
        for e in probed
        if "queue_delay_s" in e.data and _pair(run, e) in quiet
    ]


def _of(run: Run, event: Event, key: str) -> Any:
    if key not in event.data:
        raise StoreError(f"run {run.id}: event {event.kind!r} at {event.t_s:.3f} s has no {key!r}")
    return event.data[key]


def _pair(run: Run, event: Event) -> HostPair:
    return str(_of(run, event, "source")), str(_of(run, event, "destination"))


def _move(run: Run, event: Event, start_s: float) -> Move:
    relay = str(_of(run, event, "relay")) if event.kind == "moved" else None
    return Move(event.t_s - start_s, event.kind, _pair(run, event), relay, str(event.data.get("reason", "")))


def _congestion(run: Run, event: Event, start_s: float, time_s: float) -> Congestion:
    end_s = min(float(_of(run, event, "ended_s")) - start_s, time_s)
    return Congestion(max(event.t_s - start_s, 0.0), end_s, str(_of(run, event, "place")))


def _costs(run: Run, events: Sequence[Event], begin_s: float, end_s: float) -> list[AgentCost]:
    """Growth of each agent's counters over the program's time.

    The counters (``cpu_s``, ``bytes_sent``) are totals since the agent's start and come about every second: the last
    one before the program's start is the zero, an agent's own start where there is none.
    """
    costs = []
    by_host: dict[str, list[Event]] = {}
    for event in events:
        if event.t_s <= end_s + 1.0:
            by_host.setdefault(str(_of(run, event, "host")), []).append(event)
    for host, said in sorted(by_host.items()):
        before = [event for event in said if event.t_s <= begin_s]
        grown = [
            float(_of(run, said[-1], key)) - (float(_of(run, before[-1], key)) if before else 0.0)
            for key in ("cpu_s", "bytes_sent")
        ]
        costs.append(AgentCost(host, grown[0], grown[1]))
    return costs
