"""What the samples say of parametrised round trips: the parameters of LogGP."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.loggp import measure
from fairlead.benchmarks.loggp.measure import SERIES, LogGPCell
from fairlead.benchmarks.page.system import System
from fairlead.statistics.bootstrap import bootstrap_interval
from fairlead.statistics.estimates import DEFAULT_LEVEL, MIN_BOOTSTRAP, FloatArray
from fairlead.store import Run, Store

MOST_PIECES = 3  # of the line over size: protocols that a library has for messages of different sizes
PIECE = 4  # sizes that a piece has at least


@dataclass(frozen=True)
class Piece:
    """Sizes over which the gap of a message is one line: g + (s - 1) G.

    Attributes:
        gap_s: g, of a message of one byte.
        gap_per_B_s: G.
    """

    first_B: int
    last_B: int
    gap_s: float
    gap_per_B_s: float


@dataclass(frozen=True)
class Parameters:
    """LogGP.

    Attributes:
        latency_s: L, of the smallest size; None where its overhead is not known or all of its round trip.
        overhead_s: o by size in B: what the sender's processor spends on a message; of sizes at which its 95 % interval
            is above 0, which takes `MIN_BOOTSTRAP` blocks.
        overhead_interval_s: its ends, of the same sizes.
        message_gap_s: by size, the time between two messages of a train: what `pieces` are fitted to.
        pieces: g and G, by ranges of sizes.
    """

    latency_s: float | None
    overhead_s: dict[int, float]
    overhead_interval_s: dict[int, tuple[float, float]]
    message_gap_s: dict[int, float]
    pieces: tuple[Piece, ...]


def medians(store: Store, run: int) -> dict[LogGPCell, Floats]:
    """The median of each block by cell, in the order taken."""
    found: dict[LogGPCell, list[float]] = {}
    for series in store.series(run, SERIES):
        labels = series.labels
        cell = LogGPCell(int(labels["size_B"]), int(labels["n"]), float(labels["delay_s"]))
        found.setdefault(cell, []).append(float(np.median(series.values)))
    return {cell: np.array(values) for cell, values in found.items()}


def parameters(values: dict[LogGPCell, Floats]) -> Parameters:
    """LogGP from the medians of blocks, of sizes that have all three kinds of round trips.

    o(s) = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d,
    g + (s - 1) G = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1),
    L = PRTT(1, 0, 1) / 2 - 2 o(1).
    """
    singles = {cell.size_B: found for cell, found in values.items() if cell.n == 1}
    overhead_s, interval_s, gap_s = dict[int, float](), dict[int, tuple[float, float]](), dict[int, float]()
    for cell, trains in sorted(values.items(), key=lambda item: item[0].size_B):
        if cell.n > 1 and cell.size_B in singles:
            single = singles[cell.size_B]
            each_s = float(_message_s(single, trains, cell.n))
            if not cell.delay_s:
                gap_s[cell.size_B] = each_s
            elif (ends := message_interval_s(single, trains, cell.n)) is not None and ends[0] > cell.delay_s:
                overhead_s[cell.size_B] = each_s - cell.delay_s
                interval_s[cell.size_B] = (ends[0] - cell.delay_s, ends[1] - cell.delay_s)
    smallest = min(singles, default=0)
    latency_s = 0.0
    if smallest in overhead_s:
        latency_s = float(np.median(singles[smallest])) / 2 - 2 * overhead_s[smallest]
    return Parameters(
        latency_s if latency_s > 0 else None,
        overhead_s,
        interval_s,
        gap_s,
        tuple(pieces(list(gap_s), list(gap_s.values()))),
    )


def message_interval_s(single: Floats, trains: Floats, n: int) -> tuple[float, float] | None:
    """95 % interval of what each further message of a train of ``n`` takes; None of too few blocks."""
    if min(len(single), len(trains)) < MIN_BOOTSTRAP:
        return None
    return bootstrap_interval(lambda a, b: _message_s(a, b, n), [single, trains], DEFAULT_LEVEL)


def _message_s(single: Floats, trains: Floats, n: int) -> Floats:
    return np.asarray((np.median(trains, axis=-1) - np.median(single, axis=-1)) / (n - 1))


def pieces(sizes_B: Sequence[int], gaps_s: Sequence[float]) -> list[Piece]:
    """One to `MOST_PIECES` lines over the sizes, as many as the Schwarz criterion asks for.

    Residuals count relative to the gap: those of large messages would outweigh all others.
    """
    sizes, gaps = np.array(sizes_B, dtype=np.float64), np.array(gaps_s)
    if len(sizes) < 2 or (gaps <= 0).any():
        return []
    best: tuple[float, list[tuple[int, int]]] = (np.inf, [])
    for count in range(1, MOST_PIECES + 1):
        for cuts in itertools.combinations(range(PIECE, len(sizes) - PIECE + 1), count - 1):
            edges = [0, *cuts, len(sizes)]
            spans = list(itertools.pairwise(edges))
            if any(end - begin < min(PIECE, len(sizes)) for begin, end in spans):
                continue
            error = sum(_line(sizes[begin:end], gaps[begin:end])[2] for begin, end in spans)
            n = len(sizes)
            criterion = n * np.log(max(error / n, 1e-12)) + (3 * count - 1) * np.log(n)
            if criterion < best[0]:
                best = (criterion, spans)
    return [
        Piece(int(sizes[begin]), int(sizes[end - 1]), *_line(sizes[begin:end], gaps[begin:end])[:2])
        for begin, end in best[1]
    ]


def _line(sizes_B: Floats, gaps_s: Floats) -> tuple[float, float, float]:
    """g, G and the sum of squared relative residuals."""
    design = np.stack([1 / gaps_s, (sizes_B - 1) / gaps_s], axis=1)
    found, *_ = np.linalg.lstsq(design, np.ones(len(gaps_s)), rcond=None)
    return float(found[0]), float(found[1]), float(((design @ found - 1) ** 2).sum())


@dataclass(frozen=True)
class LogGP:
    """One system's newest run: block medians by cell, and what follows from them."""

    system: str
    run: Run
    values: dict[measure.LogGPCell, FloatArray]
    parameters: Parameters

    def gap_interval_s(self, size_B: int) -> tuple[float, float] | None:
        """95 % interval of the time between two messages of a train; None of too few blocks."""
        of = {cell.n: found for cell, found in self.values.items() if cell.size_B == size_B and not cell.delay_s}
        return message_interval_s(of[1], of[max(of)], max(of))


def load_loggp(system: System) -> LogGP | None:
    """None where there is no such run, or it ended before a size had all that it needs."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        values = medians(store, run.id)
    found = parameters(values)
    return LogGP(system.name, run, values, found) if max(found.message_gap_s.values(), default=0.0) > 0 else None
