# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""Answers of agents."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fairlead.protocol import enums
from fairlead.protocol.fields import Fields, anything, choice, many, real, text, whole
from fairlead.protocol.messages import Answer
from fairlead.protocol.objects import PingpongResult, ProbeResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(Answer):
    """The agent takes commands.

    Attributes:
        pid: process id of the agent on its host.
        version: version of the agent.
        interface: interface that has the host's address.
        plane: `route`, `relay` or `none`: how this host reroutes traffic.
        plane_reason: why the plane is `none`; empty otherwise.
        low_port: None: ports below 1024 are reserved for root; a port: ordinary users may bind ports from this one on;
            `"not known"`: the setting cannot be read.
        scheduling: scheduling granted by the kernel, so that polling ranks do not starve the agent.
    """

    TYPE: ClassVar[str] = "ready"

    pid: int
    version: str
    interface: str
    plane: str
    plane_reason: str
    low_port: Any
    scheduling: enums.Scheduling

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Ready":
        return cls(
            pid=fields.one("pid", whole),
            version=fields.one("version", text),
            interface=fields.one("interface", text),
            plane=fields.one("plane", text),
            plane_reason=fields.one("plane_reason", text),
            low_port=fields.nullable("low_port", anything),
            scheduling=fields.one("scheduling", choice(enums.Scheduling)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Answer):
    """Why the agent cannot work. It exits with code 1.

    Attributes:
        reason: a sentence.
    """

    TYPE: ClassVar[str] = "error"

    reason: str

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Error":
        return cls(
            reason=fields.one("reason", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Answer):
    """A command failed.

    Attributes:
        reason: a sentence.
    """

    TYPE: ClassVar[str] = "failed"

    reason: str

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Failed":
        return cls(
            reason=fields.one("reason", text),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Answer):
    """A command was carried out."""

    TYPE: ClassVar[str] = "done"

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Done":
        return cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(Answer):
    """The agent ends now."""

    TYPE: ClassVar[str] = "stopped"

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Stopped":
        return cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pingpong(Answer):
    """Results of a ping-pong.

    Attributes:
        peer: as in the command.
        results: by message size.
        clock_error_s: largest error bound of the clock difference.
    """

    TYPE: ClassVar[str] = "pingpong"

    peer: int
    results: tuple[PingpongResult, ...]
    clock_error_s: float

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Pingpong":
        return cls(
            peer=fields.one("peer", whole),
            results=fields.one("results", many(fields.within(PingpongResult.read))),
            clock_error_s=fields.one("clock_error_s", real),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk(Answer):
    """Result of a bulk transfer.

    Attributes:
        peer: as in the command.
        bytes: bytes received, in B.
        duration_s: time that the receiver took for them.
        rate_bps: rate of these bytes in this time.
    """

    TYPE: ClassVar[str] = "bulk"

    peer: int
    bytes: int
    duration_s: float
    rate_bps: float

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Bulk":
        return cls(
            peer=fields.one("peer", whole),
            bytes=fields.one("bytes", whole),
            duration_s=fields.one("duration_s", real),
            rate_bps=fields.one("rate_bps", real),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Answer):
    """Results of probes.

    Attributes:
        results: by peer.
    """

    TYPE: ClassVar[str] = "probe"

    results: tuple[ProbeResult, ...]

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Probe":
        return cls(
            results=fields.one("results", many(fields.within(ProbeResult.read))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Answer):
    """How far the program's traffic is; two of them make a rate.

    Attributes:
        delivered_B: bytes that its connections from this host, or agents for it, have delivered to managed hosts since
            the agent's start.
        detours: pairs from this host that are rerouted now, not counting those rerouted on command.
    """

    TYPE: ClassVar[str] = "progress"

    delivered_B: int
    detours: int

    @classmethod
    def read(cls, fields: Fields[Any]) -> "Progress":
        return cls(
            delivered_B=fields.one("delivered_B", whole),
            detours=fields.one("detours", whole),
        )
