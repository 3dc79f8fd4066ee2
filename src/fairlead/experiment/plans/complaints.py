"""What is wrong with a plan of an evaluation, in words, beyond what its tables check by themselves. Pure."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

from fairlead.analysis.evaluations.settings import Level
from fairlead.errors import ConfigError
from fairlead.experiment.factors.program import PLAN_DIRECTORY
from fairlead.experiment.factors.transport import TRANSPORTS
from fairlead.experiment.plans.templates import fill_ranks, fill_template, placeholders

if TYPE_CHECKING:
    from fairlead.experiment.plans.plan import Plan

RESERVED = ("name", "block", "replication", "attempt", "origin", "cluster", PLAN_DIRECTORY)
MOST_REPLICATIONS = 10_000
LEAST_BLOCKS = 3
"""With fewer blocks, an effect of re-configuring cannot be told from one of time."""
_FACTOR = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def of(plan: "Plan") -> Iterator[str]:
    """One complaint after the other; each begins with the key at fault, as `config_mistakes.named` reads it."""
    yield from _of_factors(plan.factors)
    yield from _of_templates(plan)
    yield from _of_programs(plan)
    yield from _of_transport(plan)
    yield from _of_whole_plot(plan)
    yield from _of_neighbours(plan)
    yield from _of_levels(plan)
    yield from _of_network(plan)
    yield from _of_selection(plan)
    if plan.evaluation.prices is not None and plan.report.cost is not None:
        yield "evaluation.prices: [report.cost] states prices, too; omit one of them"


def _of_factors(factors: Mapping[str, tuple[Level, ...]]) -> Iterator[str]:
    for name, levels in factors.items():
        if not _FACTOR.fullmatch(name):
            yield f"factors.{name}: use letters, digits and _ only"
        if name in RESERVED:
            yield f"factors.{name}: has a meaning of its own; choose another name"
        if len({str(level) for level in levels}) < len(levels):
            yield f"factors.{name}: has a level twice"


def _of_templates(plan: "Plan") -> Iterator[str]:
    run, plot = plan.run, plan.whole_plot
    texts = {"run.command": run.command, "run.ranks": (str(run.ranks),), "run.program": (run.program or "",)}
    texts |= {"run.mpirun": (run.mpirun or "",), "run.environment": tuple(run.environment.values())}
    texts |= {"run.transport": (run.transport or "",)}
    texts |= {f"programs.{number}.command": each.command for number, each in enumerate(plan.programs)}
    for key in ("lab", "cluster"):
        texts[f"evaluation.{key}"] = (getattr(plan.evaluation, key) or "",)
    if plot:
        for key in ("set_up", "read_back", "undo", "reset"):
            texts[f"whole_plot.{key}"] = tuple(word for line in getattr(plot, key) for word in line)
    if plan.neighbours:
        for name, program in plan.neighbours.programs.items():
            texts |= {f"neighbours.programs.{name}.command": program.command}
            texts |= {f"neighbours.programs.{name}.ranks": (str(program.ranks),)}
    configured = plot.factors if plot else ()
    for key, words in texts.items():
        for name in placeholders(*words):
            takes_directory = key.startswith(("run.command", "programs."))
            if name == PLAN_DIRECTORY and takes_directory:
                continue
            if name not in plan.factors:
                directory = f"; {{{PLAN_DIRECTORY}}} is this file's" if takes_directory else ""
                yield f"{key}: {{{name}}} is not a factor; there are {', '.join(plan.factors)}{directory}"
            elif key == "whole_plot.reset":
                yield f"{key}: {{{name}}} has no level between two blocks"
            elif key.startswith(("evaluation.", "whole_plot.")) and name not in configured:
                yield f"{key}: {{{name}}} needs a re-configuration: list it in whole_plot.factors"
    for levels in product(*plan.factors.values()):
        try:
            fill_ranks(run.ranks, dict(zip(plan.factors, levels, strict=True)))
        except ConfigError as error:
            yield error.args[0]


def _of_programs(plan: "Plan") -> Iterator[str]:
    names = [each.name for each in plan.programs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"programs: two are called {name}"
    if plan.run.program is None:
        if names:
            yield "run.program: is missing: name one of [[programs]]"
        return
    for levels in product(*plan.factors.values()):
        name = fill_template(plan.run.program, dict(zip(plan.factors, levels, strict=True)))
        yield from _unknown("run.program", (name,), tuple(names))


def _of_transport(plan: "Plan") -> Iterator[str]:
    if plan.run.transport is None:
        return
    if plan.run.launcher == "custom":
        yield "run.transport: run.launcher custom runs commands unchanged; they choose the transport"
    for levels in product(*plan.factors.values()):
        found = fill_template(plan.run.transport, dict(zip(plan.factors, levels, strict=True)))
        yield from _unknown("run.transport", (found,), TRANSPORTS)


def _of_whole_plot(plan: "Plan") -> Iterator[str]:
    plot = plan.whole_plot
    if plot is None:
        return
    yield from _unknown("whole_plot.factors", plot.factors, plan.factors)
    if plot.blocks < LEAST_BLOCKS:
        yield f"whole_plot.blocks: at least {LEAST_BLOCKS}, or its effect cannot be distinguished from that of time"
    if plan.replications.count < plot.blocks:
        yield f"replications.count: {plan.replications.count} do not fill {plot.blocks} blocks"


def _of_neighbours(plan: "Plan") -> Iterator[str]:
    neighbours = plan.neighbours
    if neighbours is None:
        return
    yield from _unknown("neighbours.factor", (neighbours.factor,), plan.factors)
    for level in plan.factors.get(neighbours.factor, ()):
        if str(level) not in {**neighbours.levels, **neighbours.silent}:
            yield f"neighbours.levels: has no entry for {level}"
    for level, programs in neighbours.levels.items():
        yield from _unknown(f"neighbours.levels.{level}", programs, neighbours.programs)
    instances = 1 + max(map(len, neighbours.levels.values()))
    if neighbours.hosts and len(neighbours.hosts) != instances:
        yield f"neighbours.hosts: {len(neighbours.hosts)} lists for {instances} instances, the main program included"
    if plan.run.launcher == "custom":
        for key in ("silent", "hosts"):
            if getattr(neighbours, key):
                yield f"neighbours.{key}: run.launcher custom runs commands unchanged; mpi places ranks"
    for silent, level in neighbours.silent.items():
        if silent in neighbours.levels:
            yield f"neighbours.silent: {silent} is also in neighbours.levels"
        elif not neighbours.levels.get(level):
            yield f"neighbours.silent.{silent}: {level!r} is not a level with neighbours"


def _of_levels(plan: "Plan") -> Iterator[str]:
    """Of the tables that say something of each level of a factor."""
    for name in ("congestion", "management", "placement", "network"):
        table = getattr(plan, name)
        if table is None:
            continue
        yield from _unknown(f"{name}.factor", (table.factor,), plan.factors)
        for level in plan.factors.get(table.factor, ()):
            if str(level) not in table.levels:
                yield f"{name}.levels: has no entry for {level}"
    if plan.placement is not None and plan.run.launcher == "custom":
        yield "placement: run.launcher custom runs commands unchanged; mpi places ranks"


def _of_network(plan: "Plan") -> Iterator[str]:
    if plan.network is None:
        return
    factor = plan.network.factor
    yield from plan.network.complaints(in_lab=plan.evaluation.lab is not None)
    if plan.whole_plot is None or factor not in plan.whole_plot.factors:
        yield f"network: {factor} needs a re-configuration: list it in whole_plot.factors"


def _of_selection(plan: "Plan") -> Iterator[str]:
    for number, each in enumerate(plan.exclude):
        yield from _unknown(f"exclude.{number}", each, plan.factors)
        for factor, unwanted in each.items():
            levels = unwanted if isinstance(unwanted, tuple) else (unwanted,)
            yield from _unknown(f"exclude.{number}.{factor}", levels, plan.factors.get(factor, ()))
    for number, fraction in enumerate(plan.fractions):
        yield from _unknown(f"fractions.{number}.factors", fraction.factors, plan.factors)
        counts = {len(plan.factors[factor]) for factor in fraction.factors if factor in plan.factors}
        if len(counts) > 1:
            yield f"fractions.{number}.factors: must have the same number of levels"
        elif counts and fraction.remainder >= next(iter(counts)):
            yield f"fractions.{number}.remainder: must be less than {next(iter(counts))}, the number of levels"


def _unknown(
    key: str, names: Iterator[Level] | tuple[Level, ...] | Mapping[str, object], known: object
) -> Iterator[str]:
    assert isinstance(known, Mapping | tuple)
    for name in names:
        if name not in known:
            yield f"{key}: no {name!r}; there are {', '.join(map(str, known)) or 'none'}"
