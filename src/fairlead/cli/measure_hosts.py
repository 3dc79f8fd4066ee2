"""Subcommands of ``fairlead measure`` that measure what hosts do to programs."""

from pathlib import Path
from typing import Any

import click

from fairlead.cli.measure_options import (
    LARGEST_B,
    Numbers,
    between_option,
    measuring,
    mpirun_option,
    output_of,
    output_options,
)
from fairlead.cli.sizes import Sizes

TIMER_S = 5.0  # about


@click.command("noise")
@click.option("--method", type=click.Choice(["selfish", "fwq"]), default="selfish", show_default=True,
              help="Detours of a busy loop, or times of equal pieces of work.")  # fmt: skip
@click.option("--host", "hosts", multiple=True,
              help="Repeatable [default: all compute hosts; the first where they share one machine].")  # fmt: skip
@click.option("--cpus", type=Numbers(0), default=None, help="Processors [default: all that may be used].")
@click.option("--in-turn", is_flag=True, help="One processor after the other instead of all at once.")
@click.option("--threshold", type=click.FloatRange(min=1.5), default=9, show_default=True,
              help="A detour takes more than so many of the least iterations.")  # fmt: skip
@click.option("--detours", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True,
              help="Detours after which a processor is done.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0.01, 1e6), default=10, show_default=True,
              help="Time after which a processor is done.")  # fmt: skip
@click.option("--quantum", "quantum_s", type=click.FloatRange(1e-6, 10), default=0.001, show_default=True,
              metavar="SECONDS", help="A piece of work.")  # fmt: skip
@output_options
@click.pass_obj
def noise(cluster_file: Path, **options: Any) -> None:
    """Operating-system noise: what takes the processor from a program, on every core.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml noise --method fwq --cpus 0,1 --seconds 60
    """
    from fairlead.measure.benchmarks import noise as benchmark

    output = output_of(options)
    settings = benchmark.Settings(**{**options, "cpus": options["cpus"] or ()})
    with measuring(cluster_file, output, settings.seconds) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("noise-effect")
@mpirun_option
@between_option
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="8", show_default=True, help="Of messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=30, show_default=True, help="How long.")
@output_options
@click.pass_obj
def noise_effect(cluster_file: Path, between: tuple[str, str] | None, sizes_B: tuple[int, ...], **options: Any) -> None:
    """What operating-system noise does to messages: how many of the slow ones it explains.

    \b
    Example:
      fairlead measure mesh8.cluster.toml noise-effect --between h0 h2
    """
    from fairlead.measure.benchmarks import noise_effect as benchmark

    output, pair = output_of(options), (between,) if between else ()
    with measuring(cluster_file, output, options["seconds"]) as (cluster, store, progress):
        benchmark.measure(cluster, store, benchmark.Settings(between=pair, size_B=sizes_B[0], **options), progress)


@click.command("timer")
@click.option("--host", "hosts", multiple=True,
              help="Repeatable [default: all compute hosts; the first where they share one machine].")  # fmt: skip
@output_options
@click.pass_obj
def timer(cluster_file: Path, **options: Any) -> None:
    """Clocks: the smallest steps that they tell apart, and what a reading costs.

    \b
    Example:
      fairlead measure mesh8.cluster.toml timer
    """
    from fairlead.measure.benchmarks import timer as benchmark

    output = output_of(options)
    with measuring(cluster_file, output, TIMER_S) as (cluster, store, progress):
        benchmark.measure(cluster, store, benchmark.Settings(**options), progress)


COMMANDS = (noise, noise_effect, timer)
