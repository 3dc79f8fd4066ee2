"""What congestion does to others: victims alone and beside congestors, on hosts that are drawn anew every round.

The scheme is that of GPCNeT (Chunduri et al., "GPCNeT: Designing a Benchmark Suite for Inducing and Measuring
Contention in HPC Networks", SC19). Otherwise than there, it takes 4 hosts or more, draws are seeded and repeated, and
impact factors follow from samples, not from what was printed of them.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from fairlead.benchmarks.measuring import repeat, session
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.progress import Progress
from fairlead.statistics import estimates
from fairlead.store import Label, Store

BENCHMARK, PROGRAM, SERIES = "impact", "mpi-impact", "exchange_s"
ALONE = "alone"
CONGESTORS = ("alltoall", "incast", "bcast")
VICTIMS = {"latency": 8, "bandwidth": 128 * 1024, "allreduce": 8}  # and the size of their messages, in B
WINDOW = 8  # messages of the bandwidth test under way together
LEAST_HOSTS = 4
LEAST_SAMPLES, MOST_SAMPLES, BEFORE = 20, 2000, 5
BLOCK_S = 0.3


@dataclass(frozen=True)
class Cell:
    """A victim's test, and which congestor is beside it (`ALONE`: none)."""

    victim: str
    congestor: str

    def words(self) -> str:
        """For messages."""
        return f"{self.victim} {self.congestor if self.congestor == ALONE else f'beside {self.congestor}'}"


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        share: of the hosts that are congestors; at least two are, and two are victims.
        size_B: of the congestors' messages.
        per_host: ranks on each host.
    """

    congestors: tuple[str, ...] = CONGESTORS
    share: float = 0.5
    size_B: int = 64 * 1024
    per_host: int = 1
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most."""
        return self.until.lasts_s(len(VICTIMS) * (1 + len(self.congestors)), BLOCK_S)


def measure(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> int:
    """Measure the impact; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: fewer than `LEAST_HOSTS` compute hosts; else as `point_to_point.measure`.
    """
    names = [host.name for host in cluster.compute_hosts()]
    if len(names) < LEAST_HOSTS:
        raise ConfigError(f"{cluster.source}: victims and congestors need at least {LEAST_HOSTS} compute hosts")
    hosts = [name for name in names for _ in range(settings.per_host)]
    cells = [Cell(victim, congestor) for victim in VICTIMS for congestor in (ALONE, *settings.congestors)]
    plan = {**asdict(settings), "hosts": hosts}
    with session.running(cluster, store, BENCHMARK, PROGRAM, hosts, plan) as (run, started):

        def block(cell: Cell, number: int) -> float:
            victims, congestors = drawn(len(names), settings, number)
            samples_s = np.asarray(
                started.ask(_request(cell, victims, congestors, settings), settings.timeout_s, cell.words())
            )
            labels: dict[str, Label] = {"victim": cell.victim, "congestor": cell.congestor, "round": number}
            labels |= {"victims": ",".join(map(str, victims))}
            store.add_series(run, SERIES, samples_s, "s", labels)
            return float(samples_s.mean())

        sure = partial(_sure, settings.until)
        repeat.repeat(cells, block, settings.until, seed=settings.seed, progress=progress, sure=sure)
    return run


def _sure(until: Until, cell: Cell, means_s: Mapping[Cell, Sequence[float]]) -> bool:
    """Whether all factors of a victim are known: it is measured alone as often as beside each congestor."""
    alone_s = means_s[Cell(cell.victim, ALONE)]
    return all(
        until.settled(len(alone_s), partial(estimates.paired_ratio, beside_s, alone_s, until.level))
        for other, beside_s in means_s.items()
        if other.victim == cell.victim and other.congestor != ALONE
    )


def drawn(hosts: int, settings: Settings, number: int) -> tuple[list[int], list[int]]:
    """Ranks of victims, in the order of their ring, and of congestors; the same for all cells of a round."""
    places = list(range(hosts))
    random.Random(f"{settings.seed} {number}").shuffle(places)
    count = min(hosts - 2, max(2, round(settings.share * hosts)))
    victims, congestors = places[count:], places[:count]
    each = range(settings.per_host)
    return (
        [place * settings.per_host + k for k in each for place in victims],
        [place * settings.per_host + k for k in each for place in congestors],
    )


def _request(cell: Cell, victims: Sequence[int], congestors: Sequence[int], settings: Settings) -> dict[str, Any]:
    request: dict[str, Any] = {"victims": victims, "victim": cell.victim, "size_B": VICTIMS[cell.victim]}
    request |= {"window": WINDOW, "least": LEAST_SAMPLES, "most": MOST_SAMPLES, "limit_s": BLOCK_S}
    request |= {"exchanges_before": BEFORE}
    if cell.congestor != ALONE:
        request |= {"congestors": congestors, "congestor": cell.congestor, "congestor_size_B": settings.size_B}
    return request
