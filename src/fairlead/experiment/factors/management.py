"""Management of a plan's rows: which components of fairlead work beside the program, and over which plane."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from fairlead.config import Model
from fairlead.manage.components import NONE, ROUTE, STAGES, Components
from fairlead.manage.data_planes import PLANES
from fairlead.protocol.enums import Acknowledge
from fairlead.protocol.settings import AgentSettings, Number

Stage = Literal["none", "agents", "detection", "detours", "migration"]
AcknowledgeName = Literal["waited", "always", "never"]


def _known_plane(value: str) -> str:
    if value not in PLANES:
        raise ValueError(f"must be one of {' or '.join(map(repr, PLANES.names()))}")
    return value


PlaneName = Annotated[str, AfterValidator(_known_plane)]


class ManagementLevel(Model):
    """How the rows of one level are managed."""

    components: Stage = "detours"
    """Last active component; each includes the components before it."""
    plane: PlaneName = ROUTE
    """What carries rerouted traffic."""
    monitor: bool = False
    """Watch messages; with ``none``, agents do nothing else."""
    acknowledge: AcknowledgeName = "waited"
    """With ``monitor``: slow messages reported to the sender's agent."""
    benefit: bool = True
    """Pauses in long runs show [what reroutes give](../../explanation/benefit.md)."""
    settings: AgentSettings = Field(default_factory=dict)
    """[Settings of the agents](../agent-settings.md) that differ from the cluster's."""


class ManagementTable(Model):
    """Which components of fairlead work beside the main program, by level of a factor."""

    factor: str
    """Name of the factor."""
    levels: dict[str, Stage | ManagementLevel] = Field(min_length=1)
    """Last active component by level of ``factor``, or a table with the plane and the message monitor."""


@dataclass(frozen=True)
class Managed:
    """What works beside a program, resolved."""

    components: Components = NONE
    plane: str = ROUTE
    settings: tuple[tuple[str, Number], ...] = ()

    @classmethod
    def of(cls, level: Stage | ManagementLevel) -> Self:
        """What a level of a plan means. Without detours nothing is carried, whatever the plane."""
        if not isinstance(level, ManagementLevel):
            level = ManagementLevel(components=level)
        components = replace(STAGES.get(level.components, NONE), benefit=level.benefit)
        if level.monitor:
            components = replace(components, agents=True, monitor=True, acknowledge=Acknowledge(level.acknowledge))
        return cls(components, level.plane if components.detours else ROUTE, tuple(level.settings.items()))
