"""What the samples say of a stress test: rates over time, and the dips in them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.stress import measure
from fairlead.store import Run, Store

BIN_S = 0.25
DEEP = 0.8  # of the median rate: what lies below is a dip
SHORTEST_BINS = 2  # one bin alone is scatter


@dataclass(frozen=True)
class Dip:
    """A time in which less than `DEEP` of the median rate was carried.

    Attributes:
        share: of the median rate that was carried meanwhile.
    """

    start_s: float
    length_s: float
    share: float


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


@dataclass(frozen=True)
class Stress:
    """One system's newest stress test."""

    system: str
    run: Run
    times_s: Floats
    rates_bps: Floats
    dips: list[Dip]


def load_stress(system: System) -> Stress | None:
    """None where there is no such run."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        times_s, rates_bps = rates(store, run.id)
    return Stress(system.name, run, times_s, rates_bps, dips(times_s, rates_bps))
