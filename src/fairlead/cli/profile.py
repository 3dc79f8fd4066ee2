"""``fairlead profile``."""

from pathlib import Path

import click

from fairlead.cli.cluster_argument import ClusterArgument


@click.command("profile")
@click.argument("argv", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("-n", "--ranks", type=click.IntRange(min=1),
              help="Ranks to start [default: one a core, or one a compute host of the cluster].")  # fmt: skip
@click.option("--cluster", "cluster_file", metavar="CLUSTER", type=ClusterArgument(),
              help="A cluster file, or `slurm` inside an allocation [default: this machine alone].")  # fmt: skip
@click.option("--mpirun", help="Which mpirun, by name or path [default: the one in the PATH, or the cluster file's].")
@click.option("--own-mpirun", is_flag=True, help="PROGRAM is a whole launch line of your own; it is run unchanged.")
@click.option("--json", "json_file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the profile to FILE as JSON, too.")  # fmt: skip
@click.option("--messages", type=click.IntRange(min=0), default=32_768, show_default=True,
              help="Ends of messages that a rank keeps one by one, 64 B each: waiting is told of these.")  # fmt: skip
@click.option("--settings", "settings_file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="A TOML file that says where the groups begin (docs/profile.md).")  # fmt: skip
def command(
    argv: tuple[str, ...],
    ranks: int | None,
    cluster_file: Path | None,
    mpirun: str | None,
    own_mpirun: bool,
    json_file: Path | None,
    messages: int,
    settings_file: Path | None,
) -> int:
    """Run an MPI program and show how it communicates; exits with the program's own code.

    The program is not compiled again. stdin, stdout and signals are its own; the profile goes to stderr: time computing
    and in MPI, functions, message sizes, and who sends how much to whom.

    \b
    Examples:
      fairlead profile -n 4 -- cg --class A
      fairlead profile -n 4 --json cg.json -- cg --class A
      fairlead profile --cluster mesh8.cluster.toml -n 8 -- ./program
      fairlead profile --own-mpirun -- mpirun -n 4 ./program
    """
    from fairlead import config
    from fairlead.profile import run
    from fairlead.profile.settings import Settings

    return run.run(
        argv,
        cluster_file=cluster_file,
        ranks=ranks,
        mpirun=mpirun,
        own_mpirun=own_mpirun,
        json_file=json_file,
        messages=messages,
        settings=config.load(settings_file, Settings) if settings_file is not None else None,
    )
