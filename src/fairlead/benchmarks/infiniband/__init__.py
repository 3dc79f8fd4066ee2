"""``fairlead measure CLUSTER infiniband``: InfiniBand and RoCE by perftest."""

from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import (
    IntegerList,
    Names,
    between_option,
    directions_option,
    sizes_option,
    until_options,
)
from fairlead.benchmarks.registration import Asked, Benchmark, SuiteShare, asked, register

if TYPE_CHECKING:
    from fairlead.benchmarks.measuring.suite_settings import SuiteSettings


@between_option
@click.option("--verbs", type=Names(lambda: ("send", "write")), default="send,write", show_default=True,
              help="Verbs: any of send,write.")  # fmt: skip
@click.option("--tests", type=Names(lambda: ("latency", "throughput")), default="latency,throughput",
              show_default=True, help="Tests: any of latency,throughput.")  # fmt: skip
@sizes_option("2 B to 8 MiB, by 4")
@click.option(
    "--queue-pairs",
    type=IntegerList(),
    default="1,16",
    show_default=True,
    help="Numbers of simultaneous queue pairs for throughput.",
)
@directions_option("Directions of throughput: one, or both at the same time.")
@click.option("--device", help="Device, as perftest's --ib-dev [default: the first one].")
@click.option("--gid-index", type=click.IntRange(0, 1024), help="GID index, as perftest's; RoCE may need it.")
@click.option("--connection", type=click.Choice(["RC", "UC", "UD", "XRC", "DC", "SRD"]),
              help="Connection type, as perftest's [default: RC].")  # fmt: skip
@until_options
def command(**options: Any) -> Asked:
    """InfiniBand and RoCE by perftest: latency and throughput of send and write.

    \b
    Examples:
      fairlead measure cloud.toml infiniband
      fairlead measure cloud.toml infiniband --verbs send --connection SRD --sizes 2..8KiB
    """
    return asked(__name__, options)


def of_all(suite: "SuiteSettings", seconds: float) -> dict[str, Any]:
    """Settings as a part of the suite."""
    return {**suite.repeated(seconds), "between": suite.between, "queue_pairs": suite.pairs}


register(
    Benchmark(
        name="infiniband",
        package=__name__,
        place=50,
        command=command,
        share=SuiteShare(turn=70, weight=2, options=of_all),
        compared="every size and configuration that both have",
        interval_over="blocks",
    )
)
