"""The bundled programs after the NAS Parallel Benchmarks: classes, ranks, memory.

The programs decide this themselves (native/workloads). It stands here, too, so that a plan's rows are judged before
anything is started. Sizes: NPB 3.4, sys/setparams.c.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

CLASSES = ("S", "W", "A", "B", "C", "D", "E")
DEFAULT_CLASS = "S"
_LEAST_TILE = 2  # points a side that sp, bt and lu need of each tile
_GHOST_LAYERS = 2
_RANK_KEYS = 2**29  # most keys of is that one rank takes

Size = tuple[int, ...]
Tiles = tuple[int, int, int]


@dataclass(frozen=True)
class BenchmarkProgram:
    """One program.

    Attributes:
        sizes: by class, in the program's own numbers.
        refusal: why a size does not run on so many ranks, in words; None: it does.
        memory_B: what all ranks together take of a size, without what the MPI library takes.
    """

    sizes: Mapping[str, Size]
    refusal: Callable[[Size, int], str | None]
    memory_B: Callable[[Size, int], int]


def class_of(argv: Sequence[str]) -> str:
    """The class that a command names: ``--class X`` or ``--class=X``; without, the programs' own default."""
    found = DEFAULT_CLASS
    for word, after in zip(argv, [*argv[1:], ""], strict=True):
        if word == "--class":
            found = after
        elif word.startswith("--class="):
            found = word.removeprefix("--class=")
    return found


def multipartition(ranks: int) -> Tiles:
    """Tiles along x, y and z of sp and bt (native/workloads/flow/partition.hpp)."""
    n = max(side for side in range(1, math.isqrt(ranks) + 1) if ranks % side**2 == 0)
    return ranks // n, ranks // n, n


def pencils(ranks: int) -> Tiles:
    """Tiles along x, y and z of lu (native/workloads/flow/partition.hpp)."""
    rows = max(side for side in range(1, math.isqrt(ranks) + 1) if ranks % side == 0)
    return ranks // rows, rows, 1


def _power_of_two(ranks: int, most: int, least: int = 1) -> str | None:
    if ranks & (ranks - 1):
        return "the number of ranks must be a power of two"
    if ranks < least:
        return f"the class needs at least {least} ranks"
    return None if ranks <= most else f"the class has room for {most} ranks"


def _of_classes(*sizes: Size) -> dict[str, Size]:
    return dict(zip(CLASSES, sizes, strict=True))


def _cg() -> BenchmarkProgram:
    """Sizes: rows, non-zeros that are drawn for a generating vector."""

    def refusal(size: Size, ranks: int) -> str | None:
        columns = ranks // 2 ** ((ranks.bit_length() - 1) // 2)
        return _power_of_two(ranks, ranks if columns <= size[0] else size[0])

    def memory_B(size: Size, ranks: int) -> int:  # the products of the vectors, while they become the matrix
        return 28 * size[0] * (size[1] + 1) ** 2

    sizes = _of_classes(
        *((1400, 7), (7000, 8), (14000, 11), (75000, 13), (150000, 15), (1500000, 21), (9000000, 26)),
    )
    return BenchmarkProgram(sizes, refusal, memory_B)


def _ep() -> BenchmarkProgram:
    """Sizes: pairs drawn."""
    sizes = _of_classes(*((2**exponent,) for exponent in (24, 25, 28, 30, 32, 36, 40)))
    return BenchmarkProgram(sizes, lambda size, ranks: None, lambda size, ranks: 0)


def _is() -> BenchmarkProgram:
    """Sizes: keys, their range, buckets."""

    def refusal(size: Size, ranks: int) -> str | None:
        return _power_of_two(ranks, size[2], max(1, size[0] // _RANK_KEYS))

    def memory_B(size: Size, ranks: int) -> int:  # keys: drawn, by bucket, received, in order; places of all values
        return 16 * size[0] + 8 * size[1]

    exponents = ((16, 11, 9), (20, 16, 10), (23, 19, 10), (25, 21, 10), (27, 23, 10), (31, 27, 10), (35, 31, 10))
    return BenchmarkProgram(
        _of_classes(*(tuple(2**number for number in each) for each in exponents)), refusal, memory_B
    )


def _ft() -> BenchmarkProgram:
    """Sizes: points along x, y and z."""

    def refusal(size: Size, ranks: int) -> str | None:
        return _power_of_two(ranks, min(size[1:]))

    def memory_B(size: Size, ranks: int) -> int:  # the field, its spectrum, what is exchanged: complex numbers
        return 3 * 16 * math.prod(size)

    sizes = _of_classes(
        *((64, 64, 64), (128, 128, 32), (256, 256, 128), (512, 256, 256), (512, 512, 512)),
        *((2048, 1024, 1024), (4096, 2048, 2048)),
    )
    return BenchmarkProgram(sizes, refusal, memory_B)


def _mg() -> BenchmarkProgram:
    """Sizes: points a side."""

    def refusal(size: Size, ranks: int) -> str | None:
        return _power_of_two(ranks, size[0] ** 3)

    def memory_B(size: Size, ranks: int) -> int:  # the right-hand side, and two fields on levels of an eighth each
        return 8 * size[0] ** 3 * (7 + 2 * 8) // 7

    return BenchmarkProgram(_of_classes((32,), (128,), (256,), (256,), (512,), (1024,), (2048,)), refusal, memory_B)


def _flow(tiles_of: Callable[[int], Tiles], factors: int, *sides: int) -> BenchmarkProgram:
    """Sizes: points a side. ``factors``: numbers a point that a line solve keeps."""

    def refusal(size: Size, ranks: int) -> str | None:
        most = max(tiles_of(ranks))
        if size[0] // most >= _LEAST_TILE:
            return None
        return f"a side of {size[0]} points has no room for {most} tiles of {_LEAST_TILE} points"

    def memory_B(size: Size, ranks: int) -> int:
        # Three states of five numbers, and six numbers that follow from the first.
        point_B = 8 * (3 * 5 + 6 + factors)
        tiles = tiles_of(ranks)
        stored = math.prod(math.ceil(size[0] / count) + 2 * _GHOST_LAYERS for count in tiles)
        return math.prod(tiles) * stored * point_B

    return BenchmarkProgram(_of_classes(*((side,) for side in sides)), refusal, memory_B)


BENCHMARKS: Mapping[str, BenchmarkProgram] = {
    "cg": _cg(),
    "ep": _ep(),
    "is": _is(),
    "ft": _ft(),
    "mg": _mg(),
    "sp": _flow(multipartition, 6, 12, 36, 64, 102, 162, 408, 1020),
    "bt": _flow(multipartition, 25, 12, 24, 64, 102, 162, 408, 1020),
    "lu": _flow(pencils, 0, 12, 33, 64, 102, 162, 408, 1020),
}
