"""Decisions about virtual machines in a run, as they were recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.store import Event

KIND = "migration"


@dataclass(frozen=True)
class Migration:
    """A decision about virtual machines, ``t_s`` seconds after the program's start.

    Attributes:
        action: as `fairlead.manage.migration.mover.Mover` names it.
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


def of_event(event: Event, start_s: float) -> Migration:
    """A stored event as a decision."""
    said = event.data
    return Migration(
        event.t_s - start_s,
        str(said.get("action", "")),
        said.get("vm"),
        said.get("server"),
        said.get("to"),
        str(said.get("reason", "")),
        said.get("time_s"),
        said.get("paused_s"),
    )


def moved(decided: Sequence[Migration]) -> list[Migration]:
    """Those that brought a machine elsewhere."""
    return [each for each in decided if each.action == "moved"]
