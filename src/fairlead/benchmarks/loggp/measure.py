"""LogGP parameters between two hosts, from parametrised round trips.

Source: Hoefler, Lichei, Rehm, "Low-Overhead LogGP Parameter Assessment for Modern Interconnection Networks", IPDPS
workshops 2007 (the parametrised round trip), which netgauge implements. PRTT(n, d, s) is the time of n messages of s
bytes one way, d apart, and one back.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring import repeat, session
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.cluster.description import Cluster
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK, PROGRAM, SERIES = "loggp", "mpi-loggp", "prtt_s"
DEFAULT_SIZES_B = tuple(sorted({2**k for k in range(17)} | {3 * 2**k for k in range(9, 16)}))  # 1 B to 96 KiB
TRAIN = 16
BLOCK_S = 0.1
LEAST, MOST, WARM_UP = 3, 500, 2
PILOTS = 20


@dataclass(frozen=True)
class LogGPCell:
    """One combination of parameters of a parametrised round trip: n messages, ``delay_s`` apart, of ``size_B``."""

    size_B: int
    n: int
    delay_s: float

    def labels(self) -> dict[str, Label]:
        """For the store."""
        return asdict(self)


@dataclass(frozen=True)
class LogGPSettings:
    """What was asked for.

    Attributes:
        between: a pair of hosts; none: the first two compute hosts.
        train: messages of a train (n).
    """

    sizes_B: tuple[int, ...] = DEFAULT_SIZES_B
    between: tuple[HostPair, ...] = ()
    train: int = TRAIN
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most."""
        return self.until.lasts_s(3 * len(self.sizes_B), BLOCK_S)


SETTINGS = LogGPSettings


def measure(cluster: Cluster, store: Store, settings: LogGPSettings, progress: Progress) -> int:
    """Measure parametrised round trips; returns the run, where every block is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), 1)
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, PROGRAM, placement.hosts(), plan) as (run, started):

        def taken(cell: LogGPCell, most: int) -> Floats:
            request: dict[str, Any] = {"pairs": placement.ranks(1), "size_B": cell.size_B, "train": cell.n}
            request |= {"pauses_s": [cell.delay_s], "least": min(LEAST, most), "most": most, "limit_s": BLOCK_S}
            what = f"{cell.n} messages of {cell.size_B} B"
            return np.asarray(started.ask({**request, "warmup": WARM_UP}, settings.timeout_s, what))

        def block(cell: LogGPCell, number: int) -> float:
            samples_s = taken(cell, MOST)
            store.add_series(run, SERIES, samples_s, "s", {**cell.labels(), "round": number})
            return float(np.median(samples_s))

        cells = []
        for done, size_B in enumerate(settings.sizes_B):
            progress("single round trips", done, len(settings.sizes_B))
            single = LogGPCell(size_B, 1, 0.0)
            # Longer than any gap: the network is idle again before the next message.
            delay_s = float(np.median(taken(single, PILOTS)))
            cells += [single, LogGPCell(size_B, settings.train, 0.0), LogGPCell(size_B, settings.train, delay_s)]
        repeat.repeat(cells, block, settings.until, seed=settings.seed, progress=progress)
    return run
