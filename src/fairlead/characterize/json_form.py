"""Matrices as JSON: nested lists, null for what was not measured, the relation as lists of who is hurt.

Of hosts in groups it grows with the measured pairs and the groups, not with all pairs (docs/reference/results.md).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.characterize.shared_bottlenecks import CONFIDENCE, SharedBottlenecks
from fairlead.protocol.objects import Base, Manage

FORMAT = 3


def latency(matrix: LatencyMatrix, groups: HostGroups) -> dict[str, Any]:
    """All of a latency matrix; of grouped hosts the measured pairs, and medians between groups."""
    measured = matrix.count[0] > 0 if matrix.sizes_B else np.zeros((matrix.hosts,) * 2, dtype=bool)
    by_pair: dict[str, Floats | Bools] = {
        "count": matrix.count,
        "median_s": matrix.median_s,
        "p5_s": matrix.p5_s,
        "p95_s": matrix.p95_s,
        "one_way": matrix.one_way,
        "clock_error_s": matrix.clock_error_s,
        "by_clock_s": matrix.by_clock_s,
        "round_trip_s": matrix.round_trip_s,
    }
    if not grouped(groups):
        return {"sizes_B": list(matrix.sizes_B)} | {key: nullable(values) for key, values in by_pair.items()}
    return {
        "sizes_B": list(matrix.sizes_B),
        "between_groups_s": nullable(np.array([_between(groups, times) for times in matrix.median_s])),
        "pairs": np.argwhere(measured).tolist(),
    } | {key: nullable(values[..., measured]) for key, values in by_pair.items()}


def rates_bps(rates: Floats, groups: HostGroups) -> Any:
    """Throughput by source and destination; of grouped hosts the medians between groups."""
    return nullable(_between(groups, rates) if grouped(groups) else rates)


def sensitivity(relation: SharedBottlenecks) -> dict[str, Any]:
    """All of a sensitivity matrix; of grouped hosts as agents get it, without what is said of single pairs."""
    groups = relation.groups.of.tolist()
    if grouped(relation.groups):
        return {
            "groups": groups,
            "shares": grouped_shares(relation),
            "weights": nullable(_between(relation.groups, relation.weights)),
            "confidence": confidence(relation),
        }
    return {
        "groups": groups,
        "shares": shares(relation),
        "effective": relation.effective.tolist(),
        "measured": relation.measured.tolist(),
        "weights": nullable(relation.weights),
        "confidence": confidence(relation),
    }


def confidence(relation: SharedBottlenecks) -> list[list[str | None]]:
    """How sure it is what an injection on a pair hurts, by two hosts, or by two groups: ``unknown`` if it is of some
    pair of theirs, ``measured`` if all were injected; null where there is no pair."""
    groups, values = relation.groups, relation.confidence
    found: list[list[str | None]] = []
    for a, sources in enumerate(groups.members):
        found.append([])
        for b, destinations in enumerate(groups.members):
            block = values[np.ix_(sources, destinations)]
            if a == b:
                block = block[~np.eye(len(block), dtype=bool)]
            found[-1].append(CONFIDENCE[int(block.min())] if block.size else None)
    return found


def grouped(groups: HostGroups) -> bool:
    """Whether some host shares its group with another."""
    return len(groups) < len(groups.of)


def manage_tables(
    matrix: LatencyMatrix, rates_bps: Floats, relation: SharedBottlenecks, age_s: float
) -> dict[int, Manage]:
    """What agents decide by, by host index. Where hosts are in groups, an agent is told of its own paths, and of groups
    for the others: what all agents are told grows with the hosts times the groups."""
    relation = relation.cautious()
    groups = _used(relation.groups)[0]
    sizes_B, hosts = tuple(matrix.sizes_B), range(relation.hosts)
    if not grouped(groups):
        base = Base(age_s=age_s, sizes_B=sizes_B, latency_s=nullable(matrix.median_s), rate_bps=nullable(rates_bps))
        return dict.fromkeys(hosts, Manage(base=base, shares=shares(relation)))
    latency_s = nullable(np.array([_between(groups, times) for times in matrix.median_s]))
    rate_bps, shared = nullable(_between(groups, rates_bps)), grouped_shares(relation)
    return {
        host: Manage(
            base=Base(
                age_s=age_s,
                sizes_B=sizes_B,
                latency_s=latency_s,
                rate_bps=rate_bps,
                groups=tuple(groups.of.tolist()),
                own_latency_s=nullable(np.stack((matrix.median_s[:, host, :], matrix.median_s[:, :, host]), axis=1)),
                own_rate_bps=nullable(np.stack((rates_bps[host, :], rates_bps[:, host]))),
            ),
            shares=shared,
        )
        for host in hosts
    }


def _used(groups: HostGroups) -> tuple[HostGroups, Ints]:
    """The groups that hosts are in, numbered anew (a part of the hosts may be in few of them); and their numbers."""
    used, of = np.unique(groups.of, return_inverse=True)
    return HostGroups(of), used


def _between(groups: HostGroups, values: Floats) -> Floats:
    """(groups, groups) medians of what is known of pairs of hosts; NaN where nothing is."""
    medians = np.full((len(groups),) * 2, np.nan)
    for a, sources in enumerate(groups.members):
        for b, destinations in enumerate(groups.members):
            known = values[np.ix_(sources, destinations)]
            if np.isfinite(known).any():
                medians[a, b] = np.nanmedian(known)
    return medians


def nullable(values: Floats | Bools) -> Any:
    """Nested lists with None for NaN."""
    boxed = values.astype(object)
    boxed[~np.isfinite(values)] = None
    return boxed.tolist()


def shares(relation: SharedBottlenecks) -> list[list[Any]]:
    """[[k, m, [[i, j], ...]], ...]: an injection on k → m hurts i → j. Injections that hurt nothing are left out."""
    hosts = range(relation.hosts)
    return _listed((k, m, relation.hurt_by((k, m))) for k in hosts for m in hosts if k != m)


def grouped_shares(relation: SharedBottlenecks) -> dict[str, Any]:
    """The same by groups of hosts (docs/reference/agent-protocol.md)."""
    groups, used = _used(relation.groups)
    hurts, each = relation.relation.hurts[np.ix_(used, used, used, used)], np.arange(len(groups))
    effective = relation.relation.effective[np.ix_(used, used)]
    hurts[each, each] = hurts[:, :, each, each] = False  # nothing is said of a group's own pairs
    a, b = np.divmod(np.arange(len(each) ** 2), len(each))
    hurts[a, b, a, b] = effective[a, b] & (a != b)  # an injection hurts others of its groups
    fills = relation.over_link + 2 * relation.by_source.astype(np.uint8) + 4 * relation.by_destination.astype(np.uint8)
    return {
        "groups": groups.of.tolist(),
        "hurts": hurts_list(hurts),
        "fills": [(row + ord("0")).astype(np.uint8).tobytes().decode() for row in fills],
    }


def hurts_list(hurts: Bools) -> list[list[Any]]:
    """As `shares`, of a relation by [k, m, i, j]."""
    hosts = range(len(hurts))
    return _listed((k, m, hurts[k, m]) for k in hosts for m in hosts)


def _listed(rows: Iterable[tuple[int, int, Bools]]) -> list[list[Any]]:
    return [[k, m, np.argwhere(hurt).tolist()] for k, m, hurt in rows if hurt.any()]
