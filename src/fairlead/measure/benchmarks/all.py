"""All benchmarks one after the other, within a budget of time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fairlead.cluster.description import Cluster
from fairlead.errors import FairleadError
from fairlead.measure.benchmarks import all_pairs, collectives, infiniband, noise, point_to_point, stress, tcp
from fairlead.measure.benchmarks.pairs import HostPair
from fairlead.measure.benchmarks.point_to_point import LATENCY, THROUGHPUT
from fairlead.measure.benchmarks.repeat import Until
from fairlead.progress import Progress
from fairlead.store import Store
from fairlead.store.ending import Interrupted

STARTING_S = 2.0  # of an MPI program, taken from each share
SIZES_B = tuple(4**k for k in range(12))  # 1 B to 4 MiB: half as many as by default, known twice as well
CALL_SIZES_B = (4, 1024, 64 * 1024)  # of collective operations
LEAST_S = 2.0  # for one that does not say otherwise


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        budget_s: for all of it.
        between: two hosts for what is measured between two; none: the first two compute hosts.
        pairs: numbers of rank pairs, of TCP streams and of queue pairs.
    """

    budget_s: float = 300.0
    between: tuple[HostPair, ...] = ()
    pairs: tuple[int, ...] = (1, 4)
    mpirun: str | None = None
    seed: int = 1


@dataclass(frozen=True)
class Step:
    """A benchmark, its weight among those that are left, and how it is run for a number of seconds.

    Attributes:
        least_s: a shorter share is not worth a start.
    """

    name: str
    weight: float
    run: Callable[[float], object]
    least_s: float = LEAST_S


def measure(
    cluster: Cluster,
    store: Store,
    settings: Settings,
    progress: Progress,
    failed: Callable[[str, FairleadError], None],
) -> None:
    """Run everything; a benchmark that fails is told to ``failed``, and the others go on.

    Raises:
        Interrupted: Ctrl-C.
    """
    within(_steps(cluster, store, settings, progress), settings.budget_s, failed)


def within(
    steps: Sequence[Step],
    budget_s: float,
    failed: Callable[[str, FairleadError], None],
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Give each step its share of the time that is left when it begins; what one saves is the others'."""
    end_s = now() + budget_s
    for number, step in enumerate(steps):
        share_s = (end_s - now()) * step.weight / sum(each.weight for each in steps[number:]) - STARTING_S
        if share_s < step.least_s:
            failed(step.name, FairleadError("the budget leaves no time for it"))
            continue
        with told(step.name, failed):
            step.run(share_s)


@contextmanager
def told(name: str, failed: Callable[[str, FairleadError], None]) -> Iterator[None]:
    """A benchmark among others: if it fails, that is told, and they go on.

    Raises:
        Interrupted: Ctrl-C.
    """
    try:
        yield
    except Interrupted:
        raise
    except FairleadError as error:
        failed(name, error)


def _steps(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> list[Step]:
    def point(benchmark: str, directions: tuple[str, ...]) -> Callable[[float], object]:
        def run(seconds: float) -> object:
            asked = point_to_point.Settings(
                sizes_B=SIZES_B,
                between=settings.between,
                pairs=settings.pairs,
                directions=directions,
                until=Until(budget_s=seconds),
                mpirun=settings.mpirun,
                seed=settings.seed,
            )
            return point_to_point.measure(cluster, store, benchmark, asked, progress)

        return run

    def pairs(seconds: float) -> object:
        asked = all_pairs.Settings(until=Until(budget_s=seconds), mpirun=settings.mpirun, seed=settings.seed)
        return all_pairs.measure(cluster, store, asked, progress)

    def calls(seconds: float) -> object:
        until = Until(budget_s=seconds)
        asked = collectives.Settings(sizes_B=CALL_SIZES_B, until=until, mpirun=settings.mpirun, seed=settings.seed)
        return collectives.measure(cluster, store, asked, progress)

    def streams(seconds: float) -> object:
        length_s = min(10, max(tcp.SHORTEST_S, int(seconds / (4 * len(settings.pairs) * 2))))
        until = Until(budget_s=seconds - length_s - tcp.CONNECTING_S)  # the last streams may begin when it ends
        both = ("one", "both")
        asked = tcp.Settings(settings.between, settings.pairs, both, length_s, until=until, seed=settings.seed)
        return tcp.measure(cluster, store, asked, progress)

    def verbs(seconds: float) -> object:
        until = Until(budget_s=seconds)
        asked = infiniband.Settings(settings.between, queue_pairs=settings.pairs, until=until, seed=settings.seed)
        return infiniband.measure(cluster, store, asked, progress)

    def long(seconds: float) -> object:
        asked = stress.Settings(between=settings.between, seconds=seconds, mpirun=settings.mpirun)
        return stress.measure(cluster, store, asked, progress)

    def silence(seconds: float) -> object:
        return noise.measure(cluster, store, noise.Settings(seconds=seconds), progress)

    return [
        Step("noise", 1, silence),
        Step(LATENCY, 2, point(LATENCY, ("one",))),
        Step(THROUGHPUT, 3, point(THROUGHPUT, ("one", "both"))),
        *([Step("all-pairs", 3, pairs)] if len(cluster.compute_hosts()) >= all_pairs.LEAST_HOSTS else []),
        Step("collectives", 2, calls),
        Step("tcp", 2, streams, least_s=2 * (tcp.SHORTEST_S + tcp.CONNECTING_S)),
        Step(infiniband.BENCHMARK, 2, verbs),
        Step("stress", 2, long),
    ]
