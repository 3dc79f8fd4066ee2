"""``fairlead workload``: programs of the user's own source trees, known by short names."""

from pathlib import Path

import click


@click.group()
def command() -> None:
    """Build and know the programs of a benchmark suite that you have the source of.

    \b
      fairlead workload add npb ~/NPB3.4.3 --apps cg,mg --classes A,B
      fairlead run mesh8.cluster.toml -n 8 -- npb:cg.A
    """


def _words(_context: click.Context, _parameter: click.Parameter, value: str) -> list[str]:
    return [word for word in value.split(",") if word]


@command.command("add")
@click.argument("suite", type=click.Choice(["npb"]))
@click.argument("path", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--apps", default="bt,cg,ep,ft,is,lu,mg,sp", show_default=True, callback=_words, help="Which to build.")
@click.option("--classes", default="S,A", show_default=True, callback=_words, help="In which classes.")
def add(suite: str, path: Path, apps: list[str], classes: list[str]) -> None:
    """Build programs of the source tree at PATH, in it, and know them as npb:NAME.CLASS from now on.

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
    """Say which programs are there, and which MPI each was linked with.

    \b
    Example: fairlead workload list
    """
    from fairlead.programs import linkage, npb, workloads

    trees = workloads.trees()
    if not trees:
        click.echo("none yet: `fairlead workload add npb PATH`", err=True)
    for suite, root in trees.items():
        click.echo(f"{suite}: {root}")
        for program in npb.programs(npb.APPS, npb.CLASSES):
            path = npb.executable(root, program)
            if path.is_file():
                click.echo(f"  {suite}:{program}  {linkage.here(path)}")


@command.command("remove")
@click.argument("suite", type=click.Choice(["npb"]))
def remove(suite: str) -> None:
    """Forget a source tree. Its files stay.

    \b
    Example: fairlead workload remove npb
    """
    from fairlead.programs import workloads

    workloads.remove(suite)
