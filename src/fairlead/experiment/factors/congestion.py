"""Congestion of a plan: as a person writes it, and when and where it comes in a run, drawn from the seed. Pure."""

import random
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fairlead.config import Model
from fairlead.lab.congestion import CongestionDescription, Delay, MpiTraffic

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class CongestionPlan(Model):
    """Cross-traffic on the network: where, and when."""

    bottlenecks: tuple[CongestionDescription, ...] = Field(min_length=1)
    """What the seed draws from, each as ``[[congestion]]`` of a lab description."""
    onset: tuple[Share, Share] = (0.10, 0.40)
    """First and last start, as shares of the clean run time; the start is drawn uniformly. [0, 0]: from the start."""
    moves: int = Field(default=0, ge=0, le=8)
    """Number of times that the congestion changes to another of ``bottlenecks``."""
    slowdown: float = Field(default=3.0, ge=1)
    """Approximate run time under congestion over the clean run time, for the forecast only."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.onset[0] > self.onset[1]:
            raise ValueError("onset: the first share is larger than the second")
        if self.moves and len(self.bottlenecks) < 2:
            raise ValueError("moves: congestion cannot move with fewer than two bottlenecks")
        return self


class CongestionTable(Model):
    """Cross-traffic on the network while the program runs, by level of a factor; in labs only."""

    factor: str
    """Name of the factor."""
    levels: dict[str, Literal["none"] | CongestionPlan] = Field(min_length=1)
    """Congestion by level of ``factor``."""


@dataclass(frozen=True)
class Episode:
    """Congestion at one bottleneck from ``start_s`` after the program's start until the next episode or the end."""

    start_s: float
    bottleneck: int


def episodes(
    *,
    seed: int,
    case: str,
    replication: int,
    clean_time_s: float,
    bottlenecks: int,
    onset: tuple[float, float],
    moves: int,
) -> list[Episode]:
    """When and where congestion comes in one replication of a case.

    Args:
        clean_time_s: run time on a clean network; all times are shares of it, so that every run of a case sees the same
            with and without management.
        bottlenecks: how many bottlenecks there are to draw from.
        onset: first and last share of ``clean_time_s`` at which it may start; (0, 0): there from the start.
        moves: how often it moves to another, at equal distances within the rest of the clean run time.

    Returns:
        ``moves + 1`` episodes in order of time; two that follow each other are at different bottlenecks.
    """
    if moves and bottlenecks < 2:
        raise ValueError("congestion cannot move with fewer than two bottlenecks")
    draw = random.Random(f"{seed} {case} {replication}")
    start = draw.uniform(*onset)
    step = (1 - start) / (moves + 1)
    drawn: list[Episode] = []
    for k in range(moves + 1):
        elsewhere = [bottleneck for bottleneck in range(bottlenecks) if not drawn or bottleneck != drawn[-1].bottleneck]
        drawn.append(Episode((start + k * step) * clean_time_s, draw.choice(elsewhere)))
    return drawn


def describe_bottleneck(bottleneck: CongestionDescription) -> str:
    """What the report calls a bottleneck: "leaf0 and leaf1"."""
    if isinstance(bottleneck, MpiTraffic):
        return "an MPI program on other hosts"
    if isinstance(bottleneck, Delay):
        return f"{bottleneck.delay * 1e3:g} ms on {bottleneck.link[0]}–{bottleneck.link[1]}"
    ends = [bottleneck.between] if bottleneck.between else bottleneck.pairs
    return ", ".join(f"{first}–{second}" for first, second in ends)
