"""A run of the store together with the MPI program that fills it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fairlead.benchmarks.measuring import places, probe, records
from fairlead.cluster.description import Cluster
from fairlead.store import Store


@contextmanager
def running(
    cluster: Cluster, store: Store, benchmark: str, program: str, hosts: Sequence[str], plan: Mapping[str, Any]
) -> Iterator[tuple[int, probe.RunningProbe]]:
    """The run and the program, which has a rank on each of ``hosts`` and has introduced itself; see `records.recorded`
    and `probe.running`. The plan holds ``mpirun`` and, where something is drawn, the ``seed``.
    """
    with (
        records.recorded(store, cluster, benchmark, plan, plan.get("seed")) as run,
        probe.running(cluster, program, hosts, plan["mpirun"]) as started,
    ):
        introduce(cluster, store, run, started.introduction(), hosts)
        yield run, started


def introduce(cluster: Cluster, store: Store, run: int, said: probe.Introduction, hosts: Sequence[str]) -> None:
    """Record which MPI library, clock and cores were used: one event for the program, one a rank.

    Raises:
        MeasurementError: a rank does not run on its host; see `places.check`.
    """
    places.check(cluster, hosts, [str(rank["host"]) for rank in said.ranks])
    now_s = time.time()
    store.add_event(run, now_s, "library", {"library": said.library, "clock_step_s": said.clock_step_s})
    for number, (rank, host) in enumerate(zip(said.ranks, hosts, strict=True)):
        store.add_event(run, now_s, "rank", {**rank, "rank": number, "host": host, "own_name": rank["host"]})
