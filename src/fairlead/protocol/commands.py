# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""What agents are told."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from fairlead.protocol import answers
from fairlead.protocol.messages import Answer, Command, Order
from fairlead.protocol.objects import ClockError, Manage, ManagedHost, RelayOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Order):
    """The first line of input.

    Attributes:
        job: job id, of the characters 0-9 and a-z; part of kernel names such as `fl-JOB`.
        secret: key of the job, as hexadecimal digits; overwritten in memory before the line is parsed.
        self_: this agent's host.
        hosts: all managed hosts, in the same order for all agents.
        guardian: command line of the guardian; None: no route plane.
        uid: user whose connections are watched and rerouted; None: the agent's own user.
        manage: decision tables; None: only manual reroutes.
        relay: relay plane; excludes `guardian`.
        rings: directory of the ranks' message rings; None: messages are not watched.
        acknowledge: which messages in `rings` lead to notices: `waited` (default), `always` or `never`.
        lease_s: time without a line after which the agent ends; None: it does not end.
        boot_id: identifies this start of the host's agent; must increase with each start. Null: the host's wall clock
            in ns.
        clock_test: tests: error added to the agent's clock.
    """

    TYPE: ClassVar[str] = "config"

    job: str
    secret: str = field(repr=False)
    self_: int
    hosts: tuple[ManagedHost, ...]
    guardian: tuple[str, ...] | None
    uid: int | None
    manage: Manage | None
    relay: RelayOptions | None = None
    rings: str | None = None
    acknowledge: str | None = None
    lease_s: float | None = None
    boot_id: int | None = None
    clock_test: ClockError | None = None

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "type": self.TYPE,
            "job": self.job,
            "secret": self.secret,
            "self": self.self_,
            "hosts": [each.to_json() for each in self.hosts],
            "guardian": None if self.guardian is None else list(self.guardian),
            "uid": self.uid,
            "manage": None if self.manage is None else self.manage.to_json(),
            "relay": None if self.relay is None else self.relay.to_json(),
            "rings": self.rings,
            "lease_s": self.lease_s,
            "boot_id": self.boot_id,
            "clock_test": None if self.clock_test is None else self.clock_test.to_json(),
        }
        if self.acknowledge is not None:
            written["acknowledge"] = self.acknowledge
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Pingpong(Command[answers.Pingpong]):
    """A TCP ping-pong, with clock exchanges by UDP before and after it.

    Attributes:
        peer: the other host.
        sizes_B: message sizes.
        exchanges: exchanges per size.
        warmup: unreported exchanges before them.
        timeout_s: time after which the measurement fails.
    """

    TYPE: ClassVar[str] = "pingpong"
    ANSWER: ClassVar[type[Answer]] = answers.Pingpong

    peer: int
    sizes_B: tuple[int, ...]
    exchanges: int
    warmup: int
    timeout_s: float = 25.0

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "type": self.TYPE,
            "peer": self.peer,
            "sizes_B": list(self.sizes_B),
            "exchanges": self.exchanges,
            "warmup": self.warmup,
        }
        if self.timeout_s != 25.0:
            written["timeout_s"] = self.timeout_s
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk(Command[answers.Bulk]):
    """Sends as many bytes as TCP connections carry.

    Attributes:
        peer: the other host.
        duration_s: how long to send.
        streams: TCP connections.
        timeout_s: time beyond the duration after which the measurement fails.
    """

    TYPE: ClassVar[str] = "bulk"
    ANSWER: ClassVar[type[Answer]] = answers.Bulk

    peer: int
    duration_s: float
    streams: int
    timeout_s: float = 25.0

    def to_json(self) -> dict[str, Any]:
        written: dict[str, Any] = {
            "type": self.TYPE,
            "peer": self.peer,
            "duration_s": self.duration_s,
            "streams": self.streams,
        }
        if self.timeout_s != 25.0:
            written["timeout_s"] = self.timeout_s
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Command[answers.Probe]):
    """Small UDP probes. Fails if no peer answers any of them within 1 s.

    Attributes:
        peers: hosts.
        count: probes per host.
        interval_s: interval between two of these.
    """

    TYPE: ClassVar[str] = "probe"
    ANSWER: ClassVar[type[Answer]] = answers.Probe

    peers: tuple[int, ...]
    count: int
    interval_s: float

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "peers": list(self.peers),
            "count": self.count,
            "interval_s": self.interval_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reroute(Command[answers.Done]):
    """Reroutes the traffic to a peer until it is restored.

    Attributes:
        peer: destination of the traffic.
        relay: relay to use.
    """

    TYPE: ClassVar[str] = "reroute"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    peer: int
    relay: int

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "peer": self.peer,
            "relay": self.relay,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RerouteByWay(Command[answers.Done]):
    """Reroutes the traffic to a peer by another equal-cost path until it is restored.

    Attributes:
        peer: destination of the traffic.
        way: number of the path, up to `ways.count`.
    """

    TYPE: ClassVar[str] = "reroute_by_way"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    peer: int
    way: int

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "peer": self.peer,
            "way": self.way,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore(Command[answers.Done]):
    """Restores the traffic to its direct path; succeeds if it is already there.

    Attributes:
        peer: destination of the traffic.
    """

    TYPE: ClassVar[str] = "restore"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    peer: int

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "peer": self.peer,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Command[answers.Done]):
    """Restores all pairs but those rerouted on command, and reroutes none for a while; the commands `reroute`,
    `reroute_by_way` and `restore` work on.

    Attributes:
        for_s: length from now on, whatever was said before; 0: the pause ends, and detours that it interrupted are
            taken again.
    """

    TYPE: ClassVar[str] = "pause"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    for_s: float

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "for_s": self.for_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Command[answers.Progress]):
    """How far the program's traffic is."""

    TYPE: ClassVar[str] = "progress"
    ANSWER: ClassVar[type[Answer]] = answers.Progress

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares(Command[answers.Done]):
    """Replaces the known shared bottlenecks.

    Attributes:
        shares: as in manage.
    """

    TYPE: ClassVar[str] = "shares"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    shares: Any

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "shares": self.shares,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClock(Command[answers.Done]):
    """Tests: the agent's clock jumps.

    Attributes:
        offset_s: size of the jump.
    """

    TYPE: ClassVar[str] = "step_clock"
    ANSWER: ClassVar[type[Answer]] = answers.Done

    offset_s: float

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
            "offset_s": self.offset_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease(Order):
    """Renews the lease. It has no answer."""

    TYPE: ClassVar[str] = "lease"

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Order):
    """Ends the agent."""

    TYPE: ClassVar[str] = "stop"

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.TYPE,
        }
