"""The latency matrix: what a message of each size takes between each two hosts on a quiet network.

See docs/guides/characterize.md.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairlead.characterize.grouping import HostGroups
from fairlead.characterize.quiet_network import quantile
from fairlead.characterize.samples import Bools, Exchanges, Floats, Samples
from fairlead.characterize.tournament import Pair
from fairlead.errors import MeasurementError

DEFAULT_SIZES_B = (64, 1024, 8 * 1024, 64 * 1024, 512 * 1024, 4 * 1024 * 1024)

SMALL_B = DEFAULT_SIZES_B[0]
"""Levels of congestion and probes stand on the latency of a message of this size."""

CLOCK_SHARE = 0.1
"""A one-way time is used where the clocks' error bound is at most this share of it."""

OUTLIER_FACTOR = 1.5
"""A pair whose median exceeds that of all pairs by this factor is measured again, with few others."""


def with_small(sizes_B: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes, ascending, with `SMALL_B` unless one is as small: else agents would take what a larger message takes on
    the free network for what a small one takes, and see congestion late or never."""
    return sizes_B if sizes_B[0] <= SMALL_B else (SMALL_B, *sizes_B)


@dataclass(frozen=True)
class LatencyMatrix:
    """Times by [size, source, destination], NaN on the diagonal and where nothing was measured.

    Attributes:
        sizes_B: message sizes, ascending.
        count: exchanges behind the entry.
        median_s, p5_s, p95_s: of the one-way time; where clocks do not allow it, of half the round trip.
        one_way: whether the entry is a one-way time.
        clock_error_s: (hosts, hosts) bound on the error of the clocks' difference, and so on that of ``by_clock_s``;
            the largest of the pair's measurements.
        by_clock_s: median of the one-way time by the two clocks, also where their error is large.
        round_trip_s: median of the round trip to the destination and back, of the same exchanges.
    """

    sizes_B: tuple[int, ...]
    count: Floats
    median_s: Floats
    p5_s: Floats
    p95_s: Floats
    one_way: Bools
    clock_error_s: Floats
    by_clock_s: Floats
    round_trip_s: Floats

    @classmethod
    def of(cls, samples: list[Exchanges], hosts: int) -> "LatencyMatrix":
        """From raw exchanges; of several measurements of an entry that with the lower median counts."""
        sizes = tuple(sorted({sample.size_B for sample in samples}))
        shape = (len(sizes), hosts, hosts)
        count, median, low, high, by_clock_s, round_trip_s = (np.full(shape, np.nan) for _ in range(6))
        one_way = np.zeros(shape, dtype=bool)
        clock_error = np.full(shape[1:], np.nan)
        for sample in samples:
            for pair in (sample.pair, sample.pair[::-1]):
                clock_error[pair] = np.fmax(clock_error[pair], sample.clock_error_s)
            forward_s = {sample.pair: sample.forward_s, sample.pair[::-1]: sample.round_trip_s - sample.forward_s}
            for pair, times, by_clock in _directions(sample):
                entry = (sizes.index(sample.size_B), *pair)
                middle = float(np.median(times))
                if not middle >= median[entry]:
                    count[entry], median[entry], one_way[entry] = times.size, middle, by_clock
                    low[entry], high[entry] = np.percentile(times, (5, 95))
                    by_clock_s[entry], round_trip_s[entry] = np.median(forward_s[pair]), np.median(sample.round_trip_s)
        return cls(sizes, count, median, low, high, one_way, clock_error, by_clock_s, round_trip_s)

    @classmethod
    def of_samples(cls, samples: Samples) -> "LatencyMatrix":
        """From all of a characterization; where hosts stood for others of their groups, those have theirs."""
        found = cls.of(samples.exchanges, samples.count)
        return found if samples.group_of is None else found.filled(HostGroups(samples.group_of))

    @property
    def hosts(self) -> int:
        return int(self.median_s.shape[1])

    def whole_sizes(self) -> tuple[int, ...]:
        """The sizes at which all pairs have a time."""
        known: Bools = np.isfinite(self.median_s) | np.eye(self.hosts, dtype=bool)
        whole = np.atleast_1d(known.all(axis=(1, 2)))
        return tuple(size_B for size_B, each in zip(self.sizes_B, whole, strict=True) if each)

    def of_sizes(self, sizes_B: Collection[int]) -> "LatencyMatrix":
        """Only of some of the sizes."""
        kept = [number for number, size_B in enumerate(self.sizes_B) if size_B in sizes_B]
        return replace(
            self,
            sizes_B=tuple(self.sizes_B[number] for number in kept),
            count=self.count[kept],
            median_s=self.median_s[kept],
            p5_s=self.p5_s[kept],
            p95_s=self.p95_s[kept],
            one_way=self.one_way[kept],
            by_clock_s=self.by_clock_s[kept],
            round_trip_s=self.round_trip_s[kept],
        )

    def filled(self, groups: HostGroups) -> "LatencyMatrix":
        """With the median of their groups' pairs for pairs that were not measured; their ``count`` is 0."""
        median_s = self._filled(self.median_s, groups)
        missing = np.isnan(self.median_s) & np.isfinite(median_s)
        one_way = self._filled(np.where(np.isnan(self.median_s), np.nan, self.one_way), groups)
        return LatencyMatrix(
            self.sizes_B,
            np.where(missing, 0.0, self.count),
            median_s,
            self._filled(self.p5_s, groups),
            self._filled(self.p95_s, groups),
            np.nan_to_num(one_way) > 0.5,
            self._filled(self.clock_error_s[None], groups)[0],
            self._filled(self.by_clock_s, groups),
            self._filled(self.round_trip_s, groups),
        )

    def _filled(self, values: Floats, groups: HostGroups) -> Floats:
        filled = values.copy()
        for a, source in enumerate(groups.members):
            for b, destination in enumerate(groups.members):
                cells = np.ix_(range(len(values)), source, destination)
                block = values[cells]
                if a != b or len(source) > 1:
                    middle = quantile(block.reshape(len(values), -1), 0.5, 1)
                    filled[cells] = np.where(np.isnan(block), middle[:, None, None], block)
        filled[:, np.eye(self.hosts, dtype=bool)] = np.nan
        return filled

    def base_s(self, source: int, destination: int, size_B: int) -> float:
        """Median time of a message, interpolated on the logarithm of the size (agents take the time's as well).

        Raises:
            MeasurementError: the pair was not measured, or the size lies outside those measured.
        """
        times = self.median_s[:, source, destination]
        if not np.isfinite(times).all() or not self.sizes_B:
            raise MeasurementError(f"the latency from host {source} to host {destination} was not measured")
        if not self.sizes_B[0] <= size_B <= self.sizes_B[-1]:
            raise self._outside(size_B)
        return float(np.interp(np.log(size_B), np.log(self.sizes_B), times))

    def at(self, size_B: int) -> Floats:
        """(hosts, hosts) as `base_s`, of all pairs; NaN where it raises for a pair; not to be changed.

        Raises:
            MeasurementError: the size lies outside those measured.
        """
        if size_B not in self._at:
            self._at[size_B] = self._interpolated(size_B)
        return self._at[size_B]

    @cached_property
    def _at(self) -> dict[int, Floats]:
        return {}

    def _interpolated(self, size_B: int) -> Floats:
        if not self.sizes_B or not self.sizes_B[0] <= size_B <= self.sizes_B[-1]:
            raise self._outside(size_B)
        upper = min(int(np.searchsorted(self.sizes_B, size_B)), len(self.sizes_B) - 1)
        lower = max(upper - 1, 0)
        known = np.isfinite(self.median_s).all(axis=0)
        step = np.log(self.sizes_B[upper]) - np.log(self.sizes_B[lower])
        share = (np.log(size_B) - np.log(self.sizes_B[lower])) / step if step else 0.0
        times = self.median_s[lower] + share * (self.median_s[upper] - self.median_s[lower])
        return np.asarray(np.where(known, times, np.nan))

    def _outside(self, size_B: int) -> MeasurementError:
        first, last = (self.sizes_B[0], self.sizes_B[-1]) if self.sizes_B else (0, 0)
        return MeasurementError(
            f"{size_B} B lies outside the sizes measured ({first} to {last} B)",
            hint="characterize with `--sizes` that include it",
        )

    def outliers(self) -> list[tuple[int, Pair]]:
        """(size, unordered pair) whose median stands out from all pairs' of that size."""
        found = []
        for size_B, times in zip(self.sizes_B, self.median_s, strict=True):
            slow = times > OUTLIER_FACTOR * np.nanmedian(times)
            found += [(size_B, (int(i), int(j))) for i, j in np.argwhere(slow | slow.T) if i < j]
        return found


def _directions(sample: Exchanges) -> list[tuple[Pair, Floats, bool]]:
    """The sample's times per ordered pair, and whether they are one-way times."""
    backward = sample.round_trip_s - sample.forward_s
    directions = []
    for pair, times in ((sample.pair, sample.forward_s), (sample.pair[::-1], backward)):
        by_clock = sample.clock_error_s <= CLOCK_SHARE * float(np.median(times))
        directions.append((pair, times if by_clock else sample.round_trip_s / 2, by_clock))
    return directions
