"""What the samples say of latency and throughput over time: tails, changes of level, autocorrelation."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.network_noise import measure
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.statistics import over_time
from fairlead.store import Run, Store

PERCENTS = (50.0, 90.0, 99.0, 99.9)
BEYOND = 10  # samples that must lie beyond a percentile that is told
CHANGE = 1.05  # a change of level by less is none
MOST_POINTS = 4000  # of a line; more are thinned out
MOST_LAGS = 300
LEAST_PARTS = 40  # for autocorrelation: below, nothing can be told from chance


@dataclass(frozen=True)
class Parts:
    """What was measured, in the order taken.

    Attributes:
        latency_at_s, rate_at_s: (parts,) since the beginning.
        latencies_s: of each part all latencies (half round trips).
        rates_bps: (parts,).
    """

    latency_at_s: Floats
    latencies_s: tuple[Floats, ...]
    rate_at_s: Floats
    rates_bps: Floats

    @property
    def distance_s(self) -> float | None:
        """How far apart parts began, the median; on a slow network more than was asked for. None: of a single part."""
        return float(np.median(np.diff(self.latency_at_s))) if len(self.latency_at_s) > 1 else None

    @property
    def length_s(self) -> float:
        """From the beginning of the first part to about the end of the last one."""
        return float(self.latency_at_s[-1] - self.latency_at_s[0]) + (self.distance_s or 0.0)

    def medians_s(self) -> Floats:
        """(parts,) median latency."""
        return np.array([np.median(part) for part in self.latencies_s])


def parts(store: Store, run: int) -> Parts:
    """What a run measured."""
    small, large = store.series(run, "round_trip_s"), store.series(run, "window_s")
    rates = [
        point_to_point.rate_bps(MessageCell(int(each.labels["size_B"]), 1, int(each.labels["window"])), each.values)
        for each in large
    ]
    return Parts(
        np.array([float(each.labels["start_s"]) for each in small]),
        tuple(each.values[0] / 2 for each in small),
        np.array([float(each.labels["start_s"]) for each in large]),
        np.array(rates),
    )


@dataclass(frozen=True)
class LevelShift:
    """The level of a quantity before and after a moment."""

    quantity: str
    at_s: float
    before: float
    after: float


@dataclass(frozen=True)
class NetworkNoise:
    """One system's newest run."""

    system: str
    run: Run
    parts: Parts
    changes: tuple[LevelShift, ...]

    def percentile(self, percent: float) -> float | None:
        """One of `PERCENTS`: latency in s not exceeded for so much of the time; None of too few samples beyond."""
        return self._percentiles.get(percent)

    @cached_property
    def _percentiles(self) -> dict[float, float]:
        # Once: an hour has millions of samples to sort.
        values, shares = over_time.shares_of_time(self.parts.latencies_s)
        found = {percent: float(np.interp(percent / 100, shares, values)) for percent in PERCENTS}
        return {
            percent: value
            for percent, value in found.items()
            if len(values) - int(np.searchsorted(values, value)) >= BEYOND
        }

    def remembered_s(self, values: Floats) -> float | None:
        """Time after which a level says nothing more of the present one; None where there are too few parts."""
        if len(values) < LEAST_PARTS:
            return None
        found = over_time.autocorrelation(values, _lags(values))
        below = np.flatnonzero(found <= over_time.white_noise_band(len(values)))
        lag = int(below[0]) if len(below) else len(found)
        return lag * (self.parts.distance_s or 0.0)


def load_network_noise(system: System) -> NetworkNoise | None:
    """None where there is no such run, or it ended in its first part."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        kept = parts(store, run.id)
    if not len(kept.rates_bps):
        return None
    found = [
        *_changes("latency", kept.latency_at_s, kept.medians_s()),
        *_changes("throughput", kept.rate_at_s, kept.rates_bps),
    ]
    return NetworkNoise(system.name, run, kept, tuple(found))


def _changes(quantity: str, at_s: Floats, values: Floats) -> Iterator[LevelShift]:
    """Changes of the level by `CHANGE` or more; segments between smaller ones are one.

    The search takes time by the square of the number of parts: of very many, groups of neighbours stand as medians.
    """
    every = -(-len(values) // MOST_POINTS)
    count = len(values) // every * every
    grouped = np.median(values[:count].reshape(-1, every), axis=1)
    edges = [0, *(every * place for place in over_time.changes(grouped)), len(values)]
    begin = 0
    for place, end in pairwise(edges[1:]):
        before, after = float(np.median(values[begin:place])), float(np.median(values[place:end]))
        if max(before, after) >= CHANGE * min(before, after):
            yield LevelShift(quantity, float(at_s[place]), before, after)
            begin = place


def _lags(values: Floats) -> int:
    return min(MOST_LAGS, len(values) // 4)
