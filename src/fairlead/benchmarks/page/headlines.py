"""The headline figures of benchmarks that are no curve over message size, to hold systems against each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.benchmarks.page import ratios
from fairlead.display.tables import TableCell, cell
from fairlead.statistics.estimates import FloatArray


@dataclass(frozen=True)
class Headline:
    """A figure of one system.

    Attributes:
        values: (blocks,) that stand for each other, or a single one, of which there is no interval: what follows from
            samples that resemble their neighbours, or from several kinds of blocks.
    """

    system: str
    benchmark: str
    what: str
    values: FloatArray
    lower_is_better: bool = True


def one(value: float | np.floating) -> FloatArray:
    """The values of a figure that has no interval."""
    return np.array([float(value)])


def compared(found: Sequence[Headline], baseline: str) -> list[list[TableCell]]:
    """Rows of `ratios.ratios` for figures that a system and the baseline have in common."""
    bases = {(each.benchmark, each.what): each for each in found if each.system == baseline}
    rows = []
    for each in found:
        base = bases.get((each.benchmark, each.what))
        # Nothing lost, or a line that falls, has no ratio.
        if each.system == baseline or base is None or np.median(base.values) <= 0 or np.median(each.values) < 0:
            continue
        front = [cell(each.system), cell(each.benchmark), cell(each.what), cell(None)]
        single = 1 in (len(each.values), len(base.values))
        shown = ratios.single if single else ratios.cells
        rows.append([*front, *shown(each.values, base.values, lower_is_better=each.lower_is_better)])
    return rows
