"""``fairlead compare``."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters import scale as scale_option
from fairlead.cli.parameters.bring import bring_option
from fairlead.cli.parameters.example_file import ExampleFile
from fairlead.cli.parameters.prices import prices_option
from fairlead.cli.parameters.results import results_option
from fairlead.cli.parameters.settings import settings_option
from fairlead.cli.parameters.transport import transport_option
from fairlead.display import words
from fairlead.manage.data_planes import PLANES
from fairlead.protocol.enums import Acknowledge

if TYPE_CHECKING:
    from fairlead.config_changes import ConfigChange
    from fairlead.experiment.plans.comparison import ComparisonPlan
    from fairlead.experiment.running.runner import Progress
    from fairlead.prices.book import Book


@click.command("compare")
@click.argument("plan_file", metavar="PLAN", type=ExampleFile())
@results_option
@click.option(
    "--only",
    "patterns",
    multiple=True,
    metavar="CASE",
    help="Run only these cases, by name or pattern (cg-*.delay.*). The others can follow later. Repeatable.",
)
@click.option(
    "--congestion",
    "congestions",
    multiple=True,
    metavar="NAME",
    help="Run only cases with this congestion. Repeatable.",
)
@click.option("--stages", is_flag=True, help="Add fairlead's components one by one: agents, detection, ...")
@click.option(
    "--monitor/--no-monitor",
    default=None,
    help="Record communication time by host pair in all runs  [default: the plan's].",
)
@click.option(
    "--acknowledge",
    type=click.Choice([each.value for each in Acknowledge]),
    default=None,
    help="With --monitor: slow messages reported to the sender's agent. waited: those their receiver waited "
    "for; always: all between hosts; never: none, so only sockets and probes count  [default: the plan's].",
)
@click.option(
    "--plane",
    "planes",
    multiple=True,
    type=click.Choice(PLANES.names()),
    help="Plane that carries rerouted traffic in managed runs; repeatable, to compare planes  [default: the plan's].",
)
@transport_option("the plan's")
@click.option(
    "--scale",
    callback=scale_option.number_or_auto,
    metavar="NUMBER",
    help="Factor for all link rates of labs; auto: what this machine can emulate  [default: the plan's].",
)
@click.option("--replications", type=click.IntRange(1, 10_000), help="Number of replications  [default: the plan's].")
@bring_option("a command of the plan")
@prices_option("the plan's")
@settings_option("comparison.seed=7, programs.cg.ranks=16")
@click.option(
    "--show-plan",
    is_flag=True,
    help="Print the runs in order, the time they will take and, with prices, what it costs; run nothing.",
)
def command(
    plan_file: Path,
    results: Path,
    patterns: tuple[str, ...],
    congestions: tuple[str, ...],
    stages: bool,
    monitor: bool | None,
    acknowledge: str | None,
    planes: tuple[str, ...],
    transport: str | None,
    scale: float | str | None,
    replications: int | None,
    bring: tuple[Path, ...],
    prices: Path | None,
    changes: "tuple[ConfigChange, ...]",
    show_plan: bool,
) -> int:
    """Compare programs on a clean and a congested network, with and without management.

    PLAN is a TOML file that names networks, congestion and programs, or the name of an example that comes with
    fairlead. Runs are in random order; the same command again continues an interrupted comparison. Writes
    RESULTS/report.html and RESULTS/summary.json.

    Every case is checked before the first run starts: programs, classes, numbers of ranks, files, congestion, memory.
    The exit code is 1 if runs failed and were not repeated.

    \b
    Examples:
      fairlead compare examples/demo.toml --results results/demo
      fairlead compare examples/demo.toml --stages --show-plan
      fairlead compare examples/dmcbm.toml --only 'cg-*.delay.*'
      fairlead compare examples/migration.toml --congestion destination
      fairlead compare examples/demo.toml --monitor --acknowledge always
      fairlead compare examples/demo.toml --plane route --plane relay
      fairlead compare examples/demo.toml --transport tcp
      fairlead compare examples/demo.toml --scale 0.2
      fairlead compare plan.toml --bring ./solver
      fairlead compare plan.toml --prices prices.toml --show-plan
      fairlead compare plan.toml --prices prices.toml
      fairlead compare examples/relay.toml --set 'programs.cg.command=["cg","--class","S"]'
    """
    from fairlead.experiment.comparisons import session
    from fairlead.programs import own_files

    read = session.read(plan_file, changes, transport=transport)
    own_files.check_plan(bring, [program.command for program in read.programs])
    plan = _as_asked(read, stages, monitor, acknowledge, planes, scale, replications, prices)
    book = session.book_of(plan)
    only = session.chosen(plan, patterns, congestions)
    if show_plan:
        _show(plan, only, book)
        return 0
    return _compare(plan, results, only, bring, book)


def _as_asked(
    plan: "ComparisonPlan",
    stages: bool,
    monitor: bool | None,
    acknowledge: str | None,
    planes: tuple[str, ...],
    scale: float | str | None,
    replications: int | None,
    prices: Path | None,
) -> "ComparisonPlan":
    """The plan with what options say in place of what it says itself. Arguments are as for `command`.

    Raises:
        click.UsageError: it cannot be compared so.
    """
    from fairlead.experiment.comparisons import session

    if stages:
        plan = session.with_table(plan, stages=True)
    if monitor is not None:
        plan = session.with_table(plan, monitor=monitor)
    if acknowledge:
        if not plan.comparison.monitor:
            raise click.UsageError("--acknowledge works only with --monitor; add --monitor")
        plan = session.with_table(plan, acknowledge=acknowledge)
    if planes:
        plan = session.with_table(plan, planes=tuple(dict.fromkeys(planes)))
    if plan.comparison.stages and len(plan.comparison.planes) > 1:
        raise click.UsageError(
            "--stages adds components one by one over a single plane: omit --stages, or give only one --plane"
        )
    if scale is not None:
        if any(case.network.lab is None for case in plan.all_cases()):
            raise click.UsageError("--scale: only labs can be scaled, not the links of a real cluster")
        plan = session.with_table(plan, scale=scale)
    if replications:
        plan = session.with_table(plan, replications=replications)
    if prices:
        plan = session.with_table(plan, prices=prices.absolute())
    return plan


def _show(plan: "ComparisonPlan", only: list[str], book: "Book | None") -> None:
    """The runs of these cases in their order, how long they take, and what that costs."""
    from fairlead.experiment.comparisons import session
    from fairlead.experiment.plans import comparison_form

    rows = [row for row in comparison_form.rows_of(plan) if row.levels[comparison_form.CASE] in only]
    width = max(len(name) for name in only)
    for row in rows:
        case, scenario = row.levels[comparison_form.CASE], comparison_form.scenario(row.levels)
        click.echo(f"{row.position:4}  {case:{width}}  {scenario:20} replication {row.replication}")
    click.echo(session.forecast(plan, rows, book=book).describe())


def _compare(
    plan: "ComparisonPlan", results: Path, only: list[str], bring: tuple[Path, ...], book: "Book | None"
) -> int:
    from fairlead.analysis import comparison
    from fairlead.cli.output.progress import progress_on
    from fairlead.experiment.comparisons import session
    from fairlead.report import make
    from fairlead.store import Store

    try:
        with progress_on(sys.stderr) as survey_progress:
            experiment = session.compare(
                plan,
                results,
                survey_progress=survey_progress,
                progress=_progress(),
                only=only,
                bring=bring,
                announce=lambda forecast: click.echo(f"{plan.comparison.name}: {forecast.describe()}", err=True),
                tell=lambda text: click.echo(text, err=True),
                book=book,
            )
    except KeyboardInterrupt:
        click.echo(f"finished runs are kept in {results}; repeat the command to continue with the rest", err=True)
        raise
    click.echo("computing and drawing the report", err=True)
    with Store.read(results) as store:
        report, summary, *_ = make.comparison(store, experiment, results / "report.html", book=book)
        failed = [run for run in comparison.failed(store, experiment) if comparison.case_of(run) in only]
    click.echo(f"report:  {report}")
    click.echo(f"summary: {summary}")
    if failed:
        cases = ", ".join(dict.fromkeys(comparison.case_of(run) for run in failed))
        click.echo(f"{words.count(len(failed), 'run')} failed ({cases}): the report says why", err=True)
    return 1 if failed else 0


def _progress() -> "Progress":
    """A line for every run that begins."""
    begin_s = time.monotonic()

    def say(done: int, total: int, text: str) -> None:
        click.echo(f"{time.monotonic() - begin_s:6.1f} s  run {done + 1} of {total}  {text}", err=True)

    return say
