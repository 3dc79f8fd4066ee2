"""The profile of one run: the records of its ranks side by side. Pure: no file, no clock."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats
from fairlead.errors import MeasurementError
from fairlead.profile.record import SIZE_CLASSES, Counts, Record, Usage

# Their time is the library's start and end, not the program's communication.
BEGIN_AND_END = (
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Session_init",
    "MPI_Session_finalize",
    "MPI_Finalize",
    "MPI_Abort",
)
LEAST_IMBALANCE = 0.01
"""Below, no rank is named for it."""


@dataclass(frozen=True)
class Profile:
    """How a program communicated.

    Attributes:
        ranks: of the program's world.
        records: of its ranks that left one, in rank order.
        hosts: of every rank, as the cluster calls them; of one without a record too.
        others: records of processes that are no ranks of this world (spawned ones, forked children, or ended early).
    """

    ranks: int
    records: tuple[Record, ...]
    hosts: tuple[str, ...]
    others: tuple[Record, ...] = ()

    @property
    def missing(self) -> list[int]:
        """Ranks without a record."""
        return sorted(set(range(self.ranks)) - {record.rank for record in self.records if record.rank is not None})

    @property
    def host_names(self) -> list[str]:
        """Each host once, in rank order."""
        return list(dict.fromkeys(self.hosts))

    @property
    def time_s(self) -> Floats:
        """Wall clock by record, from the return of MPI_Init to the entry of MPI_Finalize. Shape (records)."""
        return np.array([record.time_s for record in self.records])

    @property
    def mpi_s(self) -> Floats:
        """Time inside MPI by record, without `BEGIN_AND_END`; the mean of threads that call MPI. Shape (records)."""
        return np.array([mpi_s(record) for record in self.records])

    @property
    def computing_s(self) -> Floats:
        """The rest of the wall clock. Shape (records)."""
        return np.maximum(self.time_s - self.mpi_s, 0.0)

    @property
    def mpi_share(self) -> float:
        """Time in MPI of all ranks over their wall clocks; 0 of a program without duration."""
        whole = float(self.time_s.sum())
        return float(self.mpi_s.sum()) / whole if whole > 0 else 0.0

    @property
    def imbalance(self) -> float:
        """Load imbalance, (max / mean - 1) of the ranks' computing times; 0 where nothing was computed."""
        mean = float(self.computing_s.mean())
        return float(self.computing_s.max()) / mean - 1 if mean > 0 else 0.0

    @property
    def imbalance_ranks(self) -> list[int]:
        """Ranks whose computing time exceeds the mean by at least half as much as the longest does, longest first."""
        excess_s = self.computing_s - float(self.computing_s.mean())
        if self.imbalance < LEAST_IMBALANCE:
            return []
        longest_first = np.argsort(-excess_s, kind="stable")
        ranks = [self.records[index].rank for index in longest_first if excess_s[index] >= excess_s.max() / 2]
        return [rank for rank in ranks if rank is not None]

    def functions(self) -> dict[str, Usage]:
        """Sums over all ranks by function, longest time first."""
        sums: dict[str, Usage] = {}
        for record in self.records:
            for name, usage in record.functions.items():
                sums[name] = _add(sums[name], usage) if name in sums else usage
        return dict(sorted(sums.items(), key=lambda item: -item[1].time_s))

    def messages(self) -> Counts:
        """Point-to-point messages from each rank (row) to each (column), as sent. Shape (ranks, ranks)."""
        return self._matrix([record.messages.sent_messages for record in self.records])

    def bytes_B(self) -> Counts:
        """Their bytes. Shape (ranks, ranks)."""
        return self._matrix([record.messages.sent_B for record in self.records])

    def outside_B(self) -> int:
        """Bytes sent to processes outside the program's world."""
        return sum(int(record.messages.sent_B[-1]) for record in self.records)

    def by_host(self, matrix: Counts) -> Counts:
        """A matrix by rank added up by host, in the order of `host_names`. Shape (hosts, hosts)."""
        names = self.host_names
        number = {name: place for place, name in enumerate(names)}
        index = [number[host] for host in self.hosts]
        by_sender = np.zeros((len(names), self.ranks), np.uint64)
        np.add.at(by_sender, index, matrix)
        by_receiver = np.zeros((len(names), len(names)), np.uint64)
        np.add.at(by_receiver, index, by_sender.T)
        return by_receiver.T

    def sizes(self) -> Counts:
        """Point-to-point messages sent, by size class (`fairlead.profile.record.SizeHistogram`). Shape (65)."""
        return sum((record.sizes.sent for record in self.records), np.zeros(SIZE_CLASSES, np.uint64))

    def collective_sizes(self) -> Counts:
        """Collective calls by what one rank gives to one. Shape (65)."""
        return sum((record.sizes.given for record in self.records), np.zeros(SIZE_CLASSES, np.uint64))

    def _matrix(self, rows: Sequence[Counts]) -> Counts:
        matrix = np.zeros((self.ranks, self.ranks), np.uint64)
        for record, row in zip(self.records, rows, strict=True):
            matrix[record.rank] = row[: self.ranks]
        return matrix


def of(records: Sequence[Record], hosts: Sequence[str] | None = None) -> Profile:
    """The profile of a run's records.

    Args:
        hosts: of every rank as it was placed; None, or of another number than the program's ranks: as the records
            say.

    Raises:
        MeasurementError: no record is of a rank.
    """
    began = sorted((record for record in records if record.rank is not None), key=lambda record: record.opened)
    if not began:
        raise MeasurementError(
            "no process of the program left a profile: it called no MPI function that fairlead saw, or ended before "
            "MPI was initialized",
            hint="a program with the MPI library linked in statically cannot be seen",
        )
    ranks = began[0].ranks
    chosen: dict[int, Record] = {}
    for record in began:
        if record.ranks == ranks and record.rank is not None:
            chosen.setdefault(record.rank, record)  # spawned processes, which came later, have worlds of their own
    kept = tuple(record for _, record in sorted(chosen.items()))
    if hosts is None or len(hosts) != ranks:
        said = {record.rank: record.host for record in kept}
        hosts = [said.get(rank, "?") for rank in range(ranks)]
    identities = {id(record) for record in kept}
    return Profile(ranks, kept, tuple(hosts), tuple(record for record in records if id(record) not in identities))


def mpi_s(record: Record) -> float:
    """Time of one process in MPI, without `BEGIN_AND_END`; the mean of its threads that call MPI.

    Between tests that find nothing done a program is in MPI, too, unless it works meanwhile.
    """
    inside = sum(usage.time_s for name, usage in record.functions.items() if name not in BEGIN_AND_END)
    return (inside + record.polled_s) / max(record.threads, 1)


def _add(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.calls + other.calls,
        one.time_s + other.time_s,
        one.sent_B + other.sent_B,
        one.received_B + other.received_B,
    )
