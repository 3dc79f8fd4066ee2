"""``fairlead lab``: emulate a cluster on this machine."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlead import files, interrupts
from fairlead import lab as labs
from fairlead.cli.parameters import scale as scale_option
from fairlead.cli.parameters.command_type import CommandT
from fairlead.cli.parameters.example_file import ExampleFile
from fairlead.errors import LabError
from fairlead.lab import Lab
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.lab.congestion import CongestionDescription
    from fairlead.lab.migration import Migration, MigrationReport
    from fairlead.lab.nics import NicCounters, Sent
    from fairlead.lab.topology import LabBond, LabLink, ResolvedLab


@click.group()
def command() -> None:
    """Emulate a cluster on this machine: hosts (network namespaces), switches, links with rates and queues.

    Unmodified MPI programs run on it, as root or as an ordinary user (user namespaces).

    \b
    Examples:
      fairlead lab up examples/mesh8.toml
      fairlead lab show
      fairlead lab exec mesh8 h0 -- ip -brief address
      fairlead lab congest mesh8 streams --between leaf0 leaf1 --background
      fairlead lab down mesh8
    """


@command.command()
@click.argument("file", type=ExampleFile())
@click.option("--name", help="Name of the lab, to run several of one description  [default: the description's].")
@click.option(
    "--scale",
    metavar="NUMBER",
    callback=scale_option.number,
    help="Factor for all link rates; queues keep their length in time  [default: the description's].",
)
@click.option("--output", type=click.Path(path_type=Path), help="Cluster file to write  [default: NAME.cluster.toml].")
@click.option(
    "--share",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Directory below /tmp to share with the hosts, which have their own /tmp. Repeatable.",
)
def up(file: Path, name: str | None, scale: float | None, output: Path | None, share: tuple[Path, ...]) -> None:
    """Start the lab that FILE describes and write its cluster file.

    FILE is a lab file, or the name of an example that comes with fairlead, with or without examples/ and .toml.

    A machine with few cores cannot emulate many fast links: use a smaller --scale if the cores, not the network, limit
    your programs.

    \b
    Examples:
      fairlead lab up examples/mesh8.toml
      fairlead lab up mesh16 --scale 0.1
      fairlead lab up examples/mesh8.toml --name second --share /tmp/data
    """
    from fairlead.lab import description

    lab = labs.up(description.load(file), name=name, scale=scale, share=share)
    try:
        output = output or Path(f"{lab.name}.cluster.toml")
        files.write(output, lab.cluster_file_text(), hint="name another file with --output")
        _print_summary(lab)
        click.echo(f"cluster file: {output}")
    except BaseException:  # also Ctrl-C: who was not told of the lab would not end it
        lab.down()
        raise


@command.command()
@click.argument("name")
def down(name: str) -> None:
    """End the lab NAME and everything that runs in it.

    \b
    Example: fairlead lab down mesh8
    """
    labs.find_lab(name).down()


@command.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("words", metavar="NAME HOST -- COMMAND [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
def exec(words: tuple[str, ...]) -> None:
    """Run a command on HOST of lab NAME. Streams, signals and exit status pass unchanged.

    NAME may be left out while a single lab is up.

    \b
    Example: fairlead lab exec mesh8 h0 -- ip -brief address
    """
    lab, [host, *argv] = _lab_and_rest(list(words))
    argv = argv[1:] if argv[:1] == ["--"] else argv
    if not argv:
        raise click.UsageError(f"a command is missing: fairlead lab exec {lab.name} {host} -- COMMAND")
    line = lab.enter_command(host, argv)
    interrupts.become(line[0], line)


def _lab_and_rest(words: list[str]) -> tuple[Lab, list[str]]:
    """The lab that is meant, and HOST and COMMAND. A first word that names no lab is a host of the only one."""
    running = {lab.name: lab for lab in labs.running_labs()}
    if words[0] in running:
        if words[1:2] in ([], ["--"]):
            raise click.UsageError(f"a host is missing: fairlead lab exec {words[0]} HOST -- COMMAND")
        return running[words[0]], words[1:]
    only = next(iter(running.values())) if len(running) == 1 else None
    if only is not None and words[0] in (*only.plan.host_by_name, *only.plan.switches):
        return only, words
    return labs.find_lab(words[0]), words  # says that there is none of this name


@command.command()
@click.argument("name", required=False)
@click.option("--nics", "with_nics", is_flag=True, help="Also show what each NIC of the hosts sent and received.")
@click.option(
    "--flows",
    "with_flows",
    is_flag=True,
    help="Also show what hosts sent over each TCP connection (needs lab.count_flows).",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print everything as JSON (a list if none or several labs are up, without --nics and --flows).",
)
def show(name: str | None, with_nics: bool, with_flows: bool, as_json: bool) -> None:
    """Show a lab, or list the running ones.

    \b
    Examples:
      fairlead lab show
      fairlead lab show mesh8 --nics
    """
    from dataclasses import asdict

    from fairlead.lab import nics

    if name is None and not (with_nics or with_flows) and len(labs.running_labs()) != 1:
        if as_json:
            click.echo(json.dumps([running.record for running in labs.running_labs()], indent=2))
            return
        for running in labs.running_labs():
            click.echo(f"{running.name}\t{running.plan.topology}\t{len(running.plan.hosts)} hosts")
        if not labs.running_labs():
            click.echo("no labs are up")
        return
    lab = _the_lab(name)
    counted = {node: nics.nics(lab, node) for node in _nodes_with_nics(lab)} if with_nics else {}
    sent = {host.name: nics.sent(lab, host.name) for host in lab.plan.hosts} if with_flows else {}
    if as_json:
        record: dict[str, object] = {**lab.record}
        if with_nics:
            record["nics"] = {node: [asdict(nic) for nic in found] for node, found in counted.items()}
        if with_flows:
            record["flows"] = {host: [_flow_as_json(each) for each in found] for host, found in sent.items()}
        click.echo(json.dumps(record, indent=2))
        return
    _print_summary(lab)
    for node, found in counted.items():
        _print_nics(node, found)
    for flow in [each for found in sent.values() for each in found]:
        click.echo(f"  {flow.flow.source} > {flow.flow.destination}  {flow.bytes_B} B in {flow.packets} packets")


@command.command()
@click.argument("name")
@click.argument("host")
@click.argument("number", type=int)
@click.argument("state", type=click.Choice(["down", "up"]))
def nic(name: str, host: str, number: int, state: str) -> None:
    """Take NIC NUMBER of HOST's bond down, or up again. Both ends then use those that are up.

    \b
    Example: fairlead lab nic bonds h0 1 down
    """
    from fairlead.lab import nics

    lab = labs.find_lab(name)
    _print_nics(host, nics.set_nic(lab, host, number, up=state == "up"))


@command.command()
@click.argument("name")
@click.argument("vm")
@click.argument("server")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def migrate(name: str, vm: str, server: str, as_json: bool) -> None:
    """Migrate virtual machine VM of lab NAME to SERVER, live.

    Its memory is copied over the servers' uplinks, in rounds; then it is paused for the rest and its link re-plugged.
    Ctrl-C aborts: the machine stays where it is, unless it is paused already. The last line says which.

    \b
    Example: fairlead lab migrate servers8 h0 server4
    """
    from dataclasses import asdict

    from fairlead.lab.migration import Migration

    lab = labs.find_lab(name)
    with Migration(lab, vm, server) as migration:
        told = None
        try:
            while (moved := migration.poll(0.5)) is None:
                seen = migration.progress
                if seen is not None and seen != told and not as_json:
                    told = seen
                    click.echo(f"round {seen.round} {seen.phase}: {seen.left_B / 2**20:.1f} MiB left", err=True)
        except KeyboardInterrupt:
            click.echo(_given_up(migration), err=True)
            raise
    click.echo(json.dumps(asdict(moved)) if as_json else _moved(moved))


def _given_up(migration: "Migration") -> str:
    """Abort a migration; what came of it."""
    migration.abort()
    try:
        return f"it was too late to give up: {_moved(migration.wait())}"
    except LabError as error:
        return str(error)


def _moved(moved: "MigrationReport") -> str:
    return (
        f"{moved.vm} moved from {moved.source} to {moved.target} in {moved.time_s:.2f} s: "
        f"{moved.copied_B / 2**20:.1f} MiB in {len(moved.rounds)} rounds, paused for {moved.paused_s * 1e3:.0f} ms"
    )


def _congest(name: str, description: "CongestionDescription", duration_s: float | None, background: bool) -> None:
    from fairlead.lab import congestion
    from fairlead.lab.congestion import runner

    lab = labs.find_lab(name)
    if background:
        click.echo(f"started: {runner.start(lab, description, duration_s)}")
        return
    with congestion.make(lab, description) as running, runner.noted(lab, running.describe()):
        click.echo(f"started: {running.describe()}; Ctrl-C ends it")
        try:
            runner.wait(lab, running, duration_s)
        except KeyboardInterrupt:
            click.echo("stopping")


def _how_long(function: CommandT) -> CommandT:
    """Options that all kinds of congestion have."""
    function = click.option("--background", is_flag=True, help="Return immediately; `congest NAME stop` ends it.")(
        function
    )
    return click.option(
        "--for",
        "duration_s",
        type=RealRange(min=0, min_open=True),
        help="Seconds after which it stops.",
    )(function)


@command.group()
@click.argument("name")
@click.pass_context
def congest(context: click.Context, name: str) -> None:
    """Load the network of lab NAME, as other users of it would.

    \b
    Examples:
      fairlead lab congest mesh8 streams --between leaf0 leaf1 --streams 8
      fairlead lab congest mesh8 mpi --seed 7 --for 30
      fairlead lab congest mesh8 delay leaf0 leaf1 --background
      fairlead lab congest mesh8 stop
    """
    context.obj = name


def _described(kind: str, values: dict[str, Any]) -> "CongestionDescription":
    """A description from the command line's options; those not given are left to the description's defaults."""
    from pydantic import TypeAdapter, ValidationError

    from fairlead import config_mistakes
    from fairlead.lab.congestion import CongestionDescription

    adapter: TypeAdapter[CongestionDescription] = TypeAdapter(CongestionDescription)
    given = {key: value for key, value in values.items() if value is not None and value != ()}
    try:
        return adapter.validate_python({"kind": kind} | given)
    except ValidationError as error:
        reasons = [
            ": ".join([*map(str, item["loc"][1:2]), config_mistakes.describe(item, CongestionDescription)])
            for item in error.errors()
        ]
        raise click.UsageError("; ".join(reasons)) from error


@congest.command()
@click.option("--pair", "pairs", multiple=True, nargs=2, help="Two hosts between which streams run. Repeatable.")
@click.option("--between", nargs=2, help="Two leaf switches whose neighbours exchange streams.")
@click.option("--streams", type=int, help="Streams in each direction, over all pairs  [default: 8].")
@click.option("--one-way", is_flag=True, help="Only from the first to the second.")
@click.option("--on", help="Length of a burst, for example 200ms; needs --off.")
@click.option("--off", help="Pause between bursts.")
@click.option("--rate", help="Rate limit per stream, for example 10mbit  [default: none].")
@click.option("--congestion-control", help="TCP congestion control of the streams  [default: the lab's].")
@_how_long
@click.pass_obj
def streams(name: str, one_way: bool, duration_s: float | None, background: bool, **values: Any) -> None:
    """TCP streams between chosen hosts, constant or in bursts.

    \b
    Examples:
      fairlead lab congest mesh8 streams --between leaf0 leaf1 --background
      fairlead lab congest mesh8 streams --pair n0 n2 --one-way --on 200ms --off 300ms --for 30
    """
    description = _described("streams", values | {"both_directions": not one_way})
    _congest(name, description, duration_s, background)


@congest.command()
@click.option("--host", "hosts", multiple=True, help="Host of ranks. Repeatable  [default: all neighbours].")
@click.option("--ranks-per-host", type=int, help="Ranks on each host  [default: 1].")
@click.option("--seed", type=int, help="Seed of the random partners  [default: 1].")
@click.option("--message", help="Message size  [default: 1MB].")
@_how_long
@click.pass_obj
def mpi(name: str, duration_s: float | None, background: bool, **values: Any) -> None:
    """A communication-intensive MPI program with random partners.

    \b
    Examples:
      fairlead lab congest mesh8 mpi --seed 7 --for 30
      fairlead lab congest mesh8 mpi --host n0 --host n2 --message 64KiB
    """
    _congest(name, _described("mpi", values), duration_s, background)


@congest.command()
@click.argument("link", nargs=2)
@click.option("--delay", help="Additional delay in each direction  [default: 5ms].")
@click.option("--one-way", is_flag=True, help="Only from the first to the second.")
@_how_long
@click.pass_obj
def delay(name: str, one_way: bool, duration_s: float | None, background: bool, **values: Any) -> None:
    """A fixed delay on the LINK between two nodes.

    \b
    Examples:
      fairlead lab congest mesh8 delay leaf0 leaf1
      fairlead lab congest mesh8 delay h0 leaf0 --delay 2ms --one-way --for 30
    """
    _congest(name, _described("delay", values | {"both_directions": not one_way}), duration_s, background)


@congest.command()
@click.pass_obj
def stop(name: str) -> None:
    """End all congestion that `lab congest` started, in the background or not."""
    from fairlead.lab.congestion import runner

    for text in runner.stop_all(labs.find_lab(name)):
        click.echo(f"stopped: {text}")


def _the_lab(name: str | None) -> Lab:
    if name is not None:
        return labs.find_lab(name)
    running = labs.running_labs()
    if len(running) == 1:
        return running[0]
    if not running:
        raise click.UsageError("no lab of yours is running; start one with `fairlead lab up FILE`")
    raise click.UsageError(f"several labs are running ({', '.join(lab.name for lab in running)}); name one")


def _print_summary(lab: Lab) -> None:
    from fairlead.display.words import size
    from fairlead.lab.units import format_rate

    plan = lab.plan
    click.echo(f"lab {plan.name}: {plan.topology}, congestion control {plan.congestion_control}")
    for index, leaf in enumerate(plan.leafs):
        hosts = [f"{host.name} {host.address}" for host in plan.hosts if host.leaf == index and not host.server]
        click.echo(f"  {leaf:8} {'  '.join(hosts)}")
        for server in [each.name for each in plan.servers if each.leaf == index]:
            vms = [f"{host.name} {host.address}" for host in plan.vms_on(server)]
            click.echo(f"    {server:8} {'  '.join(vms) or 'empty'}")
    for what, link in dict.fromkeys(
        (_kind_of(plan, each), replace(each, a="", b="", addresses=())) for each in plan.links
    ):
        number = f"{link.nics} x " if link.bond else ""
        click.echo(
            f"  {what:10} {number}{format_rate(link.rate_bps)}, queue {size(link.queue_B)}, burst "
            f"{size(link.burst_B)}, per direction"
        )
        if link.bond:
            click.echo(f"  {'':10} {_describe_bond(link.bond)}")


def _describe_bond(bond: "LabBond") -> str:
    from fairlead.lab import aggregate

    policy = f", {bond.hash}" if bond.hash else ""
    switch = bond.switch or "the first that works"
    return f"bond ({aggregate.WAY}): {bond.mode}{policy}; the switch chooses by {switch}"


def _print_nics(node: str, found: "list[NicCounters]") -> None:
    for nic in found:
        where = "" if nic.is_up else ", down"
        click.echo(f"  {node:8} {nic.name}: sent {nic.sent_B} B, received {nic.received_B} B{where}")


def _nodes_with_nics(lab: Lab) -> list[str]:
    """Hosts and servers: what has a link to a switch."""
    return [link.a for link in lab.plan.links if not link.addresses]


def _flow_as_json(sent: "Sent") -> dict[str, object]:
    return {
        "flow": f"{sent.flow.source}>{sent.flow.destination}",  # as `net explain` reads it
        "bytes_B": sent.bytes_B,
        "packets": sent.packets,
    }


def _kind_of(plan: "ResolvedLab", link: "LabLink") -> str:
    if link.addresses:
        return "trunks"
    return "uplinks" if link.a in plan.server_by_name else "host links"
