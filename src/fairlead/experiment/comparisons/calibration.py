"""How fast a lab's links may be, and how long programs have to run: found before a comparison, by short trials.

The hosts of a lab share this machine's processors. Only while these have time left is it the network that limits a
program, and a run time says something about it. A timed section must last long against what scatters.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from fairlead.errors import MeasurementError

MOST_BUSY = 0.60
"""Processors in a trial, clean or congested: the rest is for agents, and for the moments when all ranks compute."""
WANTED_BUSY = 0.50
LEAST_BUSY = 0.35
"""With processors less busy, faster links are tried: they keep the congestion's times nearer to those of a program."""
LEAST_SCALE = 0.02
MOST_TRIES = 12
SATURATED, BIG_STEP = 0.95, 0.35
BUSY_PER_HOST = 0.8
"""Share of a processor that a host with one rank takes on links of 1 Gbit/s, about: where to begin."""
ENOUGH_S = 2.0
"""A timed section that is long enough to tell the program's pace, and how busy processors are with it."""
TRIAL_S = 3.0
LONGER = 50
"""A trial is at most so many times as long as the one before."""
MOST_TRIALS = 4
"""Of one program, until its timed section is long enough."""


@dataclass(frozen=True)
class Calibration:
    """What was found for one network.

    Attributes:
        scale: of the lab's rates; None: the description's.
        lengths: by program, what stands after its ``length`` option.
        busy: the processors in the busiest trial, 0 to 1; None: none was needed.
    """

    scale: float | None = None
    lengths: Mapping[str, int] = field(default_factory=dict)
    busy: float | None = None

    def describe(self) -> str:
        """For people, one line."""
        parts = [] if self.scale is None else [f"the lab's rates times {self.scale:g}"]
        parts += [f"{name} of length {number}" for name, number in self.lengths.items()]
        busy = "" if self.busy is None else f" (processors at most {self.busy:.0%} busy in trials)"
        return f"from here on: {', '.join(parts)}{busy}"

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return {"scale": self.scale, "lengths": dict(self.lengths), "busy": self.busy}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        return cls(data["scale"], dict(data["lengths"]), data["busy"])


def first_scale(processors: int, hosts: int) -> float:
    """Where to begin: by processors and hosts alone."""
    return rounded(min(1.0, BUSY_PER_HOST * processors / hosts))


def find_scale(busy_at: Callable[[float], float], first: float) -> tuple[float, float]:
    """The scale to use, 1 at most, and how busy processors are with it.

    Args:
        busy_at: tries a scale; the processors' busy share in the busiest trial.
        first: the scale to begin with.

    Raises:
        MeasurementError: processors are too busy whatever the scale.
    """
    scale, busy = first, 1.0
    fits: tuple[float, float] | None = None
    failed = math.inf  # the smallest scale that does not fit
    for _ in range(MOST_TRIES):
        before, busy = busy, busy_at(scale)
        if busy > MOST_BUSY:
            if fits is not None:
                break  # the one before is the largest that is known to fit
            if scale <= LEAST_SCALE:
                raise _too_busy(scale, busy)
            failed = scale
            # Processors that have no time left hide how much more there would have been to do.
            hidden = busy >= SATURATED or busy > before - 0.02
            scale = max(LEAST_SCALE, rounded(scale * (BIG_STEP if hidden else min(0.8, WANTED_BUSY / busy))))
        else:
            fits = (scale, busy)
            faster = min(1.0, rounded(scale * min(4.0, WANTED_BUSY / max(busy, 0.01))))
            if busy >= LEAST_BUSY or faster >= failed or faster <= scale:
                break
            scale = faster
    if fits is None:
        raise _too_busy(scale, busy)
    return fits


def _too_busy(scale: float, busy: float) -> MeasurementError:
    return MeasurementError(
        f"this machine's processors are {busy:.0%} busy with the lab's rates times {scale:g}: runs here would "
        "measure them, not the network",
        hint="stop other programs, or use a machine with more processors; an MPI library that does not yield "
        "(MPICH 4.0) keeps processors busy at any scale; a number as `scale` measures anyway",
    )


def rounded(scale: float) -> float:
    """Two digits, for people."""
    return float(f"{scale:.2g}")


def first_number(number: int) -> int:
    """Length of a program's first trial, where it has never run before."""
    return max(1, number // 10)


def longer(number: int, timed_s: float) -> int | None:
    """Length of a further trial, after one whose timed section was too short to tell a pace; None: it was not."""
    if timed_s >= ENOUGH_S:
        return None
    return max(number + 1, min(LONGER * number, for_time(number, timed_s, TRIAL_S)))


def for_time(number: int, timed_s: float, wanted_s: float) -> int:
    """The length with which a timed section takes ``wanted_s``, where ``number`` takes ``timed_s``."""
    return max(1, round(number * wanted_s / max(timed_s, 1e-6)))
