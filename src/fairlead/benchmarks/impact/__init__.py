"""``fairlead measure CLUSTER impact``: effect of cross-traffic on latency, bandwidth and allreduce."""

from typing import Any

import click

from fairlead.benchmarks.options import IntegerList, Names, mpi_options, per_host_option, size_option, until_options
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, asked, register
from fairlead.real_range import RealRange


def _congestors() -> tuple[str, ...]:
    from fairlead.benchmarks.impact.measure import CONGESTORS

    return CONGESTORS


@mpi_options
@click.option(
    "--congestors",
    type=Names(_congestors),
    default="all",
    show_default=True,
    help="Congestors: any of alltoall,incast,bcast.",
)
@click.option("--together", is_flag=True, help="Also measure these congestors all at once, each on its own hosts.")
@click.option(
    "--share",
    type=RealRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="Share of hosts that are congestors; at least two are victims.",
)
@click.option("--hosts", type=IntegerList(2), default=(), metavar="NUMBERS",
              help="Numbers of hosts that are congestors, in turn: 2,4,8  [default: by --share].")  # fmt: skip
@size_option("--size", "size_B", "64KiB", "Message size of the congestors.")
@per_host_option
@until_options
def command(**options: Any) -> Asked:
    """Effect of cross-traffic on latency, bandwidth and allreduce (as GPCNeT); needs 4 hosts.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml impact
      fairlead measure mesh8.cluster.toml impact --congestors alltoall,incast --together
      fairlead measure cloud.toml impact --congestors alltoall --hosts 2,4,8
      fairlead measure cloud.toml impact --share 0.8 --per-host 8 --budget 900
    """
    return asked(__name__, options)


register(
    Benchmark(
        name="impact",
        package=__name__,
        place=LAYERS + 40,
        command=command,
        compared="impact factor of the mean, by victim and congestor",
        interval_over="rounds",
    )
)
