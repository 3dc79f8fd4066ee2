"""What the process that carries a migration out says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.lab.migration.precopy import PrecopyRound


@dataclass(frozen=True)
class CopyProgress:
    """How far it is: ``copying`` round by round, then ``paused`` for the last one."""

    phase: str
    round: int
    left_B: int
    copied_B: int


@dataclass(frozen=True)
class MigrationReport:
    """A machine has moved. ``rounds`` are what was copied, the last while it was paused (``paused_s``)."""

    vm: str
    source: str
    target: str
    time_s: float
    paused_s: float
    rounds: tuple[PrecopyRound, ...]

    @property
    def copied_B(self) -> int:
        return sum(each.size_B for each in self.rounds)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "MigrationReport":
        """The inverse of `dataclasses.asdict`."""
        return cls(**{**said, "rounds": tuple(PrecopyRound(**each) for each in said["rounds"])})
