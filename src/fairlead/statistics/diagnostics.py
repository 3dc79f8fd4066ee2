"""What can be wrong with the samples of a cell, before anything is concluded from them."""

import numpy as np
from scipy import stats

from fairlead.statistics.estimates import FloatArray, Samples, checked

FEW = 6
"""Below this an interval of 95 % rests on the assumption of normal scatter alone."""
_FAR = 3.0  # interquartile ranges beyond a quartile: Tukey's "far out"
_UNLIKELY = 1e-4


def outliers(samples: Samples) -> FloatArray:
    """Samples more than three interquartile ranges beyond the quartiles (Tukey, "Exploratory Data Analysis", 1977)."""
    array = checked(samples, 1, "outliers")
    if len(array) < FEW:
        return array[:0]
    low, high = np.quantile(array, [0.25, 0.75])
    reach = _FAR * (high - low)
    return np.asarray(array[(array < low - reach) | (array > high + reach)]) if reach > 0 else array[:0]


def repeated(samples: Samples) -> tuple[float, int] | None:
    """A value that stands there more often than scatter and resolution explain, and how often: a sign of imputation.

    Values are taken to be printed with the decimals that they need. Of normal samples at that resolution a value falls
    into the likeliest place with probability ``resolution / (sd * sqrt(2 pi))``; the sd is that around the value.
    """
    array = checked(samples, 1, "repeated values")
    values, counts = np.unique(array, return_counts=True)
    top = int(counts.argmax())
    count = int(counts[top])
    rest = array[array != values[top]]
    if count < 3 or len(rest) < 2:
        return (float(values[top]), count) if count >= 3 and len(array) > 3 else None
    near = 1.4826 * float(np.median(np.abs(rest - values[top])))  # outliers and other modes do not widen it
    scatter = min(float(rest.std(ddof=1)), near)
    chance = min(1.0, resolution(array) / (scatter * np.sqrt(2 * np.pi))) if scatter > 0 else 1.0
    unlikely = float(stats.binom.sf(count - 1, len(array), chance)) * len(values) < _UNLIKELY
    return (float(values[top]), count) if unlikely else None


def resolution(array: FloatArray) -> float:
    """Step of the last printed decimal: at most twelve, which is all that a measured time has."""
    for decimals in range(13):
        if np.allclose(np.round(array, decimals), array, rtol=0, atol=1e-13 * max(1.0, float(np.abs(array).max()))):
            return float(10.0**-decimals)
    return 1e-12
