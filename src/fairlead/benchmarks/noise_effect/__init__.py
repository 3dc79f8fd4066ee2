"""``fairlead measure CLUSTER noise-effect``: what operating-system noise does to messages."""

from typing import Any

import click

from fairlead.benchmarks.options import between_option, mpi_options, size_option, timeout_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register
from fairlead.real_range import RealRange


@mpi_options
@between_option
@size_option("--size", "size_B", "8", "Message size.")
@click.option("--seconds", type=RealRange(min=1), default=30, show_default=True, help="Duration.")
@timeout_option(part="part of a second")
def command(**options: Any) -> Asked:
    """Effect of operating-system noise on messages: how many slow ones it explains.

    \b
    Example:
      fairlead measure mesh8.cluster.toml noise-effect --between h0 h2
    """
    return asked(__name__, options)


register(Benchmark(name="noise-effect", place=LAYERS + 80, package=__name__, command=command))
