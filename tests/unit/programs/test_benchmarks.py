"""What is known of the bundled benchmarks before they run: classes, numbers of ranks, memory."""

import re
from pathlib import Path

import pytest

from fairlead.programs import BUNDLED, needs
from fairlead.programs.benchmarks import BENCHMARKS, CLASSES, class_of, multipartition, pencils

NATIVE = Path(__file__).parents[3] / "native" / "workloads"
GIB = 2**30


@pytest.mark.parametrize("program", BENCHMARKS)
def test_classes_are_those_of_the_native_program(program: str) -> None:
    file = next(path for name in ("classes.cpp", "problem.cpp") if (path := NATIVE / program / name).is_file())
    classes = re.findall(r"Problem\{\s*\.name = '(\w)'", file.read_text())
    assert tuple(classes) == CLASSES == tuple(BENCHMARKS[program].sizes)


@pytest.mark.parametrize(
    ("program", "pattern", "numbers"),
    [
        ("sp", r"\.points = (\d+)", 1),
        ("bt", r"\.points = (\d+)", 1),
        ("lu", r"\.points = (\d+)", 1),
        ("cg", r"\.order = (\d+), \.nonzeros = (\d+)", 2),
        ("ft", r"\.nx = (\d+), \.ny = (\d+), \.nz = (\d+)", 3),
    ],
)
def test_sizes_are_those_of_the_native_program(program: str, pattern: str, numbers: int) -> None:
    file = NATIVE / program / ("problem.cpp" if program in ("cg", "ft") else "classes.cpp")
    text = re.sub(r"\s+", " ", file.read_text())
    found = [match.groups() for match in re.finditer(pattern, text)]
    assert [tuple(map(int, each)) for each in found] == list(BENCHMARKS[program].sizes.values())
    assert all(len(size) == numbers for size in BENCHMARKS[program].sizes.values())


@pytest.mark.parametrize(
    ("program", "pattern"),
    [("ep", r"\.exponent = (\d+)"), ("is", r"\.keys_log2 = (\d+), \.key_range_log2 = (\d+), \.buckets_log2 = (\d+)"),
     ("mg", r"\.levels = (\d+)")],
)  # fmt: skip
def test_sizes_given_as_powers_of_two_are_those_of_the_native_program(program: str, pattern: str) -> None:
    text = re.sub(r"\s+", " ", (NATIVE / program / "problem.cpp").read_text())
    found = [tuple(2 ** int(number) for number in match.groups()) for match in re.finditer(pattern, text)]
    assert found == list(BENCHMARKS[program].sizes.values())


def test_tiles_are_those_of_the_native_programs() -> None:
    assert [multipartition(ranks) for ranks in (16, 8, 3, 32, 64)] == [
        *((4, 4, 4), (4, 4, 2), (3, 3, 1), (8, 8, 4), (8, 8, 8)),
    ]
    assert [pencils(ranks) for ranks in (8, 7, 64)] == [(4, 2, 1), (7, 1, 1), (8, 8, 1)]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [(["cg"], "S"), (["cg", "--class", "B"], "B"), (["cg", "--class=W"], "W"), (["cg", "--class"], "")],
)
def test_class_of_a_command(argv: list[str], expected: str) -> None:
    assert class_of(argv) == expected


@pytest.mark.parametrize(
    ("argv", "ranks", "message", "hint"),
    [
        (["bt", "--class", "F"], 4, "bt has no class 'F'", "its classes are S, W, A, B, C, D, E"),
        (
            *(["cg", "--class", "A"], 12, "cg --class A does not run on 12 ranks: the number of ranks must be a"),
            "use 8 or 16 ranks",
        ),
        (["is", "--class", "D"], 2, "is --class D does not run on 2 ranks: the class needs at least 4", "use 4 ranks"),
        (["is", "--class", "E"], 1, "the class needs at least 64 ranks", "use 64 ranks"),
        (["is"], 1024, "is --class S does not run on 1024 ranks: the class has room for 512", "use 512 ranks"),
        (["ft", "--class", "W"], 64, "the class has room for 32 ranks", "use 32 ranks"),
        (["sp"], 7, "a side of 12 points has no room for 7 tiles of 2 points", "use 6 or 8 ranks"),
        (["lu"], 13, "a side of 12 points has no room for 13 tiles", "use 12 or 15 ranks"),
        (["cg"], 10**12, "cg: 1000000000000 ranks cannot run", "use at most 1048576 ranks"),
        (["npb:cg.A"], 10**12, "npb:cg.A: 1000000000000 ranks cannot run", "use at most 1048576 ranks"),
        (["random-traffic"], 1, "random-traffic does not run on 1 rank", "use 2 or more ranks"),
        (["npb:cg.Z"], 4, "'cg.Z' is not a benchmark of NPB", "BENCHMARK.CLASS"),
        (["npb:bt.A"], 8, "bt.A does not run on 8 processes: BT needs a square number", "use -n 4 or -n 9"),
    ],
)
def test_mistakes_are_told_with_the_way_out(argv: list[str], ranks: int, message: str, hint: str) -> None:
    found = needs.mistake(argv, ranks)
    assert found is not None
    assert message in found.message
    assert hint in found.hint
    assert found.of_ranks == ("class 'F'" not in message and "not a benchmark" not in message)


@pytest.mark.parametrize(
    ("argv", "ranks"),
    [(["bt", "--class", "C"], 32), (["sp", "--class", "D"], 64), (["ep"], 7), (["nbody"], 3), (["./of-my-own"], 5),
     (["npb:cg.A"], 8), (["mg"], 64), (["cg"], 1024), (["is", "--class", "E"], 64)],
)  # fmt: skip
def test_what_runs_has_no_mistake(argv: list[str], ranks: int) -> None:
    assert needs.mistake(argv, ranks) is None


def test_programs_that_are_not_here() -> None:
    assert all(needs.missing_here([program]) is None for program in (*BUNDLED, "npb:cg.A", "sh", "/bin/sh"))
    for program in ("no-such-program-of-anybody", "/no/such/program"):
        found = needs.missing_here([program])
        assert found is not None
        assert found.message == f"{program}: there is no such program here"


@pytest.mark.parametrize(
    ("argv", "ranks", "low", "high"),
    [
        (["ft", "--class", "C"], 16, 6 * GIB, 6 * GIB),
        (["ft", "--class", "D"], 64, 96 * GIB, 96 * GIB),
        (["is", "--class", "D"], 64, 33 * GIB, 33 * GIB),
        (["ep", "--class", "E"], 64, 0, 0),
        (["mg", "--class", "D"], 64, 26 * GIB, 27 * GIB),
        (["cg", "--class", "D"], 64, 18 * GIB, 20 * GIB),
        # Without ghost layers 162^3 points of 168, 216 and 368 B.
        (["lu", "--class", "C"], 4, 0.67 * GIB, 0.76 * GIB),
        (["sp", "--class", "C"], 4, 0.86 * GIB, 1.00 * GIB),
        (["bt", "--class", "C"], 4, 1.46 * GIB, 1.70 * GIB),
    ],
)
def test_memory(argv: list[str], ranks: int, low: float, high: float) -> None:
    found = needs.memory_B(argv, ranks)
    assert found is not None
    assert low <= found <= high


def test_memory_is_not_known_of_other_programs_and_of_what_will_not_run() -> None:
    assert needs.memory_B(["./of-my-own"], 4) is None
    assert needs.memory_B(["nbody"], 4) is None
    assert needs.memory_B(["ft", "--class", "F"], 4) is None
    assert needs.memory_B(["ft", "--class", "C"], 3) is None
