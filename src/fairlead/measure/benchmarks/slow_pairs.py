"""Which hosts and which pairs of hosts are slow, in a matrix of all pairs.

The logarithm of each value is taken for the sum of what is usual, what its two hosts add, and a rest of its own (Tukey,
"Exploratory Data Analysis", 1977, chapter 11: median polish). A slow host shows in what it adds, a slow pair in its
rest; medians keep the one from spoiling the other. Pairs that are faster than usual (hosts of one switch) are no fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SLOW = 1.25  # times what is usual
UNUSUAL = 6.0  # median absolute deviations of all hosts or pairs
ROUNDS = 20


@dataclass(frozen=True)
class Slow:
    """A host (one place) or an ordered pair (two) that is slow.

    Attributes:
        factor: how many times slower than usual, above 1 for latencies as for rates.
    """

    places: tuple[int, ...]
    factor: float


@dataclass(frozen=True)
class Verdict:
    """What is slow, worst first."""

    hosts: tuple[Slow, ...]
    pairs: tuple[Slow, ...]

    def confirmed_by(self, other: "Verdict") -> "Verdict":
        """What is slow by both."""
        hosts, pairs = ({slow.places for slow in found} for found in (other.hosts, other.pairs))
        return Verdict(
            tuple(slow for slow in self.hosts if slow.places in hosts),
            tuple(slow for slow in self.pairs if slow.places in pairs),
        )


def judge(values: Floats, *, larger_is_slower: bool, symmetric: bool) -> Verdict:
    """Find what is slow.

    Args:
        values: (hosts, hosts) positive; NaN on the diagonal and where nothing was measured.
        symmetric: values of (i, j) and (j, i) are the same measurement; a pair is told once.
    """
    logs = np.log(values) * (1.0 if larger_is_slower else -1.0)
    rows, columns, rest = _polished(logs)
    # A host is slow in the direction in which it is slower: its senders or its receivers.
    added = np.maximum(rows, columns)
    hosts = _outliers(added, [(place,) for place in range(len(added))])
    slow_hosts = {slow.places[0] for slow in hosts}
    pairs = [
        (int(i), int(j))
        for i, j in np.argwhere(np.isfinite(rest))
        if (i < j or not symmetric) and not slow_hosts & {int(i), int(j)}
    ]
    return Verdict(tuple(hosts), tuple(_outliers(np.array([rest[pair] for pair in pairs]), pairs)))


def _polished(logs: Floats) -> tuple[Floats, Floats, Floats]:
    """What each row and each column adds to what is usual, and the rests."""
    rest, rows, columns = logs.copy(), np.zeros(len(logs)), np.zeros(len(logs))
    for _ in range(ROUNDS):
        step = _medians(rest)
        rows, rest = rows + step, rest - step[:, None]
        step = _medians(rest.T)
        columns, rest = columns + step, rest - step[None, :]
    return rows - np.median(rows), columns - np.median(columns), rest


def _medians(table: Floats) -> Floats:
    """Of each row, of what was measured; 0 where nothing was."""
    return np.array([np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else 0.0 for row in table])


def _outliers(values: Floats, places: Sequence[tuple[int, ...]]) -> list[Slow]:
    if not len(values):
        return []
    off = values - np.median(values)
    scatter = 1.4826 * float(np.median(np.abs(off)))
    limit = max(float(np.log(SLOW)), UNUSUAL * scatter)
    found = [Slow(place, float(np.exp(value))) for place, value in zip(places, off, strict=True) if value > limit]
    return sorted(found, key=lambda slow: -slow.factor)
