"""The plan of a comparison, as a person writes it in TOML: what runs where under which congestion.

docs/reference/files/comparison.md is made from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from fairlead.cluster.description import Transport
from fairlead.config import Model
from fairlead.experiment.factors.congestion import CongestionPlan
from fairlead.experiment.factors.management import AcknowledgeName, PlaneName
from fairlead.experiment.factors.program import PLAN_DIRECTORY, ProgramPlan
from fairlead.experiment.plans import complaints
from fairlead.experiment.plans.templates import placeholders
from fairlead.lab.description import Scale
from fairlead.protocol.settings import AgentSettings

CLEAN = "clean"
"""What the network without congestion is called."""


class ComparisonTable(Model):
    """The comparison as a whole. Paths are relative to the plan. Set ``lab``, ``cluster``, or ``[labs]``."""

    name: str = Field(min_length=1)
    """Name of the comparison."""
    lab: Path | None = None
    """Lab description; the comparison starts and ends the lab."""
    cluster: Path | None = None
    """Cluster file of a cluster that is up."""
    seed: int = 1
    """Seed of the order of runs, and of time and bottleneck of the congestion."""
    replications: int = Field(default=3, ge=1, le=complaints.MOST_REPLICATIONS)
    """Runs of each program in each scenario."""
    stages: bool = False
    """Add fairlead's components one by one (agents, detection, detours); with one plane only."""
    monitor: bool = False
    """Watch messages in all runs, the unmanaged ones too."""
    acknowledge: AcknowledgeName = "waited"
    """With ``monitor``: slow messages reported to the sender's agent."""
    benefit: bool = True
    """Pauses in long managed runs show [what reroutes give](../../explanation/benefit.md)."""
    migrate: bool = False
    """Managed runs also migrate virtual machines away from congested servers."""
    settings: AgentSettings = Field(default_factory=dict)
    """[Settings of the agents](../agent-settings.md) in managed runs that differ from the cluster's."""
    planes: tuple[PlaneName, ...] = Field(default=("route",), min_length=1)
    """How managed runs carry rerouted traffic; each plane has managed scenarios of its own."""
    transport: Transport | None = None
    """What carries MPI's messages between hosts. Managed runs need ``tcp``. Default: the cluster's."""
    scale: Literal["auto"] | Scale | None = None
    """Factor for the labs' rates; ``auto`` finds what this machine can emulate. Default: each lab's own."""
    prices: Path | None = None
    """[Price book](prices.md) that has the clusters or labs by their names; the report then shows what runs cost."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("planes", list(self.planes))
        if self.stages and len(self.planes) > 1:
            raise ValueError("planes: stages adds components one by one over a single plane only")
        if self.scale is not None and self.cluster is not None:
            raise ValueError("scale: only labs can be scaled, not the links of a real cluster")
        return self


class CasesPlan(Model):
    """Every combination of these programs, labs and congestions is a case, named PROGRAM.CONGESTION.LAB."""

    programs: tuple[str, ...] = Field(min_length=1)
    """Names of ``[[programs]]``."""
    labs: tuple[str, ...] = Field(min_length=1)
    """Names in ``[labs]``."""
    congestions: tuple[str, ...] = Field(min_length=1)
    """Names of ``[congestions.NAME]``."""


@dataclass(frozen=True)
class NetworkPlan:
    """A network that programs run on: a lab's description, or the file of a cluster that is up.

    ``scaled_for`` is the program by which the scale of the lab's rates is found; None: it is given, for all programs.
    """

    name: str
    lab: Path | None
    cluster: Path | None
    scaled_for: str | None = None


@dataclass(frozen=True)
class Case:
    """What is compared within itself: one program on one network under one congestion, in all scenarios.

    ``name`` is the program's where a plan has one network and one congestion, else PROGRAM.CONGESTION.LAB.
    """

    name: str
    program: ProgramPlan
    congestion: CongestionPlan
    network: NetworkPlan


class ComparisonPlan(Model):
    """A whole plan: one network and one congestion for all programs, or several of each and ``[[cases]]``."""

    comparison: ComparisonTable
    """The comparison as a whole."""
    congestion: CongestionPlan | None = None
    """Cross-traffic on the network; required without ``[[cases]]``."""
    programs: tuple[ProgramPlan, ...] = Field(min_length=1)
    """The programs that are compared."""
    labs: dict[str, Path] = Field(default_factory=dict)
    """Lab descriptions by name, for ``[[cases]]``."""
    congestions: dict[str, CongestionPlan] = Field(default_factory=dict)
    """Congestions by name, for ``[[cases]]``."""
    cases: tuple[CasesPlan, ...] = ()
    """Which programs, labs and congestions belong together."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("programs", [program.name for program in self.programs])
        _without_placeholders(self.programs)
        if CLEAN in self.congestions:
            raise ValueError(f"congestions.{CLEAN}: is what runs without congestion are called; choose another name")
        table = self.comparison
        if not self.cases:
            if (table.lab is None) == (table.cluster is None):
                raise ValueError("comparison: give either lab or cluster, or [labs] and [[cases]]")
            if self.congestion is None:
                raise ValueError("congestion: is missing: describe the cross-traffic")
            if self.labs or self.congestions:
                raise ValueError("cases: [labs] and [congestions] are used by [[cases]] only, and there are none")
            return self
        if table.lab or table.cluster or self.congestion:
            raise ValueError("cases: with [[cases]], networks stand in [labs] and congestion in [congestions.NAME]")
        for number, each in enumerate(self.cases):
            _known(f"cases.{number}.programs", each.programs, [program.name for program in self.programs])
            _known(f"cases.{number}.labs", each.labs, self.labs)
            _known(f"cases.{number}.congestions", each.congestions, self.congestions)
        _distinct("cases", [case.name for case in self.all_cases()])
        return self

    def all_cases(self) -> list[Case]:
        """Every case, in the plan's order."""
        table = self.comparison
        if self.congestion is not None:
            return [
                Case(program.name, program, self.congestion, self._network(table.name, table.lab, program))
                for program in self.programs
            ]
        programs = {program.name: program for program in self.programs}
        return [
            Case(
                f"{program}.{congestion}.{lab}",
                programs[program],
                self.congestions[congestion],
                self._network(lab, self.labs[lab], programs[program]),
            )
            for each in self.cases
            for lab, congestion, program in product(each.labs, each.congestions, each.programs)
        ]

    def _network(self, name: str, lab: Path | None, program: ProgramPlan) -> NetworkPlan:
        """Where a scale is to be found, programs have networks of their own: processors limit each at other rates.

        The same program with another placement shares the network, so that its times can be compared.
        """
        table = self.comparison
        same = (each for each in self.programs if (each.command, each.ranks) == (program.command, program.ranks))
        return NetworkPlan(name, lab, table.cluster, next(same).name if table.scale == "auto" else None)

    def under(self, directory: Path) -> Self:
        """The same plan with its relative paths starting at ``directory``."""
        table = self.comparison
        paths = {
            key: directory / path for key in ("lab", "cluster", "prices") if (path := getattr(table, key)) is not None
        }
        labs = {name: directory / path for name, path in self.labs.items()}
        programs = tuple(program.under(directory) for program in self.programs)
        changed = {"comparison": table.model_copy(update=paths), "labs": labs, "programs": programs}
        return self.model_copy(update=changed)


def _distinct(key: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{key}: two are called {', '.join(twice)}")


def _without_placeholders(programs: Iterable[ProgramPlan]) -> None:
    for number, program in enumerate(programs):
        for name in placeholders(*program.command):
            if name != PLAN_DIRECTORY:
                raise ValueError(
                    f"programs.{number}.command: {{{name}}} stands for nothing here; there is {{{PLAN_DIRECTORY}}}, "
                    "and a shell takes $NAME without braces"
                )


def _known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{key}: {', '.join(unknown)} is not in the plan, which has {', '.join(known) or 'none'}")
