"""``fairlead measure CLUSTER noise``: what the operating system takes from programs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import IntegerList, hosts_option
from fairlead.benchmarks.registration import LAYERS, Asked, Benchmark, SuiteShare, asked, register
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings


RTLA = ("noise-osnoise", "noise-osnoise-hist", "noise-timerlat", "noise-timerlat-hist")


def _cores(plan: Mapping[str, Any]) -> str:
    return "one core after the other" if plan.get("in_turn") else "all cores at the same time"


@click.option("--method", type=click.Choice(["selfish", "fwq"]), default="selfish", show_default=True,
              help="selfish: detours of a busy loop; fwq: times of equal pieces of work.")  # fmt: skip
@hosts_option
@click.option(
    "--cpus", type=IntegerList(0), default=None, help="Processors to measure [default: all that may be used]."
)
@click.option("--in-turn", is_flag=True, help="Measure one processor after the other instead of all at the same time.")
@click.option("--threshold", type=RealRange(min=1.5), default=9, show_default=True,
              help="Multiple of the shortest iteration from which an iteration counts as a detour.")  # fmt: skip
@click.option("--detours", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True,
              help="Number of detours after which a processor is done.")  # fmt: skip
@click.option("--seconds", type=RealRange(0.01, 1e6), default=10, show_default=True,
              help="Time after which a processor is done.")  # fmt: skip
@click.option("--quantum", "quantum_s", type=RealRange(1e-6, 10), default=0.001, show_default=True,
              metavar="SECONDS", help="Length of a piece of work.")  # fmt: skip
@click.option("--sources/--no-sources", default=True, show_default=True,
              help="Also find out what caused each detour: interrupts, softirqs, other threads (selfish).")  # fmt: skip
def command(**options: Any) -> Asked:
    """Operating-system noise: interruptions of a program on every core, and what caused them.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml noise --method fwq --cpus 0,1 --seconds 60
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    return {"seconds": seconds}


register(
    Benchmark(
        name="noise",
        package=__name__,
        place=LAYERS + 70,
        command=command,
        share=SuiteShare(turn=10, weight=1, options=of_all),
        runs=("noise", "noise-fwq", "noise-ftq", *RTLA),
        variant=_cores,
        compared="overhead of a core",
        interval_over="cores",
    )
)
