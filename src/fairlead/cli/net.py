"""``fairlead net``: aggregated network interfaces."""

import platform
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fairlead.bonding.explain import Bond
    from fairlead.bonding.hashing import Flow

SHOWN = 40


@click.group()
def command() -> None:
    """Explain what aggregated network interfaces do with a program's flows.

    \b
      fairlead net explain --mode 802.3ad --policy layer3+4 --links 4 '10.0.0.1:40000>10.0.0.2:1024'
      fairlead net explain --links 4 --cluster mesh8.cluster.toml      of what runs there now
    """


@command.command("explain")
@click.argument("flows", nargs=-1, metavar="[FLOW]...")
@click.option("--mode", default="802.3ad", show_default=True, help="Bonding mode, by name or number (0 to 6).")
@click.option(
    "--policy",
    default="layer2",
    show_default=True,
    type=click.Choice(["layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac"]),
    help="Transmit hash policy.",
)
@click.option("--links", type=click.IntRange(1, 8), default=2, show_default=True, help="Links that work.")
@click.option("--rate", default="1gbit", show_default=True, help="Of one link.")
@click.option("--kernel", help="Version of the sending host's kernel.  [default: this machine's, or the host's own]")
@click.option(
    "--cluster", "cluster_file", type=click.Path(path_type=Path), help="Take the TCP flows of this cluster now."
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
    """Say which link each FLOW takes, and what throughput theory gives.

    A flow is SOURCE>DESTINATION, each end [MAC@]ADDRESS[:PORT]. Links are numbered in the order they were enslaved.
    """
    from fairlead.bonding import live, parse
    from fairlead.bonding.explain import Bond, parse_mode
    from fairlead.cluster.description import Cluster
    from fairlead.errors import ConfigError
    from fairlead.lab.units import parse_rate

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
    found = live.of_cluster(Cluster.load(cluster_file))
    if not any(own for _, own in found.values()):
        raise ConfigError(f"{cluster_file}: there is no TCP connection between its hosts now", hint="start a program")
    for host, (release, own) in found.items():
        if own:
            bond = Bond(parse_mode(mode), policy, links, link_bps, parse.kernel(kernel or release))
            _tell(host, bond, own)


def _tell(host: str, bond: "Bond", flows: "list[Flow]") -> None:
    from fairlead.bonding.explain import HASHING, explain
    from fairlead.report import words

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
    from fairlead.bonding.hashing import End

    assert isinstance(end, End)
    return f"{end.address}" + ("" if end.port is None else f":{end.port}")


def _rates(span: tuple[float, float]) -> str:
    from fairlead.report import words

    low, high = (words.rate(each) for each in span)
    return low if low == high else f"{low} to {high}"
