"""Matrices of many hosts, by groups of them: medians between groups, and within groups on the diagonal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from fairlead.analysis.networks.inferred_network import between_groups
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.samples import Floats, Ints
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, log_times, styled
from fairlead.report.network import heat_maps, host_ranges
from fairlead.report.network.heat_maps import Panel

MOST_ANNOTATED = 24
"""Groups up to which cells carry their numbers."""

MOST_PANELS = 2
"""Sizes that are drawn where there are more groups than heat maps beside each other can name."""


def names_and_groups(found: Characterization) -> tuple[list[str], Ints]:
    """Short names of the groups, and (hosts) the group of each host among them."""
    _, of = np.unique(found.sensitivity.groups.of, return_inverse=True)
    groups = HostGroups(of.astype(np.int64))
    return [host_ranges.short(hosts, found.hosts) for hosts in groups.members], groups.of


def medians(values: Floats, groups: HostGroups) -> Floats:
    """(groups, groups) medians of what is known of host pairs; NaN where nothing is."""
    found = np.full((len(groups),) * 2, np.nan)
    for pair, known in between_groups(values, groups):
        found[pair] = np.median(known)
    return found


def latency(found: Characterization) -> Drawing:
    """Median times by size; of a single group, against the size."""
    names, of = names_and_groups(found)
    groups, matrix = HostGroups(of), found.latency
    measured = np.where(matrix.count > 0, matrix.median_s, np.nan)
    by_size = [dict(between_groups(times, groups)) for times in measured]
    rows = [
        [cell(names[a]), cell(names[b]), cell(size_B, words.size(size_B)), *_spread(known[a, b], words.duration)]
        for a in range(len(names))
        for b in range(len(names))
        for size_B, known in zip(matrix.sizes_B, by_size, strict=True)
        if (a, b) in known
    ]
    title, caption = (
        "Latency between groups of hosts",
        (
            "Medians of the host pairs that were measured between each two groups, and within a group on the diagonal. "
            "Each size has a scale of its own; darker is slower."
        ),
    )
    if len(names) == 1:
        title = "Latency between hosts"
        caption = (
            "All hosts are one group. Line: median of the host pairs that were measured; shade: 5 to 95 % of them."
        )
        figure = _by_size(matrix.sizes_B, [each.get((0, 0), np.zeros(0)) for each in by_size])
    else:
        shown = range(len(matrix.sizes_B))
        if len(names) > heat_maps.MOST_ANNOTATED and len(shown) > MOST_PANELS:
            shown = range(0, len(shown), len(shown) - 1)
            caption += " Only the smallest and largest sizes are drawn; the table has all."
        panels = [Panel(words.size(matrix.sizes_B[k]), medians(measured[k], groups), words.TIMES) for k in shown]
        figure = heat_maps.draw(names, panels, most_annotated=MOST_ANNOTATED)
    columns = [("from", "source"), ("to", "destination"), ("size", "size_B"), *_spread_columns("s")]
    return Drawing("latency", title, caption, figure, table(columns, rows))


def capacity(found: Characterization) -> Drawing:
    """Throughput and sensitivity."""
    names, of = names_and_groups(found)
    groups = HostGroups(of)
    rates, weights = (dict(between_groups(each, groups)) for each in (found.rates_bps, found.sensitivity.weights))
    rows = [
        [
            cell(names[pair[0]]),
            cell(names[pair[1]]),
            *_spread(rates[pair], words.rate),
            cell(float(np.median(weights[pair])), words.percent(float(np.median(weights[pair]))))
            if pair in weights
            else cell(None),
        ]
        for pair in sorted(rates)
    ]
    panels = [
        Panel("Throughput alone", medians(found.rates_bps, groups), words.RATES),
        Panel("Sensitivity weight", medians(found.sensitivity.weights, groups), words.PERCENT),
    ]
    columns = [("from", "source"), ("to", "destination"), *_spread_columns("bps"), ("weight", "weight_share")]
    return Drawing(
        "capacity",
        "Throughput and sensitivity between groups of hosts",
        "Medians of host pairs. Throughput: what a pair carries while no other pair sends. Weight: the share of all "
        "injections on other pairs that hurt this one; a high weight marks a path that others easily disturb.",
        heat_maps.draw(names, panels, most_annotated=MOST_ANNOTATED),
        table(columns, rows),
    )


def _spread_columns(unit: str) -> list[tuple[str, str]]:
    return [("median", f"median_{unit}"), ("least", f"least_{unit}"), ("most", f"most_{unit}"), ("host pairs", "pairs")]


def _spread(known: Floats, shown: Any) -> list[TableCell]:
    values = [float(each) for each in (np.median(known), known.min(), known.max())]
    return [*(cell(each, shown(each)) for each in values), cell(int(known.size))]


def _by_size(sizes_B: Sequence[int], times: Sequence[Floats]) -> Figure:
    known = [
        (size_B, *np.percentile(each, (5, 50, 95))) for size_B, each in zip(sizes_B, times, strict=True) if each.size
    ]
    sizes, low, middle, high = (np.array(each) for each in zip(*known, strict=True))
    with styled():
        figure, (axis,) = axes_of(1, 3.0)
        axis.fill_between(sizes, low, high, color=palette.LOW.light, lw=0)
        axis.plot(sizes, middle, color=palette.MANAGED.light, marker="o", ms=5)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(sizes, [words.size(float(each)) for each in sizes])
        axis.xaxis.set_minor_locator(NullLocator())
        log_times(axis.yaxis)
        axis.grid(axis="y")
        axis.set_xlabel("message size")
    return figure
