"""``fairlead characterize``: measure a cluster's network, show and compare what was measured."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fairlead.cli.output.progress import progress_on
from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.default_group import DefaultGroup
from fairlead.cli.parameters.given import given_besides
from fairlead.cli.parameters.results import results_option
from fairlead.display import words
from fairlead.protocol import numbers
from fairlead.real_range import RealRange
from fairlead.sizes import Sizes

if TYPE_CHECKING:
    from fairlead.characterize.characterization import Characterization
    from fairlead.cluster.description import Cluster
    from fairlead.store import Run

PATHS_SHOWN = 12

REFINED_BY = "the same command again continues with what is missing, without --budget to the end"


@click.group(cls=DefaultGroup)
def command() -> None:
    """Measure latencies, shared bottlenecks and detours of a cluster.

    \b
      fairlead characterize mesh8.cluster.toml        measure now
      fairlead characterize show                      what was measured last
      fairlead characterize diff                      what changed between the last two measurements

    Run it on a quiet network: it saturates some paths at a time, for a quarter of a second each.
    """


@command.command("measure")
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@results_option
@click.option(
    "--sizes",
    type=Sizes(numbers.PINGPONG_SIZES_B[1]),
    default="64,1KiB,8KiB,64KiB,512KiB,4MiB",
    show_default=True,
    help="Message sizes of the latency matrix.",
)
@click.option(
    "--from-profile",
    "profile_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measure at the message sizes of this profile (`fairlead profile --json`).",
)
@click.option(
    "--budget",
    "budget_s",
    type=RealRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time for the measurement, without that for starting the agents: what is worth most comes first, and the "
    "same command again continues.  [default: until all is measured]",
)
@click.option(
    "--large-budget",
    "large_s",
    type=RealRange(min=0),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Time for sizes above 64KiB, which get fewer exchanges if needed (at least 5). 0: no limit.",
)
@click.option("--anew", is_flag=True, help="Do not continue an earlier characterization that --budget ended.")
@click.option(
    "--every",
    "period_s",
    type=RealRange(min=1),
    metavar="SECONDS",
    help="Characterize again at this interval; needs --times. Each is stored; changes since the first are reported.",
)
@click.option("--times", type=click.IntRange(min=2), help="Number of characterizations, with --every.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON; with --every, a line for each.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="HTML page with network and heat maps.  [default: RESULTS/characterization.html]",
)
@click.pass_context
def measure(
    context: click.Context,
    cluster_file: Path,
    results: Path,
    sizes: tuple[int, ...],
    profile_file: Path | None,
    budget_s: float | None,
    large_s: float,
    anew: bool,
    period_s: float | None,
    times: int | None,
    as_json: bool,
    output: Path | None,
) -> None:
    """Characterize the network of CLUSTER (default; `measure` may be omitted).

    \b
    Examples:
      fairlead characterize mesh8.cluster.toml
      fairlead characterize measure mesh8.cluster.toml --sizes 64,64KiB,1MiB --large-budget 20
      fairlead characterize measure cloud.toml --budget 60
      fairlead characterize measure cloud.toml --every 600 --times 6
    """
    from fairlead.characterize.characterize import characterize
    from fairlead.characterize.latency import with_small
    from fairlead.characterize.repeated import starts
    from fairlead.characterize.sample_store import CONTINUES
    from fairlead.characterize.survey import SurveySettings
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.report.network import characterization_report
    from fairlead.store import Store

    if (period_s is None) != (times is None):
        raise click.UsageError("--every and --times belong together: --every 600 --times 6")
    if profile_file is not None:
        if context.get_parameter_source("sizes") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--sizes and --from-profile exclude each other")
        sizes = _sizes_of(profile_file)
    cluster = load_cluster(cluster_file)
    settings = SurveySettings(sizes_B=with_small(sizes), budget_s=budget_s, large_s=large_s or None)
    output = output or results / "characterization.html"
    first: Characterization | None = None
    for number in starts(period_s or 0.0, times or 1, _wait):
        with Store.open(results) as store, progress_on(sys.stderr) as progress:
            found = characterize(
                cluster, store, settings, progress, anew=anew or times is not None, since_s=_there_since_s(cluster)
            )
            continued = None if found.run is None else store.run(found.run).facts.get(CONTINUES)
            progress("drawing the heat maps", 0, 1)
            characterization_report.write(found, output)
            progress("drawing the heat maps", 1, 1)
        if continued is not None:
            click.echo(f"what run {continued} has was not measured again; --anew measures everything", err=True)
        if first is None or as_json:
            _present(found, results, as_json, output)
            if budget_s is not None and not found.complete:
                click.echo(REFINED_BY, err=as_json)
        else:
            _present_change(first, found, f"{number} of {times}")
        first = first or found


def _there_since_s(cluster: "Cluster") -> float:
    """Since when the network is the one that it is, seconds since the epoch: a lab's since it was started."""
    from fairlead.lab import find_lab

    return find_lab(cluster.lab).started_s if cluster.lab else 0.0


def _wait(number: int, pause_s: float) -> None:
    """Until the characterization with this number is due."""
    click.echo(
        f"characterization {number} in {words.span(pause_s)}; Ctrl-C stops and keeps what was measured", err=True
    )
    time.sleep(pause_s)


def _present_change(first: "Characterization", found: "Characterization", which: str) -> None:
    """What differs in a later characterization from the first of the same command."""
    from fairlead.characterize.difference import compare

    click.echo(f"characterization {which}, stored as run {found.run}, against the first:")
    for line in compare(first, found).describe():
        click.echo(f"  {line}")


@command.command("show")
@click.argument("run", type=int, required=False)
@results_option
@click.option("--list", "list_", is_flag=True, help="List all characterizations.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--output", type=click.Path(path_type=Path), help="Write a report with network and heat maps to this HTML file."
)
@click.pass_context
def show(
    context: click.Context, run: int | None, results: Path, list_: bool, as_json: bool, output: Path | None
) -> None:
    """Show the last characterization again, or the one with number RUN.

    \b
    Examples:
      fairlead characterize show --list
      fairlead characterize show 3 --output matrices.html
    """
    from fairlead.characterize.characterization import Characterization, chosen_run, runs
    from fairlead.store import Store

    if list_ and (ignored := given_besides(context, "results", "list_", "as_json")):
        raise click.UsageError(f"--list lists all characterizations; omit {ignored[0]}")
    with Store.read(results) as store:
        if list_:
            if as_json:
                click.echo(json.dumps([_listed(each) for each in runs(store)], indent=1))
                return
            for each in runs(store):
                click.echo(_line(each))
            return
        found = Characterization.read(store, chosen_run(store, run))
    if output is not None:
        from fairlead.report.network import characterization_report

        characterization_report.write(found, output)
    _present(found, results, as_json, output)


@command.command("diff")
@click.argument("before", metavar="[A]", type=int, required=False)
@click.argument("after", metavar="[B]", type=int, required=False)
@results_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def diff(before: int | None, after: int | None, results: Path, as_json: bool) -> None:
    """Compare two characterizations by number; without B: A with the last; without both: the last two.

    \b
    Examples:
      fairlead characterize diff
      fairlead characterize diff 3 7 --results results/cloud
    """
    from fairlead.characterize.characterization import Characterization, chosen_run
    from fairlead.characterize.difference import compare
    from fairlead.store import Store

    with Store.read(results) as store:
        new = chosen_run(store, after)
        old = chosen_run(store, before, before_run=new)
        first, second = Characterization.read(store, old), Characterization.read(store, new)
    difference = compare(first, second)
    if as_json:
        click.echo(json.dumps(difference.to_json(), indent=1))
        return
    click.echo(
        f"{first.cluster}, run {first.run} ({first.age_words()}) against run {second.run} ({second.age_words()})"
    )
    for line in difference.describe():
        click.echo(line)


def _sizes_of(profile_file: Path) -> tuple[int, ...]:
    """The sizes of a stored profile; says on stderr which, and how much of the program's traffic they stand for."""
    from fairlead.profile.json_form import Summary
    from fairlead.profile.message_sizes import select_message_sizes

    used = select_message_sizes(Summary.read(profile_file))
    where = "of one host, whose ranks send" if used.one_host else "between hosts:"
    click.echo(
        f"{profile_file}: measured at {', '.join(map(words.size, used.sizes_B))}, {where} "
        f"{words.percent(used.messages_share)} of messages, {words.percent(used.bytes_share)} of bytes",
        err=True,
    )
    return used.sizes_B


def _line(run: "Run") -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started_s))
    error = f": {run.error}" if run.error else ""
    return f"{run.id:5}  {when}  {run.labels['cluster']}  {len(run.facts['hosts'])} hosts  {run.status}{error}"


def _listed(run: "Run") -> dict[str, Any]:
    """One of `show --list --json`."""
    return {
        "run": run.id,
        "started_s": run.started_s,
        "cluster": run.labels["cluster"],
        "hosts": [host["name"] for host in run.facts["hosts"]],
        "status": run.status,
        "error": run.error,
    }


def _present(found: "Characterization", results: Path, as_json: bool, output: Path | None) -> None:
    from fairlead.report.network import network_json, slow_words

    if as_json:
        click.echo(json.dumps(found.to_json() | {"network": network_json.of(found)}))
        return
    for line in (*found.summary_words(), *(f"  {text}" for text in slow_words.of(found))):
        click.echo(line)
    lines = found.path_table_words() if found.usable else []
    if lines:
        click.echo("detours around each path's bottleneck, fastest first:")
    for line in lines[:PATHS_SHOWN]:
        click.echo(f"  {line}")
    if len(lines) > PATHS_SHOWN:
        click.echo(f"  ... and {len(lines) - PATHS_SHOWN} more pairs (all: --json)")
    click.echo(f"stored as run {found.run} in {results}" + (f"; report: {output}" if output else ""))
