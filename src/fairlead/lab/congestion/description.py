"""``[[congestion]]``: what others do to the network, as a person writes it."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairlead.config import Model
from fairlead.lab.units import Rate, Size, Time


def _at_least_10_ms(value: float) -> float:
    """At least 10ms."""
    if value < 0.01:
        raise ValueError("bursts and pauses below 10ms are not possible")
    return value


BurstTime = Annotated[Time, AfterValidator(_at_least_10_ms)]


class Streams(Model):
    """TCP streams between hosts that take no part in the program. Set either ``pairs`` or ``between``."""

    kind: Literal["streams"]
    """Kind of congestion."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Pairs of hosts."""
    between: tuple[str, str] | None = None
    """Two leafs: the k-th neighbour of one is paired with the k-th of the other."""
    streams: int = Field(default=8, ge=1, le=512)
    """Streams in each direction, spread over the pairs; at least one per pair."""
    both_directions: bool = True
    """Streams run both ways. If false, only from the first to the second of a pair."""
    on: BurstTime | None = None
    """Length of a burst; needs ``off``. Default: constant streams."""
    off: BurstTime | None = None
    """Pause between two bursts; needs ``on``."""
    rate: Rate | None = None
    """Rate limit of each stream; the lab's ``scale`` applies. Default: no limit."""
    congestion_control: str | None = None
    """TCP congestion control of the streams. Default: the lab's."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.pairs) == (self.between is not None):
            raise ValueError("pairs: give either pairs of hosts or between (two leafs)")
        if (self.on is None) != (self.off is None):
            raise ValueError("on: bursts need both on and off")
        if self.streams < len(self.pairs):
            raise ValueError(f"streams: {self.streams} streams cannot be spread over {len(self.pairs)} pairs")
        return self


class MpiTraffic(Model):
    """A communication-intensive MPI program with random partners on hosts that take no part in the program."""

    kind: Literal["mpi"]
    """Kind of congestion."""
    hosts: tuple[str, ...] = ()
    """Hosts of the program. Default: all neighbours of the lab."""
    ranks_per_host: int = Field(default=1, ge=1, le=64)
    """Ranks on each host."""
    seed: int = Field(default=1, ge=0)
    """Seed of the random partners."""
    message: Size = 1_000_000
    """Size of a message; the lab's ``scale`` applies."""


class Delay(Model):
    """A fixed additional delay on one link; the default is that of section 4.2 of the DMCBM thesis."""

    kind: Literal["delay"]
    """Kind of congestion."""
    link: tuple[str, str]
    """The link, by the names of its two ends."""
    delay: Time = 0.005
    """Additional delay in each direction."""
    both_directions: bool = True
    """Both directions are delayed. If false, only from the first end to the second."""


CongestionDescription = Annotated[Streams | MpiTraffic | Delay, Field(discriminator="kind")]
