"""``fairlead measure``: micro-benchmarks of a cluster."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli.cluster_argument import ClusterArgument
from fairlead.cli.sizes import Sizes

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.measure.benchmarks.repeat import Until
    from fairlead.measure.samples import Progress
    from fairlead.store import Store

LARGEST_B = 64 * 1024**2
PATH = click.Path(path_type=Path)
FORMATS = ("osu", "imb", "iperf3", "perftest", "netgauge", "mpip")


class _Benchmarks(click.Group):
    """`import` takes no cluster: what it reads was measured elsewhere."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(context, ["none", *args] if args[:1] == ["import"] else args)


@click.group(cls=_Benchmarks)
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.pass_context
def command(context: click.Context, cluster_file: Path) -> None:
    """Measure CLUSTER by micro-benchmarks; every raw sample is kept, and shown as a page with figures.

    CLUSTER is a cluster file, or `slurm` inside an allocation.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-latency
      fairlead measure mesh8.cluster.toml mpi-throughput --pairs 1,4 --directions one,both
      fairlead measure mesh8.cluster.toml all-pairs
      fairlead measure mesh8.cluster.toml tcp --streams 1,4
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml COMMAND --help
      fairlead measure import osu latency-*.txt --system cloud
    """
    context.obj = cluster_file


@dataclass(frozen=True)
class Output:
    """Where results go."""

    results: Path
    page: Path | None
    figures: Path | None


def _output_options(target: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--figures", type=PATH, help="Also write the page's figures there (SVG, PNG, CSV)."),
        click.option("--output", type=PATH, help="The page.  [default: RESULTS/benchmarks.html]"),
        click.option("--results", default="results", show_default=True, type=PATH, help="Results directory."),
    ):
        target = option(target)
    return target


def _until_options(target: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--seed", type=int, default=1, show_default=True, help="Of the order of measurements."),
        click.option("--timeout", "timeout_s", type=click.FloatRange(min=1), default=60, show_default=True,
                     metavar="SECONDS", help="A block that takes longer is taken for hung."),
        click.option("--blocks", type=click.IntRange(min=2), default=10, show_default=True,
                     help="Blocks of each size at least, unless the budget is over."),
        click.option("--budget", "budget_s", type=click.FloatRange(min=0, min_open=True), default=60,
                     show_default=True, metavar="SECONDS", help="No block begins after that."),
        click.option("--within", "within_percent", type=click.FloatRange(min=0, min_open=True), default=5,
                     show_default=True, metavar="PERCENT",
                     help="Stop when the 95 % interval of each median lies within that of it."),
    ):  # fmt: skip
        target = option(target)
    return target


def _pair_options(target: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's]."),
        click.option("--pairs", type=_Numbers(), default="1", show_default=True,
                     help="Pairs of ranks for each pair of hosts at once, for example 1,16."),
        click.option("--between", nargs=2, multiple=True, metavar="HOST HOST",
                     help="Two hosts. Repeatable: all at the same time [default: the first two]."),
        click.option("--sizes", "sizes_B", type=Sizes(LARGEST_B), default="1..4MiB", show_default=True,
                     help="Message sizes; a range has all powers of two."),
    ):  # fmt: skip
        target = option(target)
    return target


class _Numbers(click.ParamType):
    """Whole numbers: "1,16"."""

    name = "numbers"

    def __init__(self, least: int = 1) -> None:
        self._least = least

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(word.strip().isdigit() and self._least <= int(word) <= 1024 for word in words):
            self.fail(
                f"{value!r} are no numbers from {self._least} to 1024; write for example 1,16", parameter, context
            )
        return tuple(sorted({int(word) for word in words}))


@command.command("mpi-latency")
@_pair_options
@_until_options
@_output_options
@click.pass_obj
def mpi_latency(cluster_file: Path, **options: Any) -> None:
    """MPI latency: half the round trip of a message between two ranks (as osu_latency, osu_multi_lat).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-latency --between h0 h2 --sizes 1..64KiB
      fairlead measure mesh8.cluster.toml mpi-latency --pairs 1,16 --within 2
    """
    _point_to_point("mpi-latency", cluster_file, ("one",), 1, options)


@command.command("mpi-throughput")
@click.option("--directions", type=click.Choice(["one", "both", "one,both"]), default="one", show_default=True,
              help="One way (osu_bw, osu_mbw_mr), or both ways at once (osu_bibw).")  # fmt: skip
@click.option("--window", type=click.IntRange(1, 4096), default=64, show_default=True,
              help="Messages under way together; fewer where they need more than 256 MiB a host.")  # fmt: skip
@_pair_options
@_until_options
@_output_options
@click.pass_obj
def mpi_throughput(cluster_file: Path, directions: str, window: int, **options: Any) -> None:
    """MPI throughput: windows of messages between two ranks (as osu_bw, osu_bibw, osu_mbw_mr).

    \b
    Examples:
      fairlead measure mesh8.cluster.toml mpi-throughput --between h0 h2
      fairlead measure mesh8.cluster.toml mpi-throughput --pairs 1,16 --directions one,both
    """
    _point_to_point("mpi-throughput", cluster_file, tuple(directions.split(",")), window, options)


@command.command("all")
@click.option("--budget", "budget_s", type=click.FloatRange(min=10), default=300, show_default=True, metavar="SECONDS",
              help="For all of it.")  # fmt: skip
@click.option("--between", nargs=2, metavar="HOST HOST", help="Two hosts [default: the first two].")
@click.option("--pairs", type=_Numbers(), default="1,4", show_default=True, help="Pairs of ranks, and TCP streams.")
@click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the order of measurements.")
@_output_options
@click.pass_obj
def all_(cluster_file: Path, between: tuple[str, str] | None, **options: Any) -> int:
    """All benchmarks but burst, within a budget; one that fails is told, and the others go on.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml all
      fairlead measure cloud.toml all --budget 3600 --pairs 1,16
    """
    from fairlead.measure.benchmarks import all as benchmarks

    output, lost = _output(options), []

    def failed(name: str, error: Exception) -> None:
        lost.append(name)
        click.echo(f"fairlead: {name}: {error}", err=True)

    settings = benchmarks.Settings(between=(between,) if between else (), **options)
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmarks.measure(cluster, store, settings, progress, failed)
    return 1 if lost else 0


def _point_to_point(
    benchmark: str, cluster_file: Path, directions: tuple[str, ...], window: int, options: dict[str, Any]
) -> None:
    from fairlead.measure.benchmarks import point_to_point

    until, output = _until(options), _output(options)
    settings = point_to_point.Settings(directions=directions, window=window, until=until, **options)
    with _measuring(cluster_file, output) as (cluster, store, progress):
        point_to_point.measure(cluster, store, benchmark, settings, progress)


@command.command("all-pairs")
@click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="8", show_default=True,
              help="Of the latency's messages.")  # fmt: skip
@click.option("--train-size", "trains_B", type=Sizes(LARGEST_B), default="256KiB", show_default=True,
              help="Of the throughput's messages.")  # fmt: skip
@_until_options
@_output_options
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

    until, output = _until(options), _output(options)
    settings = benchmark.Settings(size_B=sizes_B[0], train_B=trains_B[0], until=until, **options)
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@command.command("stress")
@click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
@click.option("--between", nargs=2, multiple=True, metavar="HOST HOST",
              help="Two hosts. Repeatable: all at the same time [default: the first two].")  # fmt: skip
@click.option(
    "--pairs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Of ranks, for two hosts each."
)
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True, help="Of messages.")
@click.option("--seconds", type=click.FloatRange(min=1), default=900, show_default=True, help="How long.")
@_output_options
@click.pass_obj
def stress(cluster_file: Path, sizes_B: tuple[int, ...], **options: Any) -> None:
    """Throughput for a long time, and the dips in it.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml stress --seconds 60
      fairlead measure cloud.toml stress --between n0 n1 --pairs 16 --seconds 3600
    """
    from fairlead.measure.benchmarks import stress as benchmark

    output = _output(options)
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmark.measure(cluster, store, benchmark.Settings(size_B=sizes_B[0], **options), progress)


@command.command("burst")
@click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
@click.option("--between", nargs=2, metavar="HOST HOST", help="Two hosts [default: the first two].")
@click.option("--size", "sizes_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True, help="Of messages.")
@click.option("--train", type=click.IntRange(1, 100_000), default=1, show_default=True,
              help="Round trips between two pauses: 1, or for example 100.")  # fmt: skip
@click.option("--asleep", is_flag=True, help="Pauses are slept instead of spent in a busy loop.")
@click.option("--one-pauses", is_flag=True, help="Only the first rank pauses, instead of both.")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Passes through all pauses."
)
@_output_options
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

    output = _output(options)
    pair = (between,) if between else ()
    settings = benchmark.Settings(between=pair, size_B=sizes_B[0], both=not one_pauses, **options)
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@command.command("noise")
@click.option("--method", type=click.Choice(["selfish", "fwq"]), default="selfish", show_default=True,
              help="Detours of a busy loop, or times of equal pieces of work.")  # fmt: skip
@click.option("--host", "hosts", multiple=True,
              help="Repeatable [default: all compute hosts; the first where they share one machine].")  # fmt: skip
@click.option("--cpus", type=_Numbers(0), default=None, help="Processors [default: all that may be used].")
@click.option("--in-turn", is_flag=True, help="One processor after the other instead of all at once.")
@click.option("--threshold", type=click.FloatRange(min=1.5), default=9, show_default=True,
              help="A detour takes more than so many of the least iterations.")  # fmt: skip
@click.option("--detours", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True,
              help="Detours after which a processor is done.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0.01, 1e6), default=10, show_default=True,
              help="Time after which a processor is done.")  # fmt: skip
@click.option("--quantum", "quantum_s", type=click.FloatRange(1e-6, 10), default=0.001, show_default=True,
              metavar="SECONDS", help="A piece of work.")  # fmt: skip
@_output_options
@click.pass_obj
def noise(cluster_file: Path, **options: Any) -> None:
    """Operating-system noise: what takes the processor from a program, on every core.

    \b
    Examples:
      fairlead measure mesh8.cluster.toml noise
      fairlead measure mesh8.cluster.toml noise --method fwq --cpus 0,1 --seconds 60
    """
    from fairlead.measure.benchmarks import noise as benchmark

    output = _output(options)
    settings = benchmark.Settings(**{**options, "cpus": options["cpus"] or ()})
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@command.command("tcp")
@click.option("--between", nargs=2, metavar="HOST HOST", help="Two hosts [default: the first two].")
@click.option("--streams", type=_Numbers(), default="1", show_default=True, help="Streams at once, for example 1,16.")
@click.option("--directions", type=click.Choice(["one", "both", "one,both"]), default="one", show_default=True,
              help="From the first host to the second, or both ways at once.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1, 3600), default=6, show_default=True,
              help="Length of a stream; its middle third counts.")  # fmt: skip
@click.option("--length", "lengths_B", type=Sizes(LARGEST_B), default="1MiB", show_default=True,
              help="What a stream writes at once.")  # fmt: skip
@_until_options
@_output_options
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
    until, output = _until(options), _output(options)
    settings = benchmark.Settings(
        between=(between,) if between else (),
        directions=tuple(directions.split(",")),
        length_B=lengths_B[0],
        until=until,
        **options,
    )
    with _measuring(cluster_file, output) as (cluster, store, progress):
        benchmark.measure(cluster, store, settings, progress)


@command.command("import")
@click.argument("file_format", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("files", metavar="FILE..", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--system", required=True, help="Whose measurements these are: the name that reports show.")
@_output_options
def import_(file_format: str, files: tuple[Path, ...], system: str, **options: Any) -> None:
    """Read what other programs measured into the results; several files of one test are its repetitions.

    FORMAT is osu (OSU micro-benchmarks), imb (Intel MPI Benchmarks), iperf3 (--json), perftest, netgauge (noise,
    one_one) or mpip. A file that is not understood is refused, with its line, and nothing is stored.

    \b
    Examples:
      fairlead measure import osu latency-*.txt bandwidth-*.txt --system cloud
      fairlead measure import imb imb.log --system cloud --results results/cloud
    """
    from fairlead.measure.benchmarks import imported
    from fairlead.report import words
    from fairlead.store import Store

    output = _output(options)
    found = imported.read(file_format, files)
    with Store.open(output.results) as store:
        runs = imported.keep(store, system, file_format, found)
        for run in runs:
            of = store.run(run)
            files_of = words.count(len(of.plan["files"]), "file")
            click.echo(f"{of.labels['benchmark']}: {files_of}, run {run} in {output.results}", err=True)
    _show(output)


def _until(options: dict[str, Any]) -> "Until":
    from fairlead.measure.benchmarks.repeat import Until

    within, budget_s = options.pop("within_percent") / 100, options.pop("budget_s")
    return Until(within=within, budget_s=budget_s, least=options.pop("blocks"))


def _output(options: dict[str, Any]) -> Output:
    return Output(options.pop("results"), options.pop("output"), options.pop("figures"))


@contextmanager
def _measuring(cluster_file: Path, output: Output) -> "Iterator[tuple[Cluster, Store, Progress]]":
    """Opens the store for a measurement, and makes the page when it is over."""
    from fairlead.cli.characterize import progress_on
    from fairlead.cluster.description import Cluster
    from fairlead.store import Store

    cluster = Cluster.load(cluster_file)
    with Store.open(output.results) as store, progress_on(sys.stderr) as progress:
        yield cluster, store, progress
    _show(output)


def _show(output: Output) -> None:
    from fairlead.report import make

    page = output.page or output.results / "benchmarks.html"
    for path in make.benchmarks([output.results], page, figures=output.figures):
        click.echo(path)
