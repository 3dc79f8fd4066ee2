"""Samples of several at a time as one array."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def padded(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """(rows, samples) in the unit of the samples, of one row or more; rows that are shorter end in NaN."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
