"""Throughput of a stress test over time, with its dips."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.ticker import FuncFormatter

from fairlead.benchmarks.page import boxes, transports
from fairlead.benchmarks.page.colours import colours, legend_of_systems
from fairlead.benchmarks.page.headlines import Headline, one
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.benchmarks.stress import analyse
from fairlead.benchmarks.stress.analyse import Stress, load_stress
from fairlead.display import words
from fairlead.display.tables import cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, styled

LONGEST_SHOWN = 10_000  # points of a line; more are averaged


def draw_stress(found: Sequence[Stress], systems: Sequence[str]) -> Drawing:
    """All systems in the same axes; dips are shaded."""
    of = colours(systems)
    with styled():
        figure, (axis,) = axes_of(1, 4.0)
        for each in found:
            every = -(-len(each.rates_bps) // LONGEST_SHOWN)
            count = len(each.rates_bps) // every * every
            shown = [values[:count].reshape(-1, every).mean(axis=1) for values in (each.times_s, each.rates_bps)]
            axis.plot(*shown, color=of[each.system], linewidth=0.9)
            for dip in each.dips:
                axis.axvspan(dip.start_s, dip.start_s + dip.length_s, color=palette.SHADE.light, zorder=0)
        axis.set_ylim(0)
        axis.grid(True, axis="y")
        axis.set_xlabel("time since the start (s)")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.rate(value)))
        legend_of_systems(figure, [each.system for each in found], systems)
    columns = [("system", "system"), ("dip at", "start_s"), ("lasts", "length_s"), ("carries", "share")]
    rows = [
        [
            cell(each.system),
            duration_cell(dip.start_s),
            duration_cell(dip.length_s),
            cell(dip.share, words.percent(dip.share, decimals=0)),
        ]
        for each in found
        for dip in each.dips
    ]
    return Drawing(
        "stress",
        "Throughput over time",
        f"Rate of all pairs in {analyse.BIN_S:g} s. Shaded: dips, where throughput stayed below "
        f"{words.percent(analyse.DEEP, decimals=0)} of the median for two of these or longer; the table has "
        "them, with the share of the median. " + transports.told(found),
        figure,
        table(columns, rows),
    )


def stress_boxes(found: Sequence[Stress], systems: Sequence[str]) -> Drawing:
    """How the rates of a stress test are spread (noise, figure 4.17)."""
    of = colours(systems)
    return boxes.draw(
        "stress-boxes",
        "Distribution of throughput over time",
        f"Each value is the rate of all pairs in {analyse.BIN_S:g} s.",
        [(each.system, of[each.system], each.rates_bps) for each in found if len(each.rates_bps)],
    )


def stress_verdicts(found: Stress) -> Iterator[Verdict]:
    """What is said of a stress test."""
    if not len(found.rates_bps):
        return
    low, middle, high = (float(v) for v in np.percentile(found.rates_bps, (5, 50, 95)))
    length = words.duration(float(found.times_s[-1]))
    yield Verdict(
        "fact",
        f"over {length} throughput is {words.rate(middle)}, 90 % of the time between {words.rate(low)} and "
        f"{words.rate(high)}",
    )
    if not found.dips:
        yield Verdict("good", f"throughput has no dip in {length}")
    else:
        deepest = min(found.dips, key=lambda dip: dip.share)
        yield Verdict(
            "bad",
            f"throughput has {words.count(len(found.dips), 'dip')} in {length}, the deepest at "
            f"{words.duration(deepest.start_s)}: {words.percent(deepest.share, decimals=0)} of the median for "
            f"{words.duration(deepest.length_s)}",
        )
    if found.run.status != "ok":
        yield Verdict("sure", f"stress: incomplete ({found.run.status})")


def headlines(part: Stress) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    if len(part.rates_bps):
        yield Headline(part.system, "stress", "median rate", one(np.median(part.rates_bps)), False)


SECTION = Section(
    load=at_most_one(load_stress),
    drawings=lambda found, report: [draw_stress(found, report.names), stress_boxes(found, report.names)],
    verdicts=stress_verdicts,
    headlines=headlines,
)
