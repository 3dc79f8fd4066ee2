"""``fairlead measure CLUSTER mpi-latency``, ``mpi-throughput``: messages of MPI between pairs of hosts."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import (
    between_several_option,
    directions_option,
    mpi_options,
    pairs_option,
    relaunch_option,
    sizes_option,
    until_options,
)
from fairlead.benchmarks.point_to_point.names import LATENCY, THROUGHPUT
from fairlead.benchmarks.registration import Asked, Benchmark, SuiteShare, given, register

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings

SIZES_B = tuple(4**k for k in range(12))  # in `all`, 1 B to 4 MiB: half as many as by default, known twice as well


@sizes_option("1..4MiB")
@between_several_option
@pairs_option
@mpi_options
@relaunch_option
@until_options
def mpi_latency(**options: Any) -> Asked:
    """MPI latency: half the round trip of a message between two ranks (as osu_latency, osu_multi_lat).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-latency --between h0 h2 --sizes 1..64KiB
      fairlead measure mesh8.cluster.toml mpi-latency --pairs 1,16 --precision 2
    """
    return _asked(LATENCY, options)


@directions_option("One way (osu_bw, osu_mbw_mr), or both ways at the same time (osu_bibw).")
@click.option("--window", type=click.IntRange(1, 4096), default=64, show_default=True,
              help="Number of messages in flight; fewer where they need more than 256 MiB per host.")  # fmt: skip
@sizes_option("1..4MiB")
@between_several_option
@pairs_option
@mpi_options
@relaunch_option
@until_options
def mpi_throughput(**options: Any) -> Asked:
    """MPI throughput: windows of messages between two ranks (as osu_bw, osu_bibw, osu_mbw_mr).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-throughput --between h0 h2
      fairlead measure mesh8.cluster.toml mpi-throughput --pairs 1,16 --directions one,both
    """
    return _asked(THROUGHPUT, options)


def _asked(benchmark: str, options: dict[str, Any]) -> Asked:
    from fairlead.benchmarks.point_to_point import measure

    settings = measure.PointToPointSettings(**given(options))
    return Asked(
        settings.lasts_s(benchmark),
        lambda cluster, store, progress: measure.measure(cluster, store, benchmark, settings, progress),
    )


def of_all(directions: tuple[str, ...], suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    options = {"sizes_B": SIZES_B, "between": suite.between, "pairs": suite.pairs, "directions": directions}
    return {**options, **suite.mpi(seconds)}


register(
    Benchmark(
        name=LATENCY,
        package=__name__,
        place=10,
        section_name="SECTION_OF_LATENCY",
        prepared=partial(_asked, LATENCY),
        command=mpi_latency,
        share=SuiteShare(turn=20, weight=2, options=partial(of_all, ("one",))),
        compared="every size and configuration that both have",
        interval_over="blocks",
    )
)
register(
    Benchmark(
        name=THROUGHPUT,
        package=__name__,
        place=20,
        section_name="SECTION_OF_THROUGHPUT",
        prepared=partial(_asked, THROUGHPUT),
        command=mpi_throughput,
        share=SuiteShare(turn=30, weight=3, options=partial(of_all, ("one", "both"))),
        compared="every size and configuration that both have",
        interval_over="blocks",
    )
)
