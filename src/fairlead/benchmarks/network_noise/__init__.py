"""``fairlead measure CLUSTER network-noise``: latency and throughput for a long time."""

from typing import Any

import click

from fairlead.benchmarks.options import between_option, mpi_options, size_option, timeout_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register
from fairlead.real_range import RealRange


@mpi_options
@between_option
@size_option("--size", "size_B", "1", "Message size for latency.")
@size_option("--bulk-size", "bulk_B", "1MiB", "Message size for throughput.")
@click.option("--seconds", type=RealRange(min=1), default=3600, show_default=True, help="Duration.")
@click.option("--every", "part_s", type=RealRange(min=0.1), default=1, show_default=True, metavar="SECONDS",
              help="Interval in which each is measured once.")  # fmt: skip
@timeout_option(part="part")
def command(**options: Any) -> Asked:
    """Latency and throughput for a long time: tails, duration of disturbances, changes of level.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml network-noise --seconds 120 --every 0.5
      fairlead measure cloud.toml network-noise --between n0 n1
    """
    return asked(__name__, options)


register(
    Benchmark(
        name="network-noise",
        package=__name__,
        place=LAYERS + 50,
        command=command,
        compared="latency for 50 and 99 % of the time, throughput",
        interval_over="none: values resemble their neighbours",
    )
)
