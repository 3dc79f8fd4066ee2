"""Throughput for a long time, and the dips in it (noise, 4.3.4)."""

import time
from dataclasses import asdict, dataclass

from fairlead.benchmarks.measuring import session
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import THROUGHPUT
from fairlead.cluster.description import Cluster
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK = "stress"
PART_S = 1.0  # samples are stored once in that time
WINDOWS = 20  # a part has about so many, so that its bins are filled


@dataclass(frozen=True)
class StressSettings:
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


SETTINGS = StressSettings


def measure(cluster: Cluster, store: Store, settings: StressSettings, progress: Progress) -> int:
    """Send for a long time; returns the run, where every part is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), settings.pairs)
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
            store.add_series(run, "window_s", padded(samples_s), "s", labels, missing=True)
    return run
