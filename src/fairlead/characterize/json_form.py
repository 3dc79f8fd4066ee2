"""Matrices as JSON: nested lists, null for what was not measured, the relation as lists of who is hurt."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Bools, Floats
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.protocol.objects import Base, Manage

FORMAT = 2


def latency(matrix: LatencyMatrix) -> dict[str, Any]:
    """All of a latency matrix."""
    return {
        "sizes_B": list(matrix.sizes_B),
        "count": nullable(matrix.count),
        "median_s": nullable(matrix.median_s),
        "p5_s": nullable(matrix.p5_s),
        "p95_s": nullable(matrix.p95_s),
        "one_way": matrix.one_way.tolist(),
        "clock_error_s": nullable(matrix.clock_error_s),
    }


def sensitivity(relation: SharedBottlenecks) -> dict[str, Any]:
    """All of a sensitivity matrix."""
    return {
        "groups": relation.groups.of.tolist(),
        "hurts": shares(relation),
        "effective": relation.effective.tolist(),
        "measured": relation.measured.tolist(),
        "weights": nullable(relation.weights),
    }


def manage_tables(matrix: LatencyMatrix, rates_bps: Floats, relation: SharedBottlenecks, age_s: float) -> Manage:
    """What agents decide by."""
    base = Base(
        age_s=age_s,
        sizes_B=tuple(matrix.sizes_B),
        latency_s=nullable(matrix.median_s),
        rate_bps=nullable(rates_bps),
    )
    return Manage(base=base, shares=shares(relation))


def nullable(values: Floats) -> Any:
    """Nested lists with None for NaN."""
    boxed = values.astype(object)
    boxed[~np.isfinite(values)] = None
    return boxed.tolist()


def shares(relation: SharedBottlenecks) -> list[list[Any]]:
    """[[k, m, [[i, j], ...]], ...]: an injection on k → m hurts i → j. Injections that hurt nothing are left out."""
    hosts = range(relation.hosts)
    return _listed((k, m, relation.hurt_by((k, m))) for k in hosts for m in hosts if k != m)


def hurts_list(hurts: Bools) -> list[list[Any]]:
    """As `shares`, of a relation by [k, m, i, j]."""
    hosts = range(len(hurts))
    return _listed((k, m, hurts[k, m]) for k in hosts for m in hosts)


def _listed(rows: Iterable[tuple[int, int, Bools]]) -> list[list[Any]]:
    return [[k, m, np.argwhere(hurt).tolist()] for k, m, hurt in rows if hurt.any()]
