"""Decisions about virtual machines in a run, as they were recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.protocol import events


@dataclass(frozen=True)
class MigrationDecision:
    """A decision about virtual machines, ``t_s`` seconds after the program's start.

    Attributes:
        action: as `fairlead.protocol.enums.MigrationAction` names it.
        vm, server, target: which machine, from where, to where, as far as it is about one.
        time_s: how long it took; of a machine that moved, or whose migration failed.
        paused_s: for how long the machine stood still, where the cloud tells.
    """

    t_s: float
    action: str
    vm: str | None
    server: str | None
    target: str | None
    reason: str
    time_s: float | None
    paused_s: float | None


def of_event(said: events.Migration[str], t_s: float) -> MigrationDecision:
    """A stored event, ``t_s`` seconds after the program's start, as a decision."""
    return MigrationDecision(t_s, said.action, said.vm, said.server, said.to, said.reason, said.time_s, said.paused_s)


def completed(decided: Sequence[MigrationDecision]) -> list[MigrationDecision]:
    """Those that brought a machine elsewhere."""
    return [each for each in decided if each.action == "moved"]
