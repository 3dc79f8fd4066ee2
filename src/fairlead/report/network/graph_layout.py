"""Where hosts, groups and meetings of a drawn network lie, in inches from the middle of the figure.

In tiers, with hosts below and what joins them above, where links lead upwards only, as in a star or a leaf-spine
network; else on rings, hosts outside.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

WIDTH_IN, MARGIN_IN = 8.8, 0.45
TIER_IN = 1.55
LEAST_MEETING_IN = 1.1
RING_IN = (3.55, 2.75)
"""Half axes of the outer ring; others are parts of it."""
INNER_SHARES = {"outer": 1.0, "inner": 0.6, "meeting": 0.3}
MOST_IN_TIERS = 36
SPARSE_SHARE = 0.5
"""Where fewer of all groups are joined directly, those that are lie beside each other."""


@dataclass(frozen=True)
class Layout:
    """Places by node; ``tiers`` or rings; and the height that is needed."""

    at: Mapping[str, tuple[float, float]]
    tiers: bool
    height_in: float


def lay_out(
    outer: Sequence[str], inner: Mapping[str, Sequence[str]], meetings: Sequence[str], lines: Sequence[tuple[str, str]]
) -> Layout:
    """Places for all nodes.

    Args:
        outer: hosts, or folded groups, in order.
        inner: switches by name, with what of ``outer`` lies behind each; empty where groups are folded.
        meetings: where links meet.
        lines: the nodes that each line joins.
    """
    level = dict.fromkeys(outer, 0) | dict.fromkeys(inner, 1) | dict.fromkeys(meetings, 2)
    behind = {node: switch for switch, nodes in inner.items() for node in nodes}
    level |= {node: 1 for node in outer if inner and node not in behind}  # a host by itself is its own switch
    upward = all(level[first] != level[second] for first, second in lines)
    if upward and len(outer) <= MOST_IN_TIERS:
        return _tiers(outer, inner, meetings, lines)
    return _rings(_neighbours_first(outer, behind, lines), inner, meetings, lines)


def _tiers(
    outer: Sequence[str], inner: Mapping[str, Sequence[str]], meetings: Sequence[str], lines: Sequence[tuple[str, str]]
) -> Layout:
    behind = {node: switch for switch, nodes in inner.items() for node in nodes}
    steps = [0.0]
    for first, second in pairwise(outer):
        steps.append(steps[-1] + (1.0 if not inner or behind.get(first) == behind.get(second, "") else 1.6))
    width = WIDTH_IN - 2 * MARGIN_IN
    x = np.array(steps) * width / max(steps[-1], 3.0)
    x = x - x.mean()
    at = {node: (float(place), 0.0) for node, place in zip(outer, x, strict=True)}
    for switch, nodes in inner.items():
        at[switch] = (float(np.mean([at[node][0] for node in nodes])), TIER_IN)
    top = TIER_IN * (2 if inner else 1)
    wanted = {each: float(np.mean([at[n][0] for n in _joined(each, lines) if n in at] or [0.0])) for each in meetings}
    ordered = sorted(meetings, key=wanted.__getitem__)
    for each, place in zip(ordered, _spread([wanted[each] for each in ordered], width), strict=True):
        at[each] = (place, top)
    return Layout(at, True, (top if meetings else TIER_IN) + 0.8)


def _spread(wanted: Sequence[float], width: float) -> list[float]:
    """Ascending places near those wanted, with room between them."""
    if len(wanted) < 2:
        return list(wanted)
    step = min(2.6, width / (len(wanted) - 1), max(LEAST_MEETING_IN, width / (len(wanted) + 1)))
    return [(k - (len(wanted) - 1) / 2) * step for k in range(len(wanted))]


def _rings(
    outer: Sequence[str], inner: Mapping[str, Sequence[str]], meetings: Sequence[str], lines: Sequence[tuple[str, str]]
) -> Layout:
    step = 2 * np.pi / max(len(outer), 1)
    angle = {node: float(np.pi / 2 - (k + 0.5) * step) for k, node in enumerate(outer)}
    for switch, nodes in inner.items():
        angle[switch] = _mean_angle([angle[node] for node in nodes])
    at = {node: _on_ring(angle[node], "outer") for node in outer} | {
        switch: _on_ring(angle[switch], "inner") for switch in inner
    }
    share = "meeting" if inner else "inner"
    taken: defaultdict[tuple[float, float], int] = defaultdict(int)
    for each in meetings:
        near = [at[node] for node in _joined(each, lines) if node in at]
        middle = np.mean(near, axis=0) if near else np.zeros(2)
        if np.hypot(*middle) > 0.4:
            at[each] = _on_ring(float(np.arctan2(middle[1] / RING_IN[1], middle[0] / RING_IN[0])), share)
        else:
            at[each] = (0.0, 0.0)
        taken[at[each]] += 1
        if taken[at[each]] > 1:  # several in the middle of the same nodes
            at[each] = (at[each][0] + 0.5 * (taken[at[each]] - 1), at[each][1] + 0.35 * (taken[at[each]] - 1))
    return Layout(at, False, 2 * RING_IN[1] + (0.5 if inner or len(outer) <= 12 else 1.9))


def _on_ring(angle: float, ring: str) -> tuple[float, float]:
    share = INNER_SHARES[ring]
    return float(np.cos(angle)) * RING_IN[0] * share, float(np.sin(angle)) * RING_IN[1] * share


def _mean_angle(angles: Sequence[float]) -> float:
    return float(np.angle(np.mean(np.exp(1j * np.array(angles)))))


def _joined(node: str, lines: Sequence[tuple[str, str]]) -> list[str]:
    return [b if a == node else a for a, b in lines if node in (a, b)]


def _neighbours_first(outer: Sequence[str], behind: Mapping[str, str], lines: Sequence[tuple[str, str]]) -> list[str]:
    """An order in which nodes that are joined directly follow each other, where few are."""
    units = list(dict.fromkeys(behind.get(node, node) for node in outer))
    joined: dict[str, list[str]] = {unit: [] for unit in units}
    for first, second in lines:
        if first in joined and second in joined:
            joined[first].append(second)
            joined[second].append(first)
    if sum(map(len, joined.values())) > SPARSE_SHARE * len(units) * (len(units) - 1):
        return list(outer)
    order: list[str] = []
    for unit in units:
        waiting = [unit]
        while waiting:
            each = waiting.pop()
            if each not in order:
                order.append(each)
                waiting += [other for other in reversed(joined[each]) if other not in order]
    return [node for unit in order for node in outer if behind.get(node, node) == unit]
