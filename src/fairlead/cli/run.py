"""``fairlead run``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.agent_settings import complete_settings, parse_settings
from fairlead.cli.parameters.bring import bring_option
from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.named_path import NamedPath
from fairlead.cli.parameters.own_mpirun import check_own_mpirun, own_mpirun_option
from fairlead.cli.parameters.plane import plane_option
from fairlead.cli.parameters.program_command import ProgramCommand
from fairlead.cli.parameters.reroutes import HELP, parse_reroutes
from fairlead.cli.parameters.results import results_option
from fairlead.cli.parameters.transport import transport_option
from fairlead.manage.data_planes import PLANES
from fairlead.protocol.enums import Acknowledge
from fairlead.protocol.settings import WAYS, Number
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.manage.components import Components


@click.command("run", cls=ProgramCommand)
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("argv", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(min=1),
    help="Number of ranks  [default: one per slot, or the placement's].",
)
@click.option("--mpirun", help="mpirun to use, by name or path  [default: the cluster file's].")
@own_mpirun_option
@bring_option("the command")
@results_option
@click.option("--no-agents", is_flag=True, help="No management: only run the program and record its time.")
@click.option("--no-detection", is_flag=True, help="Start the agents, but do not look for congestion.")
@click.option("--no-detours", is_flag=True, help="Report congestion, but do not reroute traffic.")
@click.option("--benefit/--no-benefit", default=True, show_default=True,
              help="In runs longer than 20 s: pause reroutes for moments to see what they give, and suspend them if "
              "they slow the program.")  # fmt: skip
@click.option(
    "--monitor/--no-monitor",
    default=None,
    help="Watch single messages, too, by a library that is loaded into the ranks  [default: where that harms no "
    "program; off with --no-detection].",
)
@click.option(
    "--acknowledge",
    type=click.Choice([each.value for each in Acknowledge]),
    default=None,
    help="Slow messages reported to the sender's agent, where they are watched. waited: those their receiver waited "
    "for; always: all between hosts; never: none, so only sockets and probes count  [default: waited].",
)
@click.option("--messages", metavar="DIRECTORY", type=NamedPath(path_type=Path, file_okay=False),
              help="Write all messages and collective calls to DIRECTORY, a file per process.")  # fmt: skip
@click.option("--migrate", is_flag=True, help="Also migrate virtual machines away from congested servers.")
@click.option("--migrate-dry-run", is_flag=True, help="Only report which virtual machine would be migrated, and why.")
@click.option("--reroute", "reroutes", multiple=True, callback=parse_reroutes, metavar="SOURCE:DESTINATION:RELAY",
              help=HELP)  # fmt: skip
@click.option(
    "--set",
    "settings",
    multiple=True,
    callback=parse_settings,
    shell_complete=complete_settings,
    metavar="NAME=VALUE",
    help="A setting of the agents, for example detour.dwell_s=0.5 (docs/reference/agent-settings.md). Repeatable.",
)
@plane_option(
    "Plane that carries rerouted traffic. route: the kernel (needs the guardian's privilege); relay: agents carry "
    "the ranks' messages, without privileges; auto: route if every host can, else relay if the program can be "
    "preloaded."
)
@transport_option()
@click.option("--placement", "placement_file", metavar="FILE", type=NamedPath(path_type=Path, dir_okay=False),
              help="Rank placement from `fairlead placement --json`.")  # fmt: skip
@click.option("--start-limit", "start_limit_s", metavar="SECONDS", type=RealRange(min=0, min_open=True),
              help="End the program if a reachable host has no rank by then; not with --own-mpirun  "
                   "[default: no limit].")  # fmt: skip
@click.option("--grace", "grace_s", metavar="SECONDS", type=RealRange(min=0), default=2.0, show_default=True,
              help="Time the program gets to end after Ctrl-C, TERM or HUP before it is killed.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Print no messages on stderr while the program runs.")
def command(
    cluster_file: Path,
    argv: tuple[str, ...],
    ranks: int | None,
    mpirun: str | None,
    own_mpirun: bool,
    bring: tuple[Path, ...],
    results: Path,
    no_agents: bool,
    no_detection: bool,
    no_detours: bool,
    benefit: bool,
    monitor: bool | None,
    acknowledge: str | None,
    messages: Path | None,
    migrate: bool,
    migrate_dry_run: bool,
    reroutes: list[tuple[str, str, str | int]],
    settings: dict[str, Number],
    plane: str,
    transport: str,
    placement_file: Path | None,
    start_limit_s: float | None,
    grace_s: float,
    quiet: bool,
) -> int:
    """Run an MPI program on CLUSTER with its traffic managed.

    CLUSTER is a cluster file, `slurm` inside an allocation, or `hostfile:PATH` for an MPI hostfile.

    Agents watch the program's connections. Where cross-traffic congests a path, they reroute the host pair's traffic
    through a third host until the direct path is clear again. They also watch single messages, where the library for
    that can be loaded into the program without harm; where not, one line says why. Without a characterization of these
    hosts (`fairlead characterize`) they learn latencies while the program runs, which recovers less. stdin, stdout and
    signals belong to the program; fairlead reports on stderr and stores the run in the results directory
    (`fairlead report`).

    The exit code is the program's, or mpirun's if mpirun could not start it; 127 if the launch line was not found;
    128 + signal after Ctrl-C, TERM or HUP. After such a signal the program has --grace SECONDS to end, then its
    processes are killed on every host; a second signal, at least 1 s later, kills them at once. With --own-mpirun only
    the second signal kills them.

    \b
    Examples:
      fairlead run mesh8.cluster.toml -n 8 -- cg --class A
      fairlead run mesh8.cluster.toml -n 8 --reroute h0:h2:h4 -- ./program
      fairlead run mesh8.cluster.toml -n 8 --plane relay --reroute h0:h2:h4 -- ./program
      fairlead run mesh8.cluster.toml -n 8 --set detour.dwell_s=0.5 -- ./program
      fairlead run mesh8.cluster.toml --placement placed.json -- ./program
      fairlead run mesh8.cluster.toml -n 8 --start-limit 60 --grace 30 -- ./program
      fairlead run cloud.toml --transport tcp -- ./program
      fairlead run cloud.toml --bring ./solver --bring in.dat -- ./solver in.dat
      fairlead run hostfile:/etc/mpi/hostfile --plane relay -- /opt/program
      fairlead run mesh8.cluster.toml --own-mpirun -- mpirun --hostfile hosts ./program
      fairlead run cloud.toml --own-mpirun --bring ./solver -- mpirun --hostfile hosts ./solver
    """
    from fairlead.manage import run
    from fairlead.programs.launch_request import LaunchRequest

    if own_mpirun:
        check_own_mpirun(mpirun, transport)
    if own_mpirun and start_limit_s is not None:
        raise click.UsageError("--start-limit: where your own launch line starts ranks is not known; omit it")
    if no_agents and plane != "auto" and PLANES.get(plane).by_agents:
        raise click.UsageError(f"--plane {plane} needs agents to carry the messages; omit --no-agents")
    if settings and (no_agents or (no_detection and set(settings) != {WAYS})):
        raise click.UsageError("--set changes how agents detect congestion; omit --no-agents and --no-detection")
    watch_unasked = monitor is None and not (no_agents or no_detection)
    if acknowledge and not (monitor or watch_unasked):
        raise click.UsageError("--acknowledge works only where messages are watched; add --monitor")
    components = _components(
        agents=not no_agents,
        detection=not no_detection,
        detours=not no_detours,
        migration=migrate or migrate_dry_run,
        monitor=bool(monitor),
        acknowledge=acknowledge,
        benefit=benefit,
    )
    return run.run(
        cluster_file,
        LaunchRequest(argv, ranks, mpirun, own_mpirun, bring, transport, placement_file),
        results=results,
        components=components,
        watch_unasked=watch_unasked,
        reroutes=reroutes,
        settings=settings,
        plane=plane,
        messages=messages,
        start_limit_s=start_limit_s,
        grace_s=grace_s,
        dry_run=migrate_dry_run,
        quiet=quiet,
    )


def _components(
    *,
    agents: bool,
    detection: bool,
    detours: bool,
    migration: bool,
    monitor: bool,
    acknowledge: str | None,
    benefit: bool,
) -> "Components":
    """Which parts of fairlead are at work. What is on by default is off where what it needs is.

    Raises:
        click.UsageError: what is asked for needs what is off.
    """
    from fairlead.manage.components import Components

    detection = agents and detection
    if monitor and not agents:
        raise click.UsageError("--monitor needs agents to watch the messages; omit --no-agents")
    if migration and not detection:
        raise click.UsageError("--migrate needs agents that detect congestion; omit --no-agents and --no-detection")
    return Components(
        agents=agents,
        detection=detection,
        detours=detection and detours,
        migration=migration,
        monitor=monitor,
        acknowledge=Acknowledge(acknowledge or Acknowledge.WAITED),
        benefit=benefit,
    )
