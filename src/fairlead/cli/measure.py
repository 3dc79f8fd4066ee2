"""``fairlead measure``: micro-benchmarks of a cluster."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead.benchmarks.options import IntegerList, between_option, mpi_options
from fairlead.benchmarks.registration import BENCHMARKS, given
from fairlead.cli.measuring.options import Lost, Output, benchmark_command, measuring, output_options, show
from fairlead.cli.measuring.plan import plan
from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.given import given_besides
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.cluster.description import Transport

FORMATS = ("osu", "imb", "iperf3", "perftest", "netgauge", "mpip", "gpcnet", "rtla", "samples")
_READ_BY = {
    "--test": ["netgauge", "samples"],
    "--unit": ["samples"],
    "--size": ["samples"],
    "--tick-rate": ["netgauge"],
}
"""Formats that an option of `import` is of use for; files of others say it themselves."""


class _Benchmarks(click.Group):
    """`import` takes no cluster: what it reads was measured elsewhere."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["import"]:
            args = ["none", *args]
        elif args and args[0] in self.commands and not Path(args[0]).exists():
            if any(word in context.help_option_names for word in args):
                return super().parse_args(context, ["CLUSTER", args[0], "--help"])
            raise click.UsageError(f"CLUSTER comes first: {context.command_path} CLUSTER {' '.join(args)}", context)
        return super().parse_args(context, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """What stands before a subcommand in its usage."""
        return [] if ctx.info_name == "import" else super().get_params(ctx)


@click.group(cls=_Benchmarks)
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.pass_context
def command(context: click.Context, cluster_file: Path) -> None:
    """Run micro-benchmarks on CLUSTER; keep every raw sample, and write a page with figures.

    CLUSTER is a cluster file, `slurm` inside an allocation, or `hostfile:PATH` for an MPI hostfile.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-latency
      fairlead measure mesh8.cluster.toml mpi-throughput --pairs 1,4 --directions one,both
      fairlead measure mesh8.cluster.toml collectives
      fairlead measure mesh8.cluster.toml all-pairs
      fairlead measure mesh8.cluster.toml tcp --streams 1,4
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml COMMAND --help
      fairlead measure mesh8.cluster.toml plan examples/measure/small.toml
      fairlead measure import osu latency-*.txt --system cloud
    """
    context.obj = cluster_file


@command.command("all")
@click.option("--budget", "budget_s", type=RealRange(min=10), default=300, show_default=True, metavar="SECONDS",
              help="Total time budget.")  # fmt: skip
@between_option
@click.option(
    "--pairs", type=IntegerList(), default="1,4", show_default=True, help="Pairs of ranks, TCP streams, queue pairs."
)
@mpi_options
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for the order of measurements.")
@output_options
@click.pass_obj
def all_(cluster_file: Path, output: Output, transport: "Transport | None", **options: Any) -> int:
    """Noise, latency, throughput, pairs, collectives, TCP, InfiniBand, stress within a budget.

    A benchmark that fails is reported; the others continue. InfiniBand is skipped where a host has no device.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml all
      fairlead measure cloud.toml all --budget 3600 --pairs 1,16
    """
    from fairlead.benchmarks.measuring import suite

    lost = Lost()
    settings = suite.SuiteSettings(**given(options))
    with measuring(cluster_file, output, options["budget_s"]) as (cluster, store, progress):
        cluster = cluster.with_transport(transport) if transport else cluster
        suite.measure_all(cluster, store, settings, progress, lost)
    return lost.exit_code()


@command.command("import")
@click.argument("file_format", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("files", metavar="FILE..", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--system", required=True, help="Name of the measured system in reports.")
@click.option("--test", default="", metavar="NAME", help="Name of the test, where the file has none.")
@click.option(
    "--unit", default="", metavar="UNIT", help="Unit of raw samples: ns, us, ms, s, bit/s, Mbit/s, Gbit/s, MB/s, MiB/s."
)
@click.option("--size", "size_B", type=click.IntRange(min=0), metavar="BYTES", help="Message size of raw samples.")
@click.option("--tick-rate", "tick_rate_hz", type=RealRange(min=1), metavar="HZ",
              help="Rate of the clock whose ticks netgauge's distrtt prints.")  # fmt: skip
@output_options
@click.pass_context
def import_(
    context: click.Context, file_format: str, files: tuple[Path, ...], system: str, output: Output, **options: Any
) -> None:
    """Import other programs' measurements into the results; several files of one test are its repetitions.

    FORMAT is osu (OSU micro-benchmarks), imb (Intel MPI Benchmarks), iperf3 (--json), perftest, netgauge, mpip, gpcnet
    (GPCNeT), rtla (osnoise, timerlat) or samples (one number a line). A file may hold several launches, one after the
    other. If a line of a file is not understood, the error names it and nothing is stored.

    \b
    Examples:
      fairlead measure import osu latency-*.txt bandwidth-*.txt --system cloud
      fairlead measure import imb imb.log --system cloud --results results/cloud
      fairlead measure import netgauge ng.out --test one_one_mpi_bidirect --system cloud
      fairlead measure import samples barrier.txt --test barrier --unit us --system cloud
    """
    from fairlead.benchmarks.imported import keep as imported
    from fairlead.display import words
    from fairlead.errors import ConfigError, MeasurementError
    from fairlead.readers.reading import ImportOptions
    from fairlead.store import Store

    for option in given_besides(context):
        if file_format not in _READ_BY.get(option, FORMATS):
            raise click.UsageError(f"{option} is of use for {words.listing(_READ_BY[option])} only; omit it")
    try:
        found = imported.read(file_format, files, ImportOptions(**options))
    except MeasurementError as error:  # a wrong file was named; elsewhere it is a measurement that failed
        raise ConfigError(str(error)) from error
    with Store.open(output.results) as store:
        runs = imported.keep(store, system, file_format, found)
        for run in runs:
            of = store.run(run)
            files_of = words.count(len(of.plan["files"]), "file")
            click.echo(f"{of.labels['benchmark']}: {files_of}, run {run} in {output.results}", err=True)
    show(output)


for _benchmark in BENCHMARKS:
    if _benchmark.command is not None:
        command.add_command(benchmark_command(_benchmark.name)(_benchmark.command))
command.add_command(plan)
