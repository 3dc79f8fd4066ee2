"""``fairlead measure CLUSTER loggp``: the parameters of the LogGP model."""

from typing import Any

import click

from fairlead.benchmarks.options import between_option, mpi_options, sizes_option, until_options
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register


@mpi_options
@between_option
@sizes_option("1 B to 96 KiB")
@click.option(
    "--train", type=click.IntRange(2, 1000), default=16, show_default=True, help="Number of messages in a train."
)
@until_options
def command(**options: Any) -> Asked:
    """LogGP parameters: latency, overhead, gap of messages and of bytes (as netgauge).

    \b
    Example:
      fairlead measure mesh8.cluster.toml loggp --between h0 h2
    """
    return asked(__name__, options)


register(
    Benchmark(
        name="loggp",
        package=__name__,
        place=LAYERS + 60,
        command=command,
        compared="L; o of the smallest size that has one; g of the smallest messages, G of the largest",
    )
)
