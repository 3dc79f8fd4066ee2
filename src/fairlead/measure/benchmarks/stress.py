"""Throughput for a long time, and the dips in it (noise, 4.3.4)."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from fairlead.cluster.description import Cluster
from fairlead.measure.benchmarks import point_to_point, session
from fairlead.measure.benchmarks.pairs import HostPair, Placement, host_pairs
from fairlead.measure.benchmarks.point_to_point import THROUGHPUT
from fairlead.progress import Progress
from fairlead.store import Label, Store

Floats = npt.NDArray[np.float64]

BENCHMARK = "stress"
PART_S = 1.0  # samples are stored once in that time
WINDOWS = 20  # a part has about so many, so that its bins are filled
BIN_S = 0.25
DEEP = 0.8  # of the median rate: what lies below is a dip
SHORTEST_BINS = 2  # one bin alone is scatter


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        between: pairs of hosts at the same time; none: the first two compute hosts.
        pairs: pairs of ranks for each.
    """

    between: tuple[HostPair, ...] = ()
    pairs: int = 1
    size_B: int = 1024**2
    seconds: float = 900.0
    timeout_s: float = 60.0
    mpirun: str | None = None

    def lasts_s(self) -> float:
        """About how long it takes."""
        return self.seconds


@dataclass(frozen=True)
class Dip:
    """A time in which less than `DEEP` of the median rate was carried.

    Attributes:
        share: of the median rate that was carried meanwhile.
    """

    start_s: float
    length_s: float
    share: float


def measure(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> int:
    """Send for a long time; returns the run, where every part is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = Placement(host_pairs(cluster, settings.between), settings.pairs)
    hosts, ranks = placement.hosts(), placement.ranks(settings.pairs)
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, THROUGHPUT, hosts, plan) as (run, started):
        pilot_bps = point_to_point.pilot(started, ranks[0])
        window = max(1, min(point_to_point.WINDOW, int(pilot_bps * PART_S / 8 / WINDOWS / settings.size_B)))
        request = {"pairs": ranks, "size_B": settings.size_B, "window": window}
        request |= {"least": 1, "most": 100_000, "limit_s": PART_S}
        begin_s = time.monotonic()
        while (start_s := time.monotonic() - begin_s) < settings.seconds:
            progress("sending, seconds", int(start_s), int(settings.seconds))
            samples_s = started.ask(request, settings.timeout_s, f"the part from {start_s:.0f} s on")
            labels: dict[str, Label] = {"size_B": settings.size_B, "window": window, "start_s": start_s}
            store.add_series(run, "window_s", point_to_point.padded(samples_s), "s", labels, missing=True)
    return run


def rates(store: Store, run: int) -> tuple[Floats, Floats]:
    """Middles of bins of `BIN_S` in s since the beginning, and the rate of all pairs in each, in bit/s.

    Bits of a window count evenly over its time. The moments between parts belong to no bin.
    """
    times: list[Floats] = []
    found: list[Floats] = []
    for series in store.series(run, "window_s"):
        bits = 8.0 * int(series.labels["size_B"]) * int(series.labels["window"])
        ends_s = np.cumsum(series.values, axis=1)
        together_s = float(np.nanmin(np.nanmax(ends_s, axis=1)))
        edges_s = np.arange(0.0, together_s + 1e-9, BIN_S)
        if len(edges_s) < 2:  # a part shorter than a bin is one bin
            edges_s = np.array([0.0, together_s])
        sent = np.zeros(len(edges_s))
        for row in ends_s:
            own_s = row[np.isfinite(row)]
            sent += np.interp(edges_s, np.concatenate([[0.0], own_s]), bits * np.arange(len(own_s) + 1))
        times.append(float(series.labels["start_s"]) + (edges_s[:-1] + edges_s[1:]) / 2)
        found.append(np.diff(sent) / np.diff(edges_s))
    return (np.concatenate(times), np.concatenate(found)) if found else (np.empty(0), np.empty(0))


def dips(times_s: Sequence[float] | Floats, rates_bps: Sequence[float] | Floats) -> list[Dip]:
    """Dips of at least `SHORTEST_BINS` bins; a single bin above the limit does not end one."""
    times, values = np.asarray(times_s, dtype=np.float64), np.asarray(rates_bps, dtype=np.float64)
    if len(values) < 2:
        return []
    usual, step_s = float(np.median(values)), float(np.median(np.diff(times)))
    low = values < DEEP * usual
    low[1:-1] |= low[:-2] & low[2:]
    edges = np.flatnonzero(np.diff(np.concatenate([[0], low.astype(np.int8), [0]])))
    return [
        Dip(
            float(times[begin] - step_s / 2),
            float(times[end - 1] - times[begin] + step_s),
            float(values[begin:end].mean() / usual),
        )
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
        if end - begin >= SHORTEST_BINS
    ]
