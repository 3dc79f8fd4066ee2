"""What neighbours cost a program: their share of the processors, apart from their traffic. No I/O.

Beside silent neighbours a program loses the processors' share only; what it loses more beside the same ones with their
traffic is the network's part. The whole loss is the product of both. A silent neighbour never waits for the network, so
that it takes rather more of the processors: the network's part is more likely stated too small than too large.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, Levels
from fairlead.analysis.evaluations.pairwise import Compare, comparison_method
from fairlead.statistics.estimates import Estimate


@dataclass(frozen=True)
class LossFactor:
    """How many times as long a program takes, or how many times less its rate is; no interval: too few samples."""

    value: float
    interval: Estimate | None


@dataclass(frozen=True)
class Loss:
    """Of one case and one level of neighbours.

    Attributes:
        case: levels of the other factors, in the data set's order.
        neighbours: the level.
        whole, processors: against the same without neighbours; None: there is no such cell, or one that took no time.
        network: against silent ones; None as well.
    """

    case: Levels
    neighbours: str
    whole: LossFactor | None
    processors: LossFactor | None
    network: LossFactor | None


def losses(
    data: Dataset, table: Mapping[str, Any] | None, level: float, whole_plot: Sequence[str] = ()
) -> Iterator[Loss]:
    """Of every case that has samples beside neighbours and beside the same silent ones.

    Args:
        table: the plan's ``[neighbours]`` as it was stored.
        whole_plot: factors that were set up once a block.
    """
    if not table:
        return
    compare = comparison_method([str(table["factor"])], whole_plot)
    place = data.place(str(table["factor"]))
    cases: dict[Levels, dict[str, DesignCell]] = {}
    for cell in data.cells:
        case = cell.levels[:place] + cell.levels[place + 1 :]
        cases.setdefault(case, {})[str(cell.levels[place])] = cell
    nobody = next((name for name, programs in table["levels"].items() if not programs), None)
    for case, cells in cases.items():
        alone = cells.get(nobody) if nobody is not None else None
        for silent, beside in table.get("silent", {}).items():
            if silent not in cells or beside not in cells:
                continue
            yield Loss(
                case,
                beside,
                whole=_part(data, alone, cells[beside], level, compare) if alone else None,
                processors=_part(data, alone, cells[silent], level, compare) if alone else None,
                network=_part(data, cells[silent], cells[beside], level, compare),
            )


def _part(data: Dataset, before: DesignCell, after: DesignCell, level: float, compare: Compare) -> LossFactor | None:
    if min(before.mean, after.mean) <= 0:
        return None
    top, bottom = (after, before) if data.lower_is_better else (before, after)
    compared = compare(bottom, top, level)
    return LossFactor(top.mean / bottom.mean, None) if compared is None else LossFactor(compared[1].value, compared[1])
