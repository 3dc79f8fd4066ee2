"""What the subcommands of ``fairlead measure`` share: options, where results go, the store and the page."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli.sizes import Sizes

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.measure.benchmarks.repeat import Until
    from fairlead.measure.samples import Progress
    from fairlead.store import Store

LARGEST_B = 64 * 1024**2
PATH = click.Path(path_type=Path)
between_option = click.option("--between", nargs=2, metavar="HOST HOST", help="Two hosts [default: the first two].")
mpirun_option = click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")


@dataclass(frozen=True)
class Output:
    """Where results go."""

    results: Path
    page: Path | None
    figures: Path | None
    prices: Path | None


def output_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """``--results``, ``--output``, ``--figures``: see `output_of`."""
    for option in (
        click.option(
            "--prices", type=PATH, help="Price book: say what it costs before it starts, and what money buys."
        ),
        click.option("--figures", type=PATH, help="Also write the page's figures there (SVG, PNG, CSV)."),
        click.option("--output", type=PATH, help="The page.  [default: RESULTS/benchmarks.html]"),
        click.option("--results", default="results", show_default=True, type=PATH, help="Results directory."),
    ):
        target = option(target)
    return target


def until_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """How often and how long: see `until_of`."""
    for option in (
        click.option("--seed", type=int, default=1, show_default=True, help="Of the order of measurements."),
        click.option("--timeout", "timeout_s", type=click.FloatRange(min=1), default=60, show_default=True,
                     metavar="SECONDS", help="A block that takes longer is taken for hung."),
        click.option("--blocks", type=click.IntRange(min=2), default=10, show_default=True,
                     help="Blocks of each size at least, unless the budget is over."),
        click.option("--budget", "budget_s", type=click.FloatRange(min=0, min_open=True), default=60,
                     show_default=True, metavar="SECONDS", help="No block begins after that."),
        click.option("--within", "within_percent", type=click.FloatRange(min=0, min_open=True), default=5,
                     show_default=True, metavar="PERCENT",
                     help="Stop when the 95 % interval of each median lies within that of it."),
    ):  # fmt: skip
        target = option(target)
    return target


def pair_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """Which hosts, how many ranks, which sizes."""
    for option in (
        click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's]."),
        click.option("--pairs", type=Numbers(), default="1", show_default=True,
                     help="Pairs of ranks for each pair of hosts at once, for example 1,16."),
        click.option("--between", nargs=2, multiple=True, metavar="HOST HOST",
                     help="Two hosts. Repeatable: all at the same time [default: the first two]."),
        click.option("--sizes", "sizes_B", type=Sizes(LARGEST_B), default="1..4MiB", show_default=True,
                     help="Message sizes; a range has all powers of two."),
    ):  # fmt: skip
        target = option(target)
    return target


class Numbers(click.ParamType):
    """Whole numbers: "1,16"."""

    name = "numbers"

    def __init__(self, least: int = 1) -> None:
        self._least = least

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(word.strip().isdigit() and self._least <= int(word) <= 1024 for word in words):
            self.fail(
                f"{value!r} are no numbers from {self._least} to 1024; write for example 1,16", parameter, context
            )
        return tuple(sorted({int(word) for word in words}))


def until_of(options: dict[str, Any]) -> "Until":
    """When to stop; takes its options away from the others."""
    from fairlead.measure.benchmarks.repeat import Until

    within, budget_s = options.pop("within_percent") / 100, options.pop("budget_s")
    return Until(within=within, budget_s=budget_s, least=options.pop("blocks"))


def output_of(options: dict[str, Any]) -> Output:
    """Where results go; takes its options away from the others."""
    return Output(*(options.pop(name) for name in ("results", "output", "figures", "prices")))


@contextmanager
def measuring(cluster_file: Path, output: Output, lasts_s: float) -> "Iterator[tuple[Cluster, Store, Progress]]":
    """Opens the store for a measurement, and makes the page when it is over.

    Args:
        lasts_s: about how long it takes, for its price.
    """
    from fairlead.cli.characterize import progress_on
    from fairlead.cluster.description import Cluster
    from fairlead.store import Store

    cluster = Cluster.load(cluster_file)
    if output.prices is not None:
        click.echo(_cost(cluster, output.prices, lasts_s), err=True)
    with Store.open(output.results) as store, progress_on(sys.stderr) as progress:
        yield cluster, store, progress
    show(output)


def show(output: Output) -> None:
    """Print what there is now, and write its page."""
    from fairlead.report import make

    page = output.page or output.results / "benchmarks.html"
    for path in make.benchmarks([output.results], page, prices=output.prices, figures=output.figures):
        click.echo(path)


def _cost(cluster: "Cluster", prices: Path, lasts_s: float) -> str:
    """What the measurement will cost, in words.

    Raises:
        ConfigError: the book does not know the cluster, or another number of hosts.
    """
    from fairlead.display import words
    from fairlead.errors import ConfigError
    from fairlead.measure.prices import load

    price = load(prices).price(cluster.name)
    if price is None:
        raise ConfigError(f"{prices}: there is no [systems.{cluster.name}]", hint="add it, or leave --prices away")
    hosts = len(cluster.compute_hosts())
    if price.hosts != hosts:
        raise ConfigError(
            f"{prices}: systems.{cluster.name}.hosts: the cluster file has {words.count(hosts, 'compute host')}, the "
            f"book {price.hosts}"
        )
    amount = words.significant(price.of_seconds(lasts_s), 2)
    hourly = words.significant(price.per_hour)
    return (
        f"costs about {amount} {price.currency}: {words.duration(lasts_s)} of {words.count(hosts, 'host')} at {hourly} "
        f"{price.currency} an hour"
    )
