"""The plan of an evaluation, as a person writes it in TOML: factors, what a row runs, how often.

docs/reference/files/evaluation.md is made from it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from fairlead.config import Model
from fairlead.errors import ConfigError
from fairlead.evaluate.network import NetworkTable
from fairlead.evaluate.settings import Level, Report
from fairlead.lab.description import NicsDescription
from fairlead.manage.components import NONE, STAGES, Components

Levels = dict[str, Level]
RESERVED = ("name", "block", "replication", "attempt", "origin", "cluster")
LEAST_BLOCKS = 3
"""With fewer blocks, an effect of re-configuring cannot be told from one of time."""
LEAST_TO_STOP = 5
"""Stopping by an interval's width needs so many replications and blocks: of fewer, too many are narrow by chance."""
_LATER_OF_NEIGHBOURS = {"silent": {}, "processors": "system", "hosts": []}
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_FACTOR = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.lab is None) == (self.cluster is None):
            raise ValueError("give either lab or cluster")
        return self


class RunTable(Model):
    """What a row runs."""

    command: tuple[str, ...] = Field(min_length=1)
    """Name of a bundled program, or a path, and its arguments. Words may hold ``{factor}``."""
    ranks: int | str = 1
    """Number of ranks; may hold ``{factor}``."""
    launcher: Literal["mpi", "custom"] = "mpi"
    """``mpi``: the cluster's mpirun starts the ranks. ``custom``: the command runs unchanged."""
    mpirun: str | None = None
    """The mpirun to use. Default: the cluster's."""
    timeout_s: float = Field(default=600.0, gt=0)
    """Seconds after which a row is ended and recorded as failed."""
    value: Literal["time_s", "timed_section_s"] = "time_s"
    """What the report is about: wall time with the launcher, or the timed section that the program prints; seconds."""
    expected_s: float | None = Field(default=None, gt=0)
    """Approximate time of a row in seconds, for the forecast only."""


class Replications(Model):
    """How often every cell (combination of levels) is run.

    With ``half_width``, a cell is run again, one replication a block, until it has 5 blocks and its interval
    (Student's t; with whole plots of block means) is narrow enough.
    """

    count: int = Field(default=10, ge=1)
    """Replications of every cell; with ``half_width`` the least number, at least 5."""
    half_width: float | None = Field(default=None, gt=0, lt=1)
    """Wanted half width of a cell's interval, as a share of its mean. Default: ``count`` is fixed."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Confidence level of the interval for ``half_width``."""
    at_most: int = Field(default=30, ge=1)
    """Most replications of a cell with ``half_width``."""
    budget_s: float | None = Field(default=None, gt=0)
    """Seconds of all rows together after which no row begins. Default: no limit."""
    retries: int = Field(default=0, ge=0, le=10)
    """Further tries of a row that fails, at once."""

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
    blocks: int = Field(default=LEAST_BLOCKS, ge=1)
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
    """Commands between two blocks, for example to drop caches."""


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
    """Further levels of ``factor``: a level of ``levels`` without its traffic between hosts. Not with ``custom``."""
    processors: Literal["system", "equal", "fixed"] = "system"
    """Processor shares: the system's, control groups of equal weight, or also capped to that share."""
    hosts: tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...] = ()
    """Hosts of each instance, the main program's first. Default: all instances share the cluster's hosts."""


class ManagementTable(Model):
    """Which components of fairlead work beside the main program, by level of a factor."""

    factor: str
    """Name of the factor."""
    levels: dict[str, Literal["none", "agents", "detection", "detours"]] = Field(min_length=1)
    """Last component that works, by level of ``factor``; each includes the components before it."""


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
    replications: Replications = Replications()
    """How often every cell is run."""
    whole_plot: WholePlot | None = None
    """Factors that need a reconfiguration."""
    neighbours: Neighbours | None = None
    """Programs that run beside the main one."""
    management: ManagementTable | None = None
    """Components of fairlead that work beside the main program."""
    network: NetworkTable | None = None
    """NICs and bonds of the hosts."""
    exclude: tuple[dict[str, Level | tuple[Level, ...]], ...] = ()
    """Levels by factor; combinations that have all of an entry's levels are not run."""
    fractions: tuple[Fraction, ...] = ()
    """Fractions of all combinations."""
    report: Report = Report()
    """What the report compares."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for complaint in (
            *_of_factors(self.factors),
            *_of_templates(self),
            *_of_whole_plot(self),
            *_of_neighbours(self),
            *_of_management(self),
            *_of_network(self),
            *_of_selection(self),
        ):
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

    def components_at(self, levels: Mapping[str, Level]) -> Components:
        """What of fairlead works beside a row's program."""
        stage = self.management.levels[str(levels[self.management.factor])] if self.management else "none"
        return STAGES.get(stage, NONE)

    def nics_at(self, levels: Mapping[str, Level]) -> NicsDescription | None:
        """How the lab's hosts have their NICs at these levels; None: as its description says."""
        return self.network.levels[str(levels[self.network.factor])] if self.network else None

    def networks(self) -> list[Path]:
        """Files of the labs or clusters that its rows run on, each once."""
        file = self.evaluation.lab or self.evaluation.cluster or ""
        return list(dict.fromkeys(Path(fill(file, levels)) for levels in self.combinations()))

    def stored(self) -> dict[str, Any]:
        """As the store keeps it, but for what `networks` say.

        What an earlier version began without a table goes on if the plan has none.
        """
        written = self.model_dump(mode="json")
        if written["neighbours"]:
            table = written["neighbours"]
            written["neighbours"] = {
                key: value for key, value in table.items() if _LATER_OF_NEIGHBOURS.get(key, ...) != value
            }
        return written if self.network else {key: value for key, value in written.items() if key != "network"}

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


def fill(text: str, levels: Mapping[str, Level]) -> str:
    """``text`` with every ``{factor}`` replaced by its level."""
    return _PLACEHOLDER.sub(lambda match: str(levels[match[1]]) if match[1] in levels else match[0], text)


def fill_ranks(ranks: int | str, levels: Mapping[str, Level]) -> int:
    """Number of ranks of a row.

    Raises:
        ConfigError: the levels make no whole number of at least 1 of it.
    """
    text = fill(str(ranks), levels)
    if not text.isdecimal() or int(text) < 1:
        raise ConfigError(f"run.ranks: {text!r} is no number of ranks")
    return int(text)


def placeholders(*texts: str) -> list[str]:
    """Names in braces, each once."""
    return list(dict.fromkeys(name for text in texts for name in _PLACEHOLDER.findall(text)))


def _of_factors(factors: Mapping[str, tuple[Level, ...]]) -> Iterator[str]:
    for name, levels in factors.items():
        if not _FACTOR.fullmatch(name):
            yield f"factors: {name!r}: use letters, digits and _ only"
        if name in RESERVED:
            yield f"factors: {name} has a meaning of its own; choose another name"
        if len({str(level) for level in levels}) < len(levels):
            yield f"factors: {name}: a level stands there twice"


def _of_templates(plan: Plan) -> Iterator[str]:
    run, plot = plan.run, plan.whole_plot
    texts = {"run.command": run.command, "run.ranks": (str(run.ranks),)}
    for key in ("lab", "cluster"):
        texts[f"evaluation.{key}"] = (getattr(plan.evaluation, key) or "",)
    if plot:
        for key in ("set_up", "read_back", "undo", "reset"):
            texts[f"whole_plot.{key}"] = tuple(word for line in getattr(plot, key) for word in line)
    if plan.neighbours:
        for name, program in plan.neighbours.programs.items():
            texts[f"neighbours.programs.{name}"] = (*program.command, str(program.ranks))
    configured = plot.factors if plot else ()
    for key, words in texts.items():
        for name in placeholders(*words):
            if name not in plan.factors:
                yield f"{key}: {{{name}}} is no factor; there are {', '.join(plan.factors)}"
            elif key.startswith(("evaluation.", "whole_plot.")) and name not in configured:
                yield f"{key}: {{{name}}} needs a re-configuration: list it in whole_plot.factors"
    for levels in product(*plan.factors.values()):
        try:
            fill_ranks(run.ranks, dict(zip(plan.factors, levels, strict=True)))
        except ConfigError as error:
            yield error.args[0]


def _of_whole_plot(plan: Plan) -> Iterator[str]:
    plot = plan.whole_plot
    if plot is None:
        return
    yield from _unknown("whole_plot.factors", plot.factors, plan.factors)
    if plot.blocks < LEAST_BLOCKS:
        yield f"whole_plot: blocks: at least {LEAST_BLOCKS}, or its effect cannot be told from that of time"
    if plan.replications.count < plot.blocks:
        yield f"replications: count: {plan.replications.count} do not fill {plot.blocks} blocks"


def _of_neighbours(plan: Plan) -> Iterator[str]:
    neighbours = plan.neighbours
    if neighbours is None:
        return
    yield from _unknown("neighbours.factor", (neighbours.factor,), plan.factors)
    for level in plan.factors.get(neighbours.factor, ()):
        if str(level) not in {**neighbours.levels, **neighbours.silent}:
            yield f"neighbours.levels: says nothing of {level}"
    for level, programs in neighbours.levels.items():
        yield from _unknown(f"neighbours.levels.{level}", programs, neighbours.programs)
    instances = 1 + max(map(len, neighbours.levels.values()))
    if neighbours.hosts and len(neighbours.hosts) != instances:
        yield f"neighbours.hosts: {len(neighbours.hosts)} lists for {instances} instances, the main program included"
    if plan.run.launcher == "custom":
        for key in ("silent", "hosts"):
            if getattr(neighbours, key):
                yield f"neighbours.{key}: run.launcher custom runs commands as they stand; mpi places ranks"
    for silent, level in neighbours.silent.items():
        if silent in neighbours.levels:
            yield f"neighbours.silent: {silent} is among neighbours.levels, too"
        elif not neighbours.levels.get(level):
            yield f"neighbours.silent.{silent}: {level!r} is no level with neighbours"


def _of_management(plan: Plan) -> Iterator[str]:
    if plan.management is None:
        return
    yield from _unknown("management.factor", (plan.management.factor,), plan.factors)
    for level in plan.factors.get(plan.management.factor, ()):
        if str(level) not in plan.management.levels:
            yield f"management.levels: says nothing of {level}"


def _of_network(plan: Plan) -> Iterator[str]:
    if plan.network is None:
        return
    factor = plan.network.factor
    yield from _unknown("network.factor", (factor,), plan.factors)
    for level in plan.factors.get(factor, ()):
        if str(level) not in plan.network.levels:
            yield f"network.levels: says nothing of {level}"
    yield from plan.network.complaints(in_lab=plan.evaluation.lab is not None)
    if plan.whole_plot is None or factor not in plan.whole_plot.factors:
        yield f"network: {factor} needs a re-configuration: list it in whole_plot.factors"


def _of_selection(plan: Plan) -> Iterator[str]:
    for each in plan.exclude:
        yield from _unknown("exclude", each, plan.factors)
        for factor, unwanted in each.items():
            levels = unwanted if isinstance(unwanted, tuple) else (unwanted,)
            yield from _unknown(f"exclude: {factor}", levels, plan.factors.get(factor, ()))
    for fraction in plan.fractions:
        yield from _unknown("fractions", fraction.factors, plan.factors)
        counts = {len(plan.factors[factor]) for factor in fraction.factors if factor in plan.factors}
        if len(counts) > 1:
            yield "fractions: the factors of a fraction have the same number of levels"
        elif counts and fraction.remainder >= next(iter(counts)):
            yield f"fractions: remainder: less than {next(iter(counts))}, the number of levels"


def _unknown(
    key: str, names: Iterator[Level] | tuple[Level, ...] | Mapping[str, object], known: object
) -> Iterator[str]:
    assert isinstance(known, Mapping | tuple)
    for name in names:
        if name not in known:
            yield f"{key}: {name!r} is not there; there are {', '.join(map(str, known)) or 'none'}"


def under(plan: Plan, directory: Path) -> Plan:
    """The same plan with the paths of lab or cluster starting at ``directory``."""
    table = plan.evaluation
    paths = {key: str(directory / path) for key in ("lab", "cluster") if (path := getattr(table, key)) is not None}
    return plan.model_copy(update={"evaluation": table.model_copy(update=paths)})
