"""Which hosts and which pairs of hosts are slow, in a matrix of all pairs.

That hosts of one switch are faster with each other is no fault, however few or many share it. A host is slow only when
its best pair is slower than the others' best pairs, so that one near peer clears a host whose other peers are distant;
and when its slower pairs are, too, or a host that is alone on its switch would pass for slow.

Of the hosts that are left, the logarithm of each value is taken for the sum of what is usual, what its two hosts add,
and a rest of its own (Tukey, "Exploratory Data Analysis", 1977, chapter 11: median polish). A slow pair shows in its
rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats

SLOW = 1.25  # times what is usual
CLEARLY = float(np.log(SLOW)) / 2  # of logarithms: what is certainly no longer the same
DISTANT = 0.75  # quantile of a host's values that stands for its slower pairs: those with hosts of other switches
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
class SlowFindings:
    """What is slow, worst first."""

    hosts: tuple[Slow, ...]
    pairs: tuple[Slow, ...]

    def confirmed_by(self, other: "SlowFindings") -> "SlowFindings":
        """What is slow by both."""
        hosts, pairs = ({slow.places for slow in found} for found in (other.hosts, other.pairs))
        return SlowFindings(
            tuple(slow for slow in self.hosts if slow.places in hosts),
            tuple(slow for slow in self.pairs if slow.places in pairs),
        )


def judge(values: Floats, *, larger_is_slower: bool, symmetric: bool) -> SlowFindings:
    """Find what is slow.

    Args:
        values: (hosts, hosts) positive; NaN on the diagonal and where nothing was measured.
        symmetric: values of (i, j) and (j, i) are the same measurement; a pair is told once.
    """
    logs = np.log(values) * (1.0 if larger_is_slower else -1.0)
    hosts = _slow_hosts(logs)
    slow = [found.places[0] for found in hosts]
    logs[slow, :] = logs[:, slow] = np.nan
    rest = _rests(logs)
    # Those that are faster than usual are no fault, nor do they say how much the others scatter.
    pairs = [(int(i), int(j)) for i, j in np.argwhere(rest > -CLEARLY) if i < j or not symmetric]
    return SlowFindings(tuple(hosts), tuple(_outliers(np.array([rest[pair] for pair in pairs]), pairs)))


def _slow_hosts(logs: Floats) -> list[Slow]:
    """The worst is found first; what it does to its pairs is taken away before the others are judged.

    Returns:
        Worst first; a host that is slow as a sender and as a receiver stands there with the greater factor.
    """
    left, factors = logs.copy(), dict[int, float]()
    while (worst := _worst_side(left)) is not None:
        side, excess = worst
        host = side % len(logs)
        factors[host] = max(factors.get(host, 1.0), float(np.exp(excess)))
        values = left[host] if side < len(logs) else left[:, host]  # a view of the matrix
        # With neighbours it is faster than with most: without its excess these values clear a neighbour that has no
        # others. Its other pairs say nothing of theirs: two slow hosts need not be twice as slow together.
        near = values < np.nanmedian(values) - CLEARLY
        values -= excess
        values[~near] = np.nan
    return sorted((Slow((host,), factor) for host, factor in factors.items()), key=lambda slow: -slow.factor)


def _worst_side(logs: Floats) -> tuple[int, float] | None:
    """The host that is slowest as a sender (its place) or as a receiver (the number of hosts more), and its excess.

    None where no host is slow.
    """
    sides = np.concatenate([logs, logs.T])
    known = np.flatnonzero(np.isfinite(sides).any(axis=1))
    if not len(known):
        return None
    best, distant = (_off(np.nanquantile(sides[known], share, axis=1)) for share in (0.0, DISTANT))
    # Where switches differ, either scatters because of them; hosts of different kinds scatter in both.
    slow = (best > min(_limit(best), _limit(distant))) & (distant > CLEARLY)
    if not slow.any():
        return None
    worst = int(np.argmax(np.where(slow, distant, -np.inf)))
    return int(known[worst]), float(best[worst])


def _rests(logs: Floats) -> Floats:
    """Of each pair, beyond what is usual and what its hosts add."""
    rest = logs.copy()
    for _ in range(ROUNDS):
        rest -= _medians(rest)[:, None]
        rest -= _medians(rest.T)[None, :]
    return rest


def _medians(table: Floats) -> Floats:
    """Of each row, of what was measured; 0 where nothing was."""
    return np.array([np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else 0.0 for row in table])


def _outliers(values: Floats, places: Sequence[tuple[int, ...]]) -> list[Slow]:
    if not len(values):
        return []
    off = _off(values)
    limit = _limit(off)
    found = [Slow(place, float(np.exp(value))) for place, value in zip(places, off, strict=True) if value > limit]
    return sorted(found, key=lambda slow: -slow.factor)


def _off(values: Floats) -> Floats:
    """Beyond their median."""
    return np.asarray(values - _median(values))


def _limit(off: Floats) -> float:
    return max(float(np.log(SLOW)), UNUSUAL * 1.4826 * _median(np.abs(off)))


def _median(values: Floats) -> float:
    """The lower one of an even number: two slow hosts of four leave two that are usual."""
    return float(np.quantile(values, 0.5, method="lower"))
