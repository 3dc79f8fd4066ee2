"""``fairlead clean``."""

import json
from pathlib import Path

import click

from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.errors import HostError


@click.command("clean")
@click.argument("cluster_files", metavar="[CLUSTER]...", nargs=-1, type=ClusterArgument())
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
def command(cluster_files: tuple[Path, ...], dry_run: bool) -> None:
    """Remove what dead runs left on the hosts of CLUSTER: devices, routes, rules, filters, and files of --bring.

    Without CLUSTER: on the clusters of this user's dead runs; also labs of killed demos, comparisons and evaluations,
    and the records of dead labs. Live runs and labs are not touched, nor is anything that fairlead did not make.

    The exit code is 1 if something could not be cleaned; everything else is.

    \b
    Examples:
      fairlead clean
      fairlead clean --dry-run site.toml
    """
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.experiment.running import cleanup_ledger
    from fairlead.lab import state
    from fairlead.manage import clean, silent_hosts

    found = False
    complaints: list[str] = []

    def tell(line: str) -> None:
        nonlocal found
        found = True
        click.echo(line)

    clusters = [load_cluster(path) for path in cluster_files]
    if not cluster_files:
        ended, complaints = cleanup_ledger.end_left_over(dry_run=dry_run)
        for what in ended:
            tell(f"{'would clean up' if dry_run else 'cleaned up'} after a killed command: {what}")
        clusters, more = clean.clusters_of_dead_runs()
        complaints += more
    with silent_hosts.told(lambda text: click.echo(f"fairlead: {text}", err=True)):
        result = clean.clean(clusters, dry_run=dry_run)
    for each in result.removed:
        tell(f"{each.host}: {'would remove' if dry_run else 'removed'} {json.dumps(each.what)}")
    for job in result.forgotten:
        tell(f"forgot dead run {job}")
    complaints += [f"{host}: {why.removeprefix(f'{host}: ')}" for host, why in result.unreachable.items()]
    if not cluster_files:
        with state.claiming():
            labs = [directory.name for directory in state.stale()] if dry_run else state.remove_stale()
        complaints += state.unreadable()
        for name in labs:
            tell(f"{'would forget' if dry_run else 'forgot'} dead lab {name}")
    if complaints:
        hint = "run `fairlead clean` again once this is fixed"
        raise HostError("\n".join(["could not be cleaned:", *complaints]), hint=hint)
    if not found:
        click.echo("nothing to clean")
