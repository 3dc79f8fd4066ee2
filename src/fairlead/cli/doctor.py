"""``fairlead doctor``."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.output.progress import progress_on
from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.plane import plane_option

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.cluster.doctor.findings import Finding

SHOWN_HOSTS = 8
HOSTS_WIDTH = 16  # characters; the rest of the line is for what is wrong
COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "red"}


@click.command("doctor")
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.option("--mpirun", help="Check this mpirun instead of the cluster file's.")
@plane_option(
    "Plane that your runs use (`fairlead run --plane`). route: a host that cannot reroute by kernel routes is an "
    "error; auto: a warning, since runs then use the relay plane; relay: a note, since it needs nothing of that."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the findings as JSON: a list of severity, check, hosts, text, fix."
)
def command(cluster_file: Path, mpirun: str | None, plane: str, as_json: bool) -> int:
    """Check CLUSTER before a run: what will fail or be slow, and the fix.

    CLUSTER is a cluster file, `slurm` inside an allocation, or `hostfile:PATH` for an MPI hostfile. Looks at every
    host: reachability, MPI, interfaces, links, MTU, paths and ports, firewalls, file systems, clocks, the kernel,
    agents and the guardian's privilege. Of up to 64 hosts, every pair is tried, of more each host with some others; of
    up to 32, every pair exchanges up to 4 MiB each way. Run the commands that it prints on the hosts named beside
    them, as root. The exit code is 1 if there are errors.

    \b
    Examples:
      fairlead doctor mesh8.cluster.toml
      fairlead doctor slurm --mpirun /opt/openmpi/bin/mpirun --json
      fairlead doctor hostfile:/etc/mpi/hostfile --plane relay
    """
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.cluster.doctor.examine import examine
    from fairlead.cluster.doctor.findings import Severity
    from fairlead.cluster.launchers.path_here import with_path_here

    described = load_cluster(cluster_file)
    if mpirun:
        described = described.with_mpirun(mpirun)
    described = with_path_here(described)
    with progress_on(sys.stderr, passing=True) as progress:
        findings = examine(described, progress, plane)
    if as_json:
        click.echo(json.dumps([_record(finding) for finding in findings], indent=2))
    else:
        _print(described, findings)
    return 1 if any(finding.severity is Severity.ERROR for finding in findings) else 0


def _record(finding: "Finding") -> dict[str, object]:
    return {
        "severity": str(finding.severity),
        "check": finding.check,
        "hosts": list(finding.hosts),
        "text": finding.text,
        "fix": finding.fix,
    }


def _print(cluster: "Cluster", findings: "list[Finding]") -> None:
    from rich.table import Table
    from rich.text import Text

    from fairlead.cluster.doctor.findings import Severity
    from fairlead.display.terminal import console
    from fairlead.display.words import count

    hosts = count(len(cluster.managed_hosts()), "host")
    table = Table(title=f"{cluster.name}: {hosts}", title_justify="left", expand=False)
    table.add_column("", no_wrap=True)
    table.add_column("hosts", max_width=HOSTS_WIDTH, overflow="fold")
    table.add_column("what", overflow="fold")
    for finding in findings:
        level = str(finding.severity)
        words = Text(finding.text)
        words.append(f" ({finding.check})", style="dim")
        if finding.fix:
            words.append(f"\n→ {finding.fix}", style="bold" if finding.severity > Severity.NOTE else "italic")
        table.add_row(Text(level, style=COLOURS[level]), _hosts(finding.hosts, cluster), words)
    console().print(table)
    errors = sum(str(finding.severity) == "error" for finding in findings)
    warnings = sum(str(finding.severity) == "warning" for finding in findings)
    click.echo(f"{count(errors, 'error')}, {count(warnings, 'warning')}", file=sys.stdout)


def _hosts(names: tuple[str, ...], cluster: "Cluster") -> str:
    if not names or len(names) == len(cluster.managed_hosts()):
        return "all"
    if len(names) > SHOWN_HOSTS:
        return f"{' '.join(names[:SHOWN_HOSTS])} and {len(names) - SHOWN_HOSTS} more"
    return " ".join(names)
