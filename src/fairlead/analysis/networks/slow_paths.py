"""Which links and host pairs are slower than others of their kind, by more than the measurements scatter."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy.special import ndtri

from fairlead.analysis.networks.inferred_network import InferredNetwork
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.difference import LEAST_SHARE
from fairlead.characterize.samples import Bools, Floats, Ints
from fairlead.characterize.tournament import Pair

LEAST_OF_A_KIND = 4
"""Of fewer there is no usual value that one could be slower than."""

LEAST_DEVIATIONS = 3.0
CHANCE = 0.05
"""In so few characterizations may scatter alone have anything of a kind called slow, if it is normal."""

MAD_TO_DEVIATION = 1.4826
"""A normal distribution's standard deviation, by its median absolute deviation."""

CONFIRMED_SHARE = 0.25
"""Of what a pair is slower by, probes at other times must show so much in half their round trip (half of it where only
one direction is slow): a processor that was busy for a second makes a pair's messages slow, not its path."""

HOST_PATHS, HOST_SHARE = 3, 0.5
"""So many slow paths from or to a host, and more than this share of those measured, are the host's."""


@dataclass(frozen=True, kw_only=True)
class SlowRate:
    """A rate that is lower than most of its kind, in bit/s."""

    rate_bps: float
    usual_bps: float

    @property
    def times(self) -> float:
        """It over the usual one."""
        return self.rate_bps / self.usual_bps


@dataclass(frozen=True, kw_only=True)
class SlowLink(SlowRate):
    """Of an inferred link, by its number in the network."""

    link: int


@dataclass(frozen=True, kw_only=True)
class SlowHostLink(SlowRate):
    """Of a host's own link in a direction."""

    host: int
    direction: Literal["out", "in"]


@dataclass(frozen=True)
class SlowPair:
    """An ordered host pair whose small messages take longer than most of its kind.

    Attributes:
        within: whether its kind is the pairs within groups; else those between groups.
    """

    pair: Pair
    within: bool
    latency_s: float
    usual_s: float

    @property
    def times(self) -> float:
        """Its latency over the usual one."""
        return self.latency_s / self.usual_s


@dataclass(frozen=True)
class SlowHost:
    """A host of which most measured paths are slow.

    Attributes:
        slow: these paths; ``measured``: how many were measured from and to the host.
        times: median of how many times the usual latency they take.
    """

    host: int
    slow: tuple[SlowPair, ...]
    measured: int
    times: float


@dataclass(frozen=True)
class SlowPaths:
    """All that is slow, the slowest first. ``hosts`` have pairs of their own; ``pairs`` are the others."""

    links: tuple[SlowLink, ...] = ()
    host_links: tuple[SlowHostLink, ...] = ()
    hosts: tuple[SlowHost, ...] = ()
    pairs: tuple[SlowPair, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.links or self.host_links or self.hosts or self.pairs)


def find(found: Characterization, network: InferredNetwork) -> SlowPaths:
    """What stands out from its kind: links between groups, hosts' links out and in, pairs within and between groups."""
    hosts, pairs = _pairs(found)
    return SlowPaths(_links(network), _host_links(network), hosts, pairs)


def beyond(values: Floats, low: Floats, high: Floats) -> tuple[Bools, float]:
    """Which of a kind are above its median by more than all of: `LEAST_SHARE`, the samples' scatter, and what its
    members usually differ; and the median. NaNs do not count.

    The samples' scatter: even what was low for one of them lies above what is high for most.

    Args:
        low, high: of the samples behind each value.
    """
    known = np.isfinite(values)
    number = int(known.sum())
    if number < LEAST_OF_A_KIND:
        return np.zeros(values.shape, dtype=bool), float("nan")
    middle = float(np.median(values[known]))
    deviation = MAD_TO_DEVIATION * float(np.median(np.abs(values[known] - middle)))
    times = max(LEAST_DEVIATIONS, float(ndtri(1 - CHANCE / number)))
    with np.errstate(invalid="ignore"):
        apart = low > float(np.median(high[known]))
        return np.asarray(apart & (values - middle > max(LEAST_SHARE * abs(middle), times * deviation))), middle


def _below(rates_bps: Floats, low_bps: Floats, high_bps: Floats) -> tuple[Bools, float]:
    slow, middle = beyond(-rates_bps, -high_bps, -low_bps)
    return slow, -middle


def _links(network: InferredNetwork) -> tuple[SlowLink, ...]:
    rates = np.array([each.rate_bps for each in network.links])
    low, high = (np.array([getattr(each, end) for each in network.links]) for end in ("lowest_bps", "highest_bps"))
    slow, usual = _below(rates, low, high)
    found = [SlowLink(link=int(k), rate_bps=float(rates[k]), usual_bps=usual) for k in np.flatnonzero(slow)]
    return tuple(sorted(found, key=lambda each: each.times))


def _host_links(network: InferredNetwork) -> tuple[SlowHostLink, ...]:
    found: list[SlowHostLink] = []
    directions: tuple[tuple[Literal["out", "in"], Floats], ...] = (("out", network.out_bps), ("in", network.in_bps))
    for direction, rates in directions:
        slow, usual = _below(rates, rates, rates)
        found += [
            SlowHostLink(host=int(host), direction=direction, rate_bps=float(rates[host]), usual_bps=usual)
            for host in np.flatnonzero(slow)
        ]
    return tuple(sorted(found, key=lambda each: each.times))


def _pairs(found: Characterization) -> tuple[tuple[SlowHost, ...], tuple[SlowPair, ...]]:
    latency, of = found.latency, found.sensitivity.groups.of
    if not latency.sizes_B:
        return (), ()
    measured = (latency.count[0] > 0) & np.isfinite(latency.median_s[0])
    error_s = np.where(latency.one_way[0], latency.clock_error_s, 0.0)
    low, high = latency.p5_s[0] - error_s, latency.p95_s[0]
    slow: list[SlowPair] = []
    for within in (True, False):
        source, destination = np.nonzero(measured & ((of[:, None] == of[None, :]) == within))
        times, least, most = (each[source, destination] for each in (latency.median_s[0], low, high))
        which, usual = beyond(times, least, most)
        which &= _confirmed(found, source, destination, times - usual)
        slow += [
            SlowPair((int(source[k]), int(destination[k])), within, float(times[k]), usual)
            for k in np.flatnonzero(which)
        ]
    return _by_hosts(slow, measured.sum(axis=0) + measured.sum(axis=1))


def _confirmed(found: Characterization, source: Ints, destination: Ints, slower_s: Floats) -> Bools:
    """Which of a kind's pairs probes say nothing else of."""
    if not found.sensitivity.probed_s.size or not source.size:
        return np.ones(source.shape, dtype=bool)
    probed = found.sensitivity.probed_s[source, destination]
    unknown = np.isnan(probed)
    if unknown.all():
        return unknown
    return np.asarray(unknown | (probed - np.nanmedian(probed) >= CONFIRMED_SHARE * slower_s))


def _by_hosts(slow: list[SlowPair], measured: Ints) -> tuple[tuple[SlowHost, ...], tuple[SlowPair, ...]]:
    """Hosts that most of their paths are slow of, those with most of them first; and the pairs without these hosts."""
    hosts: list[SlowHost] = []
    left = slow
    while left:
        of_host: dict[int, list[SlowPair]] = defaultdict(list)
        for each in left:
            for end in each.pair:
                of_host[end].append(each)
        most = [
            host for host, its in of_host.items() if len(its) >= HOST_PATHS and len(its) > HOST_SHARE * measured[host]
        ]
        if not most:
            break
        host = max(most, key=lambda each: (len(of_host[each]) / measured[each], len(of_host[each]), -each))
        its = of_host[host]
        times = float(np.median([each.times for each in its]))
        hosts.append(SlowHost(host, tuple(its), int(measured[host]), times))
        left = [each for each in left if host not in each.pair]
    hosts.sort(key=lambda each: -each.times)
    return tuple(hosts), tuple(sorted(left, key=lambda each: -each.times))
