"""What is known of a program before it starts: whether its class and number of ranks can be, and its memory."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead import native
from fairlead.cluster.description import MOST_RANKS
from fairlead.errors import ConfigError, MissingToolError
from fairlead.programs import BUNDLED, npb, workloads
from fairlead.programs.benchmarks import BENCHMARKS, BenchmarkProgram, Size, class_of

_MOST_LEAST_RANKS = 64  # is in class E needs so many, and no program more


@dataclass(frozen=True)
class Mistake:
    """Why a program will not run, and the way out.

    Attributes:
        of_ranks: it is the number of ranks; else the command.
    """

    message: str
    hint: str
    of_ranks: bool = False


def mistake(argv: Sequence[str], ranks: int) -> Mistake | None:
    """What is known to be wrong with a command and its number of ranks; None: nothing.

    Only bundled programs and those of added suites are known; no program has more than `MOST_RANKS`.
    """
    program = argv[0]
    if ranks > MOST_RANKS:
        return Mistake(f"{program}: {ranks} ranks cannot run", f"use at most {MOST_RANKS} ranks", of_ranks=True)
    if workloads.is_workload(program):
        return _of_suite(program, ranks)
    if program == "random-traffic" and ranks < 2:
        return Mistake(
            "random-traffic does not run on 1 rank: it needs a partner", "use 2 or more ranks", of_ranks=True
        )
    benchmark = BENCHMARKS.get(program)
    if benchmark is None:
        return None
    name = class_of(argv)
    size = benchmark.sizes.get(name)
    if size is None:
        return Mistake(f"{program} has no class {name!r}", f"its classes are {', '.join(benchmark.sizes)}")
    refusal = benchmark.refusal(size, ranks)
    if refusal is None:
        return None
    takes = _near(ranks, lambda number: benchmark.refusal(size, number) is None)
    return Mistake(f"{program} --class {name} does not run on {ranks} ranks: {refusal}", takes, of_ranks=True)


def missing_here(argv: Sequence[str]) -> Mistake | None:
    """Whether a command's program is not on this machine."""
    program = argv[0]
    if program in BUNDLED or workloads.is_workload(program):
        return None
    if Path(program).is_file() if "/" in program else shutil.which(program):
        return None
    return Mistake(
        f"{program}: there is no such program here",
        f"give its path, or a bundled program: {', '.join(BUNDLED)}",
    )


def not_built(argv: Sequence[str]) -> Mistake | None:
    """Whether a bundled program is not there, as in a source tree in which only `make demo` was run."""
    program = argv[0]
    if program not in BUNDLED:
        return None
    try:
        if not native.is_part() or native.was_built(program):
            return None
    except MissingToolError as error:
        return Mistake(error.message, error.hint)
    return Mistake(f"{program} was not built: `make demo` builds only what it needs", native.THE_REST)


def memory_B(argv: Sequence[str], ranks: int) -> int | None:
    """What all ranks of a program take together, without the MPI library; None: not known, or it will not run."""
    found = _benchmark(argv)
    if found is None or mistake(argv, ranks) is not None:
        return None
    benchmark, size = found
    return benchmark.memory_B(size, ranks)


def describe(argv: Sequence[str], ranks: int) -> str:
    """For people: "ft --class C on 64 ranks"."""
    return f"{' '.join(argv)} on {ranks} {'rank' if ranks == 1 else 'ranks'}"


def _benchmark(argv: Sequence[str]) -> tuple[BenchmarkProgram, Size] | None:
    benchmark = BENCHMARKS.get(argv[0])
    size = benchmark.sizes.get(class_of(argv)) if benchmark else None
    return (benchmark, size) if benchmark and size else None


def _of_suite(program: str, ranks: int) -> Mistake | None:
    try:
        known = npb.NpbProgram.parse(program.partition(":")[2])
    except ConfigError as error:
        return Mistake(error.message, error.hint)
    try:
        npb.check_ranks(known, ranks)
    except ConfigError as error:
        return Mistake(error.message, error.hint, of_ranks=True)
    return None


def _near(ranks: int, runs: Callable[[int], bool]) -> str:
    """The nearest numbers that a program runs on, in words."""
    below = next((number for number in range(ranks - 1, 0, -1) if runs(number)), None)
    above = next((number for number in range(ranks + 1, max(4 * ranks, _MOST_LEAST_RANKS) + 1) if runs(number)), None)
    near = [str(number) for number in (below, above) if number]
    return f"use {' or '.join(near)} ranks" if near else "use another class"
