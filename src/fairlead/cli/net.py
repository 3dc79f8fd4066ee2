"""``fairlead net``: aggregated network interfaces."""

import json
import platform
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.bonding.hashing import POLICIES
from fairlead.cli.parameters.cluster import ClusterArgument

if TYPE_CHECKING:
    from fairlead.bonding.explain import Bond
    from fairlead.bonding.hashing import Flow
    from fairlead.cluster.executors.base import Executor
    from fairlead.net.state import HostNetwork

SHOWN = 40


@click.group()
def command() -> None:
    """Show, predict and configure bonded network interfaces.

    \b
      fairlead net show servers.cluster.toml                           NICs and bonds of all hosts
      fairlead net apply servers.cluster.toml eth1 eth2 --mode 802.3ad --policy layer3+4
      fairlead net restore servers.cluster.toml                        undo it
      fairlead net explain --mode 802.3ad --policy layer3+4 --links 4 '10.0.0.1:40000>10.0.0.2:1024'
      fairlead net explain --links 4 --cluster mesh8.cluster.toml      of the connections there now
    """


@command.command("show")
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show(cluster_file: Path, as_json: bool) -> None:
    """Show the NICs and bonds of all hosts of CLUSTER.

    \b
    Examples:
      fairlead net show servers4.cluster.toml
      fairlead net show servers4.cluster.toml --json
    """
    from dataclasses import asdict

    from fairlead.net import apply as on_hosts

    found = on_hosts.show(*_hosts(cluster_file))
    if as_json:
        click.echo(json.dumps({host: asdict(now) for host, now in found.items()}, indent=1, default=sorted))  # sets
        return
    for host, now in found.items():
        _print_network(host, now)


@command.command("apply")
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.argument("nics", nargs=-1, required=True, metavar="NIC...")
@click.option("--mode", default="802.3ad", show_default=True, help="Bonding mode, by name or number (0 to 6).")
@click.option(
    "--policy", default="layer2", show_default=True, type=click.Choice(POLICIES), help="Transmit hash policy."
)
@click.option("--miimon", default=100, show_default=True, type=click.IntRange(1), help="Link-monitoring interval (ms).")
@click.option("--lacp-rate", default="slow", show_default=True, type=click.Choice(["slow", "fast"]),
              help="LACP rate, for 802.3ad.")  # fmt: skip
@click.option("--name", default="fairlead0", show_default=True, help="Name of the bond.")
@click.option(
    "--within",
    "within_s",
    default=60,
    show_default=True,
    type=click.IntRange(10, 3600),
    help="Seconds after which a host that has become unreachable restores its network.",
)
@click.option("--dry-run", is_flag=True, help="Check, and print what would be done on every host.")
def apply(
    cluster_file: Path,
    nics: tuple[str, ...],
    mode: str,
    policy: str,
    miimon: int,
    lacp_rate: str,
    name: str,
    within_s: int,
    dry_run: bool,
) -> None:
    """Make a bond of the NICs on all hosts of CLUSTER, or on none.

    Needs root on the hosts, or sudo without a password. Addresses and IPv4 routes move to the bond. The switch's ports
    must be an LACP group for 802.3ad, a static one for balance-rr, balance-xor and broadcast. An address from DHCP is
    renewed on the bond by dhclient, dhcpcd and systemd-networkd; with other clients, or leases of several NICs, the
    host restores itself 30 s before the lease ends.

    \b
    Examples:
      fairlead net apply servers4.cluster.toml eth1 eth2 --mode 802.3ad --policy layer3+4 --dry-run
      fairlead net apply servers4.cluster.toml eth1 eth2 --mode balance-rr --within 120
    """
    from fairlead.bonding.explain import parse_mode
    from fairlead.net import apply as on_hosts
    from fairlead.net.change import Wanted

    wanted = Wanted(name, nics, parse_mode(mode), policy, miimon, lacp_rate)
    executor, hosts = _hosts(cluster_file)
    if dry_run:
        for host, change in on_hosts.plans(executor, hosts, wanted).items():
            click.echo(f"{host}:")
            for remark in change.remarks:
                click.echo(f"  # {remark}")
            for line in change.apply:
                click.echo(f"  {line}")
            click.echo("  and back:")
            for line in change.restore:
                click.echo(f"  {line}")
        return
    for host, now in on_hosts.apply(executor, hosts, wanted, within_s).items():
        _print_network(host, now)


@command.command("restore")
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
def restore(cluster_file: Path) -> None:
    """Undo `apply` on the hosts of CLUSTER; leave other hosts unchanged.

    \b
    Example:
      fairlead net restore servers4.cluster.toml
    """
    from fairlead.display import words
    from fairlead.net import apply as on_hosts

    restored = on_hosts.restore(*_hosts(cluster_file))
    nothing = "nothing to restore: fairlead made no bond here"
    click.echo(f"restored: {words.listing(restored)}" if restored else nothing)


def _hosts(cluster_file: Path) -> "tuple[Executor, list[str]]":
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.cluster.executors import executor_of

    cluster = load_cluster(cluster_file)
    return executor_of(cluster), cluster.managed_names()


def _print_network(host: str, now: "HostNetwork") -> None:
    from fairlead.display import words

    remarks = ["its bond was made by fairlead; `fairlead net restore` removes it"] if now.has_journal else []
    if now.has_journal and now.until_s is not None:
        span = words.span(max(0, now.until_s - now.uptime_s))
        why = f"unless {now.renewed_by} renews its DHCP lease," if now.renewed_by else "a DHCP lease ends, so"
        remarks.append(f"{why} it goes by itself in {span}")
    remarks += [] if now.has_driver else ["no bonding driver"]
    click.echo(f"{host}{f' ({words.listing(remarks)})' if remarks else ''}")
    for nic in now.nics.values():
        rate = words.rate(nic.speed_Mbps * 1e6) if nic.speed_Mbps else "unknown speed"
        parts = [rate, "link" if nic.has_link else "no link", *([f"in {nic.master}"] if nic.master else [])]
        parts += [address.text for address in nic.addresses]
        if nic.name != "lo":
            click.echo(f"  {nic.name:12} {', '.join(parts)}")
    for bond in now.bonds.values():
        policy = f", {bond.policy}" if bond.policy else ""
        partner = f", LACP partner {bond.partner}" if bond.partner else ""
        click.echo(f"  {bond.name:12} {bond.mode}{policy} of {words.listing(list(bond.members))}{partner}")


@command.command("explain")
@click.argument("flows", nargs=-1, metavar="[FLOW]...")
@click.option("--mode", default="802.3ad", show_default=True, help="Bonding mode, by name or number (0 to 6).")
@click.option(
    "--policy",
    default="layer2",
    show_default=True,
    type=click.Choice(POLICIES),
    help="Transmit hash policy.",
)
@click.option("--links", type=click.IntRange(1, 8), default=2, show_default=True, help="Number of working links.")
@click.option("--rate", default="1gbit", show_default=True, help="Rate of one link.")
@click.option("--kernel", help="Version of the sending host's kernel.  [default: this machine's, or the host's own]")
@click.option(
    "--cluster",
    "cluster_file",
    type=click.Path(path_type=Path),
    help="Cluster file: use the TCP connections between its hosts now.",
)
def explain(
    flows: tuple[str, ...],
    mode: str,
    policy: str,
    links: int,
    rate: str,
    kernel: str | None,
    cluster_file: Path | None,
) -> None:
    """Print which link each FLOW takes, and the throughput that theory gives.

    A flow is SOURCE>DESTINATION, each end [MAC@]ADDRESS[:PORT]; an IPv6 address with a port is in brackets. Links are
    numbered in the order they were enslaved.

    \b
    Examples:
      fairlead net explain --policy layer3+4 --links 4 '10.0.0.1:40000>10.0.0.2:1024' '10.0.0.1:40002>10.0.0.3:1024'
      fairlead net explain --mode balance-xor --links 2 --rate 10gbit --cluster mesh8.cluster.toml
    """
    from fairlead.bonding import parse
    from fairlead.bonding.explain import Bond, parse_mode
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.errors import ConfigError
    from fairlead.lab.units import parse_rate
    from fairlead.net import live

    if bool(flows) == (cluster_file is not None):
        raise click.UsageError("give either flows or --cluster")
    try:
        link_bps = float(parse_rate(rate))
    except ValueError as error:
        raise click.UsageError(f"--rate: {error}") from error
    if cluster_file is None:
        bond = Bond(parse_mode(mode), policy, links, link_bps, parse.kernel(kernel or platform.release()))
        _tell("", bond, [parse.flow(text) for text in flows])
        return
    found = live.of_cluster(load_cluster(cluster_file))
    if not any(own for _, own in found.values()):
        raise ConfigError(f"{cluster_file}: no TCP connection between its hosts now", hint="start a program")
    for host, (release, own) in found.items():
        if own:
            bond = Bond(parse_mode(mode), policy, links, link_bps, parse.kernel(kernel or release))
            _tell(host, bond, own)


def _tell(host: str, bond: "Bond", flows: "list[Flow]") -> None:
    from fairlead.bonding.explain import HASHING, explain
    from fairlead.display import words

    found = explain(bond, flows)
    how = f", {bond.policy}" if bond.mode in HASHING else ""
    version = ".".join(map(str, bond.kernel))
    click.echo(f"{host + ': ' if host else ''}{bond.mode}{how}, {words.count(bond.links, 'link')}, kernel {version}")
    for flow, choice, share in list(zip(flows, found.choices, found.flow_bps, strict=True))[:SHOWN]:
        where = f"link {choice.link}" if choice.link is not None else choice.reason
        click.echo(f"  {_end(flow.source)} > {_end(flow.destination)}  {where}; {_rates(share)}")
    if len(flows) > SHOWN:
        click.echo(f"  and {len(flows) - SHOWN} more")
    for link in range(bond.links if bond.mode in HASHING else 0):
        number = sum(choice.link == link for choice in found.choices)
        click.echo(f"  link {link}: {words.count(number, 'flow')}")
    click.echo(f"  all together at most {_rates(found.total_bps)}")
    for remark in found.remarks:
        click.echo(f"  {remark}")


def _end(end: object) -> str:
    from fairlead.bonding.hashing import FlowEnd

    assert isinstance(end, FlowEnd)
    return str(replace(end, mac=None))


def _rates(span: tuple[float, float]) -> str:
    from fairlead.display import words

    low, high = span
    return words.range_of(words.rate(low), words.rate(high))
