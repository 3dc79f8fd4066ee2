"""``fairlead measure CLUSTER burst``: round trips after pauses of several lengths."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from fairlead.benchmarks.options import IntegerList, between_option, mpi_options, size_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register
from fairlead.real_range import RealRange


def _pauses(plan: Mapping[str, Any]) -> str:
    return f"{'asleep' if plan.get('asleep') else 'busy'} on {'both ranks' if plan.get('both', True) else 'one rank'}"


@mpi_options
@between_option
@size_option("--size", "size_B", "1MiB", "Message size.")
@click.option("--train", "trains", type=IntegerList(1, 100_000), default="1", show_default=True,
              help="Round trips between two pauses, for example 1,100.")  # fmt: skip
@click.option("--asleep", is_flag=True, help="Sleep in pauses instead of a busy loop.")
@click.option("--one-pauses", is_flag=True, help="Pause only the first rank, instead of both.")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Number of passes through all pauses."
)
@click.option("--timeout", "timeout_s", type=RealRange(min=1), default=600, show_default=True,
              metavar="SECONDS", help="Time beyond its pauses after which a train counts as hung.")  # fmt: skip
def command(one_pauses: bool, **options: Any) -> Asked:
    """Round trips with pauses of 1 s, 1 ms, 1 us, 1 ns, none, and back, 30 each: does an idle path become slow?

    A pass lasts at least a minute for each length of trains, and longer by their messages: with --train 100 it is
    27 900 round trips, 8 minutes more at 1 Gbit/s.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml burst --runs 1
      fairlead measure cloud.toml burst --train 1,100
    """
    return replace(asked(__name__, {**options, "both": not one_pauses}), at_least=True)


register(
    Benchmark(
        name="burst",
        package=__name__,
        place=LAYERS + 20,
        command=command,
        variant=_pauses,
        all_variants=True,
        compared="round trip after the longest pause, and after the shortest",
        interval_over="passes",
    )
)
