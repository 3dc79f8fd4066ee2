"""Box plots: quartiles, whiskers at 1.5 times their distance (noise, 4.3.1), and what lies outside."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.report import palette
from fairlead.report.figures import WIDTH_IN, Drawing, styled

Box = tuple[str, str, Any]
"""Label, colour, values (n,)."""


def draw(name: str, title: str, caption: str, boxes: Sequence[Box], unit: str = "bps") -> Drawing:
    """Boxes beside each other, in bit/s or s, on an axis from zero."""
    form = words.rate if unit == "bps" else words.duration
    with styled():
        figure, axis = _axis(len(boxes))
        drawn = axis.boxplot(
            [values for _, _, values in boxes],
            whis=1.5,
            widths=0.5,
            patch_artist=True,
            medianprops={"color": palette.INK.light, "linewidth": 1.5},
            flierprops={"marker": "o", "markersize": 3, "markerfacecolor": "none"},
        )
        for number, (_, colour, _) in enumerate(boxes):
            drawn["boxes"][number].set(facecolor=colour, alpha=0.35, edgecolor=colour)
            drawn["fliers"][number].set(markeredgecolor=colour)
            for part in ("whiskers", "caps"):
                for k in (2 * number, 2 * number + 1):
                    drawn[part][k].set(color=colour)
        axis.set_xticks(range(1, len(boxes) + 1), [label for label, _, _ in boxes])
        axis.set_ylim(0)
        axis.grid(True, axis="y")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    columns = [("of", "of"), *((word, f"{word}_{unit}") for word in ("least", "25 %", "median", "75 %", "greatest"))]
    rows = [
        [
            cell(label.replace("\n", ", ")),
            *(cell(float(v), form(float(v))) for v in np.percentile(values, (0, 25, 50, 75, 100))),
            cell(len(values)),
        ]
        for label, _, values in boxes
    ]
    text = f"{caption} Boxes are quartiles, whiskers reach to 1.5 times their distance."
    return Drawing(name, title, text, figure, table([*columns, ("n", "n")], rows))


def _axis(count: int) -> tuple[Any, Any]:
    figure = Figure(figsize=(min(WIDTH_IN, 2.5 + 1.1 * count), 3.6), layout="constrained")
    return figure, figure.subplots()
