"""What each member sends in a collective call: whole matrices of small communicators, and what is moved in all."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from fairlead.profile.analysis.collective_algorithms import _ALGORITHMS, operation_of, sent

FUNCTIONS = Path(__file__).parents[4] / "native" / "interpose" / "functions.toml"
NO_ROOT = -1


def matrices(
    operation: str, size: int, size_B: float, root: int = NO_ROOT
) -> tuple[list[list[int]], list[list[float]]]:
    """Messages and bytes from each member (row) to each."""
    messages, bytes_B = np.zeros((size, size), int), np.zeros((size, size))
    for rank in range(size):
        for to, part_B in sent(operation, rank, size, root, size_B):
            messages[rank, to] += 1
            bytes_B[rank, to] += part_B
    return messages.tolist(), bytes_B.tolist()


def total(operation: str, size: int, size_B: float, root: int = NO_ROOT) -> tuple[int, float]:
    messages, bytes_B = matrices(operation, size, size_B, root)
    return int(np.sum(messages)), float(np.sum(bytes_B))


def test_every_collective_function_has_an_algorithm() -> None:
    table = tomllib.loads(FUNCTIONS.read_text(encoding="utf-8"))
    named = {
        name
        for name, row in table.items()
        if (own := table[row.get("large_count_of", name)])["direction"] == "collective" and own["mode"] != "persistent"
    }
    assert {operation_of(name) for name in named} == set(_ALGORITHMS)
    assert (operation_of("MPI_Iallreduce_c"), operation_of("MPI_Ibarrier")) == ("allreduce", "barrier")


@pytest.mark.parametrize("operation", list(_ALGORITHMS))
@pytest.mark.parametrize("size_B", [8, 1 << 20])
def test_one_member_sends_nothing_and_none_sends_to_itself(operation: str, size_B: int) -> None:
    assert sent(operation, 0, 1, 0, size_B) == ()
    for size in range(2, 18):
        messages, _ = matrices(operation, size, size_B, root=size // 2)
        assert np.trace(messages) == 0


@pytest.mark.parametrize(
    ("size", "messages"),
    [
        (2, [[0, 1], [1, 0]]),
        (3, [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
        (4, [[0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0]]),
    ],
)
def test_a_barrier_disseminates(size: int, messages: list[list[int]]) -> None:
    assert matrices("barrier", size, 0) == (messages, [[0] * size] * size)


@pytest.mark.parametrize(
    ("size", "root", "bytes_B"),
    [
        (2, 1, [[0, 0], [100, 0]]),
        (3, 0, [[0, 100, 100], [0, 0, 0], [0, 0, 0]]),
        (4, 0, [[0, 100, 100, 0], [0, 0, 0, 0], [0, 0, 0, 100], [0, 0, 0, 0]]),
        (4, 3, [[0, 0, 0, 0], [0, 0, 100, 0], [0, 0, 0, 0], [100, 100, 0, 0]]),
    ],
)
def test_a_short_broadcast_goes_down_a_binomial_tree_and_a_reduction_up(
    size: int, root: int, bytes_B: list[list[float]]
) -> None:
    assert matrices("bcast", size, 100, root)[1] == bytes_B
    assert matrices("reduce", size, 100, root)[1] == np.transpose(bytes_B).tolist()


def test_a_broadcast_among_eight() -> None:
    rows = {0: {1: 64, 2: 64, 4: 64}, 2: {3: 64}, 4: {5: 64, 6: 64}, 6: {7: 64}}
    _, bytes_B = matrices("bcast", 8, 64, root=0)
    assert bytes_B == [[rows.get(i, {}).get(j, 0) for j in range(8)] for i in range(8)]


def test_a_long_broadcast_scatters_and_gathers() -> None:
    # Each of the three levels of the tree moves half of the vector; then every member gets the seven parts of others.
    assert total("bcast", 8, 16_384, root=3) == (7 + 24, 3 * 8192 + 7 * 16_384)
    assert total("bcast", 8, 1 << 20, root=3) == (7 + 56, 3 * (1 << 19) + 7 * (1 << 20))  # by a ring
    _, bytes_B = matrices("bcast", 8, 1 << 20, root=0)
    assert bytes_B[7] == [7 << 17, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("size", "root", "bytes_B"),
    [
        (3, 0, [[0, 10, 10], [0, 0, 0], [0, 0, 0]]),
        (4, 0, [[0, 10, 20, 0], [0, 0, 0, 0], [0, 0, 0, 10], [0, 0, 0, 0]]),
        (4, 1, [[0, 0, 0, 0], [0, 0, 10, 20], [0, 0, 0, 0], [10, 0, 0, 0]]),
    ],
)
def test_a_scatter_goes_down_the_tree_with_all_that_is_below_and_a_gather_up(
    size: int, root: int, bytes_B: list[list[float]]
) -> None:
    assert matrices("scatter", size, 10, root)[1] == bytes_B
    assert matrices("gather", size, 10, root)[1] == np.transpose(bytes_B).tolist()


def test_with_counts_the_root_gathers_and_scatters_directly() -> None:
    assert matrices("gatherv", 3, 10, root=1)[1] == [[0, 10, 0], [0, 0, 0], [0, 10, 0]]
    assert matrices("scatterv", 3, 10, root=1)[1] == [[0, 0, 0], [10, 0, 10], [0, 0, 0]]


@pytest.mark.parametrize(
    ("size", "bytes_B"),
    [
        (2, [[0, 10], [10, 0]]),
        (3, [[0, 10, 10], [10, 0, 10], [10, 10, 0]]),  # Bruck: a block to the left, then one to the second on the left
        (4, [[0, 10, 20, 0], [10, 0, 0, 20], [20, 0, 0, 10], [0, 20, 10, 0]]),
    ],
)
def test_a_short_allgather(size: int, bytes_B: list[list[float]]) -> None:
    assert matrices("allgather", size, 10)[1] == bytes_B


def test_a_long_allgather_is_a_ring() -> None:
    assert matrices("allgatherv", 3, 1 << 19)[1] == [[0, 1 << 20, 0], [0, 0, 1 << 20], [1 << 20, 0, 0]]
    assert matrices("allgather", 3, 1 << 19)[0] == [[0, 2, 0], [0, 0, 2], [2, 0, 0]]


def test_an_exchange_is_direct_or_of_packed_blocks() -> None:
    assert matrices("alltoall", 3, 10)[1] == [[0, 10, 10], [10, 0, 10], [10, 10, 0]]
    assert matrices("alltoallv", 2, 10) == ([[0, 1], [1, 0]], [[0, 10], [10, 0]])
    _, bytes_B = matrices("alltoall", 8, 10)  # four of the eight blocks in each of three steps
    assert bytes_B[0] == [0, 40, 40, 0, 40, 0, 0, 0]
    assert matrices("alltoall", 8, 257)[1][5] == [257] * 5 + [0] + [257] * 2


@pytest.mark.parametrize(
    ("size", "bytes_B"),
    [
        (2, [[0, 8], [8, 0]]),
        (3, [[0, 8, 0], [8, 0, 8], [0, 8, 0]]),  # rank 1 takes part for rank 0
        (4, [[0, 8, 8, 0], [8, 0, 0, 8], [8, 0, 0, 8], [0, 8, 8, 0]]),
    ],
)
def test_a_short_allreduce_doubles(size: int, bytes_B: list[list[float]]) -> None:
    assert matrices("allreduce", size, 8)[1] == bytes_B


def test_a_long_allreduce_halves_and_doubles() -> None:
    _, bytes_B = matrices("allreduce", 4, 4096)
    assert bytes_B == [[0, 4096, 2048, 0], [4096, 0, 0, 2048], [2048, 0, 0, 4096], [0, 2048, 4096, 0]]
    assert matrices("allreduce", 8, 8000)[1][0] == [0, 8000, 4000, 0, 2000, 0, 0, 0]


def test_a_long_reduction_halves_and_gathers() -> None:
    messages, bytes_B = matrices("reduce", 4, 4000, root=0)
    assert messages == [[0, 1, 1, 0], [2, 0, 0, 1], [2, 0, 0, 1], [0, 2, 1, 0]]
    assert bytes_B == [[0, 2000, 1000, 0], [4000, 0, 0, 1000], [2000, 0, 0, 2000], [0, 2000, 2000, 0]]
    assert matrices("reduce", 3, 9000, root=1)[1] == [[0, 9000, 0], [0, 0, 4500], [0, 9000, 0]]


def test_a_reduce_scatter_halves_or_goes_to_each() -> None:
    assert matrices("reduce_scatter", 4, 40)[1] == [[0, 10, 20, 0], [10, 0, 0, 20], [20, 0, 0, 10], [0, 20, 10, 0]]
    assert matrices("reduce_scatter_block", 3, 30)[1] == [[0, 30, 0], [10, 0, 10], [0, 20, 0]]
    assert matrices("reduce_scatter", 3, 3 << 19)[1] == [
        [0, 1 << 19, 1 << 19],
        [1 << 19, 0, 1 << 19],
        [1 << 19, 1 << 19, 0],
    ]


def test_a_scan_doubles() -> None:
    assert matrices("scan", 3, 8)[1] == [[0, 8, 8], [8, 0, 0], [8, 0, 0]]
    assert matrices("exscan", 4, 8)[1] == [[0, 8, 8, 0], [8, 0, 0, 8], [8, 0, 0, 8], [0, 8, 8, 0]]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 13, 16])
def test_nothing_is_lost_on_the_way(size: int) -> None:
    """What all send together is what the algorithm has to move."""
    n, p = 9600.0, size
    power = 1 << (p.bit_length() - 1)
    folded = p - power
    assert total("bcast", p, 600, root=p - 1)[1] == (p - 1) * 600
    assert total("reduce", p, 600, root=p - 1)[1] == (p - 1) * 600
    for operation in ("allgather", "allgatherv"):  # everybody gets the blocks of all others
        for block_B in (600, 1 << 20):
            assert total(operation, p, block_B)[1] == p * (p - 1) * block_B
    assert total("alltoall", p, 600)[1] == p * (p - 1) * 600
    assert total("gatherv", p, 600, root=0)[1] == total("scatterv", p, 600, root=0)[1] == (p - 1) * 600
    assert total("gather", p, 600, root=1)[1] == total("scatter", p, 600, root=1)[1]
    assert total("allreduce", p, 600)[1] == 600 * (power * (power.bit_length() - 1) + 2 * folded)
    # Twice the vector without a member's own part, from each of a power of two; the others hand theirs over.
    assert total("allreduce", p, n)[1] == pytest.approx(2 * n * (power - 1) + 2 * folded * n)
    gathered_B = n / 2 * (power.bit_length() - 1)
    assert total("reduce", p, n, root=1)[1] == pytest.approx(n * (power - 1) + folded * n + gathered_B)
    if folded == 0:
        assert total("reduce_scatter", p, n)[1] == pytest.approx((p - 1) * n)


def test_a_broadcast_reaches_everybody_once() -> None:
    for size in range(2, 20):
        messages, _ = matrices("bcast", size, 1, root=size // 3)
        received = np.sum(messages, axis=0).tolist()
        assert received == [0 if rank == size // 3 else 1 for rank in range(size)]
