"""``fairlead measure CLUSTER collectives``: collective operations among all compute hosts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import IntegerList, Names, mpi_options, per_host_option, sizes_option, until_options
from fairlead.benchmarks.registration import Asked, Benchmark, SuiteShare, asked, register

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings

CALL_SIZES_B = (4, 1024, 64 * 1024)  # in `all`


def _operations() -> tuple[str, ...]:
    from fairlead.benchmarks.collectives.measure import OPERATIONS

    return OPERATIONS


def _begin(plan: Mapping[str, Any]) -> str:
    return "after a barrier" if plan.get("begin", "barrier") == "barrier" else "at agreed moments"


@mpi_options
@click.option("--operations", type=Names(_operations), default="all", show_default=True,
              help="Operations: any of allreduce,alltoall,bcast,scatter,gather,allgather,reduce-scatter.")  # fmt: skip
@sizes_option("4 B to 1 MiB, by 4")
@per_host_option
@click.option(
    "--ranks",
    type=IntegerList(2),
    default=None,
    help="Numbers of ranks that take part, for example 4,8  [default: all].",
)
@click.option("--begin", type=click.Choice(["barrier", "agreed"]), default="barrier", show_default=True,
              help="Start calls after a barrier, or at agreed times of synchronized clocks.")  # fmt: skip
@until_options
def command(**options: Any) -> Asked:
    """Collective operations among all compute hosts: the time until the last rank has its result.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml collectives --operations allreduce,alltoall --sizes 4,1KiB,64KiB
      fairlead measure cloud.toml collectives --per-host 16 --ranks 16,64,256 --budget 900
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    return {**suite.mpi(seconds), "sizes_B": CALL_SIZES_B}


register(
    Benchmark(
        name="collectives",
        package=__name__,
        place=30,
        command=command,
        share=SuiteShare(turn=50, weight=2, options=of_all),
        variant=_begin,
        compared="every size and configuration that both have",
        interval_over="blocks",
    )
)
