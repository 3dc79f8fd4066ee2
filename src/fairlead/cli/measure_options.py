"""What the subcommands of ``fairlead measure`` share: options, where results go, the store and the page."""

import functools
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from fairlead.cli.sizes import Sizes

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster, Transport
    from fairlead.errors import FairleadError
    from fairlead.progress import Progress
    from fairlead.store import Store

LARGEST_B = 64 * 1024**2
PATH = click.Path(path_type=Path)


@dataclass(frozen=True)
class Output:
    """Where results go."""

    results: Path
    page: Path | None
    figures: Path | None
    prices: Path | None


@dataclass(frozen=True)
class Asked:
    """A benchmark with its settings, ready to start.

    Attributes:
        lasts_s: about how long it takes, at most where it has a budget; infinite where the cluster decides.
        at_least: it is known only how long it takes at least.
    """

    lasts_s: float
    measure: "Callable[[Cluster, Store, Progress], object]"
    at_least: bool = False

    def over(self, transport: "Transport") -> "Asked":
        """The same, with messages between hosts carried so."""

        def measure(cluster: "Cluster", store: "Store", progress: "Progress") -> object:
            return self.measure(cluster.with_transport(transport), store, progress)

        return replace(self, measure=measure)


class Benchmark(Protocol):
    """A module of `fairlead.measure.benchmarks`."""

    @property
    def Settings(self) -> Callable[..., Any]: ...

    def measure(self, cluster: "Cluster", store: "Store", settings: Any, progress: "Progress", /) -> int: ...


def asked(benchmark: Benchmark, options: dict[str, Any]) -> Asked:
    """A benchmark with the options that were given; the others are its own defaults."""
    settings = benchmark.Settings(**given(options))
    return Asked(
        settings.lasts_s(), lambda cluster, store, progress: benchmark.measure(cluster, store, settings, progress)
    )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Options without those that were left away and have no default on the command line."""
    return {name: value for name, value in options.items() if value is not None}


OUTPUT_OPTIONS = ("results", "output", "figures", "prices")


class BenchmarkCommand(click.Command):
    """A subcommand whose options say what is asked for: done at once, or as a step of a plan."""

    prepare: Callable[..., Asked]


def benchmark_command(name: str) -> Callable[[Callable[..., Asked]], BenchmarkCommand]:
    """A subcommand from a function that makes of its options what is asked for."""

    def of(prepare: Callable[..., Asked]) -> BenchmarkCommand:
        def prepared(transport: "Transport | None" = None, **options: Any) -> Asked:
            asked_for = prepare(**options)
            return asked_for if transport is None else asked_for.over(transport)

        @output_options
        @click.pass_obj
        @functools.wraps(prepare)
        def at_once(cluster_file: Path, output: Output, **options: Any) -> None:
            asked_for = prepared(**options)
            lasts_s, at_least = asked_for.lasts_s, asked_for.at_least
            with measuring(cluster_file, output, lasts_s, at_least=at_least) as (cluster, store, progress):
                asked_for.measure(cluster, store, progress)

        command = click.command(name, cls=BenchmarkCommand)(at_once)
        command.prepare = prepared
        command.params.sort(key=lambda each: each.name in OUTPUT_OPTIONS)  # those of all commands come last
        return command

    return of


def output_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """Where results go: the argument ``output``."""

    @functools.wraps(target)
    def with_output(
        *arguments: Any, results: Path, output: Path | None, figures: Path | None, prices: Path | None, **options: Any
    ) -> Any:
        return target(*arguments, output=Output(results, output, figures, prices), **options)

    return _with_options(
        with_output,
        click.option("--results", default="results", show_default=True, type=PATH, help="Results directory."),
        click.option("--output", type=PATH, help="The page.  [default: RESULTS/benchmarks.html]"),
        click.option("--figures", type=PATH, help="Also write the page's figures there (SVG, PNG, CSV)."),
        click.option(
            "--prices", type=PATH, help="Price book: say what it costs before it starts, and what money buys."
        ),
    )


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
        from fairlead.measure.benchmarks.repeat import Until

        if exactly is not None:
            until = Until.exactly(exactly, budget_s)
        else:
            until = Until(precision_percent / 100, Until.budget_s if budget_s is None else budget_s, blocks)
        return target(*arguments, until=until, **options)

    return _with_options(
        with_until,
        click.option("--precision", "precision_percent", type=click.FloatRange(min=0, min_open=True), default=5,
                     show_default=True, metavar="PERCENT",
                     help="Stop when the 95 % interval of each median lies within that of it."),
        click.option("--budget", "budget_s", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                     help="No block begins after that.  [default: 60; none with --exactly]"),
        click.option("--blocks", type=click.IntRange(min=2), default=10, show_default=True,
                     help="Blocks of each size at least, unless the budget is over."),
        click.option("--exactly", type=click.IntRange(min=1), metavar="BLOCKS",
                     help="So many blocks of each size, instead of --blocks and --precision."),
        click.option("--seed", type=int, default=1, show_default=True, help="Of the order of measurements."),
    )  # fmt: skip


def _with_options(target: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
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


class Numbers(click.ParamType):
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
        if not all(word.strip().isdigit() and self._least <= int(word) <= self._most for word in words):
            self.fail(
                f"{value!r} are no numbers from {self._least} to {self._most}; write for example 1,16",
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
mpirun_option = click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
transport_option = click.option(
    "--transport",
    type=click.Choice(["tcp", "native"]),
    help="What carries MPI's messages between hosts: TCP, as in managed runs, or what the library chooses by itself "
    "(InfiniBand, where there is) [default: tcp].",
)


def mpi_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """Of a benchmark that is an MPI program: the argument ``mpirun``; `benchmark_command` sees to the transport."""
    return _with_options(target, mpirun_option, transport_option)


per_host_option = click.option(
    "--per-host", type=click.IntRange(1, 1024), default=1, show_default=True, help="Ranks on each host."
)


def timeout_option(default_s: float = 60, part: str = "block") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """When something is hung."""
    return click.option("--timeout", "timeout_s", type=click.FloatRange(min=1), default=default_s, show_default=True,
                        metavar="SECONDS", help=f"A {part} that takes longer is taken for hung.")  # fmt: skip


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


class Lost:
    """Benchmarks among others that could not be measured; each is told. One whose device is missing is none of them."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def __call__(self, name: str, error: "FairleadError") -> None:
        from fairlead.errors import MissingDeviceError

        if isinstance(error, MissingDeviceError):
            click.echo(f"fairlead: {name} is left out: {error}", err=True)
            return
        self._names.append(name)
        click.echo(f"fairlead: {name}: {error}", err=True)

    def exit_code(self) -> int:
        """Of the command."""
        return 1 if self._names else 0


@contextmanager
def measuring(
    cluster_file: Path, output: Output, lasts_s: float, *, at_least: bool = False
) -> "Iterator[tuple[Cluster, Store, Progress]]":
    """Opens the store for a measurement, and makes the page when it is over.

    Args:
        lasts_s: about (or ``at_least``) how long it takes, for its price; infinite: not known.
    """
    from fairlead.cli.characterize import progress_on
    from fairlead.cluster.description import Cluster
    from fairlead.store import Store

    cluster = Cluster.load(cluster_file)
    if output.prices is not None:
        click.echo(cost(cluster, output.prices, lasts_s, at_least=at_least), err=True)
    with Store.open(output.results) as store, progress_on(sys.stderr) as progress:
        yield cluster, store, progress
    show(output)


def show(output: Output) -> None:
    """Print what there is now, and write its page."""
    from fairlead.report import make

    page = output.page or output.results / "benchmarks.html"
    for path in make.benchmarks([output.results], page, prices=output.prices, figures=output.figures):
        click.echo(path)


def cost(cluster: "Cluster", prices: Path, lasts_s: float, *, at_least: bool = False) -> str:
    """What the measurement will cost, in words.

    Raises:
        ConfigError: the book does not know the cluster, or another number of hosts.
    """
    from fairlead.display import words
    from fairlead.errors import ConfigError
    from fairlead.prices.book import load

    price = load(prices).price(cluster.name)
    if price is None:
        raise ConfigError(f"{prices}: there is no [systems.{cluster.name}]", hint="add it, or leave --prices away")
    hosts = len(cluster.compute_hosts())
    if price.hosts != hosts:
        raise ConfigError(
            f"{prices}: systems.{cluster.name}.hosts: the cluster file has {words.count(hosts, 'compute host')}, the "
            f"book {price.hosts}"
        )
    hourly = words.significant(price.per_hour)
    if math.isinf(lasts_s):
        return f"costs {hourly} {price.currency} an hour: {words.count(hosts, 'host')}, for as long as it takes"
    about, amount = "at least" if at_least else "about", words.significant(price.of_seconds(lasts_s), 2)
    return (
        f"costs {about} {amount} {price.currency}: {words.duration(lasts_s)} of {words.count(hosts, 'host')} at "
        f"{hourly} {price.currency} an hour"
    )
