"""The figure of cells with several modes: every sample, and the medians of both modes beside the mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter

from fairlead.analysis.evaluations.analysis import Analysis, CellSummary
from fairlead.analysis.evaluations.dataset import describe_levels
from fairlead.display.tables import Table, cell, table
from fairlead.report import palette
from fairlead.report.evaluation.evaluation_tables import value_words
from fairlead.report.figures import Drawing, axes_of, styled

MOST_CELLS = 24
"""Cells that are drawn; the table of the figure has all."""


def drawing(analysis: Analysis) -> Drawing | None:
    """One strip a cell, as a share of its median; None where every cell has one mode."""
    found = [each for each in analysis.summaries if each.notes.modes is not None]
    if not found:
        return None
    shown = found[:MOST_CELLS]
    with styled():
        figure, (axis,) = axes_of(1, 1.0 + 0.34 * len(shown))
        for row, each in enumerate(shown):
            _strip(axis, row, each)
        axis.set_yticks(range(len(shown)), [describe_levels(analysis.data.named(each.cell)) for each in shown])
        axis.set_ylim(len(shown) - 0.4, -0.6)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"× {value:.3g}"))
        axis.set_xlabel(f"{analysis.data.series}, as a share of the cell's median")
        axis.grid(axis="x")
    more = f" The first {MOST_CELLS} of {len(found)} cells." if len(found) > MOST_CELLS else ""
    return Drawing(
        "modes",
        "Cells with several modes",
        "Dots are samples, high bars the medians of both modes, the diamond is the mean, which lies between them."
        f"{more}",
        figure,
        _numbers(analysis, found),
    )


def _numbers(analysis: Analysis, found: Sequence[CellSummary]) -> Table:
    return table(
        [
            *((name, name) for name in analysis.data.factors),
            *(("lower mode", "low_median"), ("n", "low_n"), ("upper mode", "high_median"), ("n", "high_n")),
            *(("cut between", "cut"), ("found by", "found_by")),
        ],
        [
            [
                *(cell(level) for level in each.cell.levels),
                cell(modes.low, value_words(analysis, modes.low)),
                cell(modes.low_n),
                cell(modes.high, value_words(analysis, modes.high)),
                cell(modes.high_n),
                cell(modes.cut, value_words(analysis, modes.cut)),
                cell(modes.found_by),
            ]
            for each in found
            if (modes := each.notes.modes) is not None
        ],
    )


def _strip(axis: Any, row: int, each: CellSummary) -> None:
    modes, values = each.notes.modes, each.cell.values
    assert modes is not None  # chosen so
    middle = float(np.median(values))
    offsets = np.linspace(-0.22, 0.22, len(values))  # in the order in which they were taken
    axis.scatter(values / middle, row + offsets, s=9, color=palette.PLAIN.light, alpha=0.6, lw=0)
    for value in (modes.low, modes.high):
        axis.plot([value / middle] * 2, [row - 0.36, row + 0.36], color=palette.MANAGED.light, lw=2)
    axis.plot(each.centre / middle, row, marker="D", ms=5, color=palette.INK.light)
