"""Benchmark runs of the results store: how they begin and end, and which there are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fairlead.cluster import run_facts
from fairlead.cluster.description import NATIVE, TCP, Cluster
from fairlead.store import Run, Store
from fairlead.store.ending import ended

KIND = "benchmark"
SOURCE = "source"  # label of a run that was read, not made: the format


@contextmanager
def recorded(
    store: Store, cluster: Cluster, benchmark: str, plan: Mapping[str, Any], seed: int | None = None
) -> Iterator[int]:
    """A run of the store for the length of a measurement. However it ends, what was added is kept, and marked.

    Args:
        plan: what was asked for. That of an MPI program has ``mpirun``: the one in use, or None for the cluster's; the
            cluster's ``transport`` is added to it.

    Raises:
        Interrupted: Ctrl-C.
        MissingToolError: there is no such mpirun.
    """
    labels = {"benchmark": benchmark, "cluster": cluster.name}
    mpirun = plan["mpirun"] or cluster.mpirun if "mpirun" in plan else None
    kept = {**plan, "transport": cluster.transport or TCP} if "mpirun" in plan else dict(plan)
    run = store.begin_run(KIND, labels, plan=kept, seed=seed, facts=run_facts.collect(cluster, mpirun))
    with ended(store, run):
        yield run


def is_native(run: Run) -> bool:
    """Whether the MPI library chose what carried its messages; else they were kept on TCP, as they once all were."""
    return bool(run.plan.get("transport", TCP) == NATIVE)


def runs(store: Store, benchmark: str | None = None) -> list[Run]:
    """The store's benchmark runs, oldest first, optionally of one benchmark."""
    return store.runs(KIND) if benchmark is None else store.runs(KIND, benchmark=benchmark)


def is_read(run: Run) -> bool:
    """Whether a run was read from files."""
    return SOURCE in run.labels


def is_whole(run: Run) -> bool:
    """Whether all of it counts: files that were not stored to their end are to be read again."""
    return not is_read(run) or run.status == "ok"
