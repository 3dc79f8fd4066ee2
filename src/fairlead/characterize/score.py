"""How well a relation found by measuring agrees with the truth, where the truth is known (a lab)."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools
from fairlead.characterize.tournament import Pair


@dataclass(frozen=True)
class Score:
    """Agreement over all cells (injected pair, other pair).

    Attributes:
        found: cells that are hurt in truth and in the relation; ``missed`` and ``invented`` are the two mistakes.
    """

    found: int
    missed: int
    invented: int

    @property
    def precision(self) -> float:
        """Share of the relation's cells that are true; 1 for an empty relation."""
        return self.found / (self.found + self.invented) if self.found + self.invented else 1.0

    @property
    def recall(self) -> float:
        """Share of the true cells that the relation has; 1 where nothing is to be found."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0


def score(hurts: Bools, truth: Bools) -> Score:
    """Compare two relations by [injected source, injected destination, source, destination]."""
    return Score(int((hurts & truth).sum()), int((truth & ~hurts).sum()), int((hurts & ~truth).sum()))


def truth_of(shared: Mapping[tuple[str, str], Set[tuple[str, str]]], names: Sequence[str]) -> Bools:
    """The relation that a lab's topology implies.

    The bottleneck of a path is its slowest link, or all of them where several are equally slow. Injected traffic
    fills these and no others, so it hurts the other pairs whose paths cross one of them
    (`fairlead.lab.Lab.shared_bottlenecks`). Pairs that cross only faster links of the path still find capacity there.

    Args:
        shared: by pair of host names, the other pairs that cross its bottleneck.
        names: the hosts in the order of the relation's indices.
    """
    index = {name: number for number, name in enumerate(names)}
    truth = np.zeros((len(names),) * 4, dtype=bool)
    for injected, others in shared.items():
        if _known(injected, index):
            for other in others:
                if _known(other, index):
                    truth[_numbers(injected, index) + _numbers(other, index)] = True
    return truth


def _known(pair: tuple[str, str], index: Mapping[str, int]) -> bool:
    return pair[0] in index and pair[1] in index


def _numbers(pair: tuple[str, str], index: Mapping[str, int]) -> Pair:
    return index[pair[0]], index[pair[1]]
