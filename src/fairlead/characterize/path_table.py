"""The path table: for each ordered pair of hosts, over which third host its traffic could go."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.tournament import Pair

ALIKE_SHARE = 0.1
"""Latencies within this share of the fastest of a group count as equal: measurements scatter by as much."""


@dataclass(frozen=True)
class DetourCandidate:
    """A detour.

    Attributes:
        relay: index of the host that it leads over.
        latency_s: sum of the two legs' base latencies.
        weight: larger of the two legs' weights, 0 (nothing hurts it) to 1; NaN: no injection built a queue.
        shares_bottleneck: whatever injection hurts the direct path hurts a leg, too: kept, but no way out. None: the
            direct path's bottleneck is not known.
    """

    relay: int
    latency_s: float
    weight: float
    shares_bottleneck: bool | None

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"weight": None if math.isnan(self.weight) else self.weight}


def candidates(
    pair: Pair, latency: LatencyMatrix, sensitivity: SharedBottlenecks, size_B: int
) -> tuple[DetourCandidate, ...]:
    """All detours for one ordered pair: lowest latency first, among equally fast ones the most robust first.

    Raises:
        MeasurementError: a leg was not measured, or not at this size.
    """
    source, destination = pair
    weights, avoids, at_s = sensitivity.weights, sensitivity.avoiding(pair), latency.at(size_B)
    times_s = at_s[source, :] + at_s[:, destination]
    highest = np.fmax(weights[source, :], weights[:, destination])
    relays = [relay for relay in range(latency.hosts) if relay not in pair]
    unknown = np.isnan(times_s).tolist()
    for relay in (each for each in relays if unknown[each]):
        for leg in ((source, relay), (relay, destination)):
            latency.base_s(*leg, size_B)  # it says which was not measured
    shared = True if sensitivity.measured[pair] else None
    shares = [False if avoids[relay] else shared for relay in relays]
    facts = times_s[relays].tolist(), highest[relays].tolist(), shares
    return tuple(_ordered([DetourCandidate(*each) for each in zip(relays, *facts, strict=True)]))


def _ordered(found: list[DetourCandidate]) -> list[DetourCandidate]:
    by_latency = sorted(found, key=lambda each: (each.latency_s, each.relay))
    ordered: list[DetourCandidate] = []
    while by_latency:
        limit = by_latency[0].latency_s * (1 + ALIKE_SHARE)
        group = [each for each in by_latency if each.latency_s <= limit]
        ordered += sorted(group, key=_robust_first)
        by_latency = by_latency[len(group) :]
    return ordered


def _robust_first(each: DetourCandidate) -> tuple[float, float, int]:
    return 0.0 if math.isnan(each.weight) else each.weight, each.latency_s, each.relay


def describe(
    names: Sequence[str],
    latency: LatencyMatrix,
    candidates_of: Callable[[Pair], Sequence[DetourCandidate]],
    size_B: int,
    pairs: Sequence[Pair],
) -> list[str]:
    """One line an ordered pair that has a detour around its bottleneck, and what to know of the others.

    Args:
        candidates_of: the table's entry for an ordered pair, at this size.
        pairs: those that are described.
    """
    lines, stuck, unknown = [], 0, 0
    for pair in pairs:
        found = candidates_of(pair)
        usable = [c for c in found if c.shares_bottleneck is False]
        if not usable:
            not_known = any(c.shares_bottleneck is None for c in found)
            stuck, unknown = stuck + (not not_known), unknown + not_known
            continue
        direct_s = latency.base_s(*pair, size_B)
        best = ", ".join(f"{names[c.relay]} {c.latency_s * 1e3:.2f} ms" for c in usable[:3])
        more = f" and {len(usable) - 3} more" if len(usable) > 3 else ""
        lines.append(f"{names[pair[0]]} → {names[pair[1]]}: direct {direct_s * 1e3:.2f} ms; over {best}{more}")
    if stuck:
        every = "every pair" if stuck == len(pairs) else f"{stuck} of {len(pairs)} ordered pairs"
        lines.append(
            f"no detour for {every}: every path over a third host shares the direct path's bottleneck, as on a "
            "single switch"
        )
    if unknown:
        lines.append(f"not known for {unknown} of {len(pairs)} ordered pairs: their bottlenecks were not measured")
    return lines
