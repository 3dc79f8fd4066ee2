"""``fairlead measure CLUSTER stress``: throughput for a long time, and the dips in it."""

from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import between_several_option, mpi_options, size_option, timeout_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, SuiteShare, asked, register
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings


@mpi_options
@between_several_option
@click.option(
    "--pairs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Pairs of ranks for each pair of hosts."
)
@size_option("--size", "size_B", "1MiB", "Message size.")
@click.option("--seconds", type=RealRange(min=1), default=900, show_default=True, help="Duration.")
@timeout_option(part="part of a second")
def command(**options: Any) -> Asked:
    """Throughput for a long time, and the dips in it.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml stress --seconds 60
      fairlead measure cloud.toml stress --between n0 n1 --pairs 16 --seconds 3600
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    return {"between": suite.between, "seconds": seconds, "mpirun": suite.mpirun}


register(
    Benchmark(
        name="stress",
        package=__name__,
        place=LAYERS + 10,
        command=command,
        share=SuiteShare(turn=80, weight=2, options=of_all),
        compared="rate",
        interval_over="none: values resemble their neighbours",
    )
)
