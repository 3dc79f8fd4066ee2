"""``fairlead cloud``: the virtual machines of a cluster, and moving one by hand."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.cluster_argument import ClusterArgument

if TYPE_CHECKING:
    from fairlead.cloud import Migration, Moved

POLL_S = 0.5
SILENT_S = 60.0
"""A migration of which the cloud has said nothing for so long is not followed any further."""
ABORT_S = 10.0
_LOOK = "look where it is when the cloud answers again: `fairlead cloud show`, or the cloud's own tools"


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
    """Move the virtual machine VM to SERVER while it runs. Ctrl-C gives up, and says where it is then.

    \b
    Example:
      fairlead cloud migrate site.toml node3 hypervisor2
    """
    from fairlead import cloud
    from fairlead.cluster.description import Cluster

    migration = cloud.of(Cluster.load(cluster_file)).migrate(vm, server)
    try:
        moved = _follow(migration, vm, quiet=as_json)
    except KeyboardInterrupt:
        click.echo(_given_up(migration, vm, server), err=True)
        raise
    finally:
        migration.close()
    if as_json:
        click.echo(json.dumps({"vm": vm, "server": server, **asdict(moved)}))
    else:
        click.echo(_in_words(vm, server, moved))


def _follow(migration: "Migration", vm: str, *, quiet: bool) -> "Moved":
    from fairlead.cloud import Moved

    told, answered_s = None, time.monotonic()
    while not isinstance(seen := migration.poll(), Moved):
        if seen != told and not quiet:
            click.echo(seen.text, err=True)
        told = seen
        if seen.answered:
            answered_s = time.monotonic()
        elif time.monotonic() > answered_s + SILENT_S:
            click.echo(f"no answer for {SILENT_S:g} s: giving up", err=True)
            return _give_up(migration, vm)
        time.sleep(POLL_S)
    return seen


def _give_up(migration: "Migration", vm: str) -> "Moved":
    from fairlead.cloud.ending import EndUnknownError, end

    try:
        return end(migration, vm, ABORT_S)
    except EndUnknownError as error:
        raise EndUnknownError(str(error), hint=_LOOK) from error


def _given_up(migration: "Migration", vm: str, server: str) -> str:
    """What came of a migration that was interrupted."""
    from fairlead.errors import CloudError

    try:
        return f"it was too late to give up: {_in_words(vm, server, _give_up(migration, vm))}"
    except CloudError as error:
        return str(error)


def _in_words(vm: str, server: str, moved: "Moved") -> str:
    copied = "" if moved.copied_B is None else f", {moved.copied_B / 2**20:.0f} MiB copied"
    paused = "" if moved.paused_s is None else f", paused for {moved.paused_s * 1e3:.0f} ms"
    return f"{vm} moved to {server} in {moved.time_s:.2f} s{copied}{paused}"
