"""Congestion of a plan: as a person writes it, and when and where it comes in a run, drawn from the seed. Pure."""

import random
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fairlead.config import Model
from fairlead.lab.congestion import CongestionDescription, Delay, MpiTraffic

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class CongestionPlan(Model):
    """What others do to the network, where, and when."""

    places: tuple[CongestionDescription, ...] = Field(min_length=1)
    """What the seed draws from, each as ``[[congestion]]`` of a lab description."""
    onset: tuple[Share, Share] = (0.10, 0.40)
    """First and last start, as shares of the clean run time; the start is drawn uniformly. [0, 0]: from the start."""
    moves: int = Field(default=0, ge=0, le=8)
    """Number of times that the congestion changes to another of ``places``."""
    slowdown: float = Field(default=3.0, ge=1)
    """Approximate run time under congestion over the clean run time, for the forecast only."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.onset[0] > self.onset[1]:
            raise ValueError("onset: the first share is larger than the second")
        if self.moves and len(self.places) < 2:
            raise ValueError("moves: congestion cannot move with fewer than two places")
        return self


class CongestionTable(Model):
    """What others do to the network while the program runs, by level of a factor; in labs only."""

    factor: str
    """Name of the factor."""
    levels: dict[str, Literal["none"] | CongestionPlan] = Field(min_length=1)
    """Congestion by level of ``factor``."""


@dataclass(frozen=True)
class Episode:
    """Congestion at one place from ``start_s`` after the program's start until the next episode or the end."""

    start_s: float
    place: int


def episodes(
    *,
    seed: int,
    case: str,
    replication: int,
    clean_time_s: float,
    places: int,
    onset: tuple[float, float],
    moves: int,
) -> list[Episode]:
    """When and where congestion comes in one replication of a case.

    Args:
        clean_time_s: run time on a clean network; all times are shares of it, so that every run of a case sees the same
            with and without management.
        places: how many places there are to draw from.
        onset: first and last share of ``clean_time_s`` at which it may start; (0, 0): there from the start.
        moves: how often it changes its place, at equal distances within the rest of the clean run time.

    Returns:
        ``moves + 1`` episodes in order of time; two that follow each other are at different places.
    """
    if moves and places < 2:
        raise ValueError("congestion cannot move with fewer than two places")
    draw = random.Random(f"{seed} {case} {replication}")
    start = draw.uniform(*onset)
    step = (1 - start) / (moves + 1)
    drawn: list[Episode] = []
    for k in range(moves + 1):
        elsewhere = [place for place in range(places) if not drawn or place != drawn[-1].place]
        drawn.append(Episode((start + k * step) * clean_time_s, draw.choice(elsewhere)))
    return drawn


def describe(place: CongestionDescription) -> str:
    """What the report calls a place: "leaf0 and leaf1"."""
    if isinstance(place, MpiTraffic):
        return "an MPI program on other hosts"
    if isinstance(place, Delay):
        return f"{place.delay * 1e3:g} ms on {place.link[0]}–{place.link[1]}"
    ends = [place.between] if place.between else place.pairs
    return ", ".join(f"{first}–{second}" for first, second in ends)
