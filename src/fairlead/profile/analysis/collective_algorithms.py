"""What a member of a communicator sends in a collective call, by the algorithm that MPI libraries usually take. Pure.

Algorithms, and the sizes that choose between them, are those of R. Thakur, R. Rabenseifner, W. Gropp: Optimization of
Collective Communication Operations in MPICH, IJHPCA 19(1), 2005; the barrier is that of D. Hensgen, R. Finkel, U.
Manber: Two Algorithms for Barrier Synchronization, IJPP 17(1), 1988. Libraries may take others, by their version and
where the ranks run. Calls with a count for each rank are taken to give every rank the same.

Numbers of members are those of the communicator; sizes are in bytes, and parts of a vector need not be whole ones.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

SHORT_B = 2048  # of a vector that is reduced: up to this it goes as a whole
SHORT_BCAST_B = 12 * 1024
MEDIUM_BCAST_B = 512 * 1024
FEW = 8  # members: a vector is not divided among fewer in a broadcast, nor blocks packed together in an exchange
SHORT_BLOCK_B = 256  # of an all-to-all exchange: up to this blocks are packed together
SHORT_ALLGATHER_B = 80 * 1024  # all blocks together
MEDIUM_ALLGATHER_B = 512 * 1024
MEDIUM_REDUCE_SCATTER_B = 512 * 1024

Sent = tuple[tuple[int, float], ...]
"""Messages of one call: the member that each goes to, and its size in bytes."""


def operation_of(function: str) -> str:
    """For example "allreduce" of MPI_Iallreduce_c."""
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    return name if name in _ALGORITHMS else name.removeprefix("i")


@lru_cache(maxsize=4096)
def sent(operation: str, rank: int, size: int, root: int, size_B: float) -> Sent:
    """What a member sends in one call, in this order.

    Args:
        operation: as `operation_of` calls it.
        rank: the member.
        size: of the communicator.
        root: negative where there is none.
        size_B: of the block for, or of, each rank, where blocks are gathered, scattered or exchanged; else of the whole
            vector.
    """
    return tuple(_ALGORITHMS[operation](rank, size, root, size_B)) if size > 1 else ()


def _barrier(rank: int, size: int, _root: int, _size_B: float) -> Sequence[tuple[int, float]]:
    """Dissemination."""
    return [((rank + step) % size, 0.0) for step in _powers(size)]


def _bcast(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Binomial tree; of a long vector a scatter, and an allgather of its parts."""
    place = (rank - root) % size
    if size_B < SHORT_BCAST_B or size < FEW:
        return [((rank + step) % size, size_B) for step in _children(place, size)]
    doubling = size_B < MEDIUM_BCAST_B and _is_power(size)
    gathered = (_doubling if doubling else _ring)(place, size, size_B / size)
    return [*_scatter(rank, size, root, size_B / size), *(((to + root) % size, part_B) for to, part_B in gathered)]


def _scatter(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Binomial tree: to each child what is for it and its descendants."""
    place = (rank - root) % size
    return [((rank + step) % size, min(step, size - place - step) * size_B) for step in _children(place, size)]


def _gather(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """The same tree upwards."""
    place = (rank - root) % size
    below = place & -place
    return [((rank - below) % size, min(below, size - place) * size_B)] if place else []


def _scatterv(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """From the root to each."""
    return _direct(rank, size, root, size_B) if rank == root else []


def _gatherv(rank: int, _size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """From each to the root."""
    return [(root, size_B)] if rank != root else []


def _allgather(rank: int, size: int, _root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Recursive doubling, or Bruck's algorithm where that does not go; of much data a ring."""
    if _is_power(size) and size * size_B < MEDIUM_ALLGATHER_B:
        return _doubling(rank, size, size_B)
    if size * size_B < SHORT_ALLGATHER_B:
        return [((rank - step) % size, min(step, size - step) * size_B) for step in _powers(size)]
    return _ring(rank, size, size_B)


def _alltoall(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """To each directly; short blocks by Bruck's algorithm."""
    if size_B > SHORT_BLOCK_B or size < FEW:
        return _direct(rank, size, root, size_B)
    return [((rank + step) % size, sum(1 for block in range(size) if block & step) * size_B) for step in _powers(size)]


def _direct(rank: int, size: int, _root: int, size_B: float) -> Sequence[tuple[int, float]]:
    return [((rank + step) % size, size_B) for step in range(1, size)]


def _allreduce(rank: int, size: int, _root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Recursive doubling; of a long vector a reduce-scatter and an allgather (Rabenseifner).

    The ranks beyond a power of two have a neighbour take part for them.
    """
    power = _power_within(size)
    folded = size - power
    if rank < 2 * folded and rank % 2 == 0:
        return [(rank + 1, size_B)]
    place = rank // 2 if rank < 2 * folded else rank - folded
    exchanged: list[tuple[int, float]]
    if size_B <= SHORT_B:
        exchanged = [(place ^ step, size_B) for step in _powers(power)]
    else:
        exchanged = [(place ^ step, size_B / (2 * step)) for step in _powers(power)]
        exchanged += reversed(exchanged)
    messages = [(2 * to + 1 if to < folded else to + folded, part_B) for to, part_B in exchanged]
    return [*messages, (rank - 1, size_B)] if rank < 2 * folded else messages


def _reduce(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Binomial tree; of a long vector a reduce-scatter and a gather (Rabenseifner)."""
    if size_B <= SHORT_B:
        place = (rank - root) % size
        return [((rank - (place & -place)) % size, size_B)] if place else []
    power = _power_within(size)
    folded = size - power

    def member(place: int) -> int:
        """Of each two that are folded the second leaves, but for the root."""
        return 2 * place + (root == 2 * place + 1) if place < folded else place + folded

    place = rank // 2 if rank < 2 * folded else rank - folded
    if member(place) != rank:
        return [(member(place), size_B)]
    root_place = root // 2 if root < 2 * folded else root - folded
    messages = [(member(place ^ step), size_B / (2 * step)) for step in _powers(power)]
    gathered_B = size_B / power
    for step in reversed(_powers(power)):
        if (place ^ root_place) & step:
            return [*messages, (member(place ^ step), gathered_B)]
        gathered_B *= 2
    return messages


def _reduce_scatter(rank: int, size: int, root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Recursive halving; of a long vector to each directly."""
    if size_B >= MEDIUM_REDUCE_SCATTER_B:
        return _direct(rank, size, root, size_B / size)
    power = _power_within(size)
    folded = size - power
    if rank < 2 * folded and rank % 2 == 0:
        return [(rank + 1, size_B)]
    place = rank // 2 if rank < 2 * folded else rank - folded

    def blocks(first: int, number: int) -> int:
        """Of the members that so many places stand for."""
        return number + max(min(first + number, folded) - first, 0)

    messages = []
    for step in reversed(_powers(power)):
        to = place ^ step
        part_B = blocks(to // step * step, step) * size_B / size
        messages.append((2 * to + 1 if to < folded else to + folded, part_B))
    return [*messages, (rank - 1, size_B / size)] if rank < 2 * folded else messages


def _scan(rank: int, size: int, _root: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Recursive doubling."""
    return [(rank ^ step, size_B) for step in _powers(size) if rank ^ step < size]


def _doubling(rank: int, size: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Allgather among a power of two."""
    return [(rank ^ step, step * size_B) for step in _powers(size)]


def _ring(rank: int, size: int, size_B: float) -> Sequence[tuple[int, float]]:
    """Allgather: each block once around."""
    return [((rank + 1) % size, size_B)] * (size - 1)


def _powers(size: int) -> list[int]:
    """Powers of two below a number."""
    return [1 << bit for bit in range((size - 1).bit_length())]


def _children(place: int, size: int) -> list[int]:
    """Of a place in a binomial tree with place 0 at its root: how far its children are, those with most below first."""
    below = place & -place or size
    return [step for step in reversed(_powers(size)) if step < below and place + step < size]


def _is_power(size: int) -> bool:
    return size & (size - 1) == 0


def _power_within(size: int) -> int:
    return 1 << (size.bit_length() - 1)


_ALGORITHMS: dict[str, Callable[[int, int, int, float], Sequence[tuple[int, float]]]] = {
    "barrier": _barrier, "bcast": _bcast, "scatter": _scatter, "scatterv": _scatterv, "gather": _gather,
    "gatherv": _gatherv, "allgather": _allgather, "allgatherv": _allgather, "alltoall": _alltoall,
    "alltoallv": _direct, "alltoallw": _direct, "allreduce": _allreduce, "reduce": _reduce,
    "reduce_scatter": _reduce_scatter, "reduce_scatter_block": _reduce_scatter, "scan": _scan, "exscan": _scan,
}  # fmt: skip
