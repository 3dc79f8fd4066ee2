"""``fairlead compare``."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fairlead.manage.compare import Progress
    from fairlead.manage.plan import ComparisonPlan


@click.command("compare")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.option("--results", default="results", show_default=True, type=click.Path(path_type=Path))
@click.option("--stages", is_flag=True, help="Add fairlead's components one by one: agents, detection, detours.")
@click.option("--replications", type=click.IntRange(min=1), help="Other than the plan's.")
@click.option("--show-plan", is_flag=True, help="Print what will run, in its order, and run nothing.")
def command(plan_file: Path, results: Path, stages: bool, replications: int | None, show_plan: bool) -> None:
    """Run programs clean and congested, plain and managed, in random order, and write the report.

    PLAN is a TOML file: the network, the congestion, the programs. The same command again goes on where an interrupted
    comparison stopped. Writes RESULTS/report.html and RESULTS/summary.json.

    \b
    Examples:
      fairlead compare examples/demo.toml --results results/demo
      fairlead compare examples/demo.toml --stages --show-plan
    """
    from fairlead.manage import comparison_session
    from fairlead.manage.scenario import FOUR, rows, staged

    plan = comparison_session.read(plan_file)
    if stages:
        plan = comparison_session.with_table(plan, stages=True)
    if replications:
        plan = comparison_session.with_table(plan, replications=replications)
    if show_plan:
        table = plan.comparison
        names = [program.name for program in plan.programs]
        for row in rows(names, staged() if table.stages else FOUR, table.replications, table.seed):
            click.echo(f"{row.position:4}  {row.program:12} {row.scenario.name:24} replication {row.replication}")
        return
    _compare(plan, results)


def _compare(plan: "ComparisonPlan", results: Path) -> None:
    from rich.console import Console

    from fairlead.cli.characterize import progress_on
    from fairlead.manage import comparison_session
    from fairlead.report import comparison_report

    with progress_on(sys.stderr) as survey_progress:
        written = comparison_session.compare(plan, results, survey_progress=survey_progress, progress=_progress())
    comparison_report.show(written.comparison, Console())
    click.echo(f"report:  {written.report}")
    click.echo(f"summary: {written.summary}")


def _progress() -> "Progress":
    """A line for every run that begins, with the time that is likely left."""
    begin_s = time.monotonic()
    first: list[int] = []

    def say(done: int, total: int, text: str) -> None:
        first.append(done)
        elapsed_s = time.monotonic() - begin_s
        finished = done - first[0]
        left = f", about {elapsed_s / finished * (total - done):.0f} s left" if finished else ""
        click.echo(f"{elapsed_s:6.1f} s  run {done + 1} of {total}  {text}{left}", err=True)

    return say
