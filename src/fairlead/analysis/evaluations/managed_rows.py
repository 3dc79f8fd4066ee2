"""What management did in the rows of an evaluation: reroutes, what agents carried, what it cost, what it gave back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, Levels
from fairlead.analysis.runs import communication, effects, managed
from fairlead.analysis.runs.effects import EffectEstimate, Times
from fairlead.analysis.runs.migrations import completed
from fairlead.statistics.estimates import median
from fairlead.store import Run, Store


@dataclass(frozen=True)
class ManagedCell:
    """Of the rows of one cell, medians of its runs.

    Attributes:
        reroutes, migrations: in a run.
        reaction_s: from the beginning of congestion to the first reroute after it; None: there was none.
        relayed: messages that agents carried in a run; None: not over the relay plane.
        communication_s: waiting for messages that were under way, all host pairs; None: messages were not watched.
        accounted: the agents' CPU and probe traffic as a share of what there was.
    """

    levels: Levels
    runs: int
    reroutes: float
    migrations: float
    reaction_s: float | None
    relayed: float | None
    communication_s: float | None
    accounted: EffectEstimate


@dataclass(frozen=True)
class Gain:
    """What a level of management gives in one case, against none.

    Attributes:
        case: levels of the other factors, in the data set's order.
        congestion: the congested level.
        slowdown: by congestion, without management.
        recovered: share of the lost time that it gives back.
        overhead: on a clean network.
    """

    case: Levels
    congestion: str
    management: str
    slowdown: EffectEstimate
    recovered: EffectEstimate
    overhead: EffectEstimate


def cells(store: Store, data: Dataset, level: float) -> Iterator[ManagedCell]:
    """Of every cell with agents."""
    rows = {run.id: run for run in data.rows}
    times_s = store.series_of_children(data.record.id, "time_s")
    for cell in data.cells:
        runs = [rows[int(number)] for number in cell.runs]
        found = [managed.read(store, run, times_s[run.id][0].scalar()) for run in runs if _has_agents(store, run)]
        if not found:
            continue
        reactions = [reaction_s for run in found for reaction_s in run.reaction_s()]
        relayed = [run.relayed["relayed"] for run in found if "relayed" in run.relayed]
        watched = [each for each in (communication.read(store, run) for run in runs) if each is not None]
        totals = [total for total in map(communication.total_s, watched) if total is not None]
        yield ManagedCell(
            cell.levels,
            len(found),
            median([len(run.reroutes()) for run in found]),
            median([len(completed(run.migrations)) for run in found]),
            median(reactions) if reactions else None,
            median(relayed) if relayed else None,
            median(totals) if totals else None,
            effects.accounted(store, found, level),
        )


def _has_agents(store: Store, run: Run) -> bool:
    return bool(store.events(run.id, "stats"))


def gains(data: Dataset, level: float) -> Iterator[Gain]:
    """Of every case that has samples on a clean and on a congested network, with management and without."""
    congestion, management = (data.record.plan.get(name) or {} for name in ("congestion", "management"))
    if not congestion or not management or data.unit != "s":
        return
    places = data.place(congestion["factor"]), data.place(management["factor"])
    if places[0] == places[1]:
        return
    clean = [name for name, each in congestion["levels"].items() if each == "none"]
    none = [name for name, each in management["levels"].items() if _components(each) == "none"]
    cases: dict[Levels, dict[tuple[str, str], Times]] = {}
    for cell in data.cells:
        case = tuple(each for place, each in enumerate(cell.levels) if place not in places)
        network, stage = (str(cell.levels[place]) for place in places)
        cases.setdefault(case, {})[network, stage] = _by_replication(data, cell)
    for case, times in cases.items():
        for network, stage in times:
            before = next(((quiet, plain) for quiet in clean for plain in none if (quiet, plain) in times), None)
            if network in clean or stage in none or before is None or (network, before[1]) not in times:
                continue
            quiet, plain = times[before], times[network, before[1]]
            yield Gain(
                case,
                network,
                stage,
                effects.slowdown(plain, quiet, level),
                effects.recovered(quiet, plain, times[network, stage], level),
                effects.overhead(times.get((before[0], stage), {}), quiet, level),
            )


def _components(level: str | Mapping[str, Any]) -> str:
    return level if isinstance(level, str) else str(level["components"])


def _by_replication(data: Dataset, cell: DesignCell) -> Times:
    rows = {run.id: run for run in data.rows}
    return {
        int(rows[int(number)].labels["replication"]): float(value)
        for number, value in zip(cell.runs, cell.values, strict=True)
    }
