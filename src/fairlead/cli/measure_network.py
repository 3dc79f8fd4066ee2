"""Subcommands of ``fairlead measure`` that measure the network."""

from dataclasses import replace
from typing import Any

import click

from fairlead.cli.measure_options import (
    Asked,
    Names,
    Numbers,
    asked,
    benchmark_command,
    between_option,
    between_several_option,
    directions_option,
    given,
    mpi_options,
    per_host_option,
    repeat_options,
    size_option,
    sizes_option,
    timeout_option,
    until_options,
)

pairs_option = click.option(
    "--pairs",
    type=Numbers(),
    default="1",
    show_default=True,
    help="Pairs of ranks for each pair of hosts at once, for example 1,16.",
)
relaunch_option = click.option(
    "--relaunch", is_flag=True, help="Start the program anew for every round of blocks: each is a run of its own."
)


@benchmark_command("mpi-latency")
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
    return _point_to_point("mpi-latency", options)


@benchmark_command("mpi-throughput")
@directions_option("One way (osu_bw, osu_mbw_mr), or both ways at once (osu_bibw).")
@click.option("--window", type=click.IntRange(1, 4096), default=64, show_default=True,
              help="Messages under way together; fewer where they need more than 256 MiB a host.")  # fmt: skip
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
    return _point_to_point("mpi-throughput", options)


def _point_to_point(benchmark: str, options: dict[str, Any]) -> Asked:
    from fairlead.measure.benchmarks import point_to_point

    settings = point_to_point.Settings(**given(options))
    return Asked(
        settings.lasts_s(benchmark),
        lambda cluster, store, progress: point_to_point.measure(cluster, store, benchmark, settings, progress),
    )


def _operations() -> tuple[str, ...]:
    from fairlead.measure.benchmarks.collectives import OPERATIONS

    return OPERATIONS


@benchmark_command("collectives")
@mpi_options
@click.option("--operations", type=Names(_operations), default="all", show_default=True,
              help="Some of allreduce,alltoall,bcast,scatter,gather,allgather,reduce-scatter.")  # fmt: skip
@sizes_option("4 B to 1 MiB, by 4")
@per_host_option
@click.option(
    "--ranks", type=Numbers(2), default=None, help="How many of them take part, for example 4,8  [default: all]."
)
@click.option("--begin", type=click.Choice(["barrier", "agreed"]), default="barrier", show_default=True,
              help="Calls begin after a barrier, or when synchronised clocks say so.")  # fmt: skip
@until_options
def collectives(**options: Any) -> Asked:
    """Collective operations among all compute hosts: the time until the last rank has its result.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml collectives --operations allreduce,alltoall --sizes 4,1KiB,64KiB
      fairlead measure cloud.toml collectives --per-host 16 --ranks 16,64,256 --budget 900
    """
    from fairlead.measure.benchmarks import collectives as benchmark

    return asked(benchmark, options)


@benchmark_command("all-pairs")
@mpi_options
@size_option("--size", "size_B", "8", "Of the latency's messages.")
@size_option("--train-size", "train_B", "256KiB", "Of the throughput's messages.")
@until_options
def all_pairs(**options: Any) -> Asked:
    """Latency and throughput of all pairs of compute hosts, and which hosts and pairs are slow.

    One pair after the other, so that none disturbs another.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml all-pairs
      fairlead measure cloud.toml all-pairs --budget 600
    """
    from fairlead.measure.benchmarks import all_pairs as benchmark

    return asked(benchmark, options)


def _congestors() -> tuple[str, ...]:
    from fairlead.measure.benchmarks.impact import CONGESTORS

    return CONGESTORS


@benchmark_command("impact")
@mpi_options
@click.option("--congestors", type=Names(_congestors), default="all", show_default=True,
              help="Some of alltoall,incast,bcast.")  # fmt: skip
@click.option("--share", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.5, show_default=True,
              help="Of the hosts that are congestors; two are victims at least.")  # fmt: skip
@size_option("--size", "size_B", "64KiB", "Of the congestors' messages.")
@per_host_option
@until_options
def impact(**options: Any) -> Asked:
    """What others' traffic does to latency, bandwidth and allreduce (as GPCNeT), from 4 hosts on.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml impact
      fairlead measure cloud.toml impact --share 0.8 --per-host 8 --budget 900
    """
    from fairlead.measure.benchmarks import impact as benchmark

    return asked(benchmark, options)


@benchmark_command("stress")
@mpi_options
@between_several_option
@click.option(
    "--pairs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Of ranks, for two hosts each."
)
@size_option("--size", "size_B", "1MiB", "Of messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=900, show_default=True, help="How long.")
@timeout_option(part="part of a second")
def stress(**options: Any) -> Asked:
    """Throughput for a long time, and the dips in it.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml stress --seconds 60
      fairlead measure cloud.toml stress --between n0 n1 --pairs 16 --seconds 3600
    """
    from fairlead.measure.benchmarks import stress as benchmark

    return asked(benchmark, options)


@benchmark_command("network-noise")
@mpi_options
@between_option
@size_option("--size", "size_B", "1", "Of the latency's messages.")
@size_option("--train-size", "train_B", "1MiB", "Of the throughput's messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=3600, show_default=True, help="How long.")
@click.option("--every", "part_s", type=click.FloatRange(min=0.1), default=1, show_default=True, metavar="SECONDS",
              help="Both are measured once in that time.")  # fmt: skip
@timeout_option(part="part")
def network_noise(**options: Any) -> Asked:
    """Latency and throughput for a long time: tails, how long disturbances last, changes of level.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml network-noise --seconds 120 --every 0.5
      fairlead measure cloud.toml network-noise --between n0 n1
    """
    from fairlead.measure.benchmarks import network_noise as benchmark

    return asked(benchmark, options)


@benchmark_command("loggp")
@mpi_options
@between_option
@sizes_option("1 B to 96 KiB")
@click.option("--train", type=click.IntRange(2, 1000), default=16, show_default=True, help="Messages of a train.")
@until_options
def loggp(**options: Any) -> Asked:
    """LogGP parameters: latency, overhead, gap of messages and of bytes (as netgauge).

    \b
    Example:
      fairlead measure mesh8.cluster.toml loggp --between h0 h2
    """
    from fairlead.measure.benchmarks import loggp as benchmark

    return asked(benchmark, options)


@benchmark_command("burst")
@mpi_options
@between_option
@size_option("--size", "size_B", "1MiB", "Of messages.")
@click.option("--train", "trains", type=Numbers(1, 100_000), default="1", show_default=True,
              help="Round trips between two pauses, for example 1,100.")  # fmt: skip
@click.option("--asleep", is_flag=True, help="Pauses are slept instead of spent in a busy loop.")
@click.option("--one-pauses", is_flag=True, help="Only the first rank pauses, instead of both.")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Passes through all pauses."
)
@click.option("--timeout", "timeout_s", type=click.FloatRange(min=1), default=600, show_default=True,
              metavar="SECONDS", help="Trains that take so much longer than their pauses are hung.")  # fmt: skip
def burst(one_pauses: bool, **options: Any) -> Asked:
    """Round trips with pauses of 1 s, 1 ms, 1 us, 1 ns, none, and back, 30 each: does a path fall asleep?

    A pass lasts at least a minute for each length of trains, and longer by their messages: with --train 100 it is
    27 900 round trips, 8 minutes more at 1 Gbit/s.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml burst --runs 1
      fairlead measure cloud.toml burst --train 1,100
    """
    from fairlead.measure.benchmarks import burst as benchmark

    return replace(asked(benchmark, {**options, "both": not one_pauses}), at_least=True)


@benchmark_command("tcp")
@between_option
@click.option("--streams", type=Numbers(), default="1", show_default=True, help="Streams at once, for example 1,16.")
@directions_option("From the first host to the second, or both ways at once.")
@click.option("--seconds", type=click.IntRange(3, 3600), default=6, show_default=True,
              help="Length of a stream, in whole seconds; its middle third counts.")  # fmt: skip
@size_option("--length", "length_B", "1MiB", "What a stream writes at once.")
@repeat_options
@click.option("--timeout", "timeout_s", type=click.FloatRange(min=1), default=30, show_default=True,
              metavar="SECONDS", help="A stream that takes so much longer than --seconds is hung.")  # fmt: skip
def tcp(**options: Any) -> Asked:
    """TCP throughput by iperf3.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml tcp --between h0 h2 --streams 1,16 --directions one,both
      fairlead measure cloud.toml tcp --seconds 30 --exactly 25 --budget 3600
    """
    from fairlead.measure.benchmarks import tcp as benchmark

    return asked(benchmark, options)


@benchmark_command("infiniband")
@between_option
@click.option("--verbs", type=Names(lambda: ("send", "write")), default="send,write", show_default=True,
              help="Some of send,write.")  # fmt: skip
@click.option("--tests", type=Names(lambda: ("latency", "throughput")), default="latency,throughput",
              show_default=True, help="Some of latency,throughput.")  # fmt: skip
@sizes_option("2 B to 8 MiB, by 4")
@click.option("--queue-pairs", type=Numbers(), default="1,16", show_default=True, help="At once, of throughput.")
@directions_option("One way, or both ways at once, of throughput.")
@click.option("--device", help="As perftest's --ib-dev [default: the first one].")
@click.option("--gid-index", type=click.IntRange(0, 1024), help="As perftest's; RoCE may need it.")
@click.option("--connection", type=click.Choice(["RC", "UC", "UD", "XRC", "DC", "SRD"]),
              help="As perftest's [default: RC].")  # fmt: skip
@until_options
def infiniband(**options: Any) -> Asked:
    """InfiniBand and RoCE by perftest: latency and throughput of send and write.

    \b
    Examples:
      fairlead measure cloud.toml infiniband
      fairlead measure cloud.toml infiniband --verbs send --connection SRD --sizes 2..8KiB
    """
    from fairlead.measure.benchmarks import infiniband as benchmark

    return asked(benchmark, options)


COMMANDS = (
    mpi_latency,
    mpi_throughput,
    collectives,
    all_pairs,
    impact,
    stress,
    network_noise,
    loggp,
    burst,
    tcp,
    infiniband,
)
