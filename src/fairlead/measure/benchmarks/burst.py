"""Round trips as the pause between them goes from long to none and back (the Hoverboard test: noise, 4.4)."""

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from fairlead.cluster.description import Cluster
from fairlead.measure.benchmarks import session
from fairlead.measure.benchmarks.pairs import HostPair, Placement, host_pairs
from fairlead.measure.samples import Progress
from fairlead.store import Store

Floats = npt.NDArray[np.float64]

BENCHMARK = "burst"
PROGRAM = "mpi-burst"
FALLING_S = (1.0, 1e-3, 1e-6, 1e-9, 0.0)
PAUSES_S = FALLING_S + FALLING_S[-2::-1]


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        between: a pair of hosts; none: the first two compute hosts.
        trains: round trips between two pauses; of several numbers, each in every pass.
        asleep: pauses are slept, not spent in a busy loop.
        both: the second rank pauses, too.
        repetitions: trains for each pause.
        runs: how often all of it is done.
    """

    between: tuple[HostPair, ...] = ()
    size_B: int = 1024**2
    trains: tuple[int, ...] = (1,)
    asleep: bool = False
    both: bool = True
    pauses_s: tuple[float, ...] = PAUSES_S
    repetitions: int = 30
    runs: int = 10
    timeout_s: float = 600.0
    mpirun: str | None = None

    def lasts_s(self) -> float:
        """At least: what the pauses of all passes take together."""
        return self.runs * len(self.trains) * self.repetitions * sum(self.pauses_s)


def measure(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> int:
    """Measure bursts; returns the run of the store, where every pass is as soon as it is over.

    Raises:
        As `point_to_point.measure`.
    """
    placement = Placement(host_pairs(cluster, settings.between), 1)
    request = {"pairs": placement.ranks(1), "size_B": settings.size_B, "most": settings.repetitions}
    request |= {"pauses_s": settings.pauses_s}
    request |= {"asleep": settings.asleep, "both_pause": settings.both}
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, PROGRAM, placement.hosts(), plan) as (run, started):
        for number in range(settings.runs):
            progress("passes through all pauses", number, settings.runs)
            for train in settings.trains:
                samples_s = started.ask({**request, "train": train}, settings.timeout_s, f"pass {number + 1}")
                table = np.reshape(samples_s[0], (len(settings.pauses_s), settings.repetitions))
                store.add_series(run, "train_s", table, "s", {"train": train, "size_B": settings.size_B})
        progress("passes through all pauses", settings.runs, settings.runs)
    return run


def round_trips_s(store: Store, run: int) -> dict[int, Floats]:
    """By length of trains (passes, pauses, repetitions) mean round trips; half is what the thesis calls latency."""
    found: dict[int, list[Floats]] = {}
    for series in store.series(run, "train_s"):
        train = int(series.labels["train"])
        found.setdefault(train, []).append(series.values / train)
    return {train: np.stack(passes) for train, passes in found.items()}
