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
class Congestor:
    """What is beside a victim.

    Attributes:
        kinds: operations that load the network at the same time, each among hosts of its own.
        hosts: how many hosts that are together; None: as many as the share says.
    """

    kinds: tuple[str, ...]
    hosts: int | None = None

    def __str__(self) -> str:
        return "+".join(self.kinds) + ("" if self.hosts is None else f" on {self.hosts} hosts")

    @classmethod
    def parse(cls, text: str) -> "Congestor":
        """From its text."""
        kinds, _, hosts = text.partition(" on ")
        return cls(tuple(kinds.split("+")), int(hosts.split()[0]) if hosts else None)

    def order(self) -> tuple[int, int, int]:
        """For sorting: single ones first, as `CONGESTORS` lists them, few hosts before many."""
        return len(self.kinds), CONGESTORS.index(self.kinds[0]), self.hosts or 0


@dataclass(frozen=True)
class ImpactCell:
    """One combination of parameters: a victim's test, and the text of the congestor beside it (`ALONE`: none)."""

    victim: str
    congestor: str

    def words(self) -> str:
        """For messages."""
        return f"{self.victim} {self.congestor if self.congestor == ALONE else f'beside {self.congestor}'}"


@dataclass(frozen=True)
class ImpactSettings:
    """What was asked for.

    Attributes:
        together: whether the congestors are also measured all at the same time.
        share: of the hosts that are congestors; at least two are, and two are victims.
        hosts: numbers of hosts that are congestors, in place of the share; victims are the hosts that the largest
            number leaves.
        size_B: of the congestors' messages.
        per_host: ranks on each host.
    """

    congestors: tuple[str, ...] = CONGESTORS
    together: bool = False
    share: float = 0.5
    hosts: tuple[int, ...] = ()
    size_B: int = 64 * 1024
    per_host: int = 1
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most."""
        return self.until.lasts_s(len(VICTIMS) * (1 + len(self.beside())), BLOCK_S)

    def beside(self) -> list[Congestor]:
        """Every congestor that is measured."""
        kinds: list[tuple[str, ...]] = [(kind,) for kind in self.congestors]
        if self.together and len(self.congestors) > 1:
            kinds.append(self.congestors)
        return [Congestor(each, hosts) for each in kinds for hosts in self.hosts or (None,)]

    def complaint(self, hosts: int) -> str | None:
        """What of it does not fit a cluster of so many hosts; None if all does."""
        kinds = max(len(each.kinds) for each in self.beside())
        number = min(self.hosts) if self.hosts else _congesting(hosts, self)
        if number < 2 * kinds:
            more = "more --hosts" if self.hosts else "a larger --share"
            return f"{kinds} congestors at once need {2 * kinds} hosts, not {number}: use fewer --congestors, or {more}"
        if self.hosts and max(self.hosts) > hosts - 2:
            return f"--hosts {max(self.hosts)}: of {hosts} compute hosts two must be victims"
        return None


SETTINGS = ImpactSettings


def measure(cluster: Cluster, store: Store, settings: ImpactSettings, progress: Progress) -> int:
    """Measure the impact; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: fewer than `LEAST_HOSTS` compute hosts; else as `point_to_point.measure`.
    """
    names = cluster.compute_names()
    if len(names) < LEAST_HOSTS:
        raise ConfigError(f"{cluster.source}: victims and congestors need at least {LEAST_HOSTS} compute hosts")
    if complaint := settings.complaint(len(names)):
        raise ConfigError(complaint)
    hosts = [name for name in names for _ in range(settings.per_host)]
    cells = [ImpactCell(victim, str(each)) for victim in VICTIMS for each in (ALONE, *settings.beside())]
    plan = {**asdict(settings), "hosts": hosts}
    with session.running(cluster, store, BENCHMARK, PROGRAM, hosts, plan) as (run, started):

        def block(cell: ImpactCell, number: int) -> float:
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


def _sure(until: Until, cell: ImpactCell, means_s: Mapping[ImpactCell, Sequence[float]]) -> bool:
    """Whether all factors of a victim are known: it is measured alone as often as beside each congestor."""
    alone_s = means_s[ImpactCell(cell.victim, ALONE)]
    return all(
        until.settled(len(alone_s), partial(estimates.paired_ratio, beside_s, alone_s, until.level))
        for other, beside_s in means_s.items()
        if other.victim == cell.victim and other.congestor != ALONE
    )


def drawn(hosts: int, settings: ImpactSettings, number: int) -> tuple[list[int], list[int]]:
    """Ranks of victims, in the order of their ring, and of congestors; the same for all cells of a round."""
    places = list(range(hosts))
    random.Random(f"{settings.seed} {number}").shuffle(places)
    count = max(settings.hosts) if settings.hosts else _congesting(hosts, settings)
    return _ranks(places[count:], settings.per_host), _ranks(places[:count], settings.per_host)


def _congesting(hosts: int, settings: ImpactSettings) -> int:
    """How many hosts are congestors by the share."""
    return min(hosts - 2, max(2, round(settings.share * hosts)))


def _ranks(places: Sequence[int], per_host: int) -> list[int]:
    return [place * per_host + k for k in range(per_host) for place in places]


def parts(congestor: Congestor, ranks: Sequence[int], per_host: int) -> list[dict[str, Any]]:
    """The kinds of a congestor, each with its ranks; ``ranks`` are those of all hosts that may congest, as `drawn`."""
    places = [rank // per_host for rank in ranks[: len(ranks) // per_host]][: congestor.hosts]
    count = len(congestor.kinds)
    return [{"kind": kind, "ranks": _ranks(places[k::count], per_host)} for k, kind in enumerate(congestor.kinds)]


def _request(
    cell: ImpactCell, victims: Sequence[int], congestors: Sequence[int], settings: ImpactSettings
) -> dict[str, Any]:
    request: dict[str, Any] = {"victims": victims, "victim": cell.victim, "size_B": VICTIMS[cell.victim]}
    request |= {"window": WINDOW, "least": LEAST_SAMPLES, "most": MOST_SAMPLES, "limit_s": BLOCK_S}
    request |= {"exchanges_before": BEFORE}
    if cell.congestor != ALONE:
        beside = parts(Congestor.parse(cell.congestor), congestors, settings.per_host)
        request |= {"congestors": beside, "congestor_size_B": settings.size_B}
    return request
