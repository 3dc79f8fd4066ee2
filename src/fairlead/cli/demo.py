"""``fairlead demo``."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters import scale as scale_option
from fairlead.cli.parameters.given import given_besides
from fairlead.cli.parameters.plane import plane_option

if TYPE_CHECKING:
    from fairlead.demo.show import Shown


@click.command("demo")
@click.option(
    "--results", default="results/demo", show_default=True, type=click.Path(path_type=Path), help="Results directory."
)
@plane_option("Plane that carries rerouted traffic.")
@click.option(
    "--scale",
    callback=scale_option.number,
    metavar="NUMBER",
    help="Factor for the lab's link rates  [default: by this machine's number of processors].",
)
@click.option(
    "--write",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the demo's lab file and a comparison plan to this directory; run nothing.",
)
@click.pass_context
def command(context: click.Context, results: Path, plane: str, scale: float | None, directory: Path | None) -> int:
    """Show congestion, reroutes and recovery live on this machine: about 1 minute.

    Emulates a cluster of 8 hosts and runs an MPI program on it beside cross-traffic, first without and then with
    reroutes. Shows the program's message rate second by second, and what fairlead does. Writes RESULTS/report.html.
    Needs no privileges. Each run is made once: for confidence intervals use `--write` and `fairlead compare`.

    The exit code is 1 if nothing was rerouted.

    \b
    Examples:
      fairlead demo
      fairlead demo --plane relay --results results/relay
      fairlead demo --write here && fairlead compare here/demo.toml
    """
    from fairlead import demo, native

    if directory is not None:
        if ignored := given_besides(context, "directory"):
            raise click.UsageError(f"--write runs nothing, and writes the files as they are; omit {ignored[0]}")
        for path in demo.write(directory):
            click.echo(path)
        return 0
    native.library("libfairlead.so")  # not only when the lab is up: `make demo` does not build it
    _find_own_mpi()
    click.echo(f"takes about 1 minute; results and report go to {results}")  # before slow imports
    from fairlead.demo.show import show_demo

    shown = show_demo(results, plane=plane, scale=scale, tell=click.echo)
    for line in _summary(shown):
        click.echo(line)
    return 0 if shown.reroutes else 1


def _summary(shown: "Shown") -> Iterator[str]:
    from fairlead.display import words
    from fairlead.lab import processors

    times = (
        f"{words.duration(shown.free_s)} on the quiet network, {words.duration(shown.congested_s)} beside "
        f"cross-traffic, {words.duration(shown.rerouted_s)} with {words.count(shown.reroutes, 'reroute')}"
    )
    if not shown.reroutes:
        yield f"{times}: nothing was rerouted"
    elif shown.recovered is None:
        yield f"{times}: the cross-traffic cost no time"
    else:
        yield f"{times}: {words.percent(shown.recovered, decimals=0)} of the lost time recovered"
    if shown.busy > processors.MOST_BUSY:
        yield (
            f"this machine's processors were up to {words.percent(shown.busy, decimals=0)} busy, so the network was "
            "not the only limit; a smaller --scale makes links slower"
        )
    yield f"report: {shown.report}"


def _find_own_mpi() -> None:
    """Programs of fairlead's own virtual environment are found though it was not activated: an MPI from PyPI."""
    own = str(Path(sys.executable).parent)
    found = os.environ.get("PATH", os.defpath)
    if own not in found.split(os.pathsep):
        os.environ["PATH"] = f"{found}{os.pathsep}{own}"
