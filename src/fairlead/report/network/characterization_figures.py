"""Figures of a characterization: latencies, throughput, weights, what hurts what, and where detours lead."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from scipy.cluster import hierarchy
from scipy.spatial import distance

from fairlead.characterize.characterization import Characterization
from fairlead.characterize.path_table import DetourCandidate
from fairlead.characterize.samples import Bools
from fairlead.characterize.tournament import Pair
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.report import palette
from fairlead.report.figures import WIDTH_IN, Drawing, styled
from fairlead.report.network import group_maps, heat_maps
from fairlead.report.network.heat_maps import MOST_ANNOTATED, Panel

MOST_HOSTS = 24
"""Hosts up to which each is drawn and tables have all of their pairs; of more, groups are drawn."""

MOST_DETOURS, MOST_LISTED = 100, 3
"""Hosts up to which the detours of all pairs are counted; detours of a pair that tables have where there are many."""

MOST_SORTED = 1000
"""Pairs up to which those that suffer alike are sought."""

MOST_LABELS = 64
"""Pairs up to which the relation's axes name each of them."""


def pairs_of(found: Characterization) -> list[Pair]:
    """All ordered pairs of hosts."""
    count = len(found.hosts)
    return [(i, j) for i in range(count) for j in range(count) if i != j]


def shown_pairs(found: Characterization) -> list[Pair]:
    """The ordered pairs that tables and matrices of pairs have: all, or of many hosts one of each two groups."""
    return pairs_of(found) if len(found.hosts) <= MOST_HOSTS else found.pairs_by_groups()


def _stand_in(found: Characterization) -> str:
    """What to say where `shown_pairs` are not all."""
    return "" if len(found.hosts) <= MOST_HOSTS else " One pair of each two groups of hosts stands for the others."


def name_of(found: Characterization, pair: Pair) -> str:
    """How a directed host pair is written everywhere."""
    return f"{found.hosts[pair[0]]} → {found.hosts[pair[1]]}"


def _unmeasured(found: Characterization) -> str:
    """What to say where some pairs' latencies are those of others."""
    known = np.isfinite(found.latency.median_s)
    if (found.latency.count[known] > 0).all():
        return ""
    return " Where a pair was not measured itself, it has the median of those measured between its two groups of hosts."


def latency_maps(found: Characterization) -> Drawing:
    """A heat map of medians for each size, between hosts; of many hosts, between their groups."""
    if len(found.hosts) > MOST_HOSTS:
        return group_maps.latency(found)
    latency = found.latency
    panels = [Panel(words.size(size_B), latency.median_s[k], words.TIMES) for k, size_B in enumerate(latency.sizes_B)]
    one_way = latency.one_way[np.isfinite(latency.median_s)]
    kind = "one-way times" if one_way.all() else "one-way times, or half round trips where clocks differ too much"
    return Drawing(
        "latency",
        "Latency between hosts",
        f"Median of each ordered pair, from the host of the row to that of the column; {kind}. Each size has a scale "
        "of its own; darker is slower. The table has one-way times by both hosts' clocks, with the bound of their "
        f"error, beside round trips.{_unmeasured(found)}",
        heat_maps.draw(found.hosts, panels),
        _latency_table(found),
    )


def _latency_table(found: Characterization) -> Table:
    """A row for each pair and size."""
    latency = found.latency
    return table(
        [
            ("from", "source"),
            ("to", "destination"),
            ("size", "size_B"),
            ("median", "median_s"),
            ("5 %", "p5_s"),
            ("95 %", "p95_s"),
            ("n", "n"),
            ("time", "kind"),
            ("one-way by the clocks", "by_clock_s"),
            ("clock error, ±", "clock_error_s"),
            ("round trip", "round_trip_s"),
        ],
        [
            [
                cell(found.hosts[i]),
                cell(found.hosts[j]),
                cell(size_B, words.size(size_B)),
                *(_time_cell(values[k, i, j]) for values in (latency.median_s, latency.p5_s, latency.p95_s)),
                cell(int(np.nan_to_num(latency.count[k, i, j]))),
                cell("one-way" if latency.one_way[k, i, j] else "half round trip"),
                _time_cell(latency.by_clock_s[k, i, j]),
                _time_cell(latency.clock_error_s[i, j]),
                _time_cell(latency.round_trip_s[k, i, j]),
            ]
            for i, j in shown_pairs(found)
            for k, size_B in enumerate(latency.sizes_B)
        ],
    )


def pair_maps(found: Characterization) -> list[Drawing]:
    """What injections showed of pairs. Nothing is drawn where all pairs are alike: of many hosts in one group."""
    if len(found.hosts) > MOST_HOSTS and len(np.unique(found.sensitivity.groups.of)) == 1:
        return []
    drawn = [capacity_maps(found), relation_map(found)]
    return [*drawn, detour_map(found)] if found.usable else drawn


def capacity_maps(found: Characterization) -> Drawing:
    """Throughput and sensitivity of each ordered pair; of many hosts, between their groups."""
    if len(found.hosts) > MOST_HOSTS:
        return group_maps.capacity(found)
    weights = found.sensitivity.weights
    panels = [
        Panel("Throughput alone", found.rates_bps, words.RATES),
        Panel("Sensitivity weight", weights, words.PERCENT),
    ]
    return Drawing(
        "capacity",
        "Throughput and sensitivity",
        "Left: what each ordered pair carries while no other pair sends. Right: the share of all injections on other "
        "pairs that hurt this one; a high weight marks a path that others easily disturb.",
        heat_maps.draw(found.hosts, panels),
        table(
            [("from", "source"), ("to", "destination"), ("throughput", "rate_bps"), ("weight", "weight_share")],
            [
                [
                    cell(found.hosts[i]),
                    cell(found.hosts[j]),
                    _number_cell(found.rates_bps[i, j], words.rate),
                    _number_cell(weights[i, j], lambda value: words.percent(value, decimals=1)),
                ]
                for i, j in shown_pairs(found)
            ],
        ),
    )


def relation_map(found: Characterization) -> Drawing:
    """Which injection hurts which pair, pairs that suffer alike beside each other."""
    pairs = shown_pairs(found)
    source, destination = np.array(pairs).T
    matrix = np.array([found.sensitivity.hurt_by(pair)[source, destination] for pair in pairs], dtype=bool)
    order = _alike_first(matrix)
    return Drawing(
        "relation",
        "What hurts what",
        "Traffic injected on the pair of a row hurts the pairs that are marked in it: they share a bottleneck. "
        "Pairs that suffer alike are next to each other; the diagonal is the injected pair itself."
        + (" There are too many to name here; the table lists them." if len(pairs) > MOST_LABELS else "")
        + _stand_in(found),
        _relation(matrix[np.ix_(order, order)], [name_of(found, pairs[k]) for k in order]),
        table(
            [("injected", "injected"), ("hurts", "count"), ("pairs", "hurt")],
            [
                [
                    cell(name_of(found, pair)),
                    cell(int(found.sensitivity.hurt_by(pair).sum())),
                    cell(_names(found, pairs, row)),
                ]
                for pair, row in zip(pairs, matrix, strict=True)
            ],
        ),
    )


def _relation(hurts: Bools, names: Sequence[str]) -> Figure:
    """A square for each injected pair (row) and hurt pair (column), marked where ``hurts``."""
    with styled():
        figure = Figure(figsize=(WIDTH_IN, WIDTH_IN * 0.86), layout="constrained")
        axis = figure.subplots()
        cells = hurts + 2 * np.eye(len(names), dtype=np.int8)
        colours = ListedColormap(["#ffffff00", palette.MANAGED.light, palette.LOW.light])
        axis.imshow(cells, cmap=colours, vmin=0, vmax=2, interpolation="none", aspect="equal")
        axis.set_xlabel("hurt pair")
        axis.set_ylabel("injected pair")
        if len(names) <= MOST_LABELS:
            size = float(np.clip(330 / len(names), 5.0, 9.0))
            axis.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
            axis.set_yticks(range(len(names)), names, fontsize=size)
            axis.tick_params(length=0)
        else:
            axis.set_xticks([])
            axis.set_yticks([])
    return figure


def detour_map(found: Characterization) -> Drawing:
    """For each ordered pair its best detour around the bottleneck, and what it costs."""
    count, size_B = len(found.hosts), found.reference_size_B()
    folded = count > MOST_HOSTS
    names, of = group_maps.names_and_groups(found) if folded else (list(found.hosts), np.arange(count))
    factor, relays = np.full((len(names),) * 2, np.nan), np.full((len(names),) * 2, "", dtype=object)
    rows = []
    for pair in shown_pairs(found):
        direct_s = found.latency.base_s(*pair, size_B)
        candidates = found.candidates(pair, size_B)
        usable = [each for each in candidates if each.shares_bottleneck is False]
        if usable:
            at = of[pair[0]], of[pair[1]]
            factor[at] = usable[0].latency_s / direct_s
            relays[at] = found.hosts[usable[0].relay]
        first = candidates[:MOST_LISTED] if folded else candidates
        rows += [_candidate_row(found, pair, rank, each, direct_s) for rank, each in enumerate(first, start=1)]
    relay = "the host that it leads over, and " if count <= MOST_ANNOTATED else ""
    panel = Panel("Best detour, times its direct path", factor, ((1.0, "×"),), None if folded else relays)
    most = group_maps.MOST_ANNOTATED if folded else MOST_ANNOTATED
    return Drawing(
        "detours",
        "Where detours lead",
        f"For messages of {words.size(size_B)}: {relay}how many times as long as the direct path the best detour takes "
        f"on a quiet network. An empty cell has no detour around its bottleneck.{_stand_in(found)}",
        heat_maps.draw(names, [panel], most_annotated=most),
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


def _candidate_row(found: Characterization, pair: Pair, rank: int, each: DetourCandidate, direct_s: float) -> list[Any]:
    return [
        cell(found.hosts[pair[0]]),
        cell(found.hosts[pair[1]]),
        cell(rank),
        cell(found.hosts[each.relay]),
        _time_cell(each.latency_s),
        _time_cell(direct_s),
        _number_cell(each.weight, lambda value: words.percent(value, decimals=1)),
        cell({True: "shared", False: "avoided", None: "not known"}[each.shares_bottleneck]),
    ]


def _alike_first(matrix: Bools) -> list[int]:
    """An order of the pairs in which those with similar rows and columns are neighbours; of very many, as they are."""
    if len(matrix) < 3 or not matrix.any() or len(matrix) > MOST_SORTED:
        return list(range(len(matrix)))
    features = (matrix | matrix.T | np.eye(len(matrix), dtype=bool)).astype(np.float64)
    tree = hierarchy.linkage(distance.pdist(features, "cosine"), "average")
    return [int(k) for k in hierarchy.leaves_list(tree)]


def _names(found: Characterization, pairs: list[Pair], row: Bools) -> str:
    return ", ".join(name_of(found, pair) for pair, hurt in zip(pairs, row, strict=True) if hurt)


def _time_cell(value: float) -> Any:
    return _number_cell(value, words.duration)


def _number_cell(value: float, shown: Any) -> Any:
    return cell(float(value), shown(float(value))) if np.isfinite(value) else cell(None)
