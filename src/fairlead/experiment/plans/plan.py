"""The plan of an evaluation, as a person writes it in TOML: factors, what a row runs, how often.

docs/reference/files/evaluation.md is made from it.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from fairlead.analysis.evaluations.settings import Level, ReportSettings
from fairlead.cluster.description import Transport
from fairlead.config import Model
from fairlead.experiment.factors.congestion import CongestionPlan, CongestionTable
from fairlead.experiment.factors.management import Managed, ManagementTable
from fairlead.experiment.factors.network import NetworkTable
from fairlead.experiment.factors.program import Program, ProgramTable, in_directory
from fairlead.experiment.factors.transport import TRANSPORTS
from fairlead.experiment.plans import complaints
from fairlead.experiment.plans.templates import Levels, fill_ranks, fill_template
from fairlead.lab.description import NicsDescription

LEAST_TO_STOP = 5
"""Stopping by an interval's width needs so many replications and blocks: of fewer, too many are narrow by chance."""


class EvaluationTable(Model):
    """The evaluation as a whole. Set either ``lab`` or ``cluster``, as a path relative to the plan.

    The path may hold ``{factor}``, where the factor is one of ``[whole_plot]``.
    """

    name: str = Field(min_length=1)
    """Name of the evaluation."""
    lab: str | None = None
    """Lab description; the evaluation starts and ends the lab."""
    cluster: str | None = None
    """Cluster file of a cluster that is up."""
    seed: int = 1
    """Seed of the order of rows."""
    prices: Path | None = None
    """[Price book](prices.md) that has the clusters or labs by their names; the report then shows what runs cost."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.lab is None) == (self.cluster is None):
            raise ValueError("give either lab or cluster")
        return self


class RunTable(Model):
    """What a row runs. Set either ``command`` or ``program``."""

    command: tuple[str, ...] = ()
    """Name of a bundled program, or a path, and its arguments. Words may hold ``{factor}``, and ``{plan_directory}``,
    the directory of this file."""
    program: str | None = None
    """Name of one of ``[[programs]]``; may hold ``{factor}``."""
    ranks: int | str = 1
    """Number of ranks of ``command``; may hold ``{factor}``."""
    launcher: Literal["mpi", "custom"] = "mpi"
    """``mpi``: the cluster's mpirun starts the ranks. ``custom``: the command runs unchanged."""
    mpirun: str | None = None
    """The mpirun to use; may hold ``{factor}``. Default: the cluster's."""
    transport: str | None = None
    """What carries MPI's messages between hosts, neighbours' too: ``tcp``, which management can reroute, or ``native``,
    the library's own choice; may hold ``{factor}``. Default: the cluster's, as for ``fairlead run``."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the ranks; values may hold ``{factor}``."""
    timeout_s: float = Field(default=600.0, gt=0)
    """Seconds after which a row is ended and recorded as failed; an entry of ``[[programs]]`` may have its own."""
    value: Literal["time_s", "timed_section_s"] = "time_s"
    """What the report covers: wall time with the launcher, or the timed section that the program prints; seconds."""
    expected_s: float | None = Field(default=None, gt=0)
    """Approximate time of a row in seconds, for the forecast only."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.command) == (self.program is not None):
            raise ValueError("command: give either command, or the program of [[programs]]")
        if self.program is not None and self.ranks != 1:  # a stored plan has the default, too
            raise ValueError("ranks: are those of command; each of [[programs]] has its own")
        if self.program is not None and self.launcher == "custom":
            raise ValueError("launcher: custom runs a command unchanged; [[programs]] are started by mpirun")
        return self


class Replications(Model):
    """How often every cell (combination of levels) is run.

    With ``half_width``, a cell is run again, one replication a block, until it has 5 blocks and its interval
    (Student's t; with whole plots of block means) is narrow enough.
    """

    count: int = Field(default=10, ge=1, le=complaints.MOST_REPLICATIONS)
    """Replications of every cell; with ``half_width`` the least number, at least 5."""
    half_width: float | None = Field(default=None, gt=0, lt=1)
    """Wanted half width of a cell's interval, as a share of its mean. Default: ``count`` is fixed."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Confidence level of the interval for ``half_width``."""
    at_most: int = Field(default=30, ge=1, le=complaints.MOST_REPLICATIONS)
    """Most replications of a cell with ``half_width``."""
    budget_s: float | None = Field(default=None, gt=0)
    """Seconds of all rows together after which no row begins. Default: no limit."""
    retries: int = Field(default=0, ge=0, le=10)
    """Immediate retries of a row that fails."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.half_width is not None and self.count < LEAST_TO_STOP:
            raise ValueError(
                f"count: stopping by the interval's width needs at least {LEAST_TO_STOP} replications to begin with"
            )
        if self.half_width is not None and self.at_most < self.count:
            raise ValueError("at_most: is less than count")
        return self


class WholePlot(Model):
    """Factors whose levels need a reconfiguration, which is done once for many rows.

    Each block holds every level once, in random order. Words of the commands may hold ``{factor}``.
    """

    factors: tuple[str, ...] = Field(min_length=1)
    """Names of the factors."""
    blocks: int = Field(default=complaints.LEAST_BLOCKS, ge=1)
    """Number of blocks: at least 3, at most ``replications.count``."""
    on: Literal["hosts", "here"] = "hosts"
    """Where the commands run: on every host, or on this machine."""
    set_up: tuple[tuple[str, ...], ...] = ()
    """Commands before the rows of a level."""
    read_back: tuple[tuple[str, ...], ...] = ()
    """Commands after ``set_up`` whose output is kept with every row."""
    undo: tuple[tuple[str, ...], ...] = ()
    """Commands after the rows of a level."""
    reset: tuple[tuple[str, ...], ...] = ()
    """Commands between two blocks, for example to drop caches; without ``{factor}``."""


class NeighbourProgram(Model):
    """A program that a neighbour starts again and again while the main program runs."""

    command: tuple[str, ...] = Field(min_length=1)
    """Name of a bundled program, or a path, and its arguments. Words may hold ``{factor}``."""
    ranks: int | str = 1
    """Number of ranks; may hold ``{factor}``."""


class Neighbours(Model):
    """Programs that run beside the main one, by level of a factor.

    A level of ``silent`` runs the same programs with as many ranks on every host, but each host's ranks are a job of
    their own, so nothing goes from host to host.
    """

    factor: str
    """Name of the factor."""
    levels: dict[str, tuple[str, ...]] = Field(min_length=1)
    """Programs beside the main one by level of ``factor``; each entry of a list is an instance."""
    programs: dict[str, NeighbourProgram] = Field(default_factory=dict)
    """The programs of ``levels``, by name."""
    silent: dict[str, str] = Field(default_factory=dict)
    """More levels of ``factor``: a level of ``levels`` without its traffic between hosts. Not with ``custom``."""
    processors: Literal["system", "equal", "fixed"] = "system"
    """Processor shares: the system's, control groups of equal weight, or also capped to that share."""
    hosts: tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...] = ()
    """Hosts of each instance, the main program's first. Default: all instances share the cluster's hosts."""


class PlacementTable(Model):
    """On which hosts the main program's ranks run, by level of a factor."""

    factor: str
    """Name of the factor."""
    levels: dict[str, Literal["slots"] | Path] = Field(min_length=1)
    """By level of ``factor``: ``slots``, ranks fill the hosts in order, or a file of ``fairlead placement --json``."""


class Fraction(Model):
    """A fraction of all combinations: of s levels a factor, one s-th is run.

    The levels of each factor are numbered from 0. Combinations are run whose numbers add up to ``remainder`` modulo s.
    With two levels this is a regular half fraction with the defining relation I = ±AB...: the interaction of all these
    factors is confounded with the mean, and each effect with that of the other factors together.
    """

    factors: tuple[str, ...] = Field(min_length=2)
    """Names of factors that have the same number s of levels."""
    remainder: int = Field(default=0, ge=0)
    """Which fraction is run; less than s."""


class Plan(Model):
    """A whole plan: factors and their levels, what a row runs, how often."""

    evaluation: EvaluationTable
    """The evaluation as a whole."""
    factors: dict[str, Annotated[tuple[Level, ...], Field(min_length=1)]] = Field(min_length=1)
    """Levels of each factor. You choose the names: letters, digits and _."""
    run: RunTable
    """What a row runs."""
    programs: tuple[ProgramTable, ...] = ()
    """Programs that ``run.program`` names."""
    replications: Replications = Replications()
    """How often every cell is run."""
    whole_plot: WholePlot | None = None
    """Factors that need a reconfiguration."""
    neighbours: Neighbours | None = None
    """Programs that run beside the main one."""
    congestion: CongestionTable | None = None
    """Cross-traffic on the network."""
    management: ManagementTable | None = None
    """Components of fairlead that work beside the main program."""
    placement: PlacementTable | None = None
    """Hosts of the main program's ranks."""
    network: NetworkTable | None = None
    """NICs and bonds of the hosts."""
    exclude: tuple[dict[str, Level | tuple[Level, ...]], ...] = ()
    """Levels by factor; combinations that have all of an entry's levels are not run."""
    fractions: tuple[Fraction, ...] = ()
    """Fractions of all combinations."""
    report: ReportSettings = ReportSettings()
    """What the report compares."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for complaint in complaints.of(self):
            raise ValueError(complaint)
        complaint_of_report = self.report.complaint(self.factors)
        if complaint_of_report:
            raise ValueError(complaint_of_report)
        if not self.combinations():
            raise ValueError("exclude: nothing is left to run")
        return self

    def combinations(self) -> list[Levels]:
        """Every combination of levels that is run, in the plan's order."""
        every = [dict(zip(self.factors, levels, strict=True)) for levels in product(*self.factors.values())]
        return [levels for levels in every if not self._is_excluded(levels) and self._is_in_fractions(levels)]

    def whole_plot_levels(self, levels: Mapping[str, Level]) -> Levels:
        """The levels that need a re-configuration."""
        return {factor: levels[factor] for factor in (self.whole_plot.factors if self.whole_plot else ())}

    def neighbours_at(self, levels: Mapping[str, Level]) -> tuple[str, ...]:
        """Names of the neighbours' programs of a row, one an instance."""
        if self.neighbours is None:
            return ()
        level = str(levels[self.neighbours.factor])
        return self.neighbours.levels[self.neighbours.silent.get(level, level)]

    def silent_at(self, levels: Mapping[str, Level]) -> bool:
        """Whether the neighbours of a row send nothing from host to host."""
        return self.neighbours is not None and str(levels[self.neighbours.factor]) in self.neighbours.silent

    def program_at(self, levels: Mapping[str, Level]) -> Program:
        """The main program of a row."""
        run = self.run
        table = self.program_table(levels)
        if table is None:
            argv = tuple(fill_template(word, levels) for word in run.command)
            program = Program(argv, fill_ranks(run.ranks, levels), timeout_s=run.timeout_s)
        else:
            program = replace(table.resolved(), command=tuple(fill_template(word, levels) for word in table.command))
            if "timeout_s" not in table.model_fields_set:
                program = replace(program, timeout_s=run.timeout_s)
        mpirun = program.mpirun or (fill_template(run.mpirun, levels) if run.mpirun else None)
        return replace(
            program,
            mpirun=mpirun,
            transport=self._transport_at(levels),
            placement=self._placement_at(levels) or program.placement,
            custom=run.launcher == "custom",
            environment={name: fill_template(value, levels) for name, value in run.environment.items()},
        )

    def program_table(self, levels: Mapping[str, Level]) -> ProgramTable | None:
        """The entry of ``[[programs]]`` that a row runs; None: it runs the command of ``[run]``."""
        if self.run.program is None:
            return None
        name = fill_template(self.run.program, levels)
        return next(each for each in self.programs if each.name == name)

    def neighbour_at(self, name: str, levels: Mapping[str, Level], ranks: int | None = None) -> Program:
        """A neighbours' program at these levels, on so many ranks in place of its own."""
        assert self.neighbours is not None  # it named the program
        table = self.neighbours.programs[name]
        argv = tuple(fill_template(word, levels) for word in table.command)
        mpirun = fill_template(self.run.mpirun, levels) if self.run.mpirun else None
        number, custom = ranks or fill_ranks(table.ranks, levels), self.run.launcher == "custom"
        return Program(argv, number, mpirun, custom=custom, transport=self._transport_at(levels))

    def managed_at(self, levels: Mapping[str, Level]) -> Managed:
        """What of fairlead works beside a row's program."""
        if self.management is None:
            return Managed()
        return Managed.of(self.management.levels[str(levels[self.management.factor])])

    def congestion_at(self, levels: Mapping[str, Level]) -> CongestionPlan | None:
        """What others do to the network in a row."""
        found = self.congestion.levels[str(levels[self.congestion.factor])] if self.congestion else "none"
        return None if isinstance(found, str) else found

    def unmanaged(self, levels: Mapping[str, Level]) -> Levels:
        """The levels but for that of management: rows that agree in them face the same congestion."""
        return {factor: level for factor, level in levels.items() if factor != getattr(self.management, "factor", None)}

    def undisturbed(self, levels: Mapping[str, Level]) -> Levels:
        """The levels but for those of management and congestion: what a pilot run is of."""
        factor = getattr(self.congestion, "factor", None)
        return {name: level for name, level in self.unmanaged(levels).items() if name != factor}

    def _placement_at(self, levels: Mapping[str, Level]) -> Path | None:
        found = self.placement.levels[str(levels[self.placement.factor])] if self.placement else "slots"
        return found if isinstance(found, Path) else None

    def _transport_at(self, levels: Mapping[str, Level]) -> Transport | None:
        """What the plan asks for; None: nothing."""
        found = fill_template(self.run.transport or "", levels)
        return next((each for each in TRANSPORTS if each == found), None)

    def nics_at(self, levels: Mapping[str, Level]) -> NicsDescription | None:
        """How the lab's hosts have their NICs at these levels; None: as its description says."""
        return self.network.levels[str(levels[self.network.factor])] if self.network else None

    def networks(self) -> list[Path]:
        """Files of the labs or clusters that its rows run on, each once."""
        file = self.evaluation.lab or self.evaluation.cluster or ""
        return list(dict.fromkeys(Path(fill_template(file, levels)) for levels in self.combinations()))

    def placements(self) -> list[Path]:
        """Files of the placements that its rows may use."""
        levels = self.placement.levels.values() if self.placement else ()
        files = [*levels, *(program.placement for program in self.programs)]
        return list(dict.fromkeys(file for file in files if isinstance(file, Path)))

    def stored(self) -> dict[str, Any]:
        """As the store keeps it, but for what the files of `networks` say."""
        return self.model_dump(mode="json")

    def _is_excluded(self, levels: Mapping[str, Level]) -> bool:
        return any(
            all(
                levels[factor] in (unwanted if isinstance(unwanted, tuple) else (unwanted,))
                for factor, unwanted in each.items()
            )
            for each in self.exclude
        )

    def _is_in_fractions(self, levels: Mapping[str, Level]) -> bool:
        return all(
            sum(self.factors[factor].index(levels[factor]) for factor in each.factors)
            % len(self.factors[each.factors[0]])
            == each.remainder
            for each in self.fractions
        )


def under(plan: Plan, directory: Path) -> Plan:
    """The same plan with the paths of its files starting at ``directory``, and that in commands."""
    table = plan.evaluation
    paths: dict[str, Any] = {key: str(directory / path) for key in ("lab", "cluster") if (path := getattr(table, key))}
    paths |= {} if table.prices is None else {"prices": directory / table.prices}
    changed: dict[str, Any] = {"evaluation": table.model_copy(update=paths)}
    changed["run"] = plan.run.model_copy(update={"command": in_directory(plan.run.command, directory)})
    changed["programs"] = tuple(each.under(directory) for each in plan.programs)
    if plan.placement is not None:
        levels = {
            name: directory / file if isinstance(file, Path) else file for name, file in plan.placement.levels.items()
        }
        changed["placement"] = plan.placement.model_copy(update={"levels": levels})
    return plan.model_copy(update=changed)
