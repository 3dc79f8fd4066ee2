"""The inferred network as a graph: hosts or groups of them, links between them, and where links meet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from fairlead.analysis.networks.inferred_network import InferredNetwork, Link, Node
from fairlead.analysis.networks.slow_paths import SlowPaths
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import WIDTH_IN, Drawing, legend_below, styled
from fairlead.report.network import host_ranges
from fairlead.report.network.characterization_figures import MOST_HOSTS
from fairlead.report.network.graph_layout import Layout, lay_out

MOST_LABELLED, MOST_BOXED = 16, 12
"""Lines up to which each carries its figures, and groups up to which their boxes on a ring lie across their lines."""

CHARACTER_IN = 0.082
"""Width of a character in a box. Where boxes in a row lack room, their text is turned."""

MOST_LABELLED_IN_TIERS = 8
"""There lines fan out from few places: of more only the slow ones carry figures."""

MANY_LINES = 60
"""More lines are thin, so that one sees through them; slow ones stand out."""

THINNEST_PT, THICKEST_PT = 1.0, 3.6
ALIKE = 1.25
"""Rates of which the highest is no more than this times the lowest have one width."""

BEND = 0.12

LABEL_IN = (0.75, 0.3)
"""Room that a label needs."""


@dataclass(frozen=True)
class Line:
    """One drawn line: the nodes that it joins, and the links that it stands for, forward and backward.

    Attributes:
        rates_bps: forward and backward; NaN where no link of its own was seen.
        slow: whether each direction is; ``None``: there is none, or nothing is known of it.
    """

    first: str
    second: str
    rates_bps: tuple[float, float]
    slow: tuple[bool | None, bool | None]
    label: str = ""
    bend: float = 0.0

    @property
    def rate_bps(self) -> float:
        """Of the slower direction."""
        return float(np.fmin(*self.rates_bps))

    @property
    def inferred(self) -> bool:
        """Whether it stands for a link; else for what is joined without one."""
        return self.slow != (None, None)


@dataclass(frozen=True)
class Graph:
    """What is drawn.

    Attributes:
        texts: by node, hosts or folded groups in order, then switches, then meetings.
        outer, inner, meetings: see `graph_layout.lay_out`.
        marked: nodes with something slow inside.
    """

    texts: Mapping[str, str]
    outer: tuple[str, ...]
    inner: Mapping[str, tuple[str, ...]]
    meetings: tuple[str, ...]
    lines: tuple[Line, ...]
    marked: frozenset[str]
    folded: bool


def draw(network: InferredNetwork, slow: SlowPaths, names: Sequence[str]) -> Drawing:
    """The figure with its table of links."""
    graph = graph_of(network, slow, names)
    return Drawing(
        "network", "The inferred network", _caption(graph, network), _figure(graph), links(network, slow, names)
    )


def graph_of(network: InferredNetwork, slow: SlowPaths, names: Sequence[str]) -> Graph:
    """The nodes and lines that are drawn: each host where there are few, else groups."""
    folded = len(names) > MOST_HOSTS
    texts: dict[str, str] = {}
    outer: list[str] = []
    inner: dict[str, tuple[str, ...]] = {}
    marked: set[str] = set()
    lines: list[Line] = []
    hosts_slow = {each.host for each in slow.host_links} | {each.host for each in slow.hosts}
    for number, group in enumerate(network.groups):
        node = _name(Node("group", number))
        if folded or len(group.hosts) == 1:
            outer.append(node)
            texts[node] = _box(network, group.hosts, names, folded)
            marked |= {node} if hosts_slow & set(group.hosts) else set()
        else:
            inner[node] = tuple(f"host {host}" for host in group.hosts)
            outer += inner[node]
            texts |= {f"host {host}": names[host] for host in group.hosts} | {
                node: _own_words(network, group.hosts) or "one switch"
            }
            marked |= {f"host {host}" for host in group.hosts if host in hosts_slow}
            lines += [_own_line(network, slow, node, host) for host in group.hosts]
    if folded and len(network.groups) == 1:
        lines.append(_only_line(network))
        texts["switch"] = "one switch"
    meetings = [_name(Node("meeting", k)) for k in range(network.meetings)] + (["switch"] if "switch" in texts else [])
    lines += _lines(network, slow)
    return Graph(texts, tuple(outer), inner, tuple(meetings), tuple(lines), frozenset(marked), folded)


def links(network: InferredNetwork, slow: SlowPaths, names: Sequence[str]) -> Table:
    """One row an inferred link; hosts' own links, where they were the bottleneck, by groups."""
    times = {each.link: each.times for each in slow.links}
    size = f"latency of {words.size(network.sizes_B[0])}" if network.sizes_B else "latency"
    rows = [
        [
            cell(_side(network, each, 0, names)),
            cell(_side(network, each, 1, names)),
            cell("shared" if len(each.shared.crossed_by) > 1 else "one path"),
            _rate_cell(each.rate_bps),
            _range_cell(each.lowest_bps, each.highest_bps),
            _time_cell(each.latency_s),
            cell(each.measured),
            cell(times.get(number), f"{words.significant(times[number], 2)} times" if number in times else None),
        ]
        for number, each in enumerate(network.links)
    ] + [row for group in network.groups for row in _own_rows(network, group.hosts, group.latency_s, names)]
    return table(
        [
            *(("from", "source"), ("to", "destination"), ("kind", "kind"), ("rate (measured)", "rate_bps")),
            *(("least to most", "lowest_bps|highest_bps"), (f"{size}, end to end", "latency_s")),
            *(("host pairs", "measured"), ("slow", "times")),
        ],
        rows,
    )


def _name(node: Node) -> str:
    return f"{node.kind} {node.number}"


def _box(network: InferredNetwork, hosts: Sequence[int], names: Sequence[str], folded: bool) -> str:
    if not folded or len(hosts) == 1:
        return names[hosts[0]]
    own = _own_words(network, hosts)
    return f"{host_ranges.short(hosts, names)}\n{words.count(len(hosts), 'host')}{f', {own}' if own else ''}"


def _own_words(network: InferredNetwork, hosts: Sequence[int]) -> str:
    """What their own links carry; empty where these were not the bottleneck."""
    known = _own_rates(network, hosts)
    return words.rate(float(np.median(known))) if known.size else ""


def _own_rates(network: InferredNetwork, hosts: Sequence[int]) -> Any:
    rates = np.concatenate([network.out_bps[list(hosts)], network.in_bps[list(hosts)]])
    return rates[np.isfinite(rates)]


def _own_line(network: InferredNetwork, slow: SlowPaths, switch: str, host: int) -> Line:
    rates = (float(network.out_bps[host]), float(network.in_bps[host]))
    is_slow = {each.direction: each for each in slow.host_links if each.host == host}
    states = tuple(
        direction in is_slow if np.isfinite(rate) else None
        for direction, rate in zip(("out", "in"), rates, strict=True)
    )
    label = "\n".join(words.rate(each.rate_bps) for each in is_slow.values())
    return Line(f"host {host}", switch, rates, (states[0], states[1]), label)


def _only_line(network: InferredNetwork) -> Line:
    known = _own_rates(network, network.groups[0].hosts)
    rate = float(np.median(known)) if known.size else float("nan")
    state = False if known.size else None
    label = f"a link for each host: {_spread_words(known)}" if known.size else "no link was filled"
    return Line(_name(Node("group", 0)), "switch", (rate, rate), (state, state), label)


def _spread_words(rates: Any) -> str:
    low, middle, high = np.percentile(rates, (0, 50, 100)).tolist()
    return f"{words.rate(middle)} ({words.rate(low)} to {words.rate(high)})"


def _lines(network: InferredNetwork, slow: SlowPaths) -> list[Line]:
    """Lines between groups and meetings: both directions are one, several between the same ends are bent apart."""
    slow_links = {each.link for each in slow.links}
    between: dict[tuple[Node, Node], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for number, each in enumerate(network.links):
        ends = (each.tail, each.head)
        first, second = sorted(ends)
        between[first, second][int(ends != (first, second))].append(number)
    lines = []
    few = len(between) <= MOST_LABELLED
    for (first, second), (forward, backward) in between.items():
        several = max(len(forward), len(backward))
        for k, (there, back) in enumerate(zip_longest(forward, backward)):
            links = [network.links[number] for number in (there, back) if number is not None]
            rates = [np.nan if number is None else network.links[number].rate_bps for number in (there, back)]
            states = tuple(None if number is None else number in slow_links for number in (there, back))
            lines.append(
                Line(
                    _name(first),
                    _name(second),
                    (rates[0], rates[1]),
                    (states[0], states[1]),
                    _label(links) if few or True in states else "",
                    BEND * (2 * k - several + 1),
                )
            )
    unseen = [Line(_name(a), _name(b), (float("nan"),) * 2, (None, None)) for a, b in network.joined]
    return lines + unseen


def _label(links: Sequence[Link]) -> str:
    rates = [each.rate_bps for each in links if np.isfinite(each.rate_bps)]
    times = [float(each.latency_s[0]) for each in links if each.latency_s.size and np.isfinite(each.latency_s[0])]
    shown = []
    if rates:
        alike = max(rates) <= ALIKE * min(rates)
        shown.append(words.rate(min(rates)) if alike else f"{words.rate(rates[0])} / {words.rate(rates[-1])}")
    if times:
        shown.append(words.duration(float(np.median(times))))
    return "\n".join(shown)


def _figure(graph: Graph) -> Figure:
    layout = lay_out(graph.outer, graph.inner, graph.meetings, [(each.first, each.second) for each in graph.lines])
    rates = [rate for each in graph.lines for rate in each.rates_bps if np.isfinite(rate)]
    turned = layout.tiers and _is_turned(graph, layout)
    taken: list[tuple[float, float]] = []
    with styled():
        height = layout.height_in + (0.9 if turned else 0.1)
        figure = Figure(figsize=(WIDTH_IN, height + 0.4), layout="constrained")
        axis = figure.subplots()
        thin = 0.4 if len(graph.lines) > MANY_LINES else 1.0
        crowded = layout.tiers and sum(bool(line.label) for line in graph.lines) > MOST_LABELLED_IN_TIERS
        for line in graph.lines:
            scale = 1.0 if True in line.slow else thin
            widths_pt = [scale * _width_pt(each, rates) for each in (*line.rates_bps, line.rate_bps)]
            shown = replace(line, label="") if crowded and True not in line.slow else line
            _draw_line(axis, shown, layout, widths_pt, taken)
        for node in (*graph.outer, *graph.inner, *graph.meetings):
            _draw_node(axis, node, graph, layout)
        axis.set_aspect("equal")
        axis.set_xlim(-WIDTH_IN / 2, WIDTH_IN / 2)
        bottom = -(1.25 if turned else 0.6) if layout.tiers else -height / 2
        axis.set_ylim(bottom, bottom + height)
        axis.set_axis_off()
        legend_below(figure, _legend(graph, rates), columns=3)
    return figure


def _is_turned(graph: Graph, layout: Layout) -> bool:
    longest = max(len(line) for node in graph.outer for line in graph.texts[node].split("\n"))
    places = sorted(layout.at[node][0] for node in graph.outer)
    nearest = min((b - a for a, b in pairwise(places)), default=WIDTH_IN)
    return longest * CHARACTER_IN + 0.15 > nearest


def _width_pt(rate_bps: float, rates: Sequence[float]) -> float:
    if not np.isfinite(rate_bps):
        return THINNEST_PT
    low, high = min(rates), max(rates)
    if high <= ALIKE * low:
        return 2.0
    return float(THINNEST_PT + (THICKEST_PT - THINNEST_PT) * np.log(rate_bps / low) / np.log(high / low))


def _draw_line(
    axis: Any, line: Line, layout: Layout, widths_pt: Sequence[float], taken: list[tuple[float, float]]
) -> None:
    """A line with its label, where no other label is. ``widths_pt``: forward, backward, and of one line for both."""
    ends = [layout.at[line.first], layout.at[line.second]]
    bend = line.bend / 3 if layout.tiers else line.bend  # lines are long there
    apart = BEND / 3 if layout.tiers else BEND
    if True in line.slow and False in line.slow:  # the directions differ
        for k, state in enumerate(line.slow):
            _arrow(axis, ends[::-1] if k else ends, widths_pt[k], state is True, bend + apart, head=True)
    elif None in line.slow and line.inferred:
        _arrow(axis, ends if line.slow[1] is None else ends[::-1], widths_pt[2], True in line.slow, bend, head=True)
    else:
        _arrow(axis, ends, widths_pt[2], True in line.slow, bend, dotted=not line.inferred)
    if line.label:
        taken.append(_free(ends, taken, layout.tiers))
        x, y = taken[-1]
        axis.text(
            x,
            y,
            line.label,
            fontsize=7.5,
            ha="center",
            va="center",
            zorder=3,
            color=palette.PLAIN.light if True in line.slow else palette.MUTED.light,
            bbox={"boxstyle": "round,pad=0.15", "fc": palette.SURFACE.light, "ec": "none"},
        )


def _free(ends: Sequence[Any], taken: Sequence[tuple[float, float]], tiers: bool) -> tuple[float, float]:
    """A place on a line for its label. On tiers lines fan out from above: low there, where they are apart."""
    lower, upper = sorted(ends, key=lambda end: end[1]) if tiers else ends
    places = [
        (lower[0] + share * (upper[0] - lower[0]), lower[1] + share * (upper[1] - lower[1]))
        for share in ((0.36, 0.52, 0.22, 0.66) if tiers else (0.5, 0.33, 0.67, 0.25, 0.75))
    ]
    return next((at for at in places if not any(_close(at, other) for other in taken)), places[0])


def _close(first: tuple[float, float], second: tuple[float, float]) -> bool:
    return abs(first[0] - second[0]) < LABEL_IN[0] and abs(first[1] - second[1]) < LABEL_IN[1]


def _arrow(
    axis: Any,
    ends: Sequence[Any],
    width_pt: float,
    slow: bool,
    bend: float,
    *,
    head: bool = False,
    dotted: bool = False,
) -> None:
    colour = palette.MUTED if dotted else palette.PLAIN if slow else palette.MANAGED
    axis.add_patch(
        FancyArrowPatch(
            *ends,
            arrowstyle="-|>" if head else "-",
            connectionstyle=f"arc3,rad={bend:g}",
            linestyle=":" if dotted else "-",
            linewidth=width_pt,
            color=colour.light,
            mutation_scale=9,
            shrinkA=0,
            shrinkB=14 if head else 0,
            zorder=2 if slow else 1,
            alpha=1.0 if slow or dotted else 0.8,
        )
    )


def _draw_node(axis: Any, node: str, graph: Graph, layout: Layout) -> None:
    x, y = layout.at[node]
    text = graph.texts.get(node, "")
    edge = palette.PLAIN if node in graph.marked else palette.MUTED
    box = {
        "boxstyle": "round,pad=0.3",
        "fc": palette.SURFACE.light,
        "ec": edge.light,
        "lw": 1.6 if node in graph.marked else 0.9,
    }
    if node in graph.inner or node == "switch":
        axis.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            fontsize=8,
            zorder=5,
            bbox=box | {"boxstyle": "square,pad=0.35", "fc": palette.GRID.light},
        )
    elif node in graph.meetings:
        axis.plot([x], [y], marker="o", ms=11, color=palette.INK.light, zorder=5)
    elif layout.tiers:
        turned = _is_turned(graph, layout)
        place = {"rotation": 90, "rotation_mode": "default"} if turned else {}
        size = float(np.clip(230 / len(graph.outer), 6.0, 9.0))
        axis.text(x, y, text, ha="center", va="top", fontsize=size, zorder=5, bbox=box, **place)
    elif not graph.folded or len(graph.outer) <= MOST_BOXED:
        axis.text(x, y, text, ha="center", va="center", fontsize=8.5, zorder=5, bbox=box)
    else:
        _radial(axis, node, text.replace("\n", ", "), graph, (x, y), edge.light)


def _radial(axis: Any, node: str, text: str, graph: Graph, at: tuple[float, float], colour: str) -> None:
    """A dot, its text outside of the ring."""
    x, y = at
    axis.plot([x], [y], marker="o", ms=5.5, color=colour if node in graph.marked else palette.INK.light, zorder=5)
    angle = float(np.degrees(np.arctan2(y, x)))
    left = abs(angle) > 90
    away = 0.12 / np.hypot(x, y)
    axis.text(
        x * (1 + away),
        y * (1 + away),
        text.split(",")[0],
        ha="right" if left else "left",
        va="center",
        rotation=angle - 180 if left else angle,
        rotation_mode="anchor",
        fontsize=float(np.clip(330 / len(graph.outer), 5.0, 8.0)),
        color=colour if node in graph.marked else palette.INK.light,
    )


def _legend(graph: Graph, rates: Sequence[float]) -> list[Any]:
    def sample(colour: palette.Colour, label: str, width: float = 2.0, style: str = "-") -> Line2D:
        return Line2D([], [], color=colour.light, lw=width, ls=style, label=label)

    shown: list[Any] = []
    if rates:
        low, high = min(rates), max(rates)
        if high <= ALIKE * low:
            shown.append(sample(palette.MANAGED, f"link: {words.rate(low)} to {words.rate(high)}"))
        else:
            shown += [
                sample(palette.MANAGED, f"link of {words.rate(each)}", _width_pt(each, rates)) for each in (low, high)
            ]
    if any(True in each.slow for each in graph.lines):
        shown.append(sample(palette.PLAIN, "slower than most of its kind"))
    if any(not each.inferred for each in graph.lines):
        shown.append(sample(palette.MUTED, "joined, no bottleneck seen", THINNEST_PT, ":"))
    if any(each != "switch" for each in graph.meetings):
        shown.append(Line2D([], [], color=palette.INK.light, marker="o", ms=8, lw=0, label="links meet (inferred)"))
    if graph.inner:
        text, edge = "one switch (inferred); rate of its hosts' links", palette.MUTED.light
        shown.append(Line2D([], [], marker="s", ms=8, lw=0, label=text, mfc=palette.GRID.light, mec=edge))
    if graph.marked:
        text, edge = "slow host, or a host with a slow link", palette.PLAIN.light
        shown.append(Line2D([], [], marker="s", ms=8, lw=0, label=text, mfc=palette.SURFACE.light, mec=edge, mew=1.6))
    return shown


def _caption(graph: Graph, network: InferredNetwork) -> str:
    what = "Boxes and dots are groups of hosts that no measurement distinguishes" if graph.folded else "Boxes are hosts"
    size = (
        f"; times are those of {words.size(network.sizes_B[0])} between hosts over the link, from end to end"
        if network.sizes_B
        else ""
    )
    return (
        f"{what}. Inferred from which paths slow each other: groups, links, and where links meet. Measured: "
        f"what a path that fills a link carries{size}. Links that no path could fill are not shown; links that "
        "no path tells apart are drawn as one."
    )


def _side(network: InferredNetwork, link: Link, end: int, names: Sequence[str]) -> str:
    groups = sorted((link.shared.sources, link.shared.destinations)[end])
    return host_ranges.groups_named([network.groups[each].hosts for each in groups], names)


def _own_rows(
    network: InferredNetwork, hosts: Sequence[int], latency_s: Any, names: Sequence[str]
) -> list[list[TableCell]]:
    rows = []
    for rates, ends in (
        (network.out_bps, ("each of {}", "their switch")),
        (network.in_bps, ("their switch", "each of {}")),
    ):
        known = rates[list(hosts)][np.isfinite(rates[list(hosts)])]
        if known.size:
            low, middle, high = np.percentile(known, (0, 50, 100)).tolist()
            named = [end.format(host_ranges.named(hosts, names)) for end in ends]
            rows.append(
                [
                    *map(cell, named),
                    cell("hosts' own"),
                    _rate_cell(middle),
                    _range_cell(low, high),
                    _time_cell(latency_s),
                    cell(int(known.size)),
                    cell(None),
                ]
            )
    return rows


def _rate_cell(rate_bps: float) -> TableCell:
    return cell(rate_bps, words.rate(rate_bps)) if np.isfinite(rate_bps) else cell(None)


def _range_cell(low: float, high: float) -> TableCell:
    return cell((low, high), f"{words.rate(low)} to {words.rate(high)}") if np.isfinite(low) else cell(None)


def _time_cell(latency_s: Any) -> TableCell:
    known = latency_s.size and np.isfinite(latency_s[0])
    return duration_cell(float(latency_s[0])) if known else cell(None)
