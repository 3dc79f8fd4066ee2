"""``fairlead workload``: programs of the user's own source trees, by short names."""

import shlex
from pathlib import Path

import click


@click.group()
def command() -> None:
    """Build and list programs of a benchmark suite from its source.

    \b
      fairlead workload add npb ~/NPB3.4.3 --apps cg,mg --classes A,B
      fairlead run mesh8.cluster.toml -n 8 -- npb:cg.A
    """


def _words(_context: click.Context, _parameter: click.Parameter, value: str) -> list[str]:
    words = [word.strip() for word in value.split(",") if word.strip()]
    if not words:
        raise click.BadParameter(f"{value!r} names nothing; write for example A,B")
    return words


@command.command("add")
@click.argument("suite", type=click.Choice(["npb"]))
@click.argument("path", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--apps", default="bt,cg,ep,ft,is,lu,mg,sp", show_default=True, callback=_words, help="Programs to build."
)
@click.option("--classes", default="S,A", show_default=True, callback=_words, help="Classes to build them in.")
def add(suite: str, path: Path, apps: list[str], classes: list[str]) -> None:
    """Build programs in the source tree at PATH; other commands then take them as npb:NAME.CLASS.

    PATH is the directory NPB3.4-MPI or the one that holds it, with config/make.def set to the compilers of your MPI.

    \b
    Example:
      fairlead workload add npb ~/NPB3.4.3 --apps cg,mg --classes A,B
    """
    from fairlead.programs import npb, workloads

    programs = npb.programs(apps, classes)
    root = npb.tree(path)
    for program in programs:
        click.echo(npb.build(root, program))
    workloads.add(suite, root)


@command.command("list")
def show() -> None:
    """List the programs that were built, and the MPI that each is linked with.

    \b
    Example: fairlead workload list
    """
    from fairlead.programs import npb, workloads

    trees = workloads.trees()
    if not trees:
        click.echo("none yet: `fairlead workload add npb PATH`", err=True)
    for suite, root in trees.items():
        click.echo(f"{suite}: {root}")
        built = [each for each in npb.programs(npb.APPS, npb.CLASSES) if npb.executable(root, each).is_file()]
        for program in built:
            click.echo(f"  {suite}:{program}  {_linkage(npb.executable(root, program))}")
        if not built:
            click.echo(f"no program is built there: `fairlead workload add {suite} {shlex.quote(str(root))}`", err=True)


def _linkage(program: Path) -> str:
    from fairlead.errors import NoProgramError
    from fairlead.programs import linkage

    try:
        return str(linkage.here(program))
    except NoProgramError as error:
        return error.message.removeprefix(f"{program} ")


@command.command("remove")
@click.argument("suite", type=click.Choice(["npb"]))
def remove(suite: str) -> None:
    """Forget a source tree. Its files stay.

    \b
    Example: fairlead workload remove npb
    """
    from fairlead.programs import workloads

    workloads.remove(suite)
