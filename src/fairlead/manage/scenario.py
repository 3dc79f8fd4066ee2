"""The four scenarios of a comparison and the order they run in (DMCBM 4.1): pure, drawn from a stated seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from fairlead.manage.components import FULL, MIGRATING, NONE, ROUTE, STAGES, Components


class Network(StrEnum):
    """Whether others load the network during a run."""

    CLEAN = "clean"
    CONGESTED = "congested"


@dataclass(frozen=True)
class Scenario:
    """A kind of run: the network's state, what of fairlead is switched on, and how it moves traffic."""

    name: str
    network: Network
    components: Components
    plane: str = ROUTE

    @property
    def managed(self) -> bool:
        """Whether agents run beside the program."""
        return self.components.agents

    def monitored(self) -> Self:
        """The same with the message monitor: without other components, its agents do nothing else."""
        return replace(self, components=replace(self.components, agents=True, monitor=True))


FOUR = (
    Scenario("clean", Network.CLEAN, NONE),
    Scenario("clean_managed", Network.CLEAN, FULL),
    Scenario("congested", Network.CONGESTED, NONE),
    Scenario("congested_managed", Network.CONGESTED, FULL),
)


def four(*, migrate: bool, planes: Sequence[str] = (ROUTE,)) -> tuple[Scenario, ...]:
    """The four scenarios; of several planes, two managed ones for each, named after it.

    Args:
        migrate: the managed ones move virtual machines, too.
        planes: how they move traffic.
    """
    components = MIGRATING if migrate else FULL
    scenarios = []
    for each in FOUR:
        if not each.managed:
            scenarios.append(each)
            continue
        for plane in planes:
            name = each.name if len(planes) == 1 else f"{each.network}_{plane}"
            scenarios.append(Scenario(name, each.network, components, plane))
    return tuple(scenarios)


def staged(*, migrate: bool, plane: str = ROUTE) -> tuple[Scenario, ...]:
    """The scenarios with components added one by one, as table 4.1 of DMCBM does: unmanaged first."""
    scenarios = [FOUR[0], FOUR[2]]
    for stage, components in STAGES.items():
        if components.migration and not migrate:
            continue
        used = plane if components.detours else ROUTE  # without detours nothing is carried
        scenarios.append(Scenario(f"clean_{stage}", Network.CLEAN, components, used))
        scenarios.append(Scenario(f"congested_{stage}", Network.CONGESTED, components, used))
    return tuple(scenarios)


@dataclass(frozen=True)
class Row:
    """One run of a comparison.

    Attributes:
        position: place in the executed order, from 0.
        replication: from 0; runs of one replication face the same congestion, so that they are pairs.
    """

    position: int
    case: str
    scenario: Scenario
    replication: int

    @property
    def key(self) -> str:
        """Names the row for good: what is finished is not run again."""
        return f"{self.case}/{self.scenario.name}/{self.replication}"


def rows(
    cases: Sequence[str], scenarios: Sequence[Scenario], replications: int, seed: int, first: int = 0
) -> list[Row]:
    """All runs on one network: replications one after another, within each all cases and scenarios in random order.

    A replication is a block: drift of the machine falls on all scenarios of a block alike.

    Args:
        first: position of the first row, after those of networks that come before.
    """
    random_order = random.Random(f"{seed} order")
    ordered: list[Row] = []
    for replication in range(replications):
        block = [(case, scenario) for case in cases for scenario in scenarios]
        random_order.shuffle(block)
        begin = first + len(ordered)
        ordered += [Row(begin + k, case, scenario, replication) for k, (case, scenario) in enumerate(block)]
    return ordered


@dataclass(frozen=True)
class Episode:
    """Congestion at one place from ``start_s`` after the program's start until the next episode or the end."""

    start_s: float
    place: int


def episodes(
    *,
    seed: int,
    case: str,
    replication: int,
    clean_time_s: float,
    places: int,
    onset: tuple[float, float],
    moves: int,
) -> list[Episode]:
    """When and where congestion comes in one replication of a case.

    Args:
        clean_time_s: run time on a clean network; all times are shares of it, so that every scenario sees the same.
        places: how many places there are to draw from.
        onset: first and last share of ``clean_time_s`` at which it may start; (0, 0): there from the start.
        moves: how often it changes its place, at equal distances within the rest of the clean run time.

    Returns:
        ``moves + 1`` episodes in order of time; two that follow each other are at different places.
    """
    if moves and places < 2:
        raise ValueError("congestion cannot move with fewer than two places")
    draw = random.Random(f"{seed} {case} {replication}")
    start = draw.uniform(*onset)
    step = (1 - start) / (moves + 1)
    drawn: list[Episode] = []
    for k in range(moves + 1):
        elsewhere = [place for place in range(places) if not drawn or place != drawn[-1].place]
        drawn.append(Episode((start + k * step) * clean_time_s, draw.choice(elsewhere)))
    return drawn
