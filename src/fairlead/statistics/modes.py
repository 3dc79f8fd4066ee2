"""Whether samples have several modes, with a stated rate of false alarms, and which samples belong to which.

Two statistics look for different things, each at half the rate:

- *gap*: the emptiest place that has a fair share of the samples on both sides, in units of the wider side's median
  absolute deviation. It finds modes that stand apart, also few samples of them and unequal ones.
- *dip*: how far the distribution is from any with one mode (Hartigan and Hartigan, "The dip test of unimodality",
  1985): the least, over all places of the mode, of the greatest distance to a function that is convex before and
  concave after it. It finds modes that overlap, if there are many samples.

The critical values are those which samples of the worst of six distributions with one mode exceed in 0.4 % of cases
(normal, uniform, exponential, lognormal with sigma 0.5, Laplace, Student's t with 3 degrees of freedom; 20 000 draws
of up to 50 samples, 4000 of more). A test draws others.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairlead.statistics.estimates import FloatArray, Samples, checked

FALSE_ALARMS = 0.01
"""The greatest share of cells with one mode that are said to have several."""
LEAST_SAMPLES = 8
_LEAST_SHARE = 0.1
_LEAST_PART = 3
_SIZES = np.array([8.0, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000])
_CRITICAL_GAP = np.array([22.1, 13.9, 11.0, 8.6, 7.4, 6.0, 3.25, 1.6, 0.82, 0.345, 0.18])
_CRITICAL_DIP = np.array(
    [0.53, 0.535, 0.545, 0.547, 0.564, 0.565, 0.565, 0.565, 0.565, 0.565, 0.565]
)  # times the square root of the number of samples


@dataclass(frozen=True)
class Modes:
    """Samples in two parts, between which the fewest are.

    Attributes:
        cut: samples below it are of the lower mode.
        low, high: medians of the parts.
        low_n, high_n: samples in them.
        found_by: "gap" or "dip".
    """

    cut: float
    low: float
    high: float
    low_n: int
    high_n: int
    found_by: str


def find(samples: Samples, resolution: float = 0.0) -> Modes | None:
    """Several modes, or None where one explains the samples; fewer than `LEAST_SAMPLES` say nothing.

    Args:
        resolution: step of the values as they are printed. Equal values are spread over it, since ties look like modes.
    """
    array = spread_ties(np.sort(checked(samples, 1, "modes")), resolution)
    n = len(array)
    if n < LEAST_SAMPLES or array[0] == array[-1]:
        return None
    ratio, cut = gap(array)
    if ratio > np.interp(n, _SIZES, _CRITICAL_GAP):
        return _parts(array, cut, "gap")
    if dip(array) * np.sqrt(n) > np.interp(n, _SIZES, _CRITICAL_DIP):
        return _parts(array, _least_scatter(array), "dip")
    return None


def spread_ties(array: FloatArray, resolution: float) -> FloatArray:
    """Sorted values with equal ones spread evenly over the step that they were rounded to."""
    if resolution <= 0:
        return array
    values, starts, counts = np.unique(array, return_index=True, return_counts=True)
    place = np.arange(len(array)) - np.repeat(starts, counts)
    return np.asarray(np.repeat(values, counts) + resolution * ((place + 0.5) / np.repeat(counts, counts) - 0.5))


def gap(array: FloatArray) -> tuple[float, int]:
    """Of sorted samples, the greatest ratio of a gap to the scatter of the wider side, and the size of the lower side.

    The scatter is the median absolute deviation from the side's median.
    """
    n = len(array)
    least = least_part(n)
    cuts = np.arange(least, n - least + 1)
    gaps = array[cuts] - array[cuts - 1]
    best, place = 0.0, least
    for cut, width in sorted(zip(cuts.tolist(), gaps.tolist(), strict=True), key=lambda each: -each[1])[:_TRIED]:
        scatter = max(_deviation(array[:cut]), _deviation(array[cut:]))
        ratio = width / scatter if scatter > 0 else np.inf if width > 0 else 0.0
        if ratio > best:
            best, place = ratio, cut
    return best, place


_TRIED = 8
"""Gaps, the widest first, whose scatter is computed."""


def least_part(n: int) -> int:
    """Samples that a mode must have at least: fewer are outliers."""
    return max(_LEAST_PART, int(np.ceil(_LEAST_SHARE * n)))


def dip(array: FloatArray) -> float:
    """Distance of sorted samples from the distributions with one mode: half the largest step for many equal ones.

    The convex part's distance grows with the place of the mode, the concave part's falls: the least of the greater
    one is where they cross.
    """
    n = len(array)
    values, mirrored = array.tolist(), (-array[::-1]).tolist()
    below, above = 0, n - 1
    while below < above:
        middle = (below + above) // 2
        if _from_convex(values[: middle + 1], n) >= _from_convex(mirrored[: n - middle], n):
            above = middle
        else:
            below = middle + 1
    tried = [place for place in (below - 1, below) if place >= 0]
    return min(max(_from_convex(values[: k + 1], n), _from_convex(mirrored[: n - k], n)) for k in tried) / 2


def _from_convex(values: list[float], n: int) -> float:
    """Greatest distance of the steps of 1/n at these values from the convex function nearest below them."""
    hull: list[int] = []
    for k, value in enumerate(values):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (values[b] - values[a]) * (k - b) > (value - values[b]) * (b - a):
                break
            hull.pop()
        hull.append(k)
    greatest = 1.0
    for a, b in pairwise(hull):
        width = values[b] - values[a]
        if width <= 0:
            greatest = max(greatest, float(b - a + 1))
            continue
        slope = (b - a) / width
        for k in range(a + 1, b):
            greatest = max(greatest, k + 1 - a - (values[k] - values[a]) * slope)
    return greatest / n


def _deviation(part: FloatArray) -> float:
    """Median absolute deviation of sorted values."""
    far = np.abs(part - _middle(part))
    far.sort()
    return _middle(far)


def _middle(ordered: FloatArray) -> float:
    """Median of sorted values; `np.median` takes ten times as long for a few."""
    half = len(ordered) // 2
    return float(ordered[half]) if len(ordered) % 2 else float(ordered[half - 1] + ordered[half]) / 2


def _least_scatter(array: FloatArray) -> int:
    """Size of the lower part where the scatter within both parts is least (one-dimensional 2-means)."""
    n = len(array)
    least = least_part(n)
    cuts = np.arange(least, n - least + 1)
    sums, squares = np.cumsum(array - array[0]), np.cumsum((array - array[0]) ** 2)
    left = squares[cuts - 1] - sums[cuts - 1] ** 2 / cuts
    right = squares[-1] - squares[cuts - 1] - (sums[-1] - sums[cuts - 1]) ** 2 / (n - cuts)
    return int(cuts[np.argmin(left + right)])


def _parts(array: FloatArray, cut: int, found_by: str) -> Modes:
    lower, upper = array[:cut], array[cut:]
    between = float((lower[-1] + upper[0]) / 2)
    return Modes(between, float(np.median(lower)), float(np.median(upper)), len(lower), len(upper), found_by)
