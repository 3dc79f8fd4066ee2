"""What happened in one managed run: congestion, moves, zones, latencies, and what the agents cost."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from fairlead.analysis import characterized
from fairlead.analysis import migrations as recorded_migrations
from fairlead.errors import StoreError
from fairlead.manage import reasons
from fairlead.statistics.estimates import median
from fairlead.store import Event, Run, Store

HostPair = tuple[str, str]

MOVE_KINDS = ("moved", "returned", "stayed")
NOTICED_S = 1.5
"""A path in use that got slow is seen to be so within this time, and so is one that begins to be used."""
SETTLED_S = 0.25
"""The kernel's round trip is a moving average: so long after a change of route it is still the former path's."""
_REMEMBERED = 8  # samples of a pair: one whose value is among these is a connection's that has carried nothing since


@dataclass(frozen=True)
class Move:
    """A decision on the traffic of a directed host pair, at ``t_s`` seconds after the program's start.

    Attributes:
        kind: ``moved``, ``returned`` or ``stayed``.
        relay: the host that the traffic goes over from now on; None unless moved.
        sharing: the job's other pairs that were on the path's bottleneck, and the bit/s that each carried then.
    """

    t_s: float
    kind: str
    pair: HostPair
    relay: str | None
    reason: str
    sharing: tuple[tuple[HostPair, float], ...] = ()


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
    """One run; all times are seconds after the program's start, in order.

    ``latencies`` are of paths while they carried something; ``in_use`` are all pairs that were seen to be used.
    ``congestion`` is what a comparison made; None where nobody knows what others did, as in a run by itself.
    ``relayed`` is what the ranks counted under the relay plane, by name (docs/explanation/relay-plane.md); empty
    without it.
    """

    run: Run
    time_s: float
    congestion: tuple[Congestion, ...] | None
    moves: tuple[Move, ...]
    zones: tuple[ZoneChange, ...]
    latencies: tuple[Latency, ...]
    costs: tuple[AgentCost, ...]
    migrations: tuple[recorded_migrations.Migration, ...] = ()
    relayed: Mapping[str, int] = field(default_factory=dict)
    in_use: frozenset[HostPair] = frozenset()

    def pairs(self) -> list[HostPair]:
        """Pairs that were moved, in the order of their first move; then those that had to stay; then those that were
        slow otherwise."""
        ordered = [move.pair for move in self.moves if move.kind == "moved"]
        ordered += [move.pair for move in self.moves if move.kind == "stayed"]
        ordered += [change.pair for change in self.zones if change.zone == "high" and change.t_s < self.time_s]
        return list(dict.fromkeys(ordered))

    def used(self) -> set[HostPair]:
        """Pairs that the program was seen to use."""
        return {*self.in_use, *(each.pair for each in self.latencies)}

    def zone_spans(self, pair: HostPair) -> list[tuple[float, float, str]]:
        """(from, to, zone) of the pair's direct path over the whole run; low until something else was seen."""
        changes = [(0.0, "low"), *self._zone_changes.get(pair, [])]
        ends = [t_s for t_s, _ in changes[1:]] + [self.time_s]
        spans = [(max(t, 0.0), min(e, self.time_s), zone) for (t, zone), e in zip(changes, ends, strict=True)]
        return [span for span in spans if span[1] > span[0]]

    @cached_property
    def _zone_changes(self) -> dict[HostPair, list[tuple[float, str]]]:
        changes: dict[HostPair, list[tuple[float, str]]] = {}
        for each in self.zones:
            changes.setdefault(each.pair, []).append((each.t_s, each.zone))
        return changes

    def loaded(self, pair: HostPair, t_s: float) -> bool:
        """Whether others loaded the network then: as the comparison made it, else by the zone of the direct path."""
        if self.congestion is not None:
            return any(each.begin_s <= t_s <= each.end_s for each in self.congestion)
        return self._slow_within(pair, t_s, t_s)

    def quiet(self, pair: HostPair, t_s: float) -> bool:
        """Whether nobody loaded the network then; by zones, if the direct path was low for `NOTICED_S` around."""
        if self.congestion is not None:
            return not self.loaded(pair, t_s)
        return not self._slow_within(pair, t_s - NOTICED_S, t_s + NOTICED_S)

    def _slow_within(self, pair: HostPair, begin_s: float, end_s: float) -> bool:
        return any(zone != "low" and begin <= end_s and begin_s < end for begin, end, zone in self.zone_spans(pair))

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
        begins = [each.begin_s for each in self.congestion or ()]
        reactions = []
        for begin_s, next_s in pairwise([*begins, self.time_s]):
            after = [m.t_s for m in self.moves if m.kind == "moved" and begin_s <= m.t_s < next_s]
            reactions += [after[0] - begin_s] if after else []
        return reactions


def read(store: Store, run: Run, time_s: float) -> ManagedRun:
    """The run's events, translated to times after the program's start.

    Raises:
        StoreError: an event lacks what it must have (docs/reference/results.md).
    """
    events = store.events(run.id)
    started = [event.t_s for event in events if event.kind == "started"]
    start_s = started[0] if started else run.started_s
    by_kind: dict[str, list[Event]] = {}
    for event in events:
        by_kind.setdefault(event.kind, []).append(event)
    made = tuple(_congestion(run, event, start_s, time_s) for event in by_kind.get("congestion", []))
    measured = _measured(run, events, start_s)
    moves, zones = _with_deaths(
        [_move(run, e, start_s) for e in events if e.kind in MOVE_KINDS],
        [ZoneChange(e.t_s - start_s, _pair(run, e), _of(run, e, "zone")) for e in by_kind.get("zone", [])],
        [(e.t_s - start_s, str(_of(run, e, "host"))) for e in by_kind.get("died", [])],
    )
    found = ManagedRun(
        run,
        time_s,
        made if run.parent is not None else None,
        tuple(moves),
        tuple(zones),
        tuple(measured),
        tuple(_costs(run, by_kind.get("stats", []), start_s, start_s + time_s)),
        tuple(recorded_migrations.of_event(each, start_s) for each in by_kind.get(recorded_migrations.KIND, [])),
        _relayed(run, by_kind.get("stats", [])),
        frozenset(_pair(run, e) for e in by_kind.get("path_latency", [])),
    )
    probed = [e for e in events if e.kind in ("path_latency", "moved") and e.data.get("relay") is not None]
    quiet_s = _quiet_s(found)
    if any(_pair(run, e) not in quiet_s for e in probed):
        quiet_s = characterized.base_s(store, run) | quiet_s
    every = sorted([*measured, *_direct_while_away(run, probed, quiet_s, start_s)], key=lambda each: each.t_s)
    return replace(found, latencies=tuple(every))


def _measured(run: Run, events: Sequence[Event], start_s: float) -> list[Latency]:
    """What the kernel measured of paths that carried something, on the route that they had.

    A connection that carries nothing keeps its last round trip, be it of the route before.
    """
    changed_s: dict[HostPair, float] = {}
    remembered: dict[HostPair, deque[float]] = {}
    found = []
    for event in events:
        if event.kind in ("moved", "returned"):
            changed_s[_pair(run, event)] = event.t_s
        if event.kind != "path_latency":
            continue
        pair, latency_s = _pair(run, event), float(_of(run, event, "latency_s"))
        values = remembered.setdefault(pair, deque(maxlen=_REMEMBERED))
        again = latency_s in values
        values.append(latency_s)
        settled = event.t_s - changed_s.get(pair, -math.inf) >= SETTLED_S
        if settled and not again and event.data.get("rate_bps") != 0:
            found.append(Latency(event.t_s - start_s, pair, latency_s, event.data.get("relay")))
    return found


def _quiet_s(found: ManagedRun) -> dict[HostPair, float]:
    """Median latency of each pair's direct path while it was quiet."""
    quiet: dict[HostPair, list[float]] = {}
    for each in found.latencies:
        if each.relay is None and found.quiet(each.pair, each.t_s):
            quiet.setdefault(each.pair, []).append(each.latency_s)
    return {pair: median(samples) for pair, samples in quiet.items()}


def _direct_while_away(
    run: Run, probed: Sequence[Event], quiet_s: Mapping[HostPair, float], start_s: float
) -> list[Latency]:
    """Latencies of direct paths that carried no traffic: quiet median plus the queueing delay that their probes saw.

    Events of moved pairs carry ``queue_delay_s``, which is the direct path's whichever path the traffic takes.
    """
    return [
        Latency(e.t_s - start_s, _pair(run, e), quiet_s[_pair(run, e)] + float(e.data["queue_delay_s"]), None)
        for e in probed
        if "queue_delay_s" in e.data and _pair(run, e) in quiet_s
    ]


def _of(run: Run, event: Event, key: str) -> Any:
    if key not in event.data:
        raise StoreError(f"run {run.id}: event {event.kind!r} at {event.t_s:.3f} s has no {key!r}")
    return event.data[key]


def _pair(run: Run, event: Event) -> HostPair:
    return str(_of(run, event, "source")), str(_of(run, event, "destination"))


def _move(run: Run, event: Event, start_s: float) -> Move:
    relay = str(_of(run, event, "relay")) if event.kind == "moved" else None
    pair = _pair(run, event)
    flows = [((str(f["source"]), str(f["destination"])), float(f["rate_bps"])) for f in event.data.get("flows", [])]
    sharing = tuple((other, rate_bps) for other, rate_bps in flows if other != pair)
    return Move(event.t_s - start_s, event.kind, pair, relay, str(event.data.get("reason", "")), sharing)


def _with_deaths(
    moves: Sequence[Move], zones: Sequence[ZoneChange], deaths: Sequence[tuple[float, str]]
) -> tuple[list[Move], list[ZoneChange]]:
    """What a host's agent said ends with it: its guardian takes the routes back, and nobody looks at its paths."""
    every, changes = list(moves), list(zones)
    for died_s, host in deaths:
        theirs = [move for move in every if move.t_s <= died_s and move.pair[0] == host and move.kind != "stayed"]
        last = {move.pair: move.kind for move in sorted(theirs, key=lambda each: each.t_s)}
        every += [Move(died_s, "returned", pair, None, reasons.AGENT_DIED) for pair in last if last[pair] == "moved"]
        seen = [change for change in changes if change.t_s <= died_s and change.pair[0] == host]
        zone = {change.pair: change.zone for change in sorted(seen, key=lambda each: each.t_s)}
        changes += [ZoneChange(died_s, pair, "low") for pair in zone if zone[pair] != "low"]
    return sorted(every, key=lambda each: each.t_s), sorted(changes, key=lambda each: each.t_s)


def _congestion(run: Run, event: Event, start_s: float, time_s: float) -> Congestion:
    end_s = min(float(_of(run, event, "ended_s")) - start_s, time_s)
    return Congestion(max(event.t_s - start_s, 0.0), end_s, str(_of(run, event, "place")))


def _relayed(run: Run, events: Sequence[Event]) -> dict[str, int]:
    """Sums over the hosts of what their ranks counted."""
    said: dict[tuple[str, str], list[float]] = {}
    for event in events:
        if "relay" in event.data:
            for name, number in event.data["relay"]["ranks"].items():
                said.setdefault((str(_of(run, event, "host")), name), []).append(float(number))
    counts: dict[str, int] = {}
    for (_, name), values in said.items():
        counts[name] = counts.get(name, 0) + int(max(values))  # an agent that began anew knows of none at first
    return counts


def _total(values: Sequence[float]) -> float:
    """What a counter has counted that begins again at zero when its agent is started again."""
    return sum((before for before, now in pairwise(values) if now < before), start=values[-1])


def _costs(run: Run, events: Sequence[Event], begin_s: float, end_s: float) -> list[AgentCost]:
    """Growth of each agent's counters over the program's time.

    The counters (``cpu_s``, ``bytes_sent``) are totals since the agent's start and come about every second: the last
    one before the program's start is the zero, an agent's own start where there is none. One that fell is of an agent
    that was started again.
    """
    costs = []
    by_host: dict[str, list[Event]] = {}
    for event in events:
        if event.t_s <= end_s + 1.0:
            by_host.setdefault(str(_of(run, event, "host")), []).append(event)
    for host, said in sorted(by_host.items()):
        before = [event for event in said if event.t_s <= begin_s]
        grown = [
            _total([float(_of(run, event, key)) for event in said])
            - (_total([float(_of(run, event, key)) for event in before]) if before else 0.0)
            for key in ("cpu_s", "bytes_sent")
        ]
        costs.append(AgentCost(host, grown[0], grown[1]))
    return costs
