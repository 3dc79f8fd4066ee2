"""The sensitivity matrix: which paths suffer when traffic is injected on which (DMCBM section 3.3.2).

A saturated link grows a queue, and every probe that crosses the link waits in it. So the paths that cross the link
that an injection saturates see about the same queueing delay as the injected pair's own probes do, and other paths
see none. That gives each injection its own yardstick, which separates better than a fixed limit: scheduling noise
of a busy machine is of the order of a millisecond, a full queue of tens of them.

An injection that builds no queue at all, repeated, is limited by its two hosts (processor, network card, or a limit on
what a virtual machine may send), not by a link. What limits a host is shared by all its paths, so it is taken to hurt
the paths with the same source or the same destination, and is not counted in weights.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.characterize.samples import Bools, Floats, Injection, Samples, pooled
from fairlead.characterize.tournament import Pair
from fairlead.errors import MeasurementError
from fairlead.protocol import numbers

FACTOR = numbers.ZONES_MEDIUM_FACTOR
"""A path is hurt when its latency exceeds this factor of its base: where the zone `medium` starts."""

OWN_SHARE = 0.3
"""... and when it sees at least this share of the queueing delay that the injected pair itself sees."""

BASE_QUANTILE = 0.25
"""Of a path's windows: noise only ever adds to a delay, and most injections do not touch a path."""

FLOOR_S = 0.2e-3
"""A shorter queueing delay is no congestion, whatever the base latency: no program suffers from it."""

MINIMUM_PROBES = 2
UNSTEADY_ATTEMPTS = 2
"""So many injections without a steady queue on their own path show that no link limits the pair."""

UNDECIDED = (0.25, 0.75)
"""When these quantiles of a path's delays lie on both sides of the limit, the injection is made again."""


@dataclass(frozen=True)
class Sensitivity:
    """The relation by [injected source, injected destination, source, destination].

    Attributes:
        hurts: whether the injection hurts that other path.
        excess_s: queueing delay that the path saw under the injection; NaN where not measured.
        effective: (hosts, hosts) whether an injection on that pair was made and built a queue. Where not, ``hurts``
            is what its being limited by its hosts implies.
        limit_s: (hosts, hosts) for each injection, what it had to exceed at least on its own path; NaN: not made.
    """

    hurts: Bools
    excess_s: Floats
    effective: Bools
    limit_s: Floats

    @classmethod
    def unknown(cls, hosts: int) -> "Sensitivity":
        """Nothing was measured."""
        pairs, cells = (hosts,) * 2, (hosts,) * 4
        return cls(
            np.zeros(cells, dtype=bool), np.full(cells, np.nan), np.zeros(pairs, dtype=bool), np.full(pairs, np.nan)
        )

    @property
    def hosts(self) -> int:
        return int(self.hurts.shape[0])

    @property
    def weights(self) -> Floats:
        """(hosts, hosts) share of the effective injections on other pairs that hurt the path; NaN on the diagonal."""
        others = self.effective.sum() - self.effective
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = self.hurts[self.effective].sum(axis=0) / others
        np.fill_diagonal(weights, np.nan)
        return np.asarray(weights, dtype=np.float64)

    def shares(self, first: Pair, second: Pair) -> bool:
        """Whether an injection on one of two ordered pairs hurts the other."""
        return bool(self.hurts[first + second] or self.hurts[second + first])

    def meets(self, first: Pair, second: Pair) -> bool:
        """Whether exchanges in both directions of two pairs disturb each other, or may because nothing is known."""
        directed = [(p, q) for p in (first, first[::-1]) for q in (second, second[::-1])]
        return any(self.shares(p, q) or bool(np.isnan(self.limit_s[p] + self.limit_s[q])) for p, q in directed)


@dataclass(frozen=True)
class Quiet:
    """The probes' delays on the quiet network.

    Attributes:
        base_s: (hosts, hosts) delay by the clocks; may be off by their difference, also negative.
        latency_s: (hosts, hosts) half the round trip, free of the clocks.
        noise_s: what a window without injected traffic may show above the base.
    """

    base_s: Floats
    latency_s: Floats
    noise_s: float


def quantile(values: Floats, share: float, least: int) -> Floats:
    """Quantile of the numbers along the last axis, NaNs left out; NaN where fewer than ``least`` are left.

    As numpy.nanquantile, which takes a thousand times as long on many short rows.
    """
    ordered = np.sort(values, axis=-1)  # NaNs come last
    count = np.isfinite(values).sum(axis=-1)
    position = share * np.maximum(count - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    low = np.take_along_axis(ordered, below[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(ordered, above[..., None], axis=-1)[..., 0]
    return np.asarray(np.where(count >= least, low + (position - below) * (high - low), np.nan))


def level_s(delays_s: Floats, share: float = 0.5) -> Floats:
    """(hosts, hosts) median (or another quantile) of each path's delays; NaN where too few probes came back."""
    return quantile(delays_s, share, MINIMUM_PROBES)


def quiet(samples: Samples) -> Quiet:
    """What the probes see without injected traffic.

    The base is a low quantile over *all* windows, not only the idle ones: most injections do not touch a path, so
    it covers the whole time of the measurement.

    Raises:
        MeasurementError: some pair never answered a probe on the quiet network.
    """
    windows = [sample for sample in samples.injections if len(sample.pairs) < 2]
    levels = np.stack([level_s(sample.delays_s) for sample in windows])
    idle = np.stack([level_s(sample.delays_s) for sample in samples.idle()])
    silent = np.argwhere(~np.isfinite(idle).any(axis=0) & ~np.eye(samples.count, dtype=bool))
    if silent.size:
        raise MeasurementError(f"no probe from host {silent[0][0]} to host {silent[0][1]} came back")
    base = quantile(np.moveaxis(levels, 0, -1), BASE_QUANTILE, least=1)
    off = ~np.eye(samples.count, dtype=bool)
    # The middle one of a path's idle windows (one may hold the first packets ever, for which addresses are resolved),
    # and the 95th percentile of the paths: the few above it are measured again before they count.
    noise = float(np.percentile(np.nanmedian((idle - base)[:, off], axis=0), 95))
    return Quiet(base, (base + base.T) / 2, max(noise, 0.0))


def evaluate(samples: Samples, network: Quiet | None = None) -> Sensitivity:
    """The relation from all single injections so far; each as good as its attempts put together."""
    network = network or quiet(samples)
    relation = Sensitivity.unknown(samples.count)
    hurts, excess, effective, limits = relation.hurts, relation.excess_s, relation.effective, relation.limit_s
    for pairs in samples.injected():
        if len(pairs) == 1:
            pair = pairs[0]
            excess[pair] = level_s(pooled(good_attempts(samples, pair, network))) - network.base_s
            own = excess[pair + pair]
            limits[pair] = least_s(network)[pair]
            effective[pair] = bool(own > limits[pair])
            if effective[pair]:
                hurts[pair] = excess[pair] > limit_s(network, own)
            else:
                hurts[pair] = _same_end(samples.count, pair)
            hurts[pair + pair] = False
    return relation


def steady(attempt: Injection, pair: Pair, network: Quiet) -> bool:
    """Whether the injected pair's own probes met a queue all the time: a sender that had to wait for its processor in
    the middle leaves gaps, in which other paths seem free."""
    low, own = (level_s(attempt.delays_s, share)[pair] - network.base_s[pair] for share in (UNDECIDED[0], 0.5))
    return bool(low > limit_s(network, float(own))[pair])


def good_attempts(samples: Samples, pair: Pair, network: Quiet) -> list[Injection]:
    """The steady attempts at an injection, or all where none was."""
    attempts = samples.of(pair)
    return [each for each in attempts if steady(each, pair, network)] or attempts


def _same_end(hosts: int, pair: Pair) -> Bools:
    """(hosts, hosts) paths with the same source or the same destination."""
    same = np.zeros((hosts, hosts), dtype=bool)
    same[pair[0], :] = same[:, pair[1]] = True
    np.fill_diagonal(same, False)
    return same


def least_s(network: Quiet) -> Floats:
    """(hosts, hosts) the smallest queueing delay that counts: beyond the zone's factor, beyond noise, and felt."""
    return np.maximum((FACTOR - 1) * network.latency_s, max(2 * network.noise_s, FLOOR_S))


def limit_s(network: Quiet, own_s: float) -> Floats:
    """(hosts, hosts) queueing delay above which a path counts as hurt by an injection that saw ``own_s`` itself."""
    return np.maximum(least_s(network), OWN_SHARE * own_s)


def undecided(samples: Samples, pair: Pair, network: Quiet) -> list[Pair]:
    """Paths of which the attempts at one injection do not say clearly whether it hurts them.

    The injected pair itself is among them when it saw no steady queue; then everything about it is open.
    """
    attempts = good_attempts(samples, pair, network)
    off = ~np.eye(samples.count, dtype=bool)
    if not steady(attempts[0], pair, network) and len(attempts) < UNSTEADY_ATTEMPTS:
        return [(int(i), int(j)) for i, j in np.argwhere(off)]
    delays = pooled(attempts)
    low, own, high = (level_s(delays, share) - network.base_s for share in (UNDECIDED[0], 0.5, UNDECIDED[1]))
    if not own[pair] > least_s(network)[pair]:
        return []
    limit = limit_s(network, float(own[pair]))
    clear = (low > limit) | (high <= limit)
    return [(int(i), int(j)) for i, j in np.argwhere(off & ~clear) if (i, j) != pair]
