"""The description of a lab, as a person writes it (TOML). `fairlead.lab.topology` makes a network of it."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairlead import config
from fairlead.lab.congestion.description import CongestionDescription
from fairlead.lab.units import Queue, Rate, Size, queue_bytes

MTU_B = 1500
FRAME_B = MTU_B + 14  # what a shaper must be able to pass at once


def _check_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", value):
        raise ValueError("a name has 1 to 32 letters, digits, - and _, and starts with a letter or digit")
    return value


Name = Annotated[str, AfterValidator(_check_name)]


class LinkDescription(config.Model):
    """One kind of link. Each direction has a token bucket of its own.

    A burst of many packets hides messages of that size from the shaper; one of fewer than two packets loses rate.
    """

    rate: Rate
    queue: Queue = "20ms"
    burst: Size = 16 * 1024

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.burst < FRAME_B:
            raise ValueError(f"burst: {self.burst} B is less than one packet ({FRAME_B} B)")
        if queue_bytes(self.queue, self.rate) < 2 * FRAME_B:
            raise ValueError(f"queue: {self.queue!r} holds less than two packets at this rate")
        return self


class LabTable(config.Model):
    """``[lab]``: what there is. Counts of hosts are per leaf; a star has one leaf, its switch."""

    name: Name
    topology: Literal["star", "mesh", "leaf-spine"]
    leafs: int = Field(default=1, ge=1, le=64)
    spines: int = Field(default=0, ge=0, le=32)
    hosts_per_leaf: int = Field(ge=1, le=120)
    relays_per_leaf: int = Field(default=0, ge=0, le=32)
    neighbours_per_leaf: int = Field(default=0, ge=0, le=60)
    slots: int = Field(default=1, ge=1, le=1024)
    congestion_control: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,15}$")] = "cubic"
    share: tuple[Path, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.topology == "star" and self.leafs != 1:
            raise ValueError("leafs: a star has one switch; leave leafs away")
        if self.topology != "star" and self.leafs < 2:
            raise ValueError(f"leafs: a {self.topology} needs at least 2")
        if (self.topology == "leaf-spine") != (self.spines > 0):
            raise ValueError("spines: a leaf-spine needs at least 1; other topologies have none")
        if self.hosts_per_leaf + self.relays_per_leaf + self.neighbours_per_leaf > 200:
            raise ValueError("more than 200 hosts on one leaf")
        return self


class Description(config.Model):
    """A whole file. ``[host_link]`` joins a host to its switch, ``[trunk]`` joins two switches.

    Every ``[[congestion]]`` starts with the lab.
    """

    lab: LabTable
    host_link: LinkDescription
    trunk: LinkDescription | None = None
    congestion: tuple[CongestionDescription, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.trunk is None) != (self.lab.topology == "star"):
            raise ValueError("trunk: every topology but a star needs a [trunk] table, a star has no trunk")
        return self


def load(path: Path) -> Description:
    """Read a lab's description.

    Raises:
        ConfigError: see `fairlead.config.load`.
    """
    return config.load(path, Description)
