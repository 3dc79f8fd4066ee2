"""The plan of a comparison, as a person writes it (TOML)."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from fairlead.config import Model
from fairlead.lab.congestion import CongestionDescription

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ProgramPlan(Model):
    """One ``[[programs]]``.

    ``command`` starts with a bundled program's name (cg, nbody) or a path. ``timeout_s`` ends a run that hangs; such a
    run is recorded as failed, never as a time.
    """

    name: str = Field(min_length=1)
    command: tuple[str, ...] = Field(min_length=1)
    ranks: int = Field(ge=1)
    mpirun: str | None = None
    timeout_s: float = Field(default=600.0, gt=0)


class CongestionPlan(Model):
    """``[congestion]``: what others do to the network, where, and when.

    ``places`` are what the seed draws from, each a congestion as a lab's description has it. ``onset`` is when it
    starts, as shares of the program's clean run time, drawn uniformly; [0, 0] is from the start. It changes its place
    ``moves`` times.
    """

    places: tuple[CongestionDescription, ...] = Field(min_length=1)
    onset: tuple[Share, Share] = (0.10, 0.40)
    moves: int = Field(default=0, ge=0, le=8)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.onset[0] > self.onset[1]:
            raise ValueError("onset: the first share is larger than the second")
        if self.moves and len(self.places) < 2:
            raise ValueError("moves: congestion cannot move with fewer than two places")
        return self


class ComparisonTable(Model):
    """``[comparison]``. Exactly one of ``lab`` (a description, started and ended by the comparison) and ``cluster``."""

    name: str = Field(min_length=1)
    lab: Path | None = None
    cluster: Path | None = None
    seed: int = 1
    replications: int = Field(default=3, ge=1)
    stages: bool = False

    @model_validator(mode="after")
    def _one_network(self) -> Self:
        if (self.lab is None) == (self.cluster is None):
            raise ValueError("give either lab or cluster")
        return self


class ComparisonPlan(Model):
    """A whole plan."""

    comparison: ComparisonTable
    congestion: CongestionPlan
    programs: tuple[ProgramPlan, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct_names(self) -> Self:
        names = [program.name for program in self.programs]
        if len(set(names)) != len(names):
            raise ValueError("programs: two have the same name")
        return self
