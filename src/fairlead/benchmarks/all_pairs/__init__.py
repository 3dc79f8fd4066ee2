"""``fairlead measure CLUSTER all-pairs``: latency and throughput of all pairs of compute hosts."""

from typing import TYPE_CHECKING, Any

from fairlead.benchmarks.options import mpi_options, size_option, until_options
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, SuiteShare, asked, register

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings

LEAST_HOSTS = 4  # with fewer, a slow host and a slow pair cannot be told apart


@mpi_options
@size_option("--size", "size_B", "8", "Message size for latency.")
@size_option("--bulk-size", "bulk_B", "256KiB", "Message size for throughput.")
@until_options
def command(**options: Any) -> Asked:
    """Latency and throughput of all pairs of compute hosts, and which hosts and pairs are slow.

    One pair after the other, so that none disturbs another.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml all-pairs
      fairlead measure cloud.toml all-pairs --budget 600
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    return suite.mpi(seconds)


register(
    Benchmark(
        name="all-pairs",
        package=__name__,
        place=LAYERS + 30,
        command=command,
        share=SuiteShare(turn=40, weight=3, options=of_all, least_hosts=LEAST_HOSTS),
        compared="latency and throughput of the median pair",
        interval_over="none: pairs share hosts",
    )
)
