"""Square matrices as heat maps: one panel a matrix, in a unit and on a colour scale of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from fairlead.display import words
from fairlead.report import palette
from fairlead.report.figures import WIDTH_IN, styled

Floats = NDArray[np.float64]

MOST_ANNOTATED = 10
"""Rows up to which heat maps carry their numbers; beyond, the table has them."""
LEAST_SPAN = 1.25
"""A colour scale reaches from the median over this to the median times this, at least."""
_MOST_TICKS = 20
_ROOMY = 8  # rows up to which cells have room for type of full size
_MOST_CHARACTERS = 45  # that have room beside each other
_COLUMNS = 2
_FEW = 4  # rows: fewer make smaller panels, for their cells would be huge
_INK, _PAPER = "#000000", "#ffffff"  # no colours of the palette: a cell's colour does not follow the reader's theme


@dataclass(frozen=True)
class Panel:
    """One heat map: values (n, n) with NaN for none, the units to choose from, and a word for each cell.

    Attributes:
        marked: cells (row, column) that are outlined.
    """

    title: str
    values: Floats
    units: tuple[tuple[float, str], ...]
    notes: Any = None
    marked: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Outline:
    """Cells that are outlined as belonging together: first row and column, rows and columns; parts of cells, too."""

    row: float
    column: float
    rows: float
    columns: float


def draw(
    names: Sequence[str],
    panels: Sequence[Panel],
    *,
    axis_labels: tuple[str, str] | None = None,
    blocks: Sequence[Outline] = (),
    most_annotated: int = MOST_ANNOTATED,
) -> Figure:
    """Panels beside each other, two a row; one a row where more rows than `MOST_ANNOTATED` carry their numbers.

    Args:
        names: of rows and columns alike.
        axis_labels: what rows and what columns are.
        blocks: outlined in each panel.
        most_annotated: rows up to which cells carry their numbers.
    """
    annotated = len(names) <= most_annotated
    wide = annotated and len(names) > MOST_ANNOTATED
    columns = 1 if wide else min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with styled():
        width = WIDTH_IN if columns > 1 or wide else WIDTH_IN * 0.7
        height = rows * (width / columns) * (0.88 if axis_labels is None else 0.94)
        figure = Figure(figsize=(width, height * (1.0 if len(names) >= _FEW else 0.6)), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).reshape(-1)
        for axis, panel in zip(axes, panels, strict=False):
            _heat_map(axis, names, panel, annotated)
            for block in blocks:
                corner = (block.column - 0.5, block.row - 0.5)
                axis.add_patch(Rectangle(corner, block.columns, block.rows, fill=False, color=palette.PLAIN.light))
            if axis_labels is not None:
                axis.set_ylabel(axis_labels[0])
                axis.set_xlabel(axis_labels[1])
        for axis in axes[len(panels) :]:
            axis.remove()
    return figure


def _heat_map(axis: Any, names: Sequence[str], panel: Panel, annotated: bool) -> None:
    finite = panel.values[np.isfinite(panel.values)]
    scale, unit = words.scaled(float(np.median(finite)) if finite.size else 1.0, panel.units)
    axis.set_title(f"{panel.title} ({unit})" if unit else panel.title)
    ticks = range(len(names)) if len(names) <= _MOST_TICKS or annotated else range(0, len(names), len(names) // 10)
    turned = len(names) > MOST_ANNOTATED or sum(map(len, names)) > _MOST_CHARACTERS
    axis.set_xticks(ticks, [names[k] for k in ticks], fontsize=8.5, rotation=90 if turned else 0)
    axis.set_yticks(ticks, [names[k] for k in ticks], fontsize=8.5)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    if not finite.size:
        axis.text(0.5, 0.5, "nothing", transform=axis.transAxes, ha="center", color=palette.MUTED.light)
        return
    norm = _norm(finite / scale)
    image = axis.imshow(panel.values / scale, cmap=palette.SEQUENTIAL, norm=norm, interpolation="none")
    for row, column in panel.marked:
        corner = (column - 0.46, row - 0.46)
        axis.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, color=palette.HIGH.light, linewidth=2.0))
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.82, pad=0.02, aspect=28)
    bar.outline.set_visible(False)
    bar.set_ticks([float(norm.inverse(share)) for share in (0.0, 0.5, 1.0)])
    bar.set_ticks([], minor=True)
    bar.ax.set_yticklabels([words.significant(tick) for tick in bar.get_ticks()], fontsize=8.5)
    bar.ax.tick_params(length=0)
    if annotated:
        _annotate(axis, panel, scale, norm)


def _norm(finite: Floats) -> Normalize:
    """Logarithmic if values span more than a factor of ten. Covers `LEAST_SPAN`, so that scatter looks like scatter."""
    middle = float(np.median(finite))
    low, high = min(float(finite.min()), middle / LEAST_SPAN), max(float(finite.max()), middle * LEAST_SPAN)
    if low == high:  # all are zero
        high = 1.0
    return LogNorm(low, high) if low > 0 and high / low > 10 else Normalize(low, high)


def _annotate(axis: Any, panel: Panel, scale: float, norm: Normalize) -> None:
    colours = colormaps[palette.SEQUENTIAL]
    rows = len(panel.values)
    font_size = 8.0 if rows <= _ROOMY else 7.0 if rows <= MOST_ANNOTATED else float(np.clip(150 / rows, 6.0, 8.0))
    digits = 3 if rows <= MOST_ANNOTATED else 2
    for i, j in np.argwhere(np.isfinite(panel.values)):
        text = words.significant(panel.values[i, j] / scale, digits)
        if panel.notes is not None:
            text = f"{panel.notes[i, j]}\n{text}"
        dark = np.dot(colours(norm(panel.values[i, j] / scale))[:3], (0.299, 0.587, 0.114)) < 0.5
        axis.text(j, i, text, ha="center", va="center", fontsize=font_size, color=_PAPER if dark else _INK)
