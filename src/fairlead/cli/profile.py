"""``fairlead profile``: run a program with its communication counted, show a stored profile again."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli.parameters.bring import bring_option
from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.default_group import DefaultGroup
from fairlead.cli.parameters.named_path import NamedPath
from fairlead.cli.parameters.own_mpirun import check_own_mpirun, own_mpirun_option
from fairlead.cli.parameters.prices import book_of
from fairlead.cli.parameters.program_command import ProgramCommand
from fairlead.cli.parameters.transport import transport_option

if TYPE_CHECKING:
    from fairlead.profile.json_form import Summary
    from fairlead.profile.settings import ProfileSettings

FILE = NamedPath(path_type=Path, dir_okay=False)


@click.group(cls=DefaultGroup)
def command() -> None:
    """Run an MPI program and show how it communicates.

    \b
      fairlead profile -n 4 -- cg --class A                    time computing and in MPI, communication matrix
      fairlead profile -n 4 --html cg.html -- cg --class A     also as a page with figures
      fairlead profile -n 4 --json cg.json -- cg --class A     also as JSON
      fairlead profile show cg.json --html cg.html             from a stored profile
      fairlead profile run --help                              all options
    """


def _output_options(target: Callable[..., Any]) -> Callable[..., Any]:
    """Options that both commands have."""
    for option in (
        click.option("--prices", metavar="FILE", type=FILE,
                     help="Price book that has the cluster: also show what the run cost."),
        click.option("--settings", "settings_file", metavar="FILE", type=FILE,
                     help="TOML file with the thresholds of the groups of dependence on the network."),
        click.option("--figures", metavar="DIRECTORY", type=NamedPath(path_type=Path, file_okay=False),
                     help="Also write the page's figures to DIRECTORY (SVG, PNG, CSV)."),
        click.option("--html", "html_file", metavar="FILE", type=FILE, help="Write a page with figures to FILE."),
    ):  # fmt: skip
        target = option(target)
    return target


@command.command("run", cls=ProgramCommand)
@click.argument("argv", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("-n", "--ranks", type=click.IntRange(min=1),
              help="Number of ranks [default: one per core, or one per slot of the cluster].")  # fmt: skip
@click.option("--cluster", "cluster_file", metavar="CLUSTER", type=ClusterArgument(),
              help="A cluster file, `slurm` or `hostfile:PATH` [default: this machine alone].")  # fmt: skip
@click.option("--mpirun", help="mpirun to use, by name or path [default: the one in the PATH, or the cluster file's].")
@own_mpirun_option
@bring_option("the command")
@transport_option()
@click.option("--keep-messages", "messages", type=click.IntRange(min=0), default=32_768, show_default=True,
              help="Message ends that each rank records, 64 B each; waiting times are computed from them.")  # fmt: skip
@click.option("--placement", metavar="FILE", type=FILE, help="Rank placement from `fairlead placement --json`.")
@click.option("--otf2", metavar="DIRECTORY", type=NamedPath(path_type=Path),
              help="Also write the kept messages as an OTF2 trace.")  # fmt: skip
@click.option("--trace", metavar="FILE", type=FILE,
              help="Also write the kept messages as a trace for `fairlead simulate`.")  # fmt: skip
@click.option(
    "--regions",
    is_flag=True,
    help='Count by regions of the program: MPI_Pcontrol(1, "name") begins one, MPI_Pcontrol(-1, "name") ends it.',
)
@click.option(
    "--call-sites",
    is_flag=True,
    help="Also count calls by call site: function, file and line.",
)
@click.option(
    "--collectives",
    type=click.Choice(["estimated", "measured"]),
    default="estimated",
    show_default=True,
    help="How the profile knows what collective calls send from rank to rank. estimated: by the algorithms that MPI "
    "libraries usually take; measured: counted by Open MPI, which makes each of its messages slower.",
)
@click.option("--chaos", metavar="SEED", type=click.IntRange(min=0),
              help="Send messages over two paths at random, to test the relay plane.")  # fmt: skip
@click.option("--json", "json_file", metavar="FILE", type=FILE, help="Also write the profile to FILE as JSON.")
@_output_options
def run(
    argv: tuple[str, ...],
    ranks: int | None,
    cluster_file: Path | None,
    mpirun: str | None,
    own_mpirun: bool,
    bring: tuple[Path, ...],
    transport: str,
    placement: Path | None,
    otf2: Path | None,
    trace: Path | None,
    json_file: Path | None,
    messages: int,
    regions: bool,
    call_sites: bool,
    collectives: str,
    chaos: int | None,
    html_file: Path | None,
    figures: Path | None,
    settings_file: Path | None,
    prices: Path | None,
) -> int:
    """Run PROGRAM and count its communication; exits with its code (default; `run` may be omitted).

    The program is not compiled again. stdin, stdout and signals are the program's; the profile goes to stderr: time
    computing and in MPI, functions, message sizes, and the communication matrix.

    \b
    Examples:
      fairlead profile -n 4 -- cg --class A
      fairlead profile -n 4 --json cg.json --html cg.html -- cg --class A
      fairlead profile --cluster mesh8.cluster.toml -n 8 -- ./program
      fairlead profile --cluster mesh8.cluster.toml --prices prices.toml -n 8 -- ./program
      fairlead profile --own-mpirun -- mpirun -n 4 ./program
    """
    from fairlead.profile.run import run_profiled
    from fairlead.programs.launch_request import LaunchRequest
    from fairlead.report.profile.profile_output import ProfileOutput

    if own_mpirun:
        check_own_mpirun(mpirun, transport)
    return run_profiled(
        LaunchRequest(argv, ranks, mpirun, own_mpirun, bring, transport, placement),
        cluster_file=cluster_file,
        messages=messages,
        otf2=otf2,
        trace=trace,
        regions=regions,
        call_sites=call_sites,
        chaos=chaos,
        collectives=collectives,
        write=ProfileOutput(json_file, html_file, figures).write,
        settings=_settings(settings_file),
        book=book_of(prices),
    )


@command.command("show")
@click.argument("file", type=FILE)
@click.option("--json", "json_file", metavar="FILE", type=FILE, help="Write the profile to FILE as JSON.")
@_output_options
def show(
    file: Path,
    json_file: Path | None,
    html_file: Path | None,
    figures: Path | None,
    settings_file: Path | None,
    prices: Path | None,
) -> None:
    """Show a stored profile: FILE was written by --json, or is an OTF2 trace (NAME.otf2), such as Score-P's.

    \b
    Examples:
      fairlead profile show cg.json
      fairlead profile show cg.json --html cg.html --figures figures/
      fairlead profile show cg.json --prices prices.toml
      fairlead profile show scorep-20261122_0800/traces.otf2 --json p.json
    """
    from fairlead.display.terminal import console
    from fairlead.profile import json_form, priced, terminal
    from fairlead.report.profile.profile_output import ProfileOutput

    found = _traced(file) if file.suffix == ".otf2" else json_form.Summary.read(file)
    settings = _settings(settings_file)
    found = json_form.with_settings(found, settings) if settings is not None else found
    book = book_of(prices)
    found = priced.with_prices(found, book) if book is not None else found
    terminal.show(found, console())
    for path in ProfileOutput(json_file, html_file, figures).write(found):
        click.echo(path)


def _traced(file: Path) -> "Summary":
    from fairlead.profile import json_form, profile
    from fairlead.profile.traces import otf2_read

    return json_form.of(profile.of(otf2_read.read(file)), [str(file)])


def _settings(file: Path | None) -> "ProfileSettings | None":
    from fairlead import config
    from fairlead.profile.settings import ProfileSettings

    return config.load(file, ProfileSettings) if file is not None else None
