"""Subcommands of ``fairlead measure`` that measure the network."""

from pathlib import Path
from typing import Any

import click

from fairlead.cli.measure_options import (
    LARGEST_B,
    Numbers,
    between_option,
    measuring,
    mpirun_option,
    output_of,
    output_options,
    pair_options,
    until_of,
    until_options,
)
from fairlead.cli.sizes import Sizes


@click.command("mpi-latency")
@pair_options
@until_options
@output_options
@click.pass_obj
def mpi_latency(cluster_file: Path, **options: Any) -> None:
    """MPI latency: half the round trip of a message between two ranks (as osu_latency, osu_multi_lat).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-latency --between h0 h2 --sizes 1..64KiB
      fairlead measure mesh8.cluster.toml mpi-latency --pairs 1,16 --within 2
    """
    _point_to_point("mpi-latency", cluster_file, ("one",), 1, options)


@click.command("mpi-throughput")
@click.option("--directions", type=click.Choice(["one", "both", "one,both"]), default="one", show_default=True,
              help="One way (osu_bw, osu_mbw_mr), or both ways at once (osu_bibw).")  # fmt: skip
@click.option("--window", type=click.IntRange(1, 4096), default=64, show_default=True,
              help="Messages under way together; fewer where they need more than 256 MiB a host.")  # fmt: skip
@pair_options
@until_options
@output_options
@click.pass_obj
def mpi_throughput(cluster_file: Path, directions: str, window: int, **options: Any) -> None:
    """MPI throughput: windows of messages between two ranks (as osu_bw, osu_bibw, osu_mbw_mr).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-throughput --between h0 h2
      fairlead measure mesh8.cluster.toml mpi-throughput --pairs 1,16 --directions one,both
    """
    _point_to_point("mpi-throughput", cluster_file, tuple(directions.split(",")), window, options)


@click.command("collectives")
@mpirun_option
@click.option("--operations", default="all", show_default=True,
              help="Some of allreduce,alltoall,bcast,scatter,gather,allgather,reduce-scatter.")  # fmt: skip
@click.option(
    "--sizes", "sizes_B", type=Sizes(LARGEST_B), default=None, help="Of a block  [default: 4 B to 1 MiB, by 4]."
)
@click.option("--per-host", type=click.IntRange(1, 1024), default=1, show_default=True, help="Ranks on each host.")
@click.option(
    "--ranks", type=Numbers(2), default=None, help="How many of them take part, for example 4,8  [default: all]."
)
@until_options
@output_options
@click.pass_obj
def collectives(cluster_file: Path, operations: str, **options: Any) -> None:
    """Collective operations among all compute hosts: the time until the last rank has its result.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml collectives --operations allreduce,alltoall --sizes 4,1KiB,64KiB
      fairlead measure cloud.toml collectives --per-host 16 --ranks 16,64,256 --budget 900
    """
    from fairlead.measure.benchmarks import collectives as benchmark

    chosen = benchmark.OPERATIONS if operations == "all" else tuple(dict.fromkeys(operations.split(",")))
    if unknown := [name for name in chosen if name not in benchmark.OPERATIONS]:
        raise click.BadParameter(f"there is no {unknown[0]!r}; known are {', '.join(benchmark.OPERATIONS)}")
    until, output = until_of(options), output_of(options)
    sizes_B, ranks = options.pop("sizes_B") or benchmark.DEFAULT_SIZES_B, options.pop("ranks") or ()
    settings = benchmark.Settings(operations=chosen, sizes_B=sizes_B, ranks=ranks, until=until, **options)
    with measuring(cluster_file, output, until.budget_s) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("all-pairs")
@mpirun_option
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="8", show_default=True,
              help="Of the latency's messages.")  # fmt: skip
@click.option("--train-size", "trains_B", type=Sizes(LARGEST_B), default="256KiB", show_default=True,
              help="Of the throughput's messages.")  # fmt: skip
@until_options
@output_options
@click.pass_obj
def all_pairs(cluster_file: Path, sizes_B: tuple[int, ...], trains_B: tuple[int, ...], **options: Any) -> None:
    """Latency and throughput of all pairs of compute hosts, and which hosts and pairs are slow.

    One pair after the other, so that none disturbs another.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml all-pairs
      fairlead measure cloud.toml all-pairs --budget 600
    """
    from fairlead.measure.benchmarks import all_pairs as benchmark

    until, output = until_of(options), output_of(options)
    settings = benchmark.Settings(size_B=sizes_B[0], train_B=trains_B[0], until=until, **options)
    with measuring(cluster_file, output, until.budget_s) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("impact")
@mpirun_option
@click.option("--congestors", default="all", show_default=True, help="Some of alltoall,incast,bcast.")
@click.option("--share", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.5, show_default=True,
              help="Of the hosts that are congestors; two are victims at least.")  # fmt: skip
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="64KiB", show_default=True,
              help="Of the congestors' messages.")  # fmt: skip
@click.option("--per-host", type=click.IntRange(1, 1024), default=1, show_default=True, help="Ranks on each host.")
@until_options
@output_options
@click.pass_obj
def impact(cluster_file: Path, congestors: str, sizes_B: tuple[int, ...], **options: Any) -> None:
    """What others' traffic does to latency, bandwidth and allreduce (as GPCNeT), from 4 hosts on.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml impact
      fairlead measure cloud.toml impact --share 0.8 --per-host 8 --budget 900
    """
    from fairlead.measure.benchmarks import impact as benchmark

    chosen = benchmark.CONGESTORS if congestors == "all" else tuple(dict.fromkeys(congestors.split(",")))
    if unknown := [name for name in chosen if name not in benchmark.CONGESTORS]:
        raise click.BadParameter(f"there is no {unknown[0]!r}; known are {', '.join(benchmark.CONGESTORS)}")
    until, output = until_of(options), output_of(options)
    settings = benchmark.Settings(congestors=chosen, size_B=sizes_B[0], until=until, **options)
    with measuring(cluster_file, output, until.budget_s) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("stress")
@mpirun_option
@click.option("--between", nargs=2, multiple=True, metavar="HOST HOST",
              help="Two hosts. Repeatable: all at the same time [default: the first two].")  # fmt: skip
@click.option(
    "--pairs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Of ranks, for two hosts each."
)
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True, help="Of messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=900, show_default=True, help="How long.")
@output_options
@click.pass_obj
def stress(cluster_file: Path, sizes_B: tuple[int, ...], **options: Any) -> None:
    """Throughput for a long time, and the dips in it.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml stress --seconds 60
      fairlead measure cloud.toml stress --between n0 n1 --pairs 16 --seconds 3600
    """
    from fairlead.measure.benchmarks import stress as benchmark

    output = output_of(options)
    with measuring(cluster_file, output, options["seconds"]) as (cluster, store, progress):
        benchmark.measure(cluster, store, benchmark.Settings(size_B=sizes_B[0], **options), progress)


@click.command("network-noise")
@mpirun_option
@between_option
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="1", show_default=True,
              help="Of the latency's messages.")  # fmt: skip
@click.option("--train-size", "trains_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True,
              help="Of the throughput's messages.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(min=1), default=3600, show_default=True, help="How long.")
@click.option("--every", "part_s", type=click.FloatRange(min=0.1), default=1, show_default=True, metavar="SECONDS",
              help="Both are measured once in that time.")  # fmt: skip
@output_options
@click.pass_obj
def network_noise(
    cluster_file: Path,
    between: tuple[str, str] | None,
    sizes_B: tuple[int, ...],
    trains_B: tuple[int, ...],
    **options: Any,
) -> None:
    """Latency and throughput for a long time: tails, how long disturbances last, changes of level.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml network-noise --seconds 120 --every 0.5
      fairlead measure cloud.toml network-noise --between n0 n1
    """
    from fairlead.measure.benchmarks import network_noise as benchmark

    output, pair = output_of(options), (between,) if between else ()
    settings = benchmark.Settings(between=pair, size_B=sizes_B[0], train_B=trains_B[0], **options)
    with measuring(cluster_file, output, settings.seconds) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("loggp")
@mpirun_option
@between_option
@click.option("--sizes", "sizes_B", type=Sizes(LARGEST_B), default=None,
              help="Message sizes  [default: 1 B to 96 KiB].")  # fmt: skip
@click.option("--train", type=click.IntRange(2, 1000), default=16, show_default=True, help="Messages of a train.")
@until_options
@output_options
@click.pass_obj
def loggp(cluster_file: Path, between: tuple[str, str] | None, sizes_B: tuple[int, ...] | None, **options: Any) -> None:
    """LogGP parameters: latency, overhead, gap of messages and of bytes (as netgauge).

    \b
    Example:
      fairlead measure mesh8.cluster.toml loggp --between h0 h2
    """
    from fairlead.measure.benchmarks import loggp as benchmark

    until, output = until_of(options), output_of(options)
    settings = benchmark.Settings(
        sizes_B=sizes_B or benchmark.DEFAULT_SIZES_B, between=(between,) if between else (), until=until, **options
    )
    with measuring(cluster_file, output, until.budget_s) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("burst")
@mpirun_option
@between_option
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True, help="Of messages.")
@click.option("--train", type=click.IntRange(1, 100_000), default=1, show_default=True,
              help="Round trips between two pauses: 1, or for example 100.")  # fmt: skip
@click.option("--asleep", is_flag=True, help="Pauses are slept instead of spent in a busy loop.")
@click.option("--one-pauses", is_flag=True, help="Only the first rank pauses, instead of both.")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Passes through all pauses."
)
@output_options
@click.pass_obj
def burst(
    cluster_file: Path, between: tuple[str, str] | None, sizes_B: tuple[int, ...], one_pauses: bool, **options: Any
) -> None:
    """Round trips with pauses of 1 s, 1 ms, 1 us, 1 ns, none, and back, 30 each: does a path fall asleep?

    A pass lasts about a minute.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml burst --runs 1
      fairlead measure cloud.toml burst --train 100
    """
    from fairlead.measure.benchmarks import burst as benchmark

    output = output_of(options)
    pair = (between,) if between else ()
    settings = benchmark.Settings(between=pair, size_B=sizes_B[0], both=not one_pauses, **options)
    with measuring(cluster_file, output, settings.lasts_s()) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@click.command("tcp")
@between_option
@click.option("--streams", type=Numbers(), default="1", show_default=True, help="Streams at once, for example 1,16.")
@click.option("--directions", type=click.Choice(["one", "both", "one,both"]), default="one", show_default=True,
              help="From the first host to the second, or both ways at once.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1, 3600), default=6, show_default=True,
              help="Length of a stream; its middle third counts.")  # fmt: skip
@click.option("--length", "lengths_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True,
              help="What a stream writes at once.")  # fmt: skip
@until_options
@output_options
@click.pass_obj
def tcp(
    cluster_file: Path, between: tuple[str, str] | None, directions: str, lengths_B: tuple[int, ...], **options: Any
) -> None:
    """TCP throughput by iperf3.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml tcp --between h0 h2 --streams 1,16 --directions one,both
      fairlead measure cloud.toml tcp --seconds 30 --blocks 25 --budget 3600
    """
    from fairlead.measure.benchmarks import tcp as benchmark

    options.pop("timeout_s")
    until, output = until_of(options), output_of(options)
    settings = benchmark.Settings(
        between=(between,) if between else (),
        directions=tuple(directions.split(",")),
        length_B=lengths_B[0],
        until=until,
        **options,
    )
    with measuring(cluster_file, output, until.budget_s + settings.seconds) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


def _point_to_point(
    benchmark: str, cluster_file: Path, directions: tuple[str, ...], window: int, options: dict[str, Any]
) -> None:
    from fairlead.measure.benchmarks import point_to_point

    until, output = until_of(options), output_of(options)
    settings = point_to_point.Settings(directions=directions, window=window, until=until, **options)
    with measuring(cluster_file, output, until.budget_s) as (cluster, store, progress):
        point_to_point.measure(cluster, store, benchmark, settings, progress)


COMMANDS = (mpi_latency, mpi_throughput, collectives, all_pairs, impact, stress, network_noise, loggp, burst, tcp)
