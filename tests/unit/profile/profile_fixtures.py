"""Records of ranks as their tests need them."""

from datetime import UTC, datetime

import numpy as np

from fairlead.profile.record import SIZE_CLASSES, Messages, Record, SizeHistogram, Usage

BEGUN = datetime(2026, 11, 22, tzinfo=UTC)


def a_record(rank: int, sent_B: list[int], *, mpi_s: float, ranks: int = 3, time_s: float = 10.0) -> Record:
    """A rank that sent one message to each rank that it sent bytes to."""
    numbers = np.array([*(1 if size else 0 for size in sent_B), 0], np.uint64)
    nothing = np.zeros(ranks + 1, np.uint64)
    sizes = np.zeros(SIZE_CLASSES, np.uint64)
    for size in sent_B:
        sizes[size.bit_length()] += 1 if size else 0
    return Record(
        source="x", pid=100 + rank, host=f"node{rank}", program="p", library="Some MPI 1.0\nmore", opened=BEGUN,
        state="finalized", rank=rank, ranks=ranks, time_s=time_s, threads=1,
        functions={
            "MPI_Init": Usage(1, 5.0, 0, 0),
            "MPI_Send": Usage(sum(1 for size in sent_B if size), mpi_s, sum(sent_B), 0),
        },
        messages=Messages(numbers, np.array([*sent_B, 0], np.uint64), nothing, nothing),
        sizes=SizeHistogram(sizes, sizes * 0, sizes * 0),
    )  # fmt: skip


def three_ranks() -> list[Record]:
    return [
        a_record(0, [0, 1000, 0], mpi_s=1.0),
        a_record(1, [0, 0, 5000], mpi_s=4.0),
        a_record(2, [70, 0, 0], mpi_s=7.0),
    ]
