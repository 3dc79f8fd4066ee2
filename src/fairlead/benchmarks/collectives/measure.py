"""Collective operations: every rank's time of every call; the time of a call is that of the rank that took longest.

A call is begun after a barrier (as by OSU, IMB), or by all ranks at a moment that was agreed on before, by synchronized
clocks (Hoefler, Schneider, Lumsdaine 2008): then nothing that a barrier leaves behind is in its time.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring import repeat, session
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError, MeasurementError
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK, PROGRAM, SERIES = "collectives", "mpi-collectives", "call_s"
OPERATIONS = ("allreduce", "alltoall", "bcast", "scatter", "gather", "allgather", "reduce-scatter")
DEFAULT_SIZES_B = tuple(4 * 4**k for k in range(10))  # 4 B to 1 MiB
SUMMED_B = 4  # what is reduced are single-precision numbers
BLOCK_S = 0.1
LEAST_CALLS, MOST_CALLS, WARM_UP = 3, 1000, 2
LATE = 0.1  # of a call's time: how late a rank may begin it, where moments are agreed on
MOST_TRIES = 3  # of a block in which no call was begun in time
LATE_SERIES = "late_s"
BARRIER, AGREED = "barrier", "agreed"
MEMORY_B = 256 * 1024**2  # what a rank may take for its buffers


@dataclass(frozen=True)
class CollectiveCell:
    """One combination of parameters: an operation, its size, and how many ranks take part.

    Attributes:
        size_B: of one block: what a rank has for each rank (alltoall, scatter, gather, allgather, reduce-scatter), or
            what all ranks have in the end (bcast, allreduce).
    """

    operation: str
    size_B: int
    ranks: int

    def labels(self) -> dict[str, Label]:
        """For the store."""
        return asdict(self)

    def words(self) -> str:
        """For messages."""
        return f"{self.operation} of {self.size_B} B among {self.ranks} ranks"


@dataclass(frozen=True)
class CollectivesSettings:
    """What was asked for.

    Attributes:
        per_host: ranks on each compute host.
        ranks: numbers of ranks that take part, the first ones; none: all.
        begin: of a call: after a ``barrier``, or at an ``agreed`` moment.
        timeout_s: a block that takes longer is hung.
    """

    operations: tuple[str, ...] = OPERATIONS
    sizes_B: tuple[int, ...] = DEFAULT_SIZES_B
    per_host: int = 1
    ranks: tuple[int, ...] = ()
    begin: str = BARRIER
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most."""
        return self.until.lasts_s(len(self.operations) * len(self.sizes_B) * max(1, len(self.ranks)), BLOCK_S)

    def cells(self, all_ranks: int) -> list[CollectiveCell]:
        """All combinations that fit into `MEMORY_B`.

        Raises:
            ConfigError: more ranks than there are, or sizes that cannot be summed.
        """
        for ranks in self.ranks:
            if not 2 <= ranks <= all_ranks:
                raise ConfigError(f"--ranks {ranks}: there are 2 to {all_ranks}", hint="see --per-host")
        for size_B in self.sizes_B:
            if size_B % SUMMED_B and {"allreduce", "reduce-scatter"} & set(self.operations):
                raise ConfigError(f"--sizes {size_B}: reductions sum numbers of {SUMMED_B} B")
        return [
            CollectiveCell(operation, size_B, ranks)
            for operation in self.operations
            for ranks in self.ranks or (all_ranks,)
            for size_B in self.sizes_B
            if 2 * size_B * ranks <= MEMORY_B
        ]


SETTINGS = CollectivesSettings


def measure(cluster: Cluster, store: Store, settings: CollectivesSettings, progress: Progress) -> int:
    """Measure collective operations; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: a single rank, or settings that do not fit; else as `point_to_point.measure`.
    """
    # Ranks in turn over the hosts, so that the first few are on as many of them as possible.
    hosts = [host.name for _ in range(settings.per_host) for host in cluster.compute_hosts()]
    if len(hosts) < 2:
        raise ConfigError(f"{cluster.source}: a collective operation needs two ranks", hint="see --per-host")
    cells = settings.cells(len(hosts))
    plan = {**asdict(settings), "hosts": hosts}
    with session.running(cluster, store, BENCHMARK, PROGRAM, hosts, plan) as (run, started):

        def block(cell: CollectiveCell, number: int) -> float:
            request = {**_request(cell), "agreed": settings.begin == AGREED}
            for _ in range(MOST_TRIES):
                samples_s = np.asarray(started.ask(request, settings.timeout_s, cell.words()))
                taken = _keep(store, run, samples_s, {**cell.labels(), "round": number}, settings.begin)
                if taken.size:
                    return float(np.median(call_times_s(taken)))
            raise MeasurementError(
                f"{cell.words()}: in no call did all ranks begin at the agreed time",
                hint="hosts are busy, or have fewer processors than ranks; --begin barrier works even so",
            )

        repeat.repeat(cells, block, settings.until, seed=settings.seed, progress=progress)
    return run


def _keep(store: Store, run: int, rows: Floats, labels: dict[str, Label], begin: str) -> Floats:
    """Store a block; those of its calls that count."""
    if begin == BARRIER:
        store.add_series(run, SERIES, rows, "s", labels)
        return rows
    late_s, call_s = rows[:, 1::2], rows[:, 2::2]
    told: dict[str, Label] = {**labels, "clock_error_s": float(rows[:, 0].max())}
    store.add_series(run, LATE_SERIES, late_s, "s", told)
    store.add_series(run, SERIES, call_s, "s", told)
    return in_time(call_s, late_s)


def in_time(call_s: Floats, late_s: Floats) -> Floats:
    """(ranks, calls) of the calls that no rank began later than `LATE` of the call's time."""
    found: Floats = call_s[:, late_s.max(axis=0) <= LATE * call_times_s(call_s)]
    return found


def _request(cell: CollectiveCell) -> dict[str, Any]:
    of = {"collective": cell.operation, "ranks": cell.ranks, "size_B": cell.size_B, "warmup": WARM_UP}
    return {**of, "least": LEAST_CALLS, "most": MOST_CALLS, "limit_s": BLOCK_S}


def call_times_s(samples_s: Floats) -> Floats:
    """(calls,) from (ranks, calls): a call is over when the rank that takes longest has it."""
    found: Floats = samples_s.max(axis=0)
    return found
