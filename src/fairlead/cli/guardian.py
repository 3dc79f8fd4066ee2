"""``fairlead guardian``."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.errors import ConfigError, FairleadError, HostError

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster
    from fairlead.cluster.guardian.install import InstallPlan
    from fairlead.cluster.guardian.state import HostState

Command = Callable[..., None]


def _hosts(command: Command) -> Command:
    """The hosts that a command is about."""
    command = click.option("--local", is_flag=True, help="Act on this machine instead of the hosts of CLUSTER.")(
        command
    )
    return click.argument("cluster_file", metavar="[CLUSTER]", required=False, type=ClusterArgument())(command)


@click.group()
def command() -> None:
    """Manage the guardian on hosts: the only privileged program, which makes the kernel reroute traffic.

    \b
      fairlead guardian install site.toml      on all hosts, for the user that ssh logs in as
      fairlead guardian status site.toml       where it is, which version, who may execute it
      fairlead guardian remove site.toml
    """


@command.command("install")
@_hosts
@click.option("--user", "users", multiple=True, metavar="NAME",
              help="User allowed to reroute their own traffic. Repeatable. Default: the user that logs in to "
                  "the hosts, unless root.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
def install(cluster_file: Path | None, local: bool, users: tuple[str, ...], dry_run: bool) -> None:
    """Install the guardian on the hosts of CLUSTER, with its capability, for the members of group `fairlead`.

    The guardian goes to /usr/local/bin, where runs find it. The command first prints what it will do as root. It uses
    sudo, which may ask for a password once on each host. Hosts that are already set up are left alone. If a step fails,
    the earlier ones are undone.

    \b
    Examples:
      fairlead guardian install site.toml --dry-run
      fairlead guardian install site.toml --user alice --user bob
      sudo fairlead guardian install --local --user alice
    """
    from fairlead.cluster.executors import executor_of
    from fairlead.cluster.guardian import install as installing

    cluster = _cluster(cluster_file, local)
    executor = executor_of(cluster)
    plans, failed = installing.on_each(
        cluster.managed_names(), lambda host: installing.plan_installation(executor, host, users)
    )
    _show(plans, cluster, "the guardian as standard input")
    if not dry_run:
        done, refused = installing.carry_out(plans, partial(installing.install, executor))
        for host, state in done.items():
            click.echo(f"{host}: installed; {_who(state)}")
        _remind(done)
        failed |= refused
    _complain("the guardian could not be installed", failed)


@command.command("remove")
@_hosts
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
def remove(cluster_file: Path | None, local: bool, dry_run: bool) -> None:
    """Remove what `fairlead guardian install` installed on the hosts of CLUSTER: the program and its group.

    A guardian that serves a run keeps running until the run ends. Files that a package installed stay.

    \b
    Examples:
      fairlead guardian remove site.toml
      fairlead guardian remove --local --dry-run
    """
    from fairlead.cluster.executors import executor_of
    from fairlead.cluster.guardian import install as installing

    cluster = _cluster(cluster_file, local)
    executor = executor_of(cluster)
    plans, failed = installing.on_each(cluster.managed_names(), lambda host: installing.plan_removal(executor, host))
    _show(plans, cluster)
    if not dry_run:
        done, refused = installing.carry_out(plans, partial(installing.remove, executor))
        for host in done:
            click.echo(f"{host}: removed")
        failed |= refused
    _complain("the guardian could not be removed", failed)


@command.command("status")
@_hosts
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def status(cluster_file: Path | None, local: bool, as_json: bool) -> None:
    """Show for each host of CLUSTER which guardian is installed, and who may execute it.

    \b
    Examples:
      fairlead guardian status site.toml
      fairlead guardian status --local --json
    """
    from fairlead.cluster.executors import executor_of
    from fairlead.cluster.guardian.install import on_each
    from fairlead.cluster.guardian.state import host_state

    cluster = _cluster(cluster_file, local)
    executor = executor_of(cluster)
    states, failed = on_each(cluster.managed_names(), lambda host: host_state(executor, host))
    if as_json:
        click.echo(json.dumps([_record(host, state) for host, state in states.items()], indent=2))
    else:
        _print(cluster, states)
    _complain("these hosts could not be checked", failed)


def _cluster(cluster_file: Path | None, local: bool) -> "Cluster":
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.cluster.description import Cluster, Host

    if (cluster_file is None) != local:
        raise click.UsageError("name a CLUSTER, or --local for this machine")
    if cluster_file is None:
        return Cluster("this machine", "local", (Host("localhost", "127.0.0.1"),), source="--local")
    cluster = load_cluster(cluster_file)
    if cluster.executor == "lab":
        raise ConfigError(
            f"{cluster.source}: the guardian needs no installation on lab hosts: it has its privilege there"
        )
    return cluster


def _show(plans: "Mapping[str, InstallPlan]", cluster: "Cluster", remark: str = "") -> None:
    """What will be done, once for all hosts where it is the same."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for host, plan in plans.items():
        alike.setdefault(tuple(step.command for step in plan.steps), []).append(host)
    for commands, hosts in alike.items():
        if not commands:
            click.echo(f"{' '.join(hosts)}: nothing to do")
            continue
        click.echo(f"{' '.join(hosts)}: as root" + (f", with {remark}" if remark else "") + ":")
        for each in commands:
            click.echo(f"  {each}")
    if cluster.guardian:
        named = " ".join(cluster.guardian)
        click.echo(f"{cluster.source} names {named}: runs use that one, not the installed one")


def _complain(what: str, failed: Mapping[str, FairleadError]) -> None:
    if failed:
        raise HostError("\n".join([f"{what}:", *(str(error) for error in failed.values())]))


def _who(state: "HostState") -> str:
    """Who may reroute traffic, in words."""
    members = ", ".join(state.members or ()) or "nobody but root"
    return f"may reroute their traffic: {members}"


def _remind(done: "Mapping[str, HostState]") -> None:
    """Of what only a new log-in brings."""
    from fairlead.cluster.guardian.places import GROUP

    late = [host for host, state in done.items() if state.user in (state.members or ()) and GROUP not in state.session]
    if late:
        click.echo(f"{' '.join(late)}: log in again, or run `newgrp {GROUP}`: a new group takes effect in new sessions")


def _record(host: str, state: "HostState") -> dict[str, object]:
    from dataclasses import asdict

    members = None if state.members is None else list(state.members)
    return {"host": host, "members": members, "guardians": [asdict(each) for each in state.guardians]}


def _print(cluster: "Cluster", states: "Mapping[str, HostState]") -> None:
    from rich.table import Table

    from fairlead.display.terminal import console

    table = Table(title=f"{cluster.name}: installed guardians", title_justify="left", expand=False)
    for title in ("hosts", "guardian", "version", "may execute it", "you"):
        table.add_column(title, overflow="fold")
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for host, state in states.items():
        for row in _rows(state):
            alike.setdefault(row, []).append(host)
    for row, hosts in alike.items():
        table.add_row("all" if len(hosts) == len(cluster.managed_names()) else " ".join(hosts), *row)
    console().print(table)


def _rows(state: "HostState") -> list[tuple[str, str, str, str]]:
    from fairlead import __version__
    from fairlead.cluster.guardian.places import GROUP

    if not state.guardians:
        return [("none", "", "", "as root" if state.uid == 0 else "no")]
    rows = []
    for each in state.guardians:
        version = each.version or "not known"
        if version != __version__:
            version += f" (here: {__version__})"
        permissions, _, group = each.mode.split(" ")
        members = ", ".join(state.members or ()) or "nobody"
        who = "everybody" if int(permissions, 8) & 1 else f"group {group}" + (f": {members}" if group == GROUP else "")
        if not each.capable:
            who += "; without its capability"
        you = "yes" if each.executable else "no"
        if not each.executable and group == GROUP and state.user in (state.members or ()):
            you = "after the next login"
        rows.append((each.place, version, who, you))
    return rows
