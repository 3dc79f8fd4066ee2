# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""What messages between supervisor and agents consist of."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from fairlead.protocol.fields import Fields, HostT, flag, many, real, text, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow(Generic[HostT]):
    """A pair of the job on a bottleneck.

    Attributes:
        source: the pair.
        destination: the pair.
        relay: its relay; None: direct.
        rate_bps: its rate during the count.
    """

    source: HostT
    destination: HostT
    relay: HostT | None
    rate_bps: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "Flow[HostT]":
        return cls(
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            relay=fields.nullable("relay", fields.host, None),
            rate_bps=fields.one("rate_bps", real),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "relay": None if self.relay is None else host(self.relay),
            "rate_bps": self.rate_bps,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPair(Generic[HostT]):
    """Messages from one rank to another.

    Attributes:
        source: host of the sending rank; this host for messages within it.
        source_rank: the sending rank.
        rank: the receiving rank, on this host.
        messages: number of messages.
        size_B: their bytes.
        waited_s: total wait of calls that a message of this pair ended; between hosts only.
        known_s: the part for which the sender's end is known.
        transmission_s: t_t: the part of `known_s` after the message was sent.
        processing_s: t_p: time that the receiver's thread spent outside calls that complete messages, before those that
            a message of this pair ended.
    """

    source: HostT
    source_rank: int
    rank: int
    messages: int
    size_B: int
    waited_s: float
    known_s: float
    transmission_s: float
    processing_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "RankPair[HostT]":
        return cls(
            source=fields.one("source", fields.host),
            source_rank=fields.one("source_rank", whole),
            rank=fields.one("rank", whole),
            messages=fields.one("messages", whole),
            size_B=fields.one("size_B", whole),
            waited_s=fields.one("waited_s", real),
            known_s=fields.one("known_s", real),
            transmission_s=fields.one("transmission_s", real),
            processing_s=fields.one("processing_s", real),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "source_rank": self.source_rank,
            "rank": self.rank,
            "messages": self.messages,
            "size_B": self.size_B,
            "waited_s": self.waited_s,
            "known_s": self.known_s,
            "transmission_s": self.transmission_s,
            "processing_s": self.processing_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OutweighedPair(Generic[HostT]):
    """A pair of ranks whose transmission takes longer than its receiver's processing.

    Attributes:
        source: host of the sending rank.
        destination: host of the receiving rank.
        source_rank: the sending rank.
        rank: the receiving rank.
        messages: number of messages.
        size_B: their bytes.
        transmission_s: t_t in the observed time.
        processing_s: t_p in the observed time.
    """

    source: HostT
    destination: HostT
    source_rank: int
    rank: int
    messages: int
    size_B: int
    transmission_s: float
    processing_s: float

    @classmethod
    def read(cls, fields: Fields[HostT]) -> "OutweighedPair[HostT]":
        return cls(
            source=fields.one("source", fields.host),
            destination=fields.one("destination", fields.host),
            source_rank=fields.one("source_rank", whole),
            rank=fields.one("rank", whole),
            messages=fields.one("messages", whole),
            size_B=fields.one("size_B", whole),
            transmission_s=fields.one("transmission_s", real),
            processing_s=fields.one("processing_s", real),
        )

    def to_json(self, host: Callable[[HostT], int | str]) -> dict[str, Any]:
        return {
            "source": host(self.source),
            "destination": host(self.destination),
            "source_rank": self.source_rank,
            "rank": self.rank,
            "messages": self.messages,
            "size_B": self.size_B,
            "transmission_s": self.transmission_s,
            "processing_s": self.processing_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerClock:
    """The clock of another host; absent until the host was heard.

    Attributes:
        peer: host.
        offset_s: its clock minus this one.
        drift: change of the offset, in s per s.
        error_s: error bound of the offset.
    """

    peer: int
    offset_s: float
    drift: float
    error_s: float

    @classmethod
    def read(cls, fields: Fields[Any]) -> "PeerClock":
        return cls(
            peer=fields.one("peer", whole),
            offset_s=fields.one("offset_s", real, math.nan),
            drift=fields.one("drift", real, math.nan),
            error_s=fields.one("error_s", real, math.nan),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "peer": self.peer,
            "offset_s": self.offset_s,
            "drift": self.drift,
            "error_s": self.error_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCounts:
    """Counters of a host's ranks, summed.

    Attributes:
        direct: messages sent by the MPI library.
        relayed: messages sent by agents.
        takeovers: times that fairlead took over a communicator's matching.
        cancelled: receives taken back from the MPI library.
        cancel_failed: receives that the MPI library had already matched.
        pulled: messages taken from the MPI library into fairlead's queue.
        held: relayed messages that waited for earlier ones of the MPI library.
        waited: relayed messages whose payload waited at the sender.
        retransmitted: frames retransmitted.
        duplicates: frames received twice.
    """

    direct: int
    relayed: int
    takeovers: int
    cancelled: int
    cancel_failed: int
    pulled: int
    held: int
    waited: int
    retransmitted: int
    duplicates: int

    @classmethod
    def read(cls, fields: Fields[Any]) -> "RankCounts":
        return cls(
            direct=fields.one("direct", whole, 0),
            relayed=fields.one("relayed", whole, 0),
            takeovers=fields.one("takeovers", whole, 0),
            cancelled=fields.one("cancelled", whole, 0),
            cancel_failed=fields.one("cancel_failed", whole, 0),
            pulled=fields.one("pulled", whole, 0),
            held=fields.one("held", whole, 0),
            waited=fields.one("waited", whole, 0),
            retransmitted=fields.one("retransmitted", whole, 0),
            duplicates=fields.one("duplicates", whole, 0),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "direct": self.direct,
            "relayed": self.relayed,
            "takeovers": self.takeovers,
            "cancelled": self.cancelled,
            "cancel_failed": self.cancel_failed,
            "pulled": self.pulled,
            "held": self.held,
            "waited": self.waited,
            "retransmitted": self.retransmitted,
            "duplicates": self.duplicates,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayCounts:
    """Frames since the agent's start. Ranks retransmit dropped frames.

    Attributes:
        ranks: counters of the ranks, summed.
        sent: frames from this host's ranks to other hosts.
        sent_B: their bytes.
        passed: frames forwarded between other hosts.
        passed_B: their bytes.
        arrived: frames for ranks of this host.
        arrived_B: their bytes.
        unplaced: frames dropped: the rank's host is unknown.
        unreachable: frames dropped: the next agent does not answer.
        absent: frames dropped: the rank is not on this host.
    """

    ranks: RankCounts
    sent: int
    sent_B: int
    passed: int
    passed_B: int
    arrived: int
    arrived_B: int
    unplaced: int
    unreachable: int
    absent: int

    @classmethod
    def read(cls, fields: Fields[Any]) -> "RelayCounts":
        return cls(
            ranks=fields.one("ranks", fields.within(RankCounts.read)),
            sent=fields.one("sent", whole, 0),
            sent_B=fields.one("sent_B", whole, 0),
            passed=fields.one("passed", whole, 0),
            passed_B=fields.one("passed_B", whole, 0),
            arrived=fields.one("arrived", whole, 0),
            arrived_B=fields.one("arrived_B", whole, 0),
            unplaced=fields.one("unplaced", whole, 0),
            unreachable=fields.one("unreachable", whole, 0),
            absent=fields.one("absent", whole, 0),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "ranks": self.ranks.to_json(),
            "sent": self.sent,
            "sent_B": self.sent_B,
            "passed": self.passed,
            "passed_B": self.passed_B,
            "arrived": self.arrived,
            "arrived_B": self.arrived_B,
            "unplaced": self.unplaced,
            "unreachable": self.unreachable,
            "absent": self.absent,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedItem:
    """Kernel state that was removed.

    Attributes:
        job: job that it belonged to.
        kind: for example `route`.
        name: its name in the kernel.
        removed: whether it is gone.
    """

    job: str
    kind: str
    name: str
    removed: bool

    @classmethod
    def read(cls, fields: Fields[Any]) -> "RemovedItem":
        return cls(
            job=fields.one("job", text, ""),
            kind=fields.one("kind", text, ""),
            name=fields.one("name", text, ""),
            removed=fields.one("removed", flag, False),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "kind": self.kind,
            "name": self.name,
            "removed": self.removed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PingpongResult:
    """Exchanges of one message size.

    Attributes:
        size_B: message size.
        round_trip_s: one value per exchange.
        forward_s: one-way time by both hosts' clocks.
    """

    size_B: int
    round_trip_s: tuple[float, ...]
    forward_s: tuple[float, ...]

    @classmethod
    def read(cls, fields: Fields[Any]) -> "PingpongResult":
        return cls(
            size_B=fields.one("size_B", whole),
            round_trip_s=fields.one("round_trip_s", many(real)),
            forward_s=fields.one("forward_s", many(real)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Probes of one peer.

    Attributes:
        peer: host.
        sent: probes sent.
        round_trip_s: one value per answered probe.
        forward_s: one-way time to the peer.
        backward_s: one-way time from the peer.
        clock_error_s: largest error bound; null if no probe was answered.
    """

    peer: int
    sent: int
    round_trip_s: tuple[float, ...]
    forward_s: tuple[float, ...]
    backward_s: tuple[float, ...]
    clock_error_s: float | None

    @classmethod
    def read(cls, fields: Fields[Any]) -> "ProbeResult":
        return cls(
            peer=fields.one("peer", whole),
            sent=fields.one("sent", whole),
            round_trip_s=fields.one("round_trip_s", many(real)),
            forward_s=fields.one("forward_s", many(real)),
            backward_s=fields.one("backward_s", many(real)),
            clock_error_s=fields.nullable("clock_error_s", real),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedHost:
    """A host of the job, in the same order for all agents.

    Attributes:
        name: name in messages.
        address: IP address, different for each host, all of one family.
        port: UDP and TCP port of that host's agent.
    """

    name: str
    address: str
    port: int

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "address": self.address,
            "port": self.port,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayOptions:
    """The relay plane; it excludes `guardian`.

    Attributes:
        directory: directory in which ranks find the agent's socket.
        capacity_B: size of each pool of frames.
    """

    directory: str
    capacity_B: int = 2097152

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "directory": self.directory,
        }
        if self.capacity_B != 2097152:
            written["capacity_B"] = self.capacity_B
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockError:
    """Tests: error added to the agent's clock.

    Attributes:
        offset_s: constant error.
        drift: growth of the error, in s per s.
        origin_s: when the error by drift is zero, in s since the epoch; default: the start.
    """

    offset_s: float
    drift: float
    origin_s: float | None = None

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "offset_s": self.offset_s,
            "drift": self.drift,
        }
        if self.origin_s is not None:
            written["origin_s"] = self.origin_s
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Baseline of the cluster, from `fairlead characterize`.

    Attributes:
        age_s: how long ago it was measured.
        sizes_B: message sizes of `latency_s`.
        latency_s: one-way latency by [size][source][destination], hosts or groups; None: not measured.
        rate_bps: throughput by [source][destination], hosts or groups; None: not measured.
        groups: group of each host; `latency_s` and `rate_bps` are then those of pairs between two groups or within one;
            absent: they are by host.
        own_latency_s: if there are groups: one-way latency by [size][from this agent's host, then to it][other host];
            None: not measured.
        own_rate_bps: the same for throughput, by [from this agent's host, then to it][other host].
    """

    age_s: float
    sizes_B: tuple[int, ...]
    latency_s: Any
    rate_bps: Any
    groups: tuple[int, ...] | None = None
    own_latency_s: Any = None
    own_rate_bps: Any = None

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "age_s": self.age_s,
            "sizes_B": list(self.sizes_B),
            "latency_s": self.latency_s,
            "rate_bps": self.rate_bps,
        }
        if self.groups is not None:
            written["groups"] = list(self.groups)
        if self.own_latency_s is not None:
            written["own_latency_s"] = self.own_latency_s
        if self.own_rate_bps is not None:
            written["own_rate_bps"] = self.own_rate_bps
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Learn:
    """Baselines are learnt while the program runs.

    Attributes:
        link_bps: highest rate at which earlier runs sent from this host.
    """

    link_bps: float | None

    def to_json(self) -> dict[str, Any]:
        return {
            "link_bps": self.link_bps,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Manage:
    """Input for the agent's decisions.

    Attributes:
        base: baseline of the cluster, from `fairlead characterize`.
        shares: list of `[k, m, [[i, j], ...]]`: traffic from k to m slows each path i → j. Or the same of groups of
            hosts: an object with `groups`, by host, `hurts`, such a list of groups, and `fills`, by source a digit for
            each destination: the sum of 1 if traffic between the two fills a link between their groups, 2 if that of
            the source, 4 if that of the destination.
        settings: settings by name, for example `{"congestion_level.medium_factor": 2}`.
        learn: baselines are learnt; those in `base` are known from the start.
        mix: list of `[peer, [[size_B, weight], ...]]`: message sizes that the program exchanges with a peer.
        automatic: false: no probes and no automatic reroutes, only manual ones.
        seed: added to the seed of random choices.
    """

    base: Base
    shares: Any
    settings: Any = None
    learn: Learn | None = None
    mix: Any = None
    automatic: bool = True
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "base": self.base.to_json(),
            "shares": self.shares,
            "learn": None if self.learn is None else self.learn.to_json(),
        }
        if self.settings is not None:
            written["settings"] = self.settings
        if self.mix is not None:
            written["mix"] = self.mix
        if self.automatic is not True:
            written["automatic"] = self.automatic
        if self.seed != 0:
            written["seed"] = self.seed
        return written
