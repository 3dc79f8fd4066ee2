"""What probes see on the quiet network: what every delay under injected traffic is compared with."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairlead.characterize.samples import Floats, Ints, Samples, Window
from fairlead.display import words
from fairlead.errors import MeasurementError
from fairlead.protocol import numbers

FACTOR = numbers.CONGESTION_LEVEL_MEDIUM_FACTOR
"""A path is hurt when its latency exceeds this factor of its base: where the level `medium` starts."""

OWN_SHARE = 0.3
"""... and when it sees at least this share of the queueing delay that the injected pair itself sees."""

BASE_QUANTILE = 0.25
"""Of a path's windows: noise only ever adds to a delay, and most injections do not touch a path."""

FLOOR_S = 0.2e-3
"""A shorter queueing delay is no congestion, whatever the base latency: no program suffers from it."""

MINIMUM_PROBES = 2

_DOCTOR = "agents probe by UDP: `fairlead doctor` shows which hosts do not reach each other"


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

    def excess_s(self, window: Window) -> Floats:
        """(paths, probes) queueing delays of a window's probes."""
        return window.delays_s - self.base_s[window.paths[:, 0], window.paths[:, 1], None]


def quantile(values: npt.NDArray[np.floating], share: float, least: int) -> Floats:
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


def level_s(delays_s: npt.NDArray[np.floating], share: float = 0.5) -> Floats:
    """Median (or another quantile) of each path's delays, the last axis; NaN where too few probes came back."""
    return quantile(delays_s, share, MINIMUM_PROBES)


def quiet(samples: Samples) -> Quiet:
    """What the probes see without injected traffic.

    The base is a low quantile over *all* windows, not only the idle ones: most injections do not touch a path, so
    it covers the whole time of the measurement. Of many hosts not every path is probed: the others have the median.

    Raises:
        MeasurementError: some pair never answered a probe on the quiet network, or all answered too few.
    """
    levels = [_levels(window, samples.count) for window in samples.windows]
    idle = [each for each, window in zip(levels, samples.windows, strict=True) if not window.tests]
    _refuse_silence(samples)
    if not any(np.isfinite(values).any() for _, values in idle):  # no limit would be a number, and nothing exceed it
        raise MeasurementError(
            f"too few probes came back: {MINIMUM_PROBES} in the same window from no path, on the quiet network",
            hint=_DOCTOR,
        )
    cells, values = (np.concatenate(each) for each in zip(*levels, strict=True))
    base = _low(cells, values, samples.count)
    base = np.where(np.isfinite(base) | np.eye(samples.count, dtype=bool), base, np.nanmedian(base))
    # The middle one of a path's idle windows (one may hold the first packets ever, for which addresses are resolved),
    # and the 95th percentile of the paths: the few above it are measured again before they count.
    cells, values = (np.concatenate(each) for each in zip(*idle, strict=True))
    middle = _low(cells, values, samples.count, 0.5)
    noise = float(np.nanpercentile(middle - base, 95))
    return Quiet(base, (base + base.T) / 2, max(noise, 0.0))


def least_s(network: Quiet) -> Floats:
    """(hosts, hosts) the smallest queueing delay that counts: beyond the level's factor, beyond noise, and felt."""
    return np.maximum((FACTOR - 1) * network.latency_s, max(2 * network.noise_s, FLOOR_S))


def limit_s(network: Quiet, own_s: float) -> Floats:
    """(hosts, hosts) queueing delay above which a path counts as hurt by an injection that saw ``own_s`` itself."""
    return np.maximum(least_s(network), OWN_SHARE * own_s)


def _levels(window: Window, count: int) -> tuple[Ints, Floats]:
    return window.paths[:, 0] * count + window.paths[:, 1], level_s(window.delays_s)


def _refuse_silence(samples: Samples) -> None:
    probed, answered = np.zeros((2, samples.count, samples.count), dtype=bool)
    for window in samples.idle():
        probed[tuple(window.paths.T)] = True
        answered[tuple(window.paths[np.isfinite(window.delays_s).any(axis=1)].T)] = True
    silent = np.argwhere(probed & ~answered)
    if silent.size:
        source, destination = (samples.name(host) for host in silent[0].tolist())
        more = f", nor on {words.count(len(silent) - 1, 'other path')}" if len(silent) > 1 else ""
        raise MeasurementError(
            f"no probe from {source} to {destination} came back{more}",
            hint=_DOCTOR,
        )


def _low(cells: Ints, levels: Floats, count: int, share: float = BASE_QUANTILE) -> Floats:
    """(hosts, hosts) the value below which ``share`` of a path's windows lie; of few, the lowest."""
    known = np.isfinite(levels)
    cells, levels = cells[known], levels[known]
    order = np.lexsort((levels, cells))
    found, first, number = np.unique(cells[order], return_index=True, return_counts=True)
    low = np.full(count * count, np.nan)
    low[found] = levels[order][first + np.floor(share * (number - 1)).astype(np.intp)]
    return low.reshape(count, count)
