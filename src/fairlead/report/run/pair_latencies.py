"""Latencies of host pairs before and after: on a quiet network, congested, over their detours."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fairlead.analysis.runs.latencies import Distribution, PairLatency
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled

MOST_PAIRS = 24
"""Pairs in one figure; the table has all."""

_PATHS = (
    ("quiet", "direct, quiet network", palette.GOOD, "o"),
    ("congested", "direct, congested", palette.PLAIN, "s"),
    ("detour", "detour that was taken", palette.MANAGED, "D"),
)


def draw(program: str | None, pairs: Sequence[PairLatency]) -> Drawing:
    """Median latency of each rerouted or slow pair: quiet, congested, over its detour.

    Args:
        program: names the figure where a report has several.
    """
    shown = sorted(pairs, key=lambda each: -(each.congested.median_s if each.congested else 0.0))[:MOST_PAIRS]
    more = f" The {len(shown)} slowest of {len(pairs)} pairs are drawn." if len(pairs) > len(shown) else ""
    return Drawing(
        f"latencies-{program}" if program else "latencies",
        f"{program}: latency of pairs, before and after" if program else "Latency of pairs, before and after",
        "Marks are medians, lines reach from the 5th to the 95th percentile of all samples in managed runs. "
        f"While a pair is rerouted, its direct path is known from probes.{more}",
        _pair_figure(shown),
        table(
            [
                ("pair", "pair"),
                ("over", "relays"),
                *[(f"{name}{q}", f"{key}_{k}") for key, name, *_ in _PATHS for q, k in _QUANTILES],
            ],
            [
                [
                    cell(words.arrow(p.pair)),
                    cell(", ".join(words.carrier(relay, p.pair[1]) for relay in p.relays)),
                    *(c for key, *_ in _PATHS for c in _distribution_cells(getattr(p, key))),
                ]
                for p in pairs
            ],
        ),
    )


def _pair_figure(pairs: Sequence[PairLatency]) -> Figure:
    with styled():
        figure, (axis,) = axes_of(1, len(pairs) * 0.34 + 1.35)
        for row, pair in enumerate(pairs):
            found = [(getattr(pair, key), colour, marker) for key, _, colour, marker in _PATHS]
            medians = [d.median_s for d, _, _ in found if d is not None]
            if medians:
                axis.plot([min(medians), max(medians)], [row, row], color=palette.GRID.light, lw=3, zorder=1)
            for distribution, colour, marker in found:
                if distribution is not None:
                    ends = [distribution.p5_s, distribution.p95_s]
                    axis.plot(ends, [row, row], color=colour.light, lw=1.3, alpha=0.6, zorder=2)
                    axis.plot([distribution.median_s], [row], color=colour.light, marker=marker, ms=7, zorder=3)
        axis.set_xscale("log")
        log_times(axis.xaxis)
        axis.set_yticks(range(len(pairs)), [words.arrow(pair.pair) for pair in pairs])
        axis.set_ylim(len(pairs) - 0.4, -0.6)
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel("one-way latency (logarithmic)")
        legend_below(
            figure, [Line2D([], [], color=c.light, marker=m, ms=7, lw=1.3, label=text) for _, text, c, m in _PATHS]
        )
    return figure


_QUANTILES = (("", "median_s"), (", 5 %", "p5_s"), (", 95 %", "p95_s"), (", n", "n"))


def _distribution_cells(distribution: Distribution | None) -> list[TableCell]:
    if distribution is None:
        return [cell(None)] * 4
    times = (distribution.median_s, distribution.p5_s, distribution.p95_s)
    return [*(duration_cell(value) for value in times), cell(distribution.n)]
