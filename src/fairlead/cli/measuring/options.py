"""What the subcommands of ``fairlead measure`` share: where results go, the store and the page."""

import functools
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import with_options
from fairlead.benchmarks.registration import Asked
from fairlead.cli.parameters.results import results_option

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster, Transport
    from fairlead.errors import FairleadError
    from fairlead.progress import Progress
    from fairlead.store import Store

PATH = click.Path(path_type=Path)


@dataclass(frozen=True)
class Output:
    """Where results go."""

    results: Path
    page: Path | None
    figures: Path | None
    prices: Path | None


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

    return with_options(
        with_output,
        results_option,
        click.option("--output", type=PATH, help="HTML page to write.  [default: RESULTS/benchmarks.html]"),
        click.option("--figures", type=PATH, help="Also write the page's figures to this directory (SVG, PNG, CSV)."),
        click.option(
            "--prices", type=PATH, help="Price book: print the cost before the start, and compare systems per price."
        ),
    )


class Lost:
    """Benchmarks among others that could not be measured; each is told. One whose device is missing is none of them."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def __call__(self, name: str, error: "FairleadError") -> None:
        from fairlead.errors import MissingDeviceError

        if isinstance(error, MissingDeviceError):
            click.echo(f"fairlead: {name} is skipped: {error}", err=True)
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
    from fairlead.cli.output.progress import progress_on
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.store import Store

    cluster = load_cluster(cluster_file)
    if output.prices is not None:
        click.echo(cost(cluster, output.prices, lasts_s, at_least=at_least), err=True)
    with Store.open(output.results) as store, progress_on(sys.stderr) as progress:
        yield cluster, store, progress
    show(output)


def show(output: Output) -> None:
    """Print what there is now, and write its page."""
    from fairlead.benchmarks.page import report

    page = output.page or output.results / "benchmarks.html"
    click.echo("computing and drawing the report", err=True)
    for path in report.make([output.results], page, prices=output.prices, figures=output.figures):
        click.echo(path)


def cost(cluster: "Cluster", prices: Path, lasts_s: float, *, at_least: bool = False) -> str:
    """What the measurement will cost, in words.

    Raises:
        ConfigError: the book does not know the cluster, or another number of hosts.
    """
    from fairlead.display import words
    from fairlead.errors import ConfigError
    from fairlead.prices.book import load_prices

    price = load_prices(prices).known_price(cluster.name)
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
