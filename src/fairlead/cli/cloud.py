"""``fairlead cloud``: the virtual machines of a cluster, and moving one by hand."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import click

from fairlead.cli.cluster_argument import ClusterArgument

POLL_S = 0.5


@click.group("cloud")
def command() -> None:
    """Ask the cloud manager that the cluster file names about servers and virtual machines (docs/migration.md)."""


@command.command()
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.option("--json", "as_json", is_flag=True, help="Print what the cloud tells as JSON.")
def show(cluster_file: Path, as_json: bool) -> None:
    """Show which machines are on which server, and what room is left.

    \b
    Examples:
      fairlead cloud show site.toml
      fairlead cloud show servers8.cluster.toml --json
    """
    from fairlead import cloud
    from fairlead.cluster.description import Cluster
    from fairlead.display.terminal import console, rich_table
    from fairlead.report import cloud_table

    found = cloud.of(Cluster.load(cluster_file)).inventory()
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2))
        return
    console().print(rich_table(cloud_table.servers(found), "Servers"))
    console().print(rich_table(cloud_table.machines(found), "Virtual machines"))


@command.command()
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("vm")
@click.argument("server")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def migrate(cluster_file: Path, vm: str, server: str, as_json: bool) -> None:
    """Move the virtual machine VM to SERVER while it runs. Ctrl-C gives up: it stays where it is.

    \b
    Example:
      fairlead cloud migrate site.toml node3 hypervisor2
    """
    from fairlead import cloud
    from fairlead.cloud import Moved
    from fairlead.cluster.description import Cluster

    migration = cloud.of(Cluster.load(cluster_file)).migrate(vm, server)
    told = None
    try:
        while not isinstance(seen := migration.poll(), Moved):
            if seen != told and not as_json:
                click.echo(seen.text, err=True)
            told = seen
            time.sleep(POLL_S)
    finally:
        migration.close()
    if as_json:
        click.echo(json.dumps({"vm": vm, "server": server, **asdict(seen)}))
        return
    copied = "" if seen.copied_B is None else f", {seen.copied_B / 2**20:.0f} MiB copied"
    paused = "" if seen.paused_s is None else f", paused for {seen.paused_s * 1e3:.0f} ms"
    click.echo(f"{vm} moved to {server} in {seen.time_s:.2f} s{copied}{paused}")
