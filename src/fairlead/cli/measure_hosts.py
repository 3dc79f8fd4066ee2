"""Subcommands of ``fairlead measure`` that measure what hosts do to programs."""

from typing import Any

import click

from fairlead.cli.measure_options import (
    Asked,
    Numbers,
    asked,
    benchmark_command,
    between_option,
    mpi_options,
    size_option,
    timeout_option,
)

hosts_option = click.option(
    "--host",
    "hosts",
    multiple=True,
    help="Repeatable [default: all compute hosts; the first where they share one machine].",
)


@benchmark_command("noise")
@click.option("--method", type=click.Choice(["selfish", "fwq"]), default="selfish", show_default=True,
              help="Detours of a busy loop, or times of equal pieces of work.")  # fmt: skip
@hosts_option
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
def noise(**options: Any) -> Asked:
    """Operating-system noise: what takes the processor from a program, on every core.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml noise --method fwq --cpus 0,1 --seconds 60
    """
    from fairlead.measure.benchmarks import noise as benchmark

    return asked(benchmark, options)


@benchmark_command("noise-effect")
@mpi_options
@between_option
@size_option("--size", "size_B", "8", "Of messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=30, show_default=True, help="How long.")
@timeout_option(part="part of a second")
def noise_effect(**options: Any) -> Asked:
    """What operating-system noise does to messages: how many of the slow ones it explains.

    \b
    Example:
      fairlead measure mesh8.cluster.toml noise-effect --between h0 h2
    """
    from fairlead.measure.benchmarks import noise_effect as benchmark

    return asked(benchmark, options)


@benchmark_command("timer")
@hosts_option
def timer(**options: Any) -> Asked:
    """Clocks: the smallest steps that they tell apart, and what a reading costs.

    \b
    Example:
      fairlead measure mesh8.cluster.toml timer
    """
    from fairlead.measure.benchmarks import timer as benchmark

    return asked(benchmark, options)


COMMANDS = (noise, noise_effect, timer)
