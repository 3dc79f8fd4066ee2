"""Benchmark runs of the results store: how they begin and end, and which there are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fairlead import interrupts
from fairlead.cluster.description import Cluster
from fairlead.errors import FairleadError
from fairlead.manage import run_facts
from fairlead.store import Run, Store

KIND = "benchmark"


class InterruptedBenchmark(FairleadError):
    """The user ended the measurement; what was taken is stored."""


@contextmanager
def recorded(
    store: Store, cluster: Cluster, benchmark: str, plan: Mapping[str, Any], seed: int | None = None
) -> Iterator[int]:
    """A run of the store for the length of a measurement. However it ends, what was added is kept, and marked.

    Raises:
        InterruptedBenchmark: Ctrl-C.
    """
    labels = {"benchmark": benchmark, "cluster": cluster.name}
    run = store.begin_run(KIND, labels, plan=dict(plan), seed=seed, facts=run_facts.collect(cluster))
    try:
        yield run
    except KeyboardInterrupt as error:
        store.finish_run(run, "aborted", error="interrupted by the user")
        interrupted = InterruptedBenchmark(
            "interrupted", hint=f"what was measured is kept, marked incomplete, as run {run} in {store.directory}"
        )
        interrupted.exit_code = interrupts.exit_code(error)
        raise interrupted from error
    except FairleadError as error:
        store.finish_run(run, "failed", error=str(error).splitlines()[0])
        raise
    store.finish_run(run)


def runs(store: Store, benchmark: str | None = None) -> list[Run]:
    """The store's benchmark runs, oldest first, optionally of one benchmark."""
    return store.runs(KIND) if benchmark is None else store.runs(KIND, benchmark=benchmark)
