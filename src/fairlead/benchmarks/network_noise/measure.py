"""Network noise: latency of small messages and saturating throughput between two hosts, in turn, for a long time."""

import time
from dataclasses import asdict, dataclass
from typing import Any

from fairlead.benchmarks.measuring import session
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.cluster.description import Cluster
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK, PROGRAM = "network-noise", "mpi-network-noise"
SHARE = 0.4  # of a part for either quantity; the rest is for what surrounds them
MOST_ROUND_TRIPS = 1000  # of a part, so that an hour is no more than some megabytes
LEAST_ROUND_TRIPS, LEAST_WINDOWS = 10, 2
WARM_UP = {"round_trip_s": 5, "window_s": 1}


@dataclass(frozen=True)
class NetworkNoiseSettings:
    """What was asked for.

    Attributes:
        between: a pair of hosts; none: the first two compute hosts.
        size_B: of the latency's messages; bulk_B: of the throughput's.
        part_s: both are measured once in that time.
    """

    between: tuple[HostPair, ...] = ()
    size_B: int = 1
    bulk_B: int = 1024**2
    seconds: float = 3600.0
    part_s: float = 1.0
    timeout_s: float = 60.0
    mpirun: str | None = None

    def lasts_s(self) -> float:
        """About how long it takes."""
        return self.seconds


SETTINGS = NetworkNoiseSettings


def measure(cluster: Cluster, store: Store, settings: NetworkNoiseSettings, progress: Progress) -> int:
    """Measure for a long time; returns the run, where every part is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), 1)
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, PROGRAM, placement.hosts(), plan) as (run, started):
        pilot_bps = point_to_point.pilot(started, placement.ranks(1)[0])
        limit_s = SHARE * settings.part_s
        fitting = int(pilot_bps * limit_s / 8 / LEAST_WINDOWS / settings.bulk_B)
        window = min(point_to_point.WINDOW, max(2, fitting))
        common: dict[str, Any] = {"pairs": placement.ranks(1), "limit_s": limit_s}
        small = {**common, "size_B": settings.size_B, "least": LEAST_ROUND_TRIPS, "most": MOST_ROUND_TRIPS}
        large = {**common, "size_B": settings.bulk_B, "least": LEAST_WINDOWS, "most": 10_000, "window": window}
        begin_s = time.monotonic()
        number = 0
        while (now_s := time.monotonic() - begin_s) < settings.seconds:
            progress("listening, seconds", int(now_s), int(settings.seconds))
            for series, request in (("round_trip_s", small), ("window_s", large)):
                start_s = time.monotonic() - begin_s
                of = {**request, "warmup": WARM_UP[series]}
                samples_s = started.ask(of, settings.timeout_s, f"the part from {start_s:.0f} s on")
                labels: dict[str, Label] = {"size_B": int(request["size_B"]), "start_s": start_s}
                labels |= {"window": window} if series == "window_s" else {}
                store.add_series(run, series, samples_s, "s", labels)
            number += 1
            # Parts begin at even distances, or autocorrelation would have no scale of time.
            time.sleep(max(0.0, begin_s + number * settings.part_s - time.monotonic()))
    return run
