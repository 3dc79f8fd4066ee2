"""``fairlead clean``."""

import json
from pathlib import Path

import click

from fairlead.cli.cluster_argument import ClusterArgument
from fairlead.errors import HostError


@click.command("clean")
@click.argument("cluster_files", metavar="[CLUSTER]...", nargs=-1, type=ClusterArgument())
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
def command(cluster_files: tuple[Path, ...], dry_run: bool) -> None:
    """Remove what dead runs left on the hosts of CLUSTER: devices, routes, rules, filters.

    Without CLUSTER: on the clusters of this user's dead runs; also the records of dead labs. Live runs and labs are not
    touched, nor is anything that fairlead did not make.

    \b
    Examples:
      fairlead clean
      fairlead clean --dry-run site.toml
    """
    from fairlead.cluster.description import Cluster
    from fairlead.lab import state
    from fairlead.manage import clean

    clusters = [Cluster.load(path) for path in cluster_files] or clean.clusters_of_dead_runs()
    result = clean.clean(clusters, dry_run=dry_run)
    for each in result.removed:
        click.echo(f"{each.host}: {'would remove' if dry_run else 'removed'} {json.dumps(each.what)}")
    for job in result.forgotten:
        click.echo(f"forgot dead run {job}")
    labs: list[str] = []
    if not cluster_files:
        labs = [directory.name for directory in state.stale()] if dry_run else state.remove_stale()
    for name in labs:
        click.echo(f"{'would forget' if dry_run else 'forgot'} dead lab {name}")
    if not result.removed and not result.forgotten and not result.unreachable and not labs:
        click.echo("nothing to clean")
    if result.unreachable:
        lines = [f"{host}: {why}" for host, why in result.unreachable.items()]
        raise HostError(
            "could not be cleaned:\n" + "\n".join(lines), hint="run `fairlead clean` again when they are reachable"
        )
