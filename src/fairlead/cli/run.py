"""``fairlead run``."""

from pathlib import Path

import click

from fairlead.cli.cluster_argument import ClusterArgument
from fairlead.cli.named_path import NamedPath
from fairlead.cli.program_command import ProgramCommand
from fairlead.manage.data_planes import PLANES


def _parse_move(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, str, str]]:
    moves = []
    for value in values:
        names = value.split(":")
        if len(names) != 3 or not all(names):
            raise click.BadParameter(f"{value!r} is not SOURCE:DESTINATION:RELAY")
        moves.append((names[0], names[1], names[2]))
    return moves


@click.command("run", cls=ProgramCommand)
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("argv", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(min=1),
    help="Ranks to start [default: one a slot of the cluster, or the placement's].",
)
@click.option("--mpirun", help="Which mpirun, by name or path [default: the cluster file's].")
@click.option("--own-mpirun", is_flag=True, help="PROGRAM is a whole launch line of your own; it is run unchanged.")
@click.option("--results", default="results", show_default=True, type=NamedPath(path_type=Path))
@click.option("--no-agents", is_flag=True, help="Only run the program and record its time.")
@click.option("--no-detection", is_flag=True, help="Agents run, but watch nothing.")
@click.option("--no-detours", is_flag=True, help="Congestion is seen and told, but nothing is moved.")
@click.option(
    "--monitor/--no-monitor",
    default=False,
    show_default=True,
    help="Watch the program's messages, too: communication time by host pair (docs/monitor.md).",
)
@click.option("--messages", metavar="DIRECTORY", type=NamedPath(path_type=Path, file_okay=False),
              help="Each process keeps all its messages and collective calls in a file there.")  # fmt: skip
@click.option("--migrate", is_flag=True, help="Move virtual machines where their server is congested.")
@click.option("--migrate-dry-run", is_flag=True, help="Only say which virtual machine would be moved, and why.")
@click.option("--move", "moves", multiple=True, callback=_parse_move, metavar="SOURCE:DESTINATION:RELAY",
              help="Move a host pair by hand for the whole run. Repeatable.")  # fmt: skip
@click.option(
    "--plane",
    type=click.Choice([*PLANES.names(), "auto"]),
    default="route",
    show_default=True,
    help="How what is moved travels: by the kernel (needs the guardian's privilege), or by the agents, which carry the "
    "messages of ranks (docs/relay-plane.md); auto: by the kernel if every host can.",
)
@click.option("--placement", "placement_file", metavar="FILE", type=NamedPath(path_type=Path, dir_okay=False),
              help="Ranks where `fairlead placement --json` put them.")  # fmt: skip
@click.option("--start-limit", "start_limit_s", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True),
              help="End the program if a host that answers has no rank by then [default: leave it alone].")  # fmt: skip
@click.option("--grace", "grace_s", metavar="SECONDS", type=click.FloatRange(min=0), default=2.0, show_default=True,
              help="After Ctrl-C, TERM or HUP, how long the program has to end by itself.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr while the program runs.")
def command(
    cluster_file: Path,
    argv: tuple[str, ...],
    ranks: int | None,
    mpirun: str | None,
    own_mpirun: bool,
    results: Path,
    no_agents: bool,
    no_detection: bool,
    no_detours: bool,
    monitor: bool,
    messages: Path | None,
    migrate: bool,
    migrate_dry_run: bool,
    moves: list[tuple[str, str, str]],
    plane: str,
    placement_file: Path | None,
    start_limit_s: float | None,
    grace_s: float,
    quiet: bool,
) -> int:
    """Run an MPI program on CLUSTER with its traffic managed; exits with the program's own code.

    A program that mpirun does not find or start ends with mpirun's code, a launch line that is not found with 127.

    CLUSTER is a cluster file, or `slurm` inside an allocation.

    stdin, stdout, stderr and signals are the program's own. What fairlead sees and does is told on stderr and kept in
    the results directory. Where the program has not ended SECONDS after Ctrl-C, TERM or HUP (--grace), its traffic is
    let go of and its processes are ended on every host; a second signal, 1 s later or more, does so at once. With
    --own-mpirun processes are ended at the second signal only.

    \b
    Examples:
      fairlead run mesh8.cluster.toml -n 8 -- cg --class A
      fairlead run mesh8.cluster.toml -n 8 --move h0:h2:h4 -- ./program
      fairlead run mesh8.cluster.toml -n 8 --plane relay --move h0:h2:h4 -- ./program
      fairlead run mesh8.cluster.toml --placement placed.json -- ./program
      fairlead run mesh8.cluster.toml -n 8 --start-limit 60 --grace 30 -- ./program
      fairlead run mesh8.cluster.toml --own-mpirun -- mpirun --hostfile hosts ./program
    """
    from fairlead.manage import run
    from fairlead.manage.components import Components

    if own_mpirun and mpirun:
        raise click.UsageError("--mpirun: with --own-mpirun the launch line names its mpirun: leave --mpirun out")
    detection = not (no_agents or no_detection)
    if monitor and no_agents:
        raise click.UsageError("--monitor: messages are watched by agents: leave --no-agents out")
    if no_agents and plane != "auto" and PLANES.get(plane).by_agents:
        raise click.UsageError(f"--plane {plane}: messages are carried by agents: leave --no-agents out")
    migration = migrate or migrate_dry_run
    if migration and not detection:
        raise click.UsageError("--migrate needs agents that detect: leave --no-agents and --no-detection out")
    components = Components(
        agents=not no_agents,
        detection=detection,
        detours=detection and not no_detours,
        migration=migration,
        monitor=monitor,
    )
    return run.run(
        cluster_file,
        argv,
        ranks=ranks,
        mpirun=mpirun,
        own_mpirun=own_mpirun,
        results=results,
        components=components,
        moves=moves,
        plane=plane,
        placement=placement_file,
        messages=messages,
        start_limit_s=start_limit_s,
        grace_s=grace_s,
        dry_run=migrate_dry_run,
        quiet=quiet,
    )
