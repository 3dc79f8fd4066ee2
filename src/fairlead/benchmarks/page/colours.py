"""Which colour and style each line has: systems have the same colours in all figures of a report."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fairlead.benchmarks.page.curves import CellStatistics, Measured
from fairlead.report import palette
from fairlead.report.figures import legend_below

COLOURS = tuple(
    colour.light
    for colour in (palette.MANAGED, palette.PLAIN, palette.GOOD, palette.HIGH, palette.MEDIUM, palette.MUTED)
)
Style = Literal["-", "--", "-.", ":"]
STYLES: tuple[Style, ...] = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Line:
    """One system's numbers of one configuration, which ``label`` names, by size, and how they are drawn."""

    system: str
    label: str
    colour: str
    style: Style
    numbers: dict[int, CellStatistics]


def colours(names: Sequence[Hashable]) -> dict[Hashable, str]:
    """A colour for each name, by its place."""
    return dict(zip(names, islice(cycle(COLOURS), len(names)), strict=True))


def legend_of_systems(figure: Figure, shown: Sequence[str], systems: Sequence[str]) -> None:
    """The colours of the systems that a figure shows, below its axes; none where there is a single system."""
    if len(systems) > 1:
        of = colours(systems)
        legend_below(figure, [Line2D([], [], color=of[name], label=name, linewidth=3) for name in shown])


def lines(found: Sequence[Measured], systems: Sequence[str]) -> list[Line]:
    """All lines; colours tell systems apart, or configurations where there is a single system."""
    labels = list(dict.fromkeys(one.words(each) for one in found for each in one.configurations()))
    styles = dict(zip(labels, islice(cycle(STYLES), len(labels)), strict=True))
    several = len(systems) > 1
    of = colours(systems if several else labels)
    return [
        Line(
            each.system,
            each.words(configuration),
            of[each.system if several else each.words(configuration)],
            styles[each.words(configuration)],
            each.line(configuration),
        )
        for each in found
        for configuration in each.configurations()
    ]
