"""Hosts put on servers or leafs at random: how well what shares a bottleneck is found.

``python -m tests.unit.characterize.drawn_placements [COUNT]`` makes the figures of
docs/explanation/characterization.md.
"""

import random
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from .made_up_network import NETWORKS, Measured, servers

KINDS = {"servers": servers, **NETWORKS}
SEEDS = 5
MOST_SERVERS = 12
LEAST = 0.95
CONDITIONS = {"quiet": (0.0, False), "5 % lost": (0.05, False), "neighbour": (0.0, True)}
"""Share of probes lost, and whether another host sends over the links between the first host's and the last one's."""


def placement(number: int, hosts: int | None = None) -> list[int]:
    """The server of each host: 6 to 16 hosts unless given, on two servers up to two thirds as many as hosts, or 12."""
    chance = random.Random(number)
    count = hosts or chance.choice((6, 8, 8, 10, 12, 16))
    most = chance.randint(2, max(3, min(count * 2 // 3, MOST_SERVERS)))
    while len(set(drawn := [chance.randrange(most) for _ in range(count)])) < 2:
        pass
    numbers = {server: number for number, server in enumerate(dict.fromkeys(drawn))}
    return [numbers[server] for server in drawn]


@dataclass
class Results:
    """Of some placements, one value each."""

    recall: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)

    @property
    def missed_target(self) -> int:
        """Placements whose recall or precision is below what is wanted."""
        return sum(min(each) < LEAST for each in zip(self.recall, self.precision, strict=True))


def measured(
    kind: str, numbers: Iterable[int], hosts: int | None = None, lost: float = 0.0, neighbour: bool = False
) -> Results:
    """Placements on one kind of network, each with one of a few seeds of the measurement."""
    found = Results()
    for number in numbers:
        network = KINDS[kind](placement(number, hosts))
        ends = (0, network.hosts - 1) if neighbour else None
        one = Measured(network, lost, ends, seed=1 + number % SEEDS)
        score = one.score()
        found.recall.append(score.recall)
        found.precision.append(score.precision)
        found.windows.append(one.windows)
    return found


def main(count: int = 100) -> None:
    print("hosts    network       condition  recall        precision     below  windows")
    print("                                  worst  mean   worst  mean   0.95   mean  most")
    for hosts, some in ((None, count), (64, count // 10)):
        for condition, how in CONDITIONS.items():
            for kind in KINDS:
                found = measured(kind, range(some), hosts, *how)
                figures = [f"{min(of):5.3f}  {sum(of) / some:5.3f}" for of in (found.recall, found.precision)]
                windows = f"{sum(found.windows) / some:5.1f}  {max(found.windows):4}"
                label = f"{hosts or '6 to 16'!s:7}  {kind:12}  {condition:9}"
                print(f"{label}  {'  '.join(figures)}  {found.missed_target:5}  {windows}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
