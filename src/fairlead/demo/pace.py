"""How fast a program's messages flow, second by second, by what agents tell of them."""

from dataclasses import dataclass, field

from fairlead.display import words
from fairlead.protocol.events import Communication

BAR = "█"
BAR_WIDTH = 30
SECOND_S = 1.0
LATE_S = 0.25
"""An agent tells what it saw of a second so long after it, at most."""


@dataclass(frozen=True)
class Second:
    """What all ranks received in one second: ``ends_s`` is its end, in seconds since the program's start."""

    ends_s: float
    rate_bps: float


@dataclass
class Pace:
    """Adds up what the agents of all hosts tell: once a second for each pair, each at a moment of its own.

    Attributes:
        seconds: those that are over.
    """

    seconds: list[Second] = field(default_factory=list)
    _received_B: int = 0

    def take(self, event: Communication[int], at_s: float) -> list[Second]:
        """Add a host's messages of one second, told at ``at_s`` seconds since the program's start.

        Returns:
            Seconds that are over by now, and were not before.
        """
        ended = []
        while at_s >= (ends_s := (len(self.seconds) + 1) * SECOND_S) + LATE_S:
            ended.append(Second(ends_s, 8.0 * self._received_B / SECOND_S))
            self.seconds.append(ended[-1])
            self._received_B = 0
        self._received_B += event.size_B
        return ended

    @property
    def fastest_bps(self) -> float:
        """Rate of the fastest second; 0 where none is over."""
        return max((each.rate_bps for each in self.seconds), default=0.0)


def bar(rate_bps: float, full_bps: float) -> str:
    """A rate as a bar; one of ``full_bps`` or more has the whole width."""
    share = min(rate_bps / full_bps, 1.0) if full_bps > 0 else 0.0
    return f"{BAR * round(share * BAR_WIDTH):{BAR_WIDTH}} {words.rate(rate_bps)}"
