"""``fairlead measure CLUSTER tcp``: streams by iperf3."""

from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import IntegerList, between_option, directions_option, repeat_options, size_option
from fairlead.benchmarks.registration import Asked, Benchmark, SuiteShare, asked, register
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings

CONNECTING_S = 1.0  # until all streams have begun, about
SHORTEST_S = 3  # with shorter streams the middle thirds of all would not have a moment in common


@between_option
@click.option(
    "--streams",
    type=IntegerList(),
    default="1",
    show_default=True,
    help="Numbers of simultaneous streams, for example 1,16.",
)
@directions_option("From the first host to the second, or both ways at the same time.")
@click.option("--seconds", type=click.IntRange(3, 3600), default=6, show_default=True,
              help="Length of a stream, in whole seconds; its middle third counts.")  # fmt: skip
@size_option("--length", "length_B", "1MiB", "Size of a stream's writes.")
@repeat_options
@click.option("--timeout", "timeout_s", type=RealRange(min=1), default=30, show_default=True,
              metavar="SECONDS", help="Time beyond --seconds after which a stream counts as hung.")  # fmt: skip
def command(**options: Any) -> Asked:
    """TCP throughput by iperf3.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml tcp --between h0 h2 --streams 1,16 --directions one,both
      fairlead measure cloud.toml tcp --seconds 30 --exactly 25 --budget 3600
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    length_s = min(10, max(SHORTEST_S, int(seconds / (4 * len(suite.pairs) * 2))))
    until = suite.repeated(seconds - length_s - CONNECTING_S)  # the last streams may begin when it ends
    options = {"between": suite.between, "streams": suite.pairs, "directions": ("one", "both"), "seconds": length_s}
    return {**options, **until}


register(
    Benchmark(
        name="tcp",
        package=__name__,
        place=40,
        command=command,
        # Where a share is shorter, two streams have no time.
        share=SuiteShare(turn=60, weight=2, options=of_all, least_s=2 * (SHORTEST_S + CONNECTING_S)),
        compared="rate of every number of streams and direction",
        interval_over="blocks",
    )
)
