"""All benchmarks one after the other, within a budget of time."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fairlead.benchmarks.measuring.suite_settings import SuiteSettings
from fairlead.benchmarks.registration import BENCHMARKS, LEAST_S, Benchmark, SuiteShare
from fairlead.cluster.description import Cluster
from fairlead.errors import FairleadError
from fairlead.progress import Progress
from fairlead.store import Store
from fairlead.store.ending import MeasurementInterrupted

STARTING_S = 2.0  # of an MPI program, taken from each share


@dataclass(frozen=True)
class SuiteStep:
    """A benchmark, its weight among those that are left, and how it is run for a number of seconds.

    Attributes:
        least_s: a shorter share is not worth a start.
    """

    name: str
    weight: float
    run: Callable[[float], object]
    least_s: float = LEAST_S


def measure_all(
    cluster: Cluster,
    store: Store,
    settings: SuiteSettings,
    progress: Progress,
    failed: Callable[[str, FairleadError], None],
) -> None:
    """Run everything; a benchmark that fails is told to ``failed``, and the others go on.

    Raises:
        Interrupted: Ctrl-C.
    """
    within(_steps(cluster, store, settings, progress), settings.budget_s, failed)


def within(
    steps: Sequence[SuiteStep],
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
    except MeasurementInterrupted:
        raise
    except FairleadError as error:
        failed(name, error)


def _steps(cluster: Cluster, store: Store, settings: SuiteSettings, progress: Progress) -> list[SuiteStep]:
    def step(benchmark: Benchmark, share: SuiteShare) -> SuiteStep:
        def run(seconds: float) -> object:
            return benchmark.asked(share.options(settings, seconds)).measure(cluster, store, progress)

        return SuiteStep(benchmark.name, share.weight, run, share.least_s)

    shares = sorted(
        ((each, each.share) for each in BENCHMARKS if each.share is not None), key=lambda item: item[1].turn
    )
    return [step(each, share) for each, share in shares if len(cluster.compute_hosts()) >= share.least_hosts]
