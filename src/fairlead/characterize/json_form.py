"""Matrices as JSON: nested lists, null for what was not measured, the relation as lists of who is hurt."""

from typing import Any

import numpy as np

from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Bools, Floats
from fairlead.characterize.sensitivity import Sensitivity
from fairlead.protocol.objects import Base, Manage

FORMAT = 1


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


def sensitivity(relation: Sensitivity) -> dict[str, Any]:
    """All of a sensitivity matrix."""
    return {
        "hurts": hurts_list(relation.hurts),
        "excess_s": nullable(relation.excess_s),
        "effective": relation.effective.tolist(),
        "limit_s": nullable(relation.limit_s),
        "weights": nullable(relation.weights),
    }


def manage_tables(matrix: LatencyMatrix, rates_bps: Floats, relation: Sensitivity, age_s: float) -> Manage:
    """What agents decide by."""
    base = Base(
        age_s=age_s,
        sizes_B=tuple(matrix.sizes_B),
        latency_s=nullable(matrix.median_s),
        rate_bps=nullable(rates_bps),
    )
    return Manage(base=base, shares=hurts_list(relation.hurts))


def nullable(values: Floats) -> Any:
    """Nested lists with None for NaN."""
    boxed = values.astype(object)
    boxed[~np.isfinite(values)] = None
    return boxed.tolist()


def hurts_list(hurts: Bools) -> list[list[Any]]:
    """[[k, m, [[i, j], ...]], ...]: an injection on k → m hurts i → j. Injections that hurt nothing are left out."""
    count = hurts.shape[0]
    return [[k, m, np.argwhere(hurts[k, m]).tolist()] for k in range(count) for m in range(count) if hurts[k, m].any()]
