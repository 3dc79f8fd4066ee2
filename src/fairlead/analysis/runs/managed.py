"""What happened in one managed run: congestion, decisions, congestion levels, latencies, and what the agents cost."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from fairlead.analysis.runs import characterized
from fairlead.analysis.runs import migrations as recorded_migrations
from fairlead.protocol import events, reasons, recorded_events
from fairlead.protocol.recorded_events import Entry, of_kind
from fairlead.statistics.estimates import median
from fairlead.store import Run, Store

HostPair = tuple[str, str]

DECISIONS = (events.Rerouted, events.Restored, events.Kept)
KINDS = (
    *DECISIONS, events.Started, events.Congestion, events.LevelChanged, events.PathLatency, events.Stats,
    events.Migration, events.Died,
)  # fmt: skip
DecisionEvent = events.Rerouted[str] | events.Restored[str] | events.Kept[str]
Stats = tuple[float, str, events.Stats[str]]  # when, of which host
OfPair = DecisionEvent | events.LevelChanged[str] | events.PathLatency[str]

NOTICED_S = 1.5
"""A path in use that got slow is seen to be so within this time, and so is one that begins to be used."""
SETTLED_S = 0.25
"""The kernel's round trip is a moving average: so long after a change of route it is still the former path's."""
_REMEMBERED = 8  # samples of a pair: one whose value is among these is a connection's that has carried nothing since


@dataclass(frozen=True)
class RouteDecision:
    """A decision on the traffic of a directed host pair, at ``t_s`` seconds after the program's start.

    Attributes:
        kind: ``rerouted``, ``restored`` or ``kept``.
        relay: the host that the traffic goes over from now on, the destination itself where it takes another equal-cost
            path; None unless rerouted.
        sharing: the job's other pairs that were on the path's bottleneck, and the bit/s that each carried then.
        by_pause: a pause began or ended, in which the run compared its progress with and without reroutes.
    """

    t_s: float
    kind: str
    pair: HostPair
    relay: str | None
    reason: str
    sharing: tuple[tuple[HostPair, float], ...] = ()
    by_pause: bool = False


@dataclass(frozen=True)
class LevelChange:
    """From ``t_s`` on the pair's direct path was in this level (low, medium, high)."""

    t_s: float
    pair: HostPair
    congestion_level: str


@dataclass(frozen=True)
class Latency:
    """One sample of a path: direct (``relay`` None) or over a relay."""

    t_s: float
    pair: HostPair
    latency_s: float
    relay: str | None


@dataclass(frozen=True)
class CongestionPeriod:
    """Others loaded the network at one of the plan's bottlenecks, from ``begin_s`` to ``end_s``."""

    begin_s: float
    end_s: float
    bottleneck: str


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
    congestion: tuple[CongestionPeriod, ...] | None
    decisions: tuple[RouteDecision, ...]
    levels: tuple[LevelChange, ...]
    latencies: tuple[Latency, ...]
    costs: tuple[AgentCost, ...]
    migrations: tuple[recorded_migrations.MigrationDecision, ...] = ()
    relayed: Mapping[str, int] = field(default_factory=dict)
    in_use: frozenset[HostPair] = frozenset()

    def pairs(self) -> list[HostPair]:
        """Pairs that were rerouted, in the order of their first reroute; then those that were kept; then those that
        were slow otherwise."""
        ordered = [decision.pair for decision in self.decisions if decision.kind == "rerouted"]
        ordered += [decision.pair for decision in self.decisions if decision.kind == "kept"]
        ordered += [
            change.pair for change in self.levels if change.congestion_level == "high" and change.t_s < self.time_s
        ]
        return list(dict.fromkeys(ordered))

    def used(self) -> set[HostPair]:
        """Pairs that the program was seen to use."""
        return self._used

    @cached_property
    def _used(self) -> set[HostPair]:
        return {*self.in_use, *self._latencies}

    def decisions_on(self, pair: HostPair) -> list[RouteDecision]:
        """Those on one pair."""
        return self._decisions.get(pair, [])

    @cached_property
    def _decisions(self) -> dict[HostPair, list[RouteDecision]]:
        found: dict[HostPair, list[RouteDecision]] = {}
        for each in self.decisions:
            found.setdefault(each.pair, []).append(each)
        return found

    def latencies_of(self, pair: HostPair) -> list[Latency]:
        """Those of one pair."""
        return self._latencies.get(pair, [])

    @cached_property
    def _latencies(self) -> dict[HostPair, list[Latency]]:
        found: dict[HostPair, list[Latency]] = {}
        for each in self.latencies:
            found.setdefault(each.pair, []).append(each)
        return found

    def level_spans(self, pair: HostPair) -> list[tuple[float, float, str]]:
        """(from, to, level) of the pair's direct path over the whole run; low until something else was seen."""
        if pair not in self._level_spans:
            changes = [(0.0, "low"), *self._level_changes.get(pair, [])]
            ends = [t_s for t_s, _ in changes[1:]] + [self.time_s]
            spans = [(max(t, 0.0), min(e, self.time_s), level) for (t, level), e in zip(changes, ends, strict=True)]
            self._level_spans[pair] = [span for span in spans if span[1] > span[0]]
        return self._level_spans[pair]

    @cached_property
    def _level_spans(self) -> dict[HostPair, list[tuple[float, float, str]]]:
        return {}

    @cached_property
    def _level_changes(self) -> dict[HostPair, list[tuple[float, str]]]:
        changes: dict[HostPair, list[tuple[float, str]]] = {}
        for each in self.levels:
            changes.setdefault(each.pair, []).append((each.t_s, each.congestion_level))
        return changes

    def loaded(self, pair: HostPair, t_s: float) -> bool:
        """Whether others loaded the network then: as the comparison made it, else by the level of the direct path."""
        if self.congestion is not None:
            return any(each.begin_s <= t_s <= each.end_s for each in self.congestion)
        return self._slow_within(pair, t_s, t_s)

    def quiet(self, pair: HostPair, t_s: float) -> bool:
        """Whether nobody loaded the network then; by levels, if the direct path was low for `NOTICED_S` around."""
        if self.congestion is not None:
            return not self.loaded(pair, t_s)
        return not self._slow_within(pair, t_s - NOTICED_S, t_s + NOTICED_S)

    def _slow_within(self, pair: HostPair, begin_s: float, end_s: float) -> bool:
        return any(level != "low" and begin <= end_s and begin_s < end for begin, end, level in self.level_spans(pair))

    def detours(self, pair: HostPair) -> list[tuple[float, float, str]]:
        """(from, to, relay) while the pair's traffic was away from its direct path."""
        spans: list[tuple[float, float, str]] = []
        begin_s, relay = 0.0, None
        for decision in self.decisions_on(pair):
            if decision.kind == "kept":
                continue
            if relay is not None:
                spans.append((begin_s, decision.t_s, relay))
            begin_s, relay = decision.t_s, decision.relay
        if relay is not None:
            spans.append((begin_s, self.time_s, relay))
        return spans

    def reaction_s(self) -> list[float]:
        """For each beginning of congestion, the time to the first reroute after it; those without one are left out."""
        begins = [each.begin_s for each in self.congestion or ()]
        reactions = []
        for begin_s, next_s in pairwise([*begins, self.time_s]):
            after = [each.t_s for each in self.reroutes() if begin_s <= each.t_s < next_s]
            reactions += [after[0] - begin_s] if after else []
        return reactions

    def reroutes(self) -> list[RouteDecision]:
        """Those that were decided; not those that a pause had interrupted, and that go on after it."""
        return [each for each in self.decisions if each.kind == "rerouted" and not each.by_pause]


def read(store: Store, run: Run, time_s: float) -> ManagedRun:
    """The run's events, translated to times after the program's start.

    Raises:
        StoreError: an event lacks what it must have (docs/reference/agent-protocol.md).
    """
    entries = list(recorded_events.entries(store, run, *KINDS))
    started = [t_s for t_s, *_ in of_kind(entries, events.Started)]
    start_s = started[0] if started else run.started_s
    measured = _measured(entries, start_s)
    decisions, levels = _with_deaths(
        [_decision(e.t_s - start_s, e.event) for e in entries if isinstance(e.event, DECISIONS)],
        [
            LevelChange(t_s - start_s, _pair(each), each.congestion_level)
            for t_s, _, each in of_kind(entries, events.LevelChanged)
        ],
        [(t_s - start_s, host) for t_s, host, _ in of_kind(entries, events.Died)],
    )
    made = [_congestion(t_s, each, start_s, time_s) for t_s, _, each in of_kind(entries, events.Congestion)]
    stats = list(of_kind(entries, events.Stats))
    migrations = (recorded_migrations.of_event(e, t_s - start_s) for t_s, _, e in of_kind(entries, events.Migration))
    found = ManagedRun(
        run,
        time_s,
        tuple(made) if run.parent is not None else None,
        tuple(decisions),
        tuple(levels),
        tuple(measured),
        tuple(_costs(stats, start_s, start_s + time_s)),
        tuple(migrations),
        _relayed(stats),
        frozenset(_pair(each) for *_, each in of_kind(entries, events.PathLatency)),
    )
    quiet_s = _quiet_s(found)
    probed = list(_probed(entries))
    if any(pair not in quiet_s for _, pair, _ in probed):
        quiet_s = characterized.base_s(store, run) | quiet_s
    every = sorted([*measured, *_direct_while_away(probed, quiet_s, start_s)], key=lambda each: each.t_s)
    return replace(found, latencies=tuple(every))


def _measured(entries: Sequence[Entry], start_s: float) -> list[Latency]:
    """What the kernel measured of paths that carried something, on the route that they had.

    A connection that carries nothing keeps its last round trip, be it of the route before.
    """
    changed_s: dict[HostPair, float] = {}
    remembered: dict[HostPair, deque[float]] = {}
    found = []
    for each in entries:
        event = each.event
        if isinstance(event, events.Rerouted | events.Restored):
            changed_s[_pair(event)] = each.t_s
        if not isinstance(event, events.PathLatency):
            continue
        pair = _pair(event)
        values = remembered.setdefault(pair, deque(maxlen=_REMEMBERED))
        again = event.latency_s in values
        values.append(event.latency_s)
        settled = each.t_s - changed_s.get(pair, -math.inf) >= SETTLED_S
        if settled and not again and event.rate_bps != 0:
            found.append(Latency(each.t_s - start_s, pair, event.latency_s, event.relay))
    return found


def _quiet_s(found: ManagedRun) -> dict[HostPair, float]:
    """Median latency of each pair's direct path while it was quiet."""
    quiet: dict[HostPair, list[float]] = {}
    for each in found.latencies:
        if each.relay is None and found.quiet(each.pair, each.t_s):
            quiet.setdefault(each.pair, []).append(each.latency_s)
    return {pair: median(samples) for pair, samples in quiet.items()}


def _probed(entries: Sequence[Entry]) -> Iterator[tuple[float, HostPair, float]]:
    """(time, pair, queueing delay of its direct path by probes) of pairs whose traffic took a relay."""
    for each in entries:
        event = each.event
        if (isinstance(event, events.PathLatency) and event.relay is not None) or (
            isinstance(event, events.Rerouted) and _judged_direct_path(event)
        ):
            yield each.t_s, _pair(event), event.queue_delay_s


def _judged_direct_path(event: events.Rerouted[str]) -> bool:
    """Whether its queueing delay is the direct path's: by hand, and after a pause, nothing was measured; of a pair that
    had a relay already it is that relay's."""
    return event.before is None and not event.manual and not event.again


def _direct_while_away(
    probed: Sequence[tuple[float, HostPair, float]], quiet_s: Mapping[HostPair, float], start_s: float
) -> list[Latency]:
    """Latencies of direct paths that carried no traffic: quiet median plus the queueing delay that their probes saw."""
    return [
        Latency(t_s - start_s, pair, quiet_s[pair] + queue_s, None)
        for t_s, pair, queue_s in probed
        if pair in quiet_s and not math.isnan(queue_s)
    ]


def _pair(event: OfPair) -> HostPair:
    return event.source, event.destination


def _decision(t_s: float, event: DecisionEvent) -> RouteDecision:
    pair = _pair(event)
    flows = () if isinstance(event, events.Restored) else event.flows
    sharing = [((flow.source, flow.destination), flow.rate_bps) for flow in flows]
    relay = event.relay if isinstance(event, events.Rerouted) else None
    others = tuple(each for each in sharing if each[0] != pair)
    by_pause = event.again if isinstance(event, events.Rerouted) else event.reason == reasons.PAUSED
    return RouteDecision(t_s, event.TYPE, pair, relay, event.reason, others, by_pause)


def _with_deaths(
    decisions: Sequence[RouteDecision], levels: Sequence[LevelChange], deaths: Sequence[tuple[float, str]]
) -> tuple[list[RouteDecision], list[LevelChange]]:
    """What a host's agent said ends with it: its guardian takes the routes back, and nobody looks at its paths."""
    every, changes = list(decisions), list(levels)
    for died_s, host in deaths:
        theirs = [
            decision
            for decision in every
            if decision.t_s <= died_s and decision.pair[0] == host and decision.kind != "kept"
        ]
        last = {decision.pair: decision.kind for decision in sorted(theirs, key=lambda each: each.t_s)}
        every += [
            RouteDecision(died_s, "restored", pair, None, reasons.AGENT_DIED)
            for pair in last
            if last[pair] == "rerouted"
        ]
        seen = [change for change in changes if change.t_s <= died_s and change.pair[0] == host]
        level = {change.pair: change.congestion_level for change in sorted(seen, key=lambda each: each.t_s)}
        changes += [LevelChange(died_s, pair, "low") for pair in level if level[pair] != "low"]
    return sorted(every, key=lambda each: each.t_s), sorted(changes, key=lambda each: each.t_s)


def _congestion(t_s: float, event: events.Congestion[str], start_s: float, time_s: float) -> CongestionPeriod:
    return CongestionPeriod(max(t_s - start_s, 0.0), min(event.ended_s - start_s, time_s), str(event.bottleneck))


def _relayed(stats: Sequence[Stats]) -> dict[str, int]:
    """Sums over the hosts of what their ranks counted."""
    said: dict[tuple[str, str], list[int]] = {}
    for _, host, event in stats:
        if event.relay is not None:
            for name, number in event.relay.ranks.to_json().items():
                said.setdefault((host, name), []).append(number)
    counts: dict[str, int] = {}
    for (_, name), values in said.items():
        counts[name] = counts.get(name, 0) + max(values)  # an agent that began anew knows of none at first
    return counts


def _total(values: Sequence[float]) -> float:
    """What a counter has counted that begins again at zero when its agent is started again."""
    return sum((before for before, now in pairwise(values) if now < before), start=values[-1]) if values else 0.0


def _costs(stats: Sequence[Stats], begin_s: float, end_s: float) -> list[AgentCost]:
    """Growth of each agent's counters over the program's time.

    The counters (``cpu_s``, ``bytes_sent``) are totals since the agent's start and come about every second: the last
    one before the program's start is the zero, an agent's own start where there is none. One that fell is of an agent
    that was started again.
    """
    said: dict[str, list[Stats]] = {}
    for each in stats:
        if each[0] <= end_s + 1.0:
            said.setdefault(each[1], []).append(each)

    def grown(theirs: Sequence[Stats], count: Callable[[events.Stats[str]], float]) -> float:
        before = [count(event) for t_s, _, event in theirs if t_s <= begin_s]
        return _total([count(event) for *_, event in theirs]) - _total(before)

    return [
        AgentCost(host, grown(theirs, attrgetter("cpu_s")), grown(theirs, attrgetter("bytes_sent")))
        for host, theirs in sorted(said.items())
    ]
