"""Congestion impact factors that GPCNeT tells: how many times worse a test is beside congestors."""

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.imported.analyse import Curve, ImportedBenchmark
from fairlead.benchmarks.page.colours import colours
from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.report.figures import Drawing, axes_of, styled

SERIES = "impact_ratio"
Factor = tuple[ImportedBenchmark, Curve, float]


def drawings(found: Sequence[ImportedBenchmark], systems: Sequence[str]) -> list[Drawing]:
    """A bar for each factor; none where no file has one."""
    factors = [
        (each, curve, float(np.mean(curve.values[None])))
        for each in found
        for curve in each.curves
        if curve.name == SERIES
    ]
    return [_draw(factors, systems)] if factors else []


def _draw(factors: Sequence[Factor], systems: Sequence[str]) -> Drawing:
    of = colours(systems)
    with styled():
        figure, (axis,) = axes_of(1, 1.2 + 0.35 * len(factors))
        names = [_name(each, curve, several=len(systems) > 1) for each, curve, _ in factors]
        for place, (each, _, value) in enumerate(factors):
            axis.barh(place, value, color=of[each.system], height=0.7)
        axis.axvline(1.0, color="black", linewidth=0.8)
        axis.set_yticks(range(len(names)), names, fontsize=8.5)
        axis.invert_yaxis()
        axis.set_xlim(0)
        axis.grid(True, axis="x")
        axis.set_xlabel("congestion impact factor")
    columns = [("system", "system"), ("test", "benchmark"), ("statistic", "statistic"), ("factor", "impact_ratio")]
    rows = [
        [
            *(cell(each.system), cell(each.name), cell(curve.statistic)),
            *(cell(value, words.significant(value)), cell(len(curve.values[None]))),
        ]
        for each, curve, value in factors
    ]
    caption = (
        "As GPCNeT prints them, averaged over the files: times beside congestors over times alone, or rates alone over "
        "rates beside them; of the averages (mean) and of what 99 % of the samples reach (p99). At 1, "
        "congestion costs nothing."
    )
    title = "What congestion costs (GPCNeT)"
    return Drawing("read-impact", title, caption, figure, table([*columns, ("files", "n")], rows))


def _name(each: ImportedBenchmark, curve: Curve, *, several: bool) -> str:
    test = each.name.removeprefix("GPCNeT ").split(",")[0]
    return (f"{each.system}: " if several else "") + f"{test}, {curve.statistic}"
