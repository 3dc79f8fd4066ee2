"""Round trips as the pause between them goes from long to none and back (the Hoverboard test: noise, 4.4)."""

from dataclasses import asdict, dataclass

from fairlead.benchmarks.measuring import session
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.cluster.description import Cluster
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK = "burst"
PROGRAM = "mpi-burst"
FALLING_S = (1.0, 1e-3, 1e-6, 1e-9, 0.0)
PAUSES_S = FALLING_S + FALLING_S[-2::-1]
WARM_UP = 1  # trains before the first one of a pause: what passes until the ranks are asked is a pause, too
SERIES = "train_s"


@dataclass(frozen=True)
class BurstSettings:
    """What was asked for.

    Attributes:
        between: a pair of hosts; none: the first two compute hosts.
        trains: round trips between two pauses; of several numbers, each in every pass.
        asleep: pauses are slept, not spent in a busy loop.
        both: the second rank pauses, too.
        repetitions: trains for each pause.
        runs: how often all of it is done.
        timeout_s: trains with one pause that take so much longer than their pauses are hung.
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
        """At least: what the pauses of all passes take together. Messages come on top."""
        return self.runs * len(self.trains) * (self.repetitions + WARM_UP) * sum(self.pauses_s)


SETTINGS = BurstSettings


def measure(cluster: Cluster, store: Store, settings: BurstSettings, progress: Progress) -> int:
    """Measure bursts; returns the run of the store, where the trains with one pause are as soon as they are over.

    Raises:
        As `point_to_point.measure`.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), 1)
    request = {"pairs": placement.ranks(1), "size_B": settings.size_B, "most": settings.repetitions}
    request |= {"asleep": settings.asleep, "both_pause": settings.both, "warmup": WARM_UP}
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, PROGRAM, placement.hosts(), plan) as (run, started):
        steps = [
            (number, train, step)
            for number in range(settings.runs)
            for train in settings.trains
            for step in range(len(settings.pauses_s))
        ]
        for done, (number, train, step) in enumerate(steps):
            progress("pauses", done, len(steps))
            pause_s = settings.pauses_s[step]
            limit_s = settings.timeout_s + (settings.repetitions + WARM_UP) * pause_s
            what = f"pass {number + 1}, pause {step + 1} of {len(settings.pauses_s)}"
            samples_s = started.ask({**request, "train": train, "pauses_s": [pause_s]}, limit_s, what)
            labels: dict[str, Label] = {"train": train, "size_B": settings.size_B, "pass": number, "step": step}
            store.add_series(run, SERIES, samples_s[0], "s", {**labels, "pause_s": pause_s})
        progress("pauses", len(steps), len(steps))
    return run
