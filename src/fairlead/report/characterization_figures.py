"""Figures of a characterisation: latencies, throughput, weights, what hurts what, and where detours lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from scipy.cluster import hierarchy
from scipy.spatial import distance

from fairlead.measure.characterization import Characterization
from fairlead.measure.path_table import Candidate
from fairlead.measure.samples import Bools, Floats
from fairlead.measure.tournament import Pair
from fairlead.report import palette, words
from fairlead.report.figures import WIDTH_IN, Drawing, styled
from fairlead.report.tables import cell, table

MOST_ANNOTATED = 10
"""Hosts up to which heat maps carry their numbers; beyond, the table has them."""
MOST_LABELS = 64
"""Pairs up to which the relation's axes name each of them."""
LEAST_SPAN = 1.25
"""A colour scale reaches from the median over this to the median times this, at least."""
_COLUMNS = 2


@dataclass(frozen=True)
class Panel:
    """One heat map: values (hosts, hosts) with NaN for none, the units to choose from, and a word for each cell."""

    title: str
    values: Floats
    units: tuple[tuple[float, str], ...]
    notes: Any = None


def pairs_of(found: Characterization) -> list[Pair]:
    """All ordered pairs of hosts."""
    count = len(found.hosts)
    return [(i, j) for i in range(count) for j in range(count) if i != j]


def name_of(found: Characterization, pair: Pair) -> str:
    """How a directed host pair is written everywhere."""
    return f"{found.hosts[pair[0]]} → {found.hosts[pair[1]]}"


def latency_maps(found: Characterization) -> Drawing:
    """A heat map of medians for each size."""
    latency = found.latency
    panels = [Panel(words.size(size_B), latency.median_s[k], words.TIMES) for k, size_B in enumerate(latency.sizes_B)]
    one_way = latency.one_way[np.isfinite(latency.median_s)]
    kind = "one-way times" if one_way.all() else "one-way times, or half round trips where clocks differ too much"
    return Drawing(
        "latency",
        "Latency between hosts",
        f"Median of each ordered pair, from the host of the row to that of the column; {kind}. Each size has a scale "
        "of its own; darker is slower.",
        _heat_maps(found, panels),
        table(
            [
                ("from", "source"),
                ("to", "destination"),
                ("size", "size_B"),
                ("median", "median_s"),
                ("5 %", "p5_s"),
                ("95 %", "p95_s"),
                ("n", "n"),
                ("time", "kind"),
            ],
            [
                [
                    cell(found.hosts[i]),
                    cell(found.hosts[j]),
                    cell(size_B, words.size(size_B)),
                    *(_time_cell(values[k, i, j]) for values in (latency.median_s, latency.p5_s, latency.p95_s)),
                    cell(int(np.nan_to_num(latency.count[k, i, j]))),
                    cell("one-way" if latency.one_way[k, i, j] else "half round trip"),
                ]
                for i, j in pairs_of(found)
                for k, size_B in enumerate(latency.sizes_B)
            ],
        ),
    )


def capacity_maps(found: Characterization) -> Drawing:
    """Throughput and sensitivity of each ordered pair."""
    weights = found.sensitivity.weights
    panels = [
        Panel("Throughput alone", found.rates_bps, words.RATES),
        Panel("Sensitivity weight", weights, words.PERCENT),
    ]
    return Drawing(
        "capacity",
        "Throughput and sensitivity",
        "Left: what each ordered pair carries while nobody else sends. Right: the share of all injections on other "
        "pairs that hurt this one; a high weight is a path that others easily disturb.",
        _heat_maps(found, panels),
        table(
            [("from", "source"), ("to", "destination"), ("throughput", "rate_bps"), ("weight", "weight_share")],
            [
                [
                    cell(found.hosts[i]),
                    cell(found.hosts[j]),
                    _number_cell(found.rates_bps[i, j], words.rate),
                    _number_cell(weights[i, j], lambda value: words.percent(value, decimals=1)),
                ]
                for i, j in pairs_of(found)
            ],
        ),
    )


def relation_map(found: Characterization) -> Drawing:
    """Which injection hurts which pair, pairs that suffer alike beside each other."""
    pairs = pairs_of(found)
    matrix = np.array([[found.sensitivity.hurts[a + b] for b in pairs] for a in pairs], dtype=bool)
    order = _alike_first(matrix)
    shown, names = matrix[np.ix_(order, order)], [name_of(found, pairs[k]) for k in order]
    side = WIDTH_IN * 0.86
    with styled():
        figure = Figure(figsize=(WIDTH_IN, side), layout="constrained")
        axis = figure.subplots()
        colours = np.zeros((*shown.shape, 4))
        colours[shown] = _rgba(palette.MANAGED.light)
        colours[np.eye(len(pairs), dtype=bool)] = _rgba(palette.LOW.light)
        axis.imshow(colours, interpolation="none", aspect="equal")
        axis.set_xlabel("hurt pair")
        axis.set_ylabel("injected pair")
        if len(pairs) <= MOST_LABELS:
            size = float(np.clip(330 / len(pairs), 5.0, 9.0))
            axis.set_xticks(range(len(pairs)), names, rotation=90, fontsize=size)
            axis.set_yticks(range(len(pairs)), names, fontsize=size)
            axis.tick_params(length=0)
        else:
            axis.set_xticks([])
            axis.set_yticks([])
    return Drawing(
        "relation",
        "What hurts what",
        "Traffic injected on the pair of a row hurts the pairs that are marked in it: they share a bottleneck. Pairs "
        "are ordered so that those that suffer alike stand together; the diagonal is the injected pair itself."
        + (" They are too many to be named here; the table names them." if len(pairs) > MOST_LABELS else ""),
        figure,
        table(
            [("injected", "injected"), ("hurts", "count"), ("pairs", "hurt")],
            [
                [cell(name_of(found, pair)), cell(int(row.sum())), cell(_names(found, pairs, row))]
                for pair, row in zip(pairs, matrix, strict=True)
            ],
        ),
    )


def detour_map(found: Characterization) -> Drawing:
    """For each ordered pair its best detour around the bottleneck, and what it costs."""
    count, size_B = len(found.hosts), found.reference_size_B()
    factor, relays = np.full((count, count), np.nan), np.full((count, count), "", dtype=object)
    rows = []
    for pair in pairs_of(found):
        direct_s = found.latency.base_s(*pair, size_B)
        candidates = found.candidates(pair, size_B)
        usable = [each for each in candidates if not each.shares_bottleneck]
        if usable:
            factor[pair] = usable[0].latency_s / direct_s
            relays[pair] = found.hosts[usable[0].relay]
        rows += [_candidate_row(found, pair, rank, each, direct_s) for rank, each in enumerate(candidates, start=1)]
    relay = "the host that it leads over, and " if count <= MOST_ANNOTATED else ""
    panel = Panel("Best detour, times its direct path", factor, ((1.0, "×"),), relays)
    return Drawing(
        "detours",
        "Where detours lead",
        f"For messages of {words.size(size_B)}: {relay}how many times as long as the direct path the best detour takes "
        "on a quiet network. An empty cell has no detour around its bottleneck.",
        _heat_maps(found, [panel]),
        table(
            [
                ("from", "source"),
                ("to", "destination"),
                ("rank", "rank"),
                ("over", "relay"),
                ("latency", "latency_s"),
                ("direct", "direct_s"),
                ("weight", "weight_share"),
                ("bottleneck", "bottleneck"),
            ],
            rows,
        ),
    )


def _candidate_row(found: Characterization, pair: Pair, rank: int, each: Candidate, direct_s: float) -> list[Any]:
    return [
        cell(found.hosts[pair[0]]),
        cell(found.hosts[pair[1]]),
        cell(rank),
        cell(found.hosts[each.relay]),
        _time_cell(each.latency_s),
        _time_cell(direct_s),
        _number_cell(each.weight, lambda value: words.percent(value, decimals=1)),
        cell("shared" if each.shares_bottleneck else "avoided"),
    ]


def _heat_maps(found: Characterization, panels: Sequence[Panel]) -> Figure:
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with styled():
        width = WIDTH_IN if columns > 1 else WIDTH_IN * 0.7
        figure = Figure(figsize=(width, rows * (width / columns) * 0.88), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).reshape(-1)
        for axis, panel in zip(axes, panels, strict=False):
            _heat_map(axis, found.hosts, panel)
        for axis in axes[len(panels) :]:
            axis.remove()
    return figure


def _heat_map(axis: Any, hosts: tuple[str, ...], panel: Panel) -> None:
    finite = panel.values[np.isfinite(panel.values)]
    scale, unit = words.scaled(float(np.median(finite)) if finite.size else 1.0, panel.units)
    axis.set_title(f"{panel.title} ({unit})")
    ticks = range(len(hosts)) if len(hosts) <= 20 else range(0, len(hosts), len(hosts) // 10)
    axis.set_xticks(ticks, [hosts[k] for k in ticks], fontsize=8.5, rotation=90 if len(hosts) > MOST_ANNOTATED else 0)
    axis.set_yticks(ticks, [hosts[k] for k in ticks], fontsize=8.5)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    if not finite.size:
        axis.text(0.5, 0.5, "nothing", transform=axis.transAxes, ha="center", color=palette.MUTED.light)
        return
    norm = _norm(finite / scale)
    image = axis.imshow(panel.values / scale, cmap=palette.SEQUENTIAL, norm=norm, interpolation="none")
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.82, pad=0.02, aspect=28)
    bar.outline.set_visible(False)
    bar.set_ticks([float(norm.inverse(share)) for share in (0.0, 0.5, 1.0)])
    bar.set_ticks([], minor=True)
    bar.ax.set_yticklabels([words.significant(tick) for tick in bar.get_ticks()], fontsize=8.5)
    bar.ax.tick_params(length=0)
    if len(hosts) <= MOST_ANNOTATED:
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
    for i, j in np.argwhere(np.isfinite(panel.values)):
        text = words.significant(panel.values[i, j] / scale)
        if panel.notes is not None:
            text = f"{panel.notes[i, j]}\n{text}"
        dark = np.dot(colours(norm(panel.values[i, j] / scale))[:3], (0.299, 0.587, 0.114)) < 0.5
        # Neither of the two is a colour of the palette: a cell's colour does not follow the reader's theme.
        axis.text(j, i, text, ha="center", va="center", fontsize=8, color="#ffffff" if dark else "#000000")


def _alike_first(matrix: Bools) -> list[int]:
    """An order of the pairs in which those with similar rows and columns are neighbours."""
    if len(matrix) < 3 or not matrix.any():
        return list(range(len(matrix)))
    features = (matrix | matrix.T | np.eye(len(matrix), dtype=bool)).astype(np.float64)
    tree = hierarchy.linkage(distance.pdist(features, "cosine"), "average")
    return [int(k) for k in hierarchy.leaves_list(tree)]


def _rgba(colour: str) -> tuple[float, ...]:
    return (*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)), 1.0)


def _names(found: Characterization, pairs: list[Pair], row: Bools) -> str:
    return ", ".join(name_of(found, pair) for pair, hurt in zip(pairs, row, strict=True) if hurt)


def _time_cell(value: float) -> Any:
    return _number_cell(value, words.duration)


def _number_cell(value: float, shown: Any) -> Any:
    return cell(float(value), shown(float(value))) if np.isfinite(value) else cell(None)
