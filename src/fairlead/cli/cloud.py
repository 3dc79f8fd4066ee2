"""``fairlead cloud``: the virtual machines of a cluster, and moving one by hand."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fairlead.cli.parameters.cluster import ClusterArgument

if TYPE_CHECKING:
    from fairlead.cloud import CloudWork, Created, Moved

_Outcome = TypeVar("_Outcome")

POLL_S = 0.5
SILENT_S = 60.0
"""What the cloud has said nothing of for so long is not followed any further."""
ABORT_S = 10.0
TAKE_AWAY_S = 3600.0
"""A copy of a disk cannot be ended on the way."""
_LOOK = "check where it is when the cloud answers again: `fairlead cloud show`, or the cloud's own tools"


@click.group("cloud")
def command() -> None:
    """Show and move the virtual machines of a cluster, through the cloud manager that its file names.

    The [cloud] table of the cluster file names it: libvirt or OpenStack. Labs with servers need no such table.
    """


@command.command()
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.option("--json", "as_json", is_flag=True, help="Print the inventory as JSON.")
def show(cluster_file: Path, as_json: bool) -> None:
    """Show which virtual machines are on which server, and the free capacity.

    \b
    Examples:
      fairlead cloud show site.toml
      fairlead cloud show servers8.cluster.toml --json
    """
    from fairlead import cloud
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.display.terminal import console, rich_table
    from fairlead.report.network import cloud_table

    found = cloud.of(load_cluster(cluster_file)).inventory()
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2, default=sorted))  # sets
        return
    console().print(rich_table(cloud_table.servers(found), "Servers"))
    console().print(rich_table(cloud_table.machines(found), "Virtual machines"))


@command.command()
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("vm")
@click.argument("server")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def migrate(cluster_file: Path, vm: str, server: str, as_json: bool) -> None:
    """Migrate the virtual machine VM to SERVER, live. Ctrl-C aborts, and reports where the machine is.

    \b
    Example:
      fairlead cloud migrate site.toml node3 hypervisor2
    """
    from fairlead import cloud
    from fairlead.cloud.ending import doubt_of_migration
    from fairlead.cluster.cluster_file import load_cluster

    migration = cloud.of(load_cluster(cluster_file)).migrate(vm, server)
    giving_up = _GivingUp(ABORT_S, partial(doubt_of_migration, vm))
    moved = _see_through(migration, giving_up, lambda moved: _moved(vm, server, moved), quiet=as_json)
    if as_json:
        click.echo(json.dumps({"vm": vm, "server": server, **asdict(moved)}))
    else:
        click.echo(_moved(vm, server, moved))


@command.command()
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("vm")
@click.argument("server")
@click.option("--like", required=True, metavar="MODEL", help="Virtual machine whose properties the new one gets.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def create(cluster_file: Path, vm: str, server: str, like: str, as_json: bool) -> None:
    """Create the virtual machine VM on SERVER, with the properties of MODEL. Ctrl-C aborts, and removes it.

    fairlead never ends the machine. Add it to the cluster file to use it.

    \b
    Example:
      fairlead cloud create site.toml node9 hypervisor2 --like node3
    """
    from fairlead import cloud
    from fairlead.cluster.cluster_file import load_cluster

    creation = cloud.of(load_cluster(cluster_file)).create(vm, like, server)
    giving_up = _GivingUp(
        TAKE_AWAY_S,
        lambda limit_s: f"the removal of {vm} was not confirmed within {limit_s:g} s: it may still exist",
        f"{vm} is removed once the copy of its disk ends; Ctrl-C again leaves it and the volumes {vm}-* behind",
    )
    created = _see_through(creation, giving_up, lambda created: _created(vm, created), quiet=as_json)
    if as_json:
        click.echo(json.dumps({"vm": vm, **asdict(created)}))
    else:
        click.echo(_created(vm, created))


@dataclass(frozen=True)
class _GivingUp:
    """How long its end is waited for after Ctrl-C, what is not known if it was not seen, and what is said at first."""

    limit_s: float
    doubt: Callable[[float], str]
    said: str = ""

    def end(self, work: "CloudWork[_Outcome]", limit_s: float) -> _Outcome:
        from fairlead.cloud.ending import end_work

        return end_work(work, limit_s, self.doubt(limit_s))


def _see_through(
    work: "CloudWork[_Outcome]", giving_up: _GivingUp, describe: Callable[[_Outcome], str], *, quiet: bool
) -> _Outcome:
    """Follow it to its end; told how that was if it is interrupted."""
    from fairlead.cloud.ending import EndUnknownError

    try:
        return _follow(work, giving_up, quiet=quiet)
    except EndUnknownError as error:
        raise EndUnknownError(str(error), hint=_LOOK) from error
    except KeyboardInterrupt:
        click.echo(_given_up(work, giving_up, describe), err=True)
        raise
    finally:
        work.close()


def _follow(work: "CloudWork[_Outcome]", giving_up: _GivingUp, *, quiet: bool) -> _Outcome:
    from fairlead.cloud import Progress

    told, answered_s = None, time.monotonic()
    while isinstance(seen := work.poll(), Progress):
        if seen != told and not quiet:
            click.echo(seen.text, err=True)
        told = seen
        if seen.answered:
            answered_s = time.monotonic()
        elif time.monotonic() > answered_s + SILENT_S:
            click.echo(f"no answer for {SILENT_S:g} s: giving up", err=True)
            return giving_up.end(work, ABORT_S)
        time.sleep(POLL_S)
    return seen


def _given_up(work: "CloudWork[_Outcome]", giving_up: _GivingUp, describe: Callable[[_Outcome], str]) -> str:
    """What came of something that was interrupted."""
    from fairlead.cloud.ending import EndUnknownError
    from fairlead.errors import CloudError

    if giving_up.said:
        click.echo(giving_up.said, err=True)
    try:
        return f"it was too late to give up: {describe(giving_up.end(work, giving_up.limit_s))}"
    except EndUnknownError as error:
        return f"{error}\n  {_LOOK}"
    except CloudError as error:
        return str(error)


def _moved(vm: str, server: str, moved: "Moved") -> str:
    copied = "" if moved.copied_B is None else f", {moved.copied_B / 2**20:.0f} MiB copied"
    paused = "" if moved.paused_s is None else f", paused for {moved.paused_s * 1e3:.0f} ms"
    return f"{vm} moved to {server} in {moved.time_s:.2f} s{copied}{paused}"


def _created(vm: str, created: "Created") -> str:
    return f"{vm} runs on {created.server} after {created.time_s:.2f} s"
