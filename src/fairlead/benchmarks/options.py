"""Options that subcommands of ``fairlead measure`` share."""

import functools
from collections.abc import Callable
from typing import Any

import click

from fairlead.real_range import RealRange
from fairlead.sizes import Sizes

LARGEST_B = 64 * 1024**2


def until_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """How often and how long: the arguments ``until`` and ``seed``, and ``timeout_s`` of a block."""
    return repeat_options(timeout_option()(target))


def repeat_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """How often: the arguments ``until`` and ``seed``."""

    @functools.wraps(target)
    def with_until(
        *arguments: Any,
        precision_percent: float,
        budget_s: float | None,
        blocks: int,
        exactly: int | None,
        **options: Any,
    ) -> Any:
        from fairlead.benchmarks.measuring.repeat import Until

        if exactly is not None:
            until = Until.exactly(exactly, budget_s)
        else:
            until = Until(precision_percent / 100, Until.budget_s if budget_s is None else budget_s, blocks)
        return target(*arguments, until=until, **options)

    return with_options(
        with_until,
        click.option("--precision", "precision_percent", type=RealRange(min=0, min_open=True), default=5,
                     show_default=True, metavar="PERCENT",
                     help="Stop when the 95 % interval of each median is within this share of it."),
        click.option("--budget", "budget_s", type=RealRange(min=0, min_open=True), metavar="SECONDS",
                     help="Time after which no new block begins.  [default: 60; none with --exactly]"),
        click.option("--blocks", type=click.IntRange(min=2), default=10, show_default=True,
                     help="Minimum number of blocks of each size, unless the budget is spent."),
        click.option("--exactly", type=click.IntRange(min=1), metavar="BLOCKS",
                     help="Number of blocks of each size, instead of --blocks and --precision."),
        click.option("--seed", type=int, default=1, show_default=True, help="Seed for the order of measurements."),
    )  # fmt: skip


def with_options(target: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    """Options in the order in which `--help` shows them."""
    for option in reversed(options):
        target = option(target)
    return target


class Size(Sizes):
    """One message size: "64KiB"."""

    name = "size"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, int):
            return value
        sizes_B = super().convert(value, parameter, context)
        if len(sizes_B) > 1:
            self.fail(f"{value!r} is more than one size", parameter, context)
        return sizes_B[0]


class Names(click.ParamType):
    """Some of the names that are known: "one,both"; "all" are all of them."""

    name = "names"

    def __init__(self, known: Callable[[], tuple[str, ...]]) -> None:
        self._known = known

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        known = self._known()
        chosen = known if value == "all" else tuple(dict.fromkeys(str(value).split(",")))
        if unknown := [each for each in chosen if each not in known]:
            self.fail(f"there is no {unknown[0]!r}; known are {', '.join(known)}", parameter, context)
        return chosen


class IntegerList(click.ParamType):
    """Whole numbers: "1,16"."""

    name = "numbers"

    def __init__(self, least: int = 1, most: int = 1024) -> None:
        self._least, self._most = least, most

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(word.strip().isdecimal() and self._least <= int(word) <= self._most for word in words):
            self.fail(
                f"{value!r} are not numbers from {self._least} to {self._most}; write for example 1,16",
                parameter,
                context,
            )
        return tuple(sorted({int(word) for word in words}))


def _as_pairs(
    context: click.Context, parameter: click.Parameter, value: tuple[str, str] | None
) -> tuple[tuple[str, str], ...]:
    return () if value is None else (value,)


between_option = click.option(
    "--between", nargs=2, metavar="HOST HOST", callback=_as_pairs, help="Two hosts [default: the first two]."
)
between_several_option = click.option(
    "--between",
    nargs=2,
    multiple=True,
    metavar="HOST HOST",
    help="Two hosts. Repeatable: all at the same time [default: the first two].",
)
mpirun_option = click.option("--mpirun", help="mpirun to use, by name or path [default: the cluster file's].")
transport_option = click.option(
    "--transport",
    type=click.Choice(["tcp", "native"]),
    help="Transport of MPI's messages between hosts: TCP, as in managed runs, or the library's own choice "
    "(InfiniBand, where available) [default: tcp].",
)


def mpi_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """Of a benchmark that is an MPI program: the argument ``mpirun``; `benchmark_command` sees to the transport."""
    return with_options(target, mpirun_option, transport_option)


per_host_option = click.option(
    "--per-host", type=click.IntRange(1, 1024), default=1, show_default=True, help="Number of ranks on each host."
)


def timeout_option(part: str = "block") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """When something is hung."""
    return click.option("--timeout", "timeout_s", type=RealRange(min=1), default=60, show_default=True,
                        metavar="SECONDS", help=f"Time after which a {part} counts as hung.")  # fmt: skip


def size_option(flag: str, name: str, default: str, of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One message size; ``of`` says of what."""
    return click.option(flag, name, type=Size(LARGEST_B), default=default, show_default=True, help=of)


def sizes_option(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Message sizes; ``default`` says what the benchmark takes without it."""
    return click.option(
        "--sizes",
        "sizes_B",
        type=Sizes(LARGEST_B),
        help=f"Message sizes; a range has all powers of two  [default: {default}].",
    )


def directions_option(of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One way, or both ways at once."""
    return click.option(
        "--directions",
        type=Names(lambda: ("one", "both")),
        metavar="one|both|one,both",
        default="one",
        show_default=True,
        help=of,
    )


pairs_option = click.option(
    "--pairs",
    type=IntegerList(),
    default="1",
    show_default=True,
    help="Pairs of ranks for each pair of hosts at the same time, for example 1,16.",
)
relaunch_option = click.option(
    "--relaunch",
    is_flag=True,
    help="Start the program again for every round of blocks; each round is a run of its own.",
)
hosts_option = click.option(
    "--host",
    "hosts",
    multiple=True,
    help="Host to measure. Repeatable [default: all compute hosts; the first where they share one machine].",
)
