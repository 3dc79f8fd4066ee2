"""The plan of a comparison, as a person writes it in TOML: what runs where under which congestion (docs/compare.md)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairlead.config import Model
from fairlead.lab.congestion import CongestionDescription
from fairlead.lab.description import Scale
from fairlead.manage.data_planes import PLANES

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ProgramPlan(Model):
    """One ``[[programs]]``.

    ``command`` starts with a bundled program's name (cg, nbody) or a path. ``timeout_s`` ends a run that hangs; such a
    run is recorded as failed, never as a time. ``clean_s`` is about how long it takes on a clean network: the time of
    the whole comparison is told from it before pilots have measured it. ``placement`` is a file that
    `fairlead placement --json` wrote for these hosts: ranks run where it says.

    ``length`` is the option of ``command`` whose number says how long the program runs (``--iterations``). With
    ``timed_s`` the comparison finds the number with which the program's own timed section takes so long on a clean
    network (`fairlead.manage.calibration`), and the one in ``command`` is where it begins to look.
    """

    name: str = Field(min_length=1)
    command: tuple[str, ...] = Field(min_length=1)
    ranks: int = Field(ge=1)
    placement: Path | None = None
    mpirun: str | None = None
    timeout_s: float = Field(default=600.0, gt=0)
    clean_s: float | None = Field(default=None, gt=0)
    length: str | None = None
    timed_s: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.timed_s is not None and self.length is None:
            raise ValueError("timed_s: say which option of the command sets the program's length (length)")
        if self.length is not None:
            self._number_at()
        return self

    def _number_at(self) -> int:
        """Where the number after ``length`` stands in the command."""
        found = [k + 1 for k, word in enumerate(self.command) if word == self.length]
        if len(found) != 1 or found[0] >= len(self.command) or not self.command[found[0]].isdecimal():
            raise ValueError(f"length: the command must have {self.length} once, and a whole number after it")
        if int(self.command[found[0]]) < 1:
            raise ValueError(f"length: the number after {self.length} must be 1 or more")
        return found[0]

    @property
    def number(self) -> int:
        """How long it runs: the number after ``length``. Only for programs that have one."""
        return int(self.command[self._number_at()])

    def of_length(self, number: int) -> Self:
        """The same program with another number after ``length``."""
        at = self._number_at()
        return self.model_copy(update={"command": (*self.command[:at], str(number), *self.command[at + 1 :])})


class CongestionPlan(Model):
    """``[congestion]`` or ``[congestions.NAME]``: what others do to the network, where, and when.

    ``places`` are what the seed draws from, each a congestion as a lab's description has it. ``onset`` is when it
    starts, as shares of the program's clean run time, drawn uniformly; [0, 0] is from the start. It changes its place
    ``moves`` times. ``slowdown`` is about how many times as long programs take: for the estimate of the time only.
    """

    places: tuple[CongestionDescription, ...] = Field(min_length=1)
    onset: tuple[Share, Share] = (0.10, 0.40)
    moves: int = Field(default=0, ge=0, le=8)
    slowdown: float = Field(default=3.0, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.onset[0] > self.onset[1]:
            raise ValueError("onset: the first share is larger than the second")
        if self.moves and len(self.places) < 2:
            raise ValueError("moves: congestion cannot move with fewer than two places")
        return self


def _known_plane(value: str) -> str:
    if value not in PLANES:
        raise ValueError(f"must be one of {' or '.join(map(repr, PLANES.names()))}")
    return value


class ComparisonTable(Model):
    """``[comparison]``. ``lab`` is a description, started and ended by the comparison; ``cluster`` one that is up.

    ``monitor``: messages are watched in all runs alike, the plain ones too, where agents do nothing else.
    ``scale`` takes the place of that of the labs' descriptions; "auto" finds for each lab what this machine carries
    (`fairlead.manage.calibration`).
    With ``migrate`` managed runs move virtual machines where their server is congested. ``planes`` are how managed runs
    move traffic; with several, each is a pair of scenarios, side by side under the same congestion.
    """

    name: str = Field(min_length=1)
    lab: Path | None = None
    cluster: Path | None = None
    seed: int = 1
    replications: int = Field(default=3, ge=1)
    stages: bool = False
    monitor: bool = False
    migrate: bool = False
    planes: tuple[Annotated[str, AfterValidator(_known_plane)], ...] = Field(default=("route",), min_length=1)
    scale: Literal["auto"] | Scale | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("planes", list(self.planes))
        if self.stages and len(self.planes) > 1:
            raise ValueError("planes: components are added one by one (stages) over one plane only")
        if self.scale is not None and self.cluster is not None:
            raise ValueError("scale: a cluster's links are as they are; only labs can be scaled")
        return self


class CasesPlan(Model):
    """One ``[[cases]]``: each of its programs on each of its labs under each of its congestions, all by name."""

    programs: tuple[str, ...] = Field(min_length=1)
    labs: tuple[str, ...] = Field(min_length=1)
    congestions: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True)
class NetworkPlan:
    """A network that programs run on: a lab's description, or the file of a cluster that is up."""

    name: str
    lab: Path | None
    cluster: Path | None


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
    congestion: CongestionPlan | None = None
    programs: tuple[ProgramPlan, ...] = Field(min_length=1)
    labs: dict[str, Path] = Field(default_factory=dict)
    congestions: dict[str, CongestionPlan] = Field(default_factory=dict)
    cases: tuple[CasesPlan, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _distinct("programs", [program.name for program in self.programs])
        table = self.comparison
        if not self.cases:
            if (table.lab is None) == (table.cluster is None):
                raise ValueError("comparison: give either lab or cluster, or [labs] and [[cases]]")
            if self.congestion is None:
                raise ValueError("congestion: is missing: say what others do to the network")
            if self.labs or self.congestions:
                raise ValueError("cases: [labs] and [congestions] are used by [[cases]] only, and there are none")
            return self
        if table.lab or table.cluster or self.congestion:
            raise ValueError("cases: with [[cases]], networks stand in [labs] and congestion in [congestions.NAME]")
        for each in self.cases:
            _known("programs", each.programs, [program.name for program in self.programs])
            _known("labs", each.labs, self.labs)
            _known("congestions", each.congestions, self.congestions)
        _distinct("cases", [case.name for case in self.all_cases()])
        return self

    def all_cases(self) -> list[Case]:
        """Every case, in the plan's order."""
        table = self.comparison
        if self.congestion is not None:
            network = NetworkPlan(table.name, table.lab, table.cluster)
            return [Case(program.name, program, self.congestion, network) for program in self.programs]
        programs = {program.name: program for program in self.programs}
        return [
            Case(
                f"{program}.{congestion}.{lab}",
                programs[program],
                self.congestions[congestion],
                NetworkPlan(lab, self.labs[lab], None),
            )
            for each in self.cases
            for lab, congestion, program in product(each.labs, each.congestions, each.programs)
        ]

    def under(self, directory: Path) -> Self:
        """The same plan with its relative paths starting at ``directory``."""
        table = self.comparison
        paths = {key: directory / path for key in ("lab", "cluster") if (path := getattr(table, key)) is not None}
        labs = {name: directory / path for name, path in self.labs.items()}
        programs = tuple(
            program.model_copy(update={"placement": directory / program.placement}) if program.placement else program
            for program in self.programs
        )
        changed = {"comparison": table.model_copy(update=paths), "labs": labs, "programs": programs}
        return self.model_copy(update=changed)


def _distinct(key: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{key}: two are called {', '.join(twice)}")


def _known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"cases: {key}: {', '.join(unknown)} is not in the plan, which has {', '.join(known) or 'none'}"
        )
