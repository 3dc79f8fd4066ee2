"""``fairlead supervise``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.plane import plane_option
from fairlead.cli.parameters.program_command import ProgramCommand
from fairlead.cli.parameters.reroutes import HELP, parse_reroutes
from fairlead.cli.parameters.results import results_option

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.cluster.inventory.slurm_step import Nodes
    from fairlead.errors import FairleadError


@click.command("supervise", cls=ProgramCommand)
@click.argument("cluster", metavar="CLUSTER")
@click.argument("argv", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@results_option
@click.option("--report", is_flag=True, help="Also write the report, RESULTS/report.html, at the end.")
@plane_option("Plane that carries rerouted traffic, as for `fairlead run`.")
@click.option("--no-detection", is_flag=True, help="Start the agents, but do not look for congestion.")
@click.option("--no-detours", is_flag=True, help="Report congestion, but do not reroute traffic.")
@click.option("--no-benefit", is_flag=True,
              help="Never pause reroutes to see what they give, as for `fairlead run`.")  # fmt: skip
@click.option("--monitor", is_flag=True, help="Also record communication time by host pair.")
@click.option("--reroute", "reroutes", multiple=True, callback=parse_reroutes, metavar="SOURCE:DESTINATION:RELAY",
              help=HELP)  # fmt: skip
@click.option("--nodes", type=click.Choice(["job", "step"]), default="job", show_default=True,
              help="With `slurm`: nodes that take part: all of the job's, or the step's only.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Print only errors on stderr.")
def command(
    cluster: str,
    argv: tuple[str, ...],
    results: Path,
    report: bool,
    plane: str,
    no_detection: bool,
    no_detours: bool,
    no_benefit: bool,
    monitor: bool,
    reroutes: list[tuple[str, str, str | int]],
    nodes: "Nodes",
    quiet: bool,
) -> int:
    """Manage the traffic of PROGRAM, which the caller starts on CLUSTER and ends. Slurm's plugin calls this.

    CLUSTER is a cluster file, or `slurm` for the step of the calling srun. PROGRAM is only recorded.

    Lines for the caller are on stdout: `set NAME=VALUE` lines for the program's environment, then `ready` once the
    agents are running and the program may be started. When the program ends, the caller writes `exit CODE` and closes
    stdin; if it only closes stdin, the program's exit code is recorded as not known. Messages for people are on
    stderr. The exit code is 1 if the program is not managed (one line on stderr says why), and 0 otherwise.

    \b
    Examples:
      fairlead supervise rack7.toml -- ./program
      fairlead supervise slurm --plane route --no-detours -- ./program
    """
    from fairlead.errors import FairleadError
    from fairlead.manage import beside
    from fairlead.manage.caller import Caller
    from fairlead.manage.components import Components

    caller = Caller.on_standard_streams()
    components = Components(
        agents=True,
        detection=not no_detection,
        detours=not (no_detection or no_detours),
        monitor=monitor,
        benefit=not no_benefit,
    )
    try:
        with _described(cluster, nodes) as description:
            number = beside.supervise(
                description,
                argv,
                caller,
                results=results,
                components=components,
                reroutes=reroutes,
                plane=plane,
                quiet=quiet,
            )
        if report and number is not None:
            _report(results, number, quiet)
    except (FairleadError, OSError) as error:
        _tell(error, began=caller.began)
        return 1
    return 0


def _tell(error: "FairleadError | OSError", *, began: bool) -> None:
    """Say on one line why the program is not managed, or not to its end. ``began``: its caller was told to start it."""
    from fairlead.errors import of_system

    told = of_system(error) if isinstance(error, OSError) else error
    says = "; ".join(" ".join(part.split()) for part in (told.message, told.hint) if part)
    print(f"fairlead: {says}{'' if began else '; the program runs unmanaged'}", file=sys.stderr)


@contextmanager
def _described(cluster: str, nodes: "Nodes") -> "Iterator[Cluster]":
    """The cluster. That of a step is a file while it is managed, by which `status` and `clean` find its hosts."""
    from fairlead import files, runtime
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.cluster.inventory import site
    from fairlead.cluster.inventory.found import to_toml
    from fairlead.cluster.inventory.slurm_step import from_step

    if cluster != "slurm":
        yield load_cluster(cluster)
        return
    said = site.read()
    step = from_step(nodes=nodes, interface=said.cluster.get("interface"))
    path = files.write(runtime.directory("steps") / f"{step.name}.cluster.toml", to_toml(step, said))
    try:
        yield load_cluster(path)
    finally:
        path.unlink(missing_ok=True)


def _report(results: Path, number: int, quiet: bool) -> None:
    from fairlead.manage.say import say
    from fairlead.report.run import run_report
    from fairlead.store import Store

    with Store.read(results) as store:
        written = run_report.write(run_report.load(store, number), results / "report.html")
    say(f"report: {written[0]}", quiet)
