"""Samples in the order in which they were taken: how long they remember, and when they changed."""

from collections.abc import Sequence

import numpy as np

from fairlead.statistics.estimates import FloatArray, Samples, checked

SHORTEST = 10
"""Samples of a segment at least: with fewer, a burst of outliers would be a change."""
PENALTY = 4.0
"""Of a change, in units of the logarithm of the number of samples. Ranks cost 1 a degree of freedom on average."""


def autocorrelation(samples: Samples, lags: int) -> FloatArray:
    """Correlation of samples with those ``k`` later, for k from 0 to ``lags`` (Box, Jenkins, Reinsel: Time Series
    Analysis, 2.1.5: divided by n at every lag).

    Returns:
        (lags + 1,); all zero but the first where the samples do not differ.

    Raises:
        StatisticsError: not more samples than lags.
    """
    values = checked(samples, lags + 1, "autocorrelation")
    deviations = values - values.mean()
    power = np.abs(np.fft.rfft(deviations, 2 * len(values))) ** 2
    products = np.fft.irfft(power)[: lags + 1]
    found = np.zeros(lags + 1)
    found[0] = 1.0
    if products[0] > 0:
        found = products / products[0]
    return found


def white_noise_band(n: int) -> float:
    """Half the width within which 95 % of the autocorrelations of ``n`` independent samples lie."""
    return float(1.959964 / np.sqrt(n))


def changes(samples: Samples) -> list[int]:
    """Places at which the level of the samples changes: the first sample of each new segment.

    The division into segments costs least: of each segment the squared distances of its ranks from their mean, and of
    each change a penalty (optimal partitioning: Jackson et al., "An algorithm for optimal partitioning of data on an
    interval", 2005; the penalty grows with the logarithm of n as in the Schwarz criterion). Ranks make it deaf to
    outliers. Samples that follow each other resemble each other; the penalty is multiplied by the factor by which that
    raises the variance of a mean, (1 + r) / (1 - r) of an autoregression, r being the autocorrelation of neighbours
    around their running median.

    Raises:
        StatisticsError: there is no sample.
    """
    values = checked(samples, 1, "changes")
    n = len(values)
    if n < 2 * SHORTEST:
        return []
    ranks = np.empty(n)
    ordered, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(ordered) == 1:
        return []
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    ranks = (ranks - ranks.mean()) / ranks.std()
    penalty = PENALTY * np.log(n) * _inflation(ranks)
    # Cost of a segment [a, b): sum of squares minus the square of the sum over its length.
    squares, sums = (np.concatenate([[0.0], np.cumsum(part)]) for part in (ranks**2, ranks))
    best, last = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = -penalty
    for end in range(SHORTEST, n + 1):
        begins = np.arange(0, end - SHORTEST + 1)
        cost = squares[end] - squares[begins] - (sums[end] - sums[begins]) ** 2 / (end - begins)
        total = best[begins] + cost + penalty
        last[end] = int(np.argmin(total))
        best[end] = total[last[end]]
    found, place = list[int](), n
    while last[place] > 0:
        place = int(last[place])
        found.append(place)
    return found[::-1]


def _inflation(ranks: FloatArray) -> float:
    """How much more a mean of neighbours varies than that of independent samples, from what lies around the level."""
    width = 2 * SHORTEST + 1
    padded = np.pad(ranks, SHORTEST, mode="edge")
    level = np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1)
    r = float(np.clip(autocorrelation(ranks - level, 1)[1], 0.0, 0.9))
    return (1 + r) / (1 - r)


def shares_of_time(parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Samples of parts that lasted alike, as shares of the time: every part weighs the same, however many it holds.

    What takes long is taken less often. Pooled, the parts in which it happened would hardly count.

    Returns:
        All samples in rising order, and the share of the time up to the middle of each, from 0 at the first to 1 at the
        last. Of parts of one length the latter are the places of `numpy.percentile`.

    Raises:
        StatisticsError: there is no sample.
    """
    pooled = checked(np.concatenate(parts) if len(parts) else [], 1, "shares of time")
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts if len(part)])
    order = np.argsort(pooled, kind="stable")
    middles = np.cumsum(weights[order]) - weights[order] / 2
    span = middles[-1] - middles[0]
    return pooled[order], (middles - middles[0]) / span if span > 0 else np.zeros(len(pooled))
