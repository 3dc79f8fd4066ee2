"""``[[congestion]]``: what others do to the network, as a person writes it."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairlead.config import Model
from fairlead.lab.units import Rate, Size, Time


def _at_least_10_ms(value: float) -> float:
    if value < 0.01:
        raise ValueError("bursts and pauses of less than 10ms cannot be made")
    return value


BurstTime = Annotated[Time, AfterValidator(_at_least_10_ms)]


class Streams(Model):
    """TCP streams (iperf3) between hosts that have nothing to do with the program.

    Either ``pairs`` of hosts, or ``between`` two leafs: their neighbours, the k-th of one with the k-th of the other.
    ``streams`` is the number each way, dealt out over the pairs. With ``on`` and ``off`` they come in bursts.
    ``rate`` is of each stream; the lab's ``scale`` is applied to it, too.
    """

    kind: Literal["streams"]
    pairs: tuple[tuple[str, str], ...] = ()
    between: tuple[str, str] | None = None
    streams: int = Field(default=8, ge=1, le=512)
    both_directions: bool = True
    on: BurstTime | None = None
    off: BurstTime | None = None
    rate: Rate | None = None
    congestion_control: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.pairs) == (self.between is not None):
            raise ValueError("pairs: give either pairs of hosts or between (two leafs)")
        if (self.on is None) != (self.off is None):
            raise ValueError("on: bursts need both on and off")
        if self.streams < len(self.pairs):
            raise ValueError(f"streams: {self.streams} streams cannot be dealt out over {len(self.pairs)} pairs")
        return self


class MpiTraffic(Model):
    """A communication-intensive MPI program on other hosts; partners are drawn from ``seed``.

    ``hosts`` are the lab's neighbours unless named. In a lab that is scaled messages are so many times as large.
    """

    kind: Literal["mpi"]
    hosts: tuple[str, ...] = ()
    ranks_per_host: int = Field(default=1, ge=1, le=64)
    seed: int = Field(default=1, ge=0)
    message: Size = 1_000_000


class Delay(Model):
    """A fixed additional delay on one link, by default 5 ms each way (DMCBM 4.2)."""

    kind: Literal["delay"]
    link: tuple[str, str]
    delay: Time = 0.005
    both_directions: bool = True


CongestionDescription = Annotated[Streams | MpiTraffic | Delay, Field(discriminator="kind")]
