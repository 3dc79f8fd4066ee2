# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""Events of agents, and those that the supervisor adds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead.protocol import enums
from fairlead.protocol.fields import (
    Fields,
    HostT,
    anything,
    by_text,
    choice,
    flag,
    many,
    real,
    text,
    whole,
)
from fairlead.protocol.messages import Event
from fairlead.protocol.objects import Flow, OutweighedPair, PeerClock, RankPair, RelayCounts, RemovedItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChanged(Event[HostT]):
    """A directed path changed its congestion level.

    Attributes:
        source: the path.
        destination: the path.
        from_: level before.
        congestion_level: level now.
        queue_delay_s: queueing delay that the level was judged by.
    """

    TYPE: ClassVar[str] = "level_changed"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    from_: enums.CongestionLevel
    congestion_level: enums.CongestionLevel
    queue_delay_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "LevelChanged[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            from_=fields.one("from", choice(enums.CongestionLevel), enums.CongestionLevel.LOW),
            congestion_level=fields.one("congestion_level", choice(enums.CongestionLevel)),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "from": self.from_,
            "congestion_level": self.congestion_level,
            "queue_delay_s": self.queue_delay_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerouted(Event[HostT]):
    """A pair was rerouted, or moved to another relay or [equal-cost path](../explanation/equal-cost-paths.md).

    Attributes:
        source: the pair.
        destination: the pair.
        relay: relay of its traffic now; the destination: another equal-cost path.
        before: its previous relay, likewise.
        manual: on command.
        ahead: before the pair's next use, predicted from the program's pattern.
        again: after a `pause`, as before it; its figures are 0.
        reason: a sentence for the terminal.
        queue_delay_s: queueing delay of the previous path.
        foreign_share: share of the queue that is not the job's own, 0 to 1; 0 where only the connections met it.
        present_latency_s: expected latency of the pair's messages on the previous path.
        detour_latency_s: the same over the relay or equal-cost path.
        suspected_t_s: when the sockets, a notice or the pattern raised the suspicion.
        confirmed_t_s: when the search had judged the queue.
        decided_t_s: when the route was requested; `t_s`: when it was acknowledged.
        flows: up to 16 of the job's pairs on the bottleneck, largest first.
    """

    TYPE: ClassVar[str] = "rerouted"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    relay: HostT
    before: HostT | None
    manual: bool
    ahead: bool
    again: bool
    reason: str
    queue_delay_s: float
    foreign_share: float
    present_latency_s: float
    detour_latency_s: float
    suspected_t_s: float
    confirmed_t_s: float
    decided_t_s: float
    flows: tuple[Flow[HostT], ...]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Rerouted[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            relay=fields.one("relay", fields.host),
            before=fields.nullable("before", fields.host, None),
            manual=fields.one("manual", flag, False),
            ahead=fields.one("ahead", flag, False),
            again=fields.one("again", flag, False),
            reason=fields.one("reason", text, ""),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
            foreign_share=fields.one("foreign_share", real, math.nan),
            present_latency_s=fields.one("present_latency_s", real, math.nan),
            detour_latency_s=fields.one("detour_latency_s", real, math.nan),
            suspected_t_s=fields.one("suspected_t_s", real, math.nan),
            confirmed_t_s=fields.one("confirmed_t_s", real, math.nan),
            decided_t_s=fields.one("decided_t_s", real, math.nan),
            flows=fields.one("flows", many(fields.within(Flow.read)), ()),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "relay": host(self.relay),
            "before": None if self.before is None else host(self.before),
            "manual": self.manual,
            "ahead": self.ahead,
            "again": self.again,
            "reason": self.reason,
            "queue_delay_s": self.queue_delay_s,
            "foreign_share": self.foreign_share,
            "present_latency_s": self.present_latency_s,
            "detour_latency_s": self.detour_latency_s,
            "suspected_t_s": self.suspected_t_s,
            "confirmed_t_s": self.confirmed_t_s,
            "decided_t_s": self.decided_t_s,
            "flows": [each.to_json(host) for each in self.flows],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(Event[HostT]):
    """A pair is on its direct path again.

    Attributes:
        source: the pair.
        destination: the pair.
        relay: its previous relay, as in `rerouted`.
        reason: see below.
        queue_delay_s: of the direct path.
        away_s: time for which it was rerouted.
    """

    TYPE: ClassVar[str] = "restored"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    relay: HostT | None
    reason: str
    queue_delay_s: float
    away_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Restored[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            relay=fields.nullable("relay", fields.host, None),
            reason=fields.one("reason", text, ""),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
            away_s=fields.one("away_s", real, math.nan),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "relay": None if self.relay is None else host(self.relay),
            "reason": self.reason,
            "queue_delay_s": self.queue_delay_s,
            "away_s": self.away_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(Event[HostT]):
    """A search kept a pair on its path; for the same reason at most every 5 s.

    Attributes:
        source: the pair.
        destination: the pair.
        relay: relay of its traffic, as in `rerouted`.
        reason: see below; after a colon, `reroute_failed` has the guardian's message, `no_better_way` how many paths
            were measured.
        queue_delay_s: as in `rerouted`; 0 where not measured.
        foreign_share: as in `rerouted`; 0 where not measured.
        present_latency_s: as in `rerouted`; 0 where not measured.
        best: fastest relay measured, as in `rerouted`.
        best_latency_s: expected latency over it.
        flows: as in `rerouted`.
    """

    TYPE: ClassVar[str] = "kept"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    relay: HostT | None
    reason: str
    queue_delay_s: float
    foreign_share: float
    present_latency_s: float
    best: HostT | None
    best_latency_s: float
    flows: tuple[Flow[HostT], ...]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Kept[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            relay=fields.nullable("relay", fields.host, None),
            reason=fields.one("reason", text, ""),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
            foreign_share=fields.one("foreign_share", real, math.nan),
            present_latency_s=fields.one("present_latency_s", real, math.nan),
            best=fields.nullable("best", fields.host, None),
            best_latency_s=fields.one("best_latency_s", real, math.nan),
            flows=fields.one("flows", many(fields.within(Flow.read)), ()),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "relay": None if self.relay is None else host(self.relay),
            "reason": self.reason,
            "queue_delay_s": self.queue_delay_s,
            "foreign_share": self.foreign_share,
            "present_latency_s": self.present_latency_s,
            "best": None if self.best is None else host(self.best),
            "best_latency_s": self.best_latency_s,
            "flows": [each.to_json(host) for each in self.flows],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event[HostT]):
    """Another agent reported congestion on a path from this host.

    Attributes:
        from_: host that sent it.
        source: the congested path.
        destination: the congested path.
        congestion_level: its level as the sender saw it.
        queue_delay_s: its queueing delay as the sender saw it.
    """

    TYPE: ClassVar[str] = "notice"
    STORED: ClassVar[bool] = True

    from_: HostT
    source: HostT
    destination: HostT
    congestion_level: enums.CongestionLevel
    queue_delay_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Notice[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            from_=fields.one("from", fields.host),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            congestion_level=fields.one("congestion_level", choice(enums.CongestionLevel), enums.CongestionLevel.LOW),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "from": host(self.from_),
            "source": host(self.source),
            "destination": host(self.destination),
            "congestion_level": self.congestion_level,
            "queue_delay_s": self.queue_delay_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseShifted(Event[HostT]):
    """A lasting change of latency became the new baseline.

    Attributes:
        source: the path.
        destination: the path.
        from_s: previous latency of the smallest message.
        to_s: its latency now.
    """

    TYPE: ClassVar[str] = "base_shifted"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    from_s: float
    to_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "BaseShifted[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            from_s=fields.one("from_s", real, math.nan),
            to_s=fields.one("to_s", real, math.nan),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "from_s": self.from_s,
            "to_s": self.to_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseLearnt(Event[HostT]):
    """The baseline of a path is known, or fell; with `learn` only.

    Attributes:
        source: the path.
        destination: the path.
        latency_s: its baseline.
        hidden_s: by how much the fastest probe exceeded it.
        link_bps: highest rate at which the program sent from this host; None: not yet known.
    """

    TYPE: ClassVar[str] = "base_learnt"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    latency_s: float
    hidden_s: float
    link_bps: float | None

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "BaseLearnt[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            latency_s=fields.one("latency_s", real),
            hidden_s=fields.one("hidden_s", real, math.nan),
            link_bps=fields.nullable("link_bps", real, None),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "latency_s": self.latency_s,
            "hidden_s": self.hidden_s,
            "link_bps": self.link_bps,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLatency(Event[HostT]):
    """Every second for each pair in use, every 0.25 s for those that are congested or rerouted; with `manage` only.

    Attributes:
        source: the pair.
        destination: the pair.
        relay: relay of its traffic, as in `rerouted`.
        latency_s: half the smoothed round trip of its connections.
        queue_delay_s: of the direct path, by probes.
        rate_bps: acknowledged rate of the pair.
        congestion_level: level of the direct path.
    """

    TYPE: ClassVar[str] = "path_latency"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    relay: HostT | None
    latency_s: float
    queue_delay_s: float
    rate_bps: float
    congestion_level: enums.CongestionLevel

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "PathLatency[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            relay=fields.nullable("relay", fields.host, None),
            latency_s=fields.one("latency_s", real),
            queue_delay_s=fields.one("queue_delay_s", real, math.nan),
            rate_bps=fields.one("rate_bps", real, math.nan),
            congestion_level=fields.one("congestion_level", choice(enums.CongestionLevel), enums.CongestionLevel.LOW),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "relay": None if self.relay is None else host(self.relay),
            "latency_s": self.latency_s,
            "queue_delay_s": self.queue_delay_s,
            "rate_bps": self.rate_bps,
            "congestion_level": self.congestion_level,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Communication(Event[HostT]):
    """Messages that ranks of this host received from ranks of `source` within one second.

    Attributes:
        source: host of the senders.
        destination: this host.
        messages: number of messages.
        size_B: their bytes.
        waits: calls that waited.
        waited_s: total time that they waited.
        known_s: the part for which the sender's end is known.
        network_s: the part of `known_s` after the message was sent.
        late_sender_s: the part of `known_s` before the message was sent.
        joined: messages whose two ends were joined, at most 512.
        latency_median_s: of these; absent if there are none.
        latency_max_s: of these; absent if there are none.
        clock_error_s: largest error bound of their clocks; absent if there are none.
        dropped: records that this host's ranks have dropped since their start.
        mismatches: messages whose two ends do not match, since the start.
    """

    TYPE: ClassVar[str] = "communication"
    STORED: ClassVar[bool] = True

    source: HostT
    destination: HostT
    messages: int
    size_B: int
    waits: int
    waited_s: float
    known_s: float
    network_s: float
    late_sender_s: float
    joined: int
    latency_median_s: float | None = None
    latency_max_s: float | None = None
    clock_error_s: float | None = None
    dropped: int
    mismatches: int

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Communication[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            messages=fields.one("messages", whole),
            size_B=fields.one("size_B", whole),
            waits=fields.one("waits", whole),
            waited_s=fields.one("waited_s", real),
            known_s=fields.one("known_s", real),
            network_s=fields.one("network_s", real),
            late_sender_s=fields.one("late_sender_s", real),
            joined=fields.one("joined", whole, 0),
            latency_median_s=fields.optional("latency_median_s", real),
            latency_max_s=fields.optional("latency_max_s", real),
            clock_error_s=fields.optional("clock_error_s", real),
            dropped=fields.one("dropped", whole),
            mismatches=fields.one("mismatches", whole),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        written: dict[str, Any] = {
            "source": host(self.source),
            "destination": host(self.destination),
            "messages": self.messages,
            "size_B": self.size_B,
            "waits": self.waits,
            "waited_s": self.waited_s,
            "known_s": self.known_s,
            "network_s": self.network_s,
            "late_sender_s": self.late_sender_s,
            "joined": self.joined,
            "dropped": self.dropped,
            "mismatches": self.mismatches,
        }
        if self.latency_median_s is not None:
            written["latency_median_s"] = self.latency_median_s
        if self.latency_max_s is not None:
            written["latency_max_s"] = self.latency_max_s
        if self.clock_error_s is not None:
            written["clock_error_s"] = self.clock_error_s
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPairs(Event[HostT]):
    """Messages that ranks of this host received, by pair of ranks.

    Attributes:
        destination: this host.
        span_s: time since the previous report.
        pairs: at most 256, those with most bytes first; the rest follow in the next report.
    """

    TYPE: ClassVar[str] = "rank_pairs"
    STORED: ClassVar[bool] = True

    destination: HostT
    span_s: float
    pairs: tuple[RankPair[HostT], ...]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "RankPairs[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            destination=fields.one("destination", fields.host),
            span_s=fields.one("span_s", real),
            pairs=fields.one("pairs", many(fields.within(RankPair.read))),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "destination": host(self.destination),
            "span_s": self.span_s,
            "pairs": [each.to_json(host) for each in self.pairs],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(Event[HostT]):
    """Every 5 s.

    Attributes:
        peers: by host; if there are more than 16, those that the program communicates with.
    """

    TYPE: ClassVar[str] = "clock"
    STORED: ClassVar[bool] = True

    peers: tuple[PeerClock, ...]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Clock[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            peers=fields.one("peers", many(fields.within(PeerClock.read)), ()),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "peers": [each.to_json() for each in self.peers],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Event[HostT]):
    """Totals since the agent's start, unless noted.

    Attributes:
        cpu_s: processor time of the agent.
        rss_B: its resident memory now.
        packets_sent: datagrams to other agents.
        bytes_sent: their bytes, in B.
        send_failures: datagrams that could not be sent.
        probes_sent: probes among them.
        pairs_in_use: pairs from this host that carry the job's bytes now.
        events_dropped: lines that were not read in time.
        relay: relay plane only.
    """

    TYPE: ClassVar[str] = "stats"
    STORED: ClassVar[bool] = True

    cpu_s: float
    rss_B: int
    packets_sent: int
    bytes_sent: int
    send_failures: int
    probes_sent: int
    pairs_in_use: int
    events_dropped: int
    relay: RelayCounts | None = None

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Stats[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            cpu_s=fields.one("cpu_s", real),
            rss_B=fields.one("rss_B", whole, 0),
            packets_sent=fields.one("packets_sent", whole, 0),
            bytes_sent=fields.one("bytes_sent", whole),
            send_failures=fields.one("send_failures", whole, 0),
            probes_sent=fields.one("probes_sent", whole, 0),
            pairs_in_use=fields.one("pairs_in_use", whole, 0),
            events_dropped=fields.one("events_dropped", whole, 0),
            relay=fields.optional("relay", fields.within(RelayCounts.read)),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        written: dict[str, Any] = {
            "cpu_s": self.cpu_s,
            "rss_B": self.rss_B,
            "packets_sent": self.packets_sent,
            "bytes_sent": self.bytes_sent,
            "send_failures": self.send_failures,
            "probes_sent": self.probes_sent,
            "pairs_in_use": self.pairs_in_use,
            "events_dropped": self.events_dropped,
        }
        if self.relay is not None:
            written["relay"] = self.relay.to_json()
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected(Event[HostT]):
    """Datagrams or connections were refused; at most once a second.

    Attributes:
        count: `datagrams` plus `connections`.
        datagrams: how many were refused since the last report.
        connections: how many were refused since the last report.
        reasons: number by reason.
    """

    TYPE: ClassVar[str] = "rejected"
    STORED: ClassVar[bool] = True

    count: int
    datagrams: int
    connections: int
    reasons: Mapping[str, int]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Rejected[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            count=fields.one("count", whole, 0),
            datagrams=fields.one("datagrams", whole, 0),
            connections=fields.one("connections", whole, 0),
            reasons=fields.one("reasons", by_text(whole), {}),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "count": self.count,
            "datagrams": self.datagrams,
            "connections": self.connections,
            "reasons": dict(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneLost(Event[HostT]):
    """The agent treats all its pairs as restored and continues probing.

    Attributes:
        reason: how the guardian ended.
    """

    TYPE: ClassVar[str] = "plane_lost"
    STORED: ClassVar[bool] = True

    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "PlaneLost[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Event[HostT]):
    """The user or a developer should know something.

    Attributes:
        level: `warning` or `error`.
        text: a sentence.
    """

    TYPE: ClassVar[str] = "log"
    STORED: ClassVar[bool] = False

    level: enums.LogLevel
    text: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Log[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            level=fields.one("level", choice(enums.LogLevel)),
            text=fields.one("text", text),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "level": self.level,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Died(Event[HostT]):
    """An agent ended without `stop`.

    Attributes:
        reason: how it ended.
    """

    TYPE: ClassVar[str] = "died"
    STORED: ClassVar[bool] = True

    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Died[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStarted(Event[HostT]):
    """An agent could not be started with the others; the run continues without its host, and the start is retried.

    Attributes:
        reason: what was wrong.
    """

    TYPE: ClassVar[str] = "not_started"
    STORED: ClassVar[bool] = True

    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "NotStarted[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(Event[HostT]):
    """An agent was started again.

    Attributes:
        attempt: number of consecutive starts, including this one.
        plane: as in `ready`; if the run has a plane.
        plane_reason: as in `ready`; if the run has a plane.
    """

    TYPE: ClassVar[str] = "restarted"
    STORED: ClassVar[bool] = True

    attempt: int
    plane: str | None = None
    plane_reason: str | None = None

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Restarted[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            attempt=fields.one("attempt", whole, 0),
            plane=fields.optional("plane", text),
            plane_reason=fields.optional("plane_reason", text),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        written: dict[str, Any] = {
            "attempt": self.attempt,
        }
        if self.plane is not None:
            written["plane"] = self.plane
        if self.plane_reason is not None:
            written["plane_reason"] = self.plane_reason
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp(Event[HostT]):
    """Ten consecutive starts failed; from then on there is one attempt per minute.

    Attributes:
        reason: why the last start failed.
    """

    TYPE: ClassVar[str] = "given_up"
    STORED: ClassVar[bool] = True

    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "GivenUp[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Port(Event[HostT]):
    """An agent took another port, as the first was in use.

    Attributes:
        taken: ports that were in use.
        port: the agent's port.
    """

    TYPE: ClassVar[str] = "port"
    STORED: ClassVar[bool] = True

    taken: tuple[int, ...]
    port: int

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Port[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            taken=fields.one("taken", many(whole), ()),
            port=fields.one("port", whole, 0),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "taken": list(self.taken),
            "port": self.port,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane(Event[HostT]):
    """A host cannot reroute traffic, as its `ready` showed.

    Attributes:
        plane: `none`.
        reason: why.
    """

    TYPE: ClassVar[str] = "plane"
    STORED: ClassVar[bool] = True

    plane: str
    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Plane[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            plane=fields.one("plane", text, ""),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "plane": self.plane,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneCleaned(Event[HostT]):
    """Kernel state of a killed guardian was removed.

    Attributes:
        removed: what was removed.
    """

    TYPE: ClassVar[str] = "plane_cleaned"
    STORED: ClassVar[bool] = True

    removed: tuple[RemovedItem, ...]

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "PlaneCleaned[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            removed=fields.one("removed", many(fields.within(RemovedItem.read)), ()),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "removed": [each.to_json() for each in self.removed],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Event[HostT]):
    """Kernel state could not be removed, or events were dropped because their readers are too slow.

    Attributes:
        reason: a sentence.
    """

    TYPE: ClassVar[str] = "error"
    STORED: ClassVar[bool] = True

    reason: str

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Error[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            reason=fields.one("reason", text, ""),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration(Event[HostT]):
    """A [migration](../guides/migration.md) was decided on, began or ended.

    Attributes:
        action: see below.
        vm: the machine.
        reason: a sentence, or the end of one.
        server: where the machine is, or was.
        to: server that it moves to.
        expected_s: how long the copy should take.
        cost_s: time that the program loses by it.
        time_s: how long it took.
        paused_s: time for which the machine was paused, if the cloud reports it.
        copied_B: bytes copied, if the cloud reports it.
        round_trips_s: median round trip to each other host afterwards.
    """

    TYPE: ClassVar[str] = "migration"
    STORED: ClassVar[bool] = True

    action: enums.MigrationAction
    vm: str | None
    reason: str
    server: str | None = None
    to: str | None = None
    expected_s: float | None = None
    cost_s: float | None = None
    time_s: float | None = None
    paused_s: float | None = None
    copied_B: int | None = None
    round_trips_s: Mapping[str, float] | None = None

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Migration[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            action=fields.one("action", choice(enums.MigrationAction)),
            vm=fields.nullable("vm", text, None),
            reason=fields.one("reason", text, ""),
            server=fields.optional("server", text),
            to=fields.optional("to", text),
            expected_s=fields.optional("expected_s", real),
            cost_s=fields.optional("cost_s", real),
            time_s=fields.optional("time_s", real),
            paused_s=fields.optional("paused_s", real),
            copied_B=fields.optional("copied_B", whole),
            round_trips_s=fields.optional("round_trips_s", by_text(real)),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        written: dict[str, Any] = {
            "action": self.action,
            "vm": self.vm,
            "reason": self.reason,
        }
        if self.server is not None:
            written["server"] = self.server
        if self.to is not None:
            written["to"] = self.to
        if self.expected_s is not None:
            written["expected_s"] = self.expected_s
        if self.cost_s is not None:
            written["cost_s"] = self.cost_s
        if self.time_s is not None:
            written["time_s"] = self.time_s
        if self.paused_s is not None:
            written["paused_s"] = self.paused_s
        if self.copied_B is not None:
            written["copied_B"] = self.copied_B
        if self.round_trips_s is not None:
            written["round_trips_s"] = dict(self.round_trips_s)
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Benefit(Event[HostT]):
    """The [benefit of reroutes](../explanation/benefit.md) was measured, or followed from: about every 10 s while
    traffic is rerouted, more rarely once it is clear.

    Attributes:
        action: see below.
        reason: a sentence for the terminal.
        with_bps: the program's traffic with reroutes, at this comparison.
        without_bps: the same without.
        ratio: their ratio, the geometric mean of `comparisons`.
        low: lower end of its 90 % interval; absent with one comparison.
        high: upper end.
        comparisons: how many comparisons these figures rest on.
    """

    TYPE: ClassVar[str] = "benefit"
    STORED: ClassVar[bool] = True

    action: enums.BenefitAction
    reason: str
    with_bps: float | None = None
    without_bps: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    comparisons: int | None = None

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Benefit[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            action=fields.one("action", choice(enums.BenefitAction)),
            reason=fields.one("reason", text, ""),
            with_bps=fields.optional("with_bps", real),
            without_bps=fields.optional("without_bps", real),
            ratio=fields.optional("ratio", real),
            low=fields.optional("low", real),
            high=fields.optional("high", real),
            comparisons=fields.optional("comparisons", whole),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        written: dict[str, Any] = {
            "action": self.action,
            "reason": self.reason,
        }
        if self.with_bps is not None:
            written["with_bps"] = self.with_bps
        if self.without_bps is not None:
            written["without_bps"] = self.without_bps
        if self.ratio is not None:
            written["ratio"] = self.ratio
        if self.low is not None:
            written["low"] = self.low
        if self.high is not None:
            written["high"] = self.high
        if self.comparisons is not None:
            written["comparisons"] = self.comparisons
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Mitigation(Event[HostT]):
    """Advice to the user.

    Attributes:
        remedy: what may help.
        reason: a sentence for the terminal.
        observed_s: how long the program was observed.
        cost_s_per_min: time per minute that a rank waits for these pairs' transmissions, averaged over all ranks, in s
            per min.
        saving_s_per_min: estimated saving with another placement; None: unknown, in s per min.
        host_of_rank: that placement, in rank order; empty: no better one is known.
        pairs: at most 16, the longest transmission first.
        all_pairs: number of all such pairs.
        paths_left_out: paths excluded while they were congested, unless clearly by the program itself.
    """

    TYPE: ClassVar[str] = "mitigation"
    STORED: ClassVar[bool] = True

    remedy: enums.Remedy
    reason: str
    observed_s: float
    cost_s_per_min: float
    saving_s_per_min: float | None
    host_of_rank: tuple[str, ...]
    pairs: tuple[OutweighedPair[HostT], ...]
    all_pairs: int
    paths_left_out: int

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Mitigation[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            remedy=fields.one("remedy", choice(enums.Remedy)),
            reason=fields.one("reason", text, ""),
            observed_s=fields.one("observed_s", real),
            cost_s_per_min=fields.one("cost_s_per_min", real),
            saving_s_per_min=fields.nullable("saving_s_per_min", real, None),
            host_of_rank=fields.one("host_of_rank", many(text), ()),
            pairs=fields.one("pairs", many(fields.within(OutweighedPair.read)), ()),
            all_pairs=fields.one("all_pairs", whole, 0),
            paths_left_out=fields.one("paths_left_out", whole, 0),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "remedy": self.remedy,
            "reason": self.reason,
            "observed_s": self.observed_s,
            "cost_s_per_min": self.cost_s_per_min,
            "saving_s_per_min": self.saving_s_per_min,
            "host_of_rank": list(self.host_of_rank),
            "pairs": [each.to_json(host) for each in self.pairs],
            "all_pairs": self.all_pairs,
            "paths_left_out": self.paths_left_out,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Event[HostT]):
    """The program began."""

    TYPE: ClassVar[str] = "started"
    STORED: ClassVar[bool] = True

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Started[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Congestion(Event[HostT]):
    """A comparison loaded the network.

    Attributes:
        bottleneck: the plan's bottleneck, or where it was loaded.
        ended_s: its end, seconds since the epoch.
    """

    TYPE: ClassVar[str] = "congestion"
    STORED: ClassVar[bool] = True

    bottleneck: Any
    ended_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Congestion[HostT]":
        return cls(
            t_s=fields.optional("t_s", real),
            bottleneck=fields.one("bottleneck", anything),
            ended_s=fields.one("ended_s", real),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "bottleneck": self.bottleneck,
            "ended_s": self.ended_s,
        }


EVENTS: tuple[type[Event[Any]], ...] = (
    LevelChanged,
    Rerouted,
    Restored,
    Kept,
    Notice,
    BaseShifted,
    BaseLearnt,
    PathLatency,
    Communication,
    RankPairs,
    Clock,
    Stats,
    Rejected,
    PlaneLost,
    Log,
    Died,
    NotStarted,
    Restarted,
    GivenUp,
    Port,
    Plane,
    PlaneCleaned,
    Error,
    Migration,
    Benefit,
    Mitigation,
    Started,
    Congestion,
)
"""All of them."""
