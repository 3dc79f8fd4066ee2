"""``fairlead demo``."""

import os
import sys
from pathlib import Path

import click

from fairlead.cli import compare
from fairlead.cli import scale as scale_option
from fairlead.manage.data_planes import PLANES


@click.command("demo")
@click.option(
    "--results", default="results/demo", show_default=True, type=click.Path(path_type=Path), help="Results directory."
)
@click.option("--plane", type=click.Choice(PLANES.names()), help="Plane that reroutes traffic  [default: route].")
@click.option(
    "--scale",
    callback=scale_option.number_or_auto,
    metavar="NUMBER",
    help="Factor for the lab's link rates  [default: what this machine can emulate].",
)
@click.option(
    "--write",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the demo's plan and lab file to this directory, and run nothing.",
)
@click.pass_context
def command(
    context: click.Context, results: Path, plane: str | None, scale: float | str | None, directory: Path | None
) -> int:
    """Show on this machine what management gains for a program: about 2 minutes.

    Emulates a cluster of 8 hosts and runs an MPI program on it four times: on a free and on a congested network, with
    and without management. Writes RESULTS/report.html. Needs no privileges. It is `fairlead compare` with a small plan.

    \b
    Examples:
      fairlead demo
      fairlead demo --plane relay --results results/relay
      fairlead demo --write here && fairlead lab up here/mesh8.toml
    """
    from fairlead import demo

    if directory is not None:
        for path in demo.write(directory):
            click.echo(path)
        return 0
    _find_own_mpi()
    planes = (plane,) if plane else ()
    return int(context.invoke(compare.command, plan_file=demo.PLAN, results=results, planes=planes, scale=scale))


def _find_own_mpi() -> None:
    """Programs of fairlead's own virtual environment are found though it was not activated: an MPI from PyPI."""
    own = str(Path(sys.executable).parent)
    found = os.environ.get("PATH", os.defpath)
    if own not in found.split(os.pathsep):
        os.environ["PATH"] = f"{found}{os.pathsep}{own}"
