"""``fairlead evaluate``: run plans, import results, report, check stated figures."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.default_group import DefaultGroup
from fairlead.cli.parameters.example_file import ExampleFile
from fairlead.cli.parameters.prices import book_of, prices_option
from fairlead.cli.parameters.results import results_option
from fairlead.cli.parameters.settings import settings_option
from fairlead.errors import FairleadError
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.analysis.evaluations.analysis import Analysis
    from fairlead.config_changes import ConfigChange
    from fairlead.published.check import CheckedClaims

json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON instead.")


@click.group(cls=DefaultGroup)
def command() -> None:
    """Evaluate programs beside neighbours and under network configurations.

    \b
      fairlead evaluate plan PLAN.toml                         what will run, and its duration
      fairlead evaluate PLAN.toml                              run it, or continue where it stopped
      fairlead evaluate report results                         write tables and results/evaluation.html
      fairlead evaluate report results --json                  print all figures as JSON
      fairlead evaluate import runs.csv --columns map.toml     published or third-party results
      fairlead evaluate check claims.json                      which stated figures follow from the data
    """


@command.command("run")
@click.argument("plan_file", metavar="PLAN.toml", type=ExampleFile())
@results_option
@prices_option("the plan's")
@settings_option('class=W, \'program=["is","ft"]\', replications.count=3')
@json_option
def run(plan_file: Path, results: Path, prices: Path | None, changes: "tuple[ConfigChange, ...]", as_json: bool) -> int:
    """Run a plan (default; `run` may be omitted).

    PLAN.toml is a plan, or the name of an example that comes with fairlead. Every row is checked before the first one
    starts: commands, classes, numbers of ranks, files, memory.

    The same command again continues an interrupted evaluation, also after a kill, or after a larger budget or more
    retries were given in the plan. The exit code is 1 if rows have no sample because every try failed, or a cell has
    none because the budget was spent.

    \b
    Examples:
      fairlead evaluate examples/evaluate/small.toml --results results/small
      fairlead evaluate clouds.toml --prices prices.toml
      fairlead evaluate examples/evaluate/clouds-lab.toml --set class=W --set 'program=["is"]'
      fairlead evaluate examples/evaluate/small.toml --json
    """
    from fairlead.cli.output.progress import progress_on
    from fairlead.experiment.evaluations import endings
    from fairlead.experiment.evaluations.experiment import Evaluation
    from fairlead.experiment.plans import plan_cost, price_checks, row_checks
    from fairlead.experiment.plans import plan_file as plan_files
    from fairlead.report.evaluation import evaluation_report
    from fairlead.store import Store

    plan = plan_files.with_prices(plan_files.read(plan_file, changes), prices)
    row_checks.findings(plan, plan_file).require_none()
    book = price_checks.book_of(plan.evaluation.prices, [plan])
    begin_s = time.monotonic()

    def say(done: int, total: int, text: str) -> None:
        click.echo(f"{time.monotonic() - begin_s:6.1f} s  row {min(done + 1, total)} of {total}  {text}", err=True)

    def tell(text: str) -> None:
        click.echo(f"{time.monotonic() - begin_s:6.1f} s  {text}", err=True)

    options = (*(("--prices", str(prices)) if prices is not None else ()), *(("--json",) if as_json else ()))
    if book is not None:
        tell(plan_cost.of_plan(plan, book))
    with Store.open(results) as store:
        evaluation = Evaluation(plan, store)
        try:
            with progress_on(sys.stderr) as survey:
                evaluation.run(say, tell, survey)
        except (KeyboardInterrupt, FairleadError, OSError):
            click.echo(endings.how_to_go_on(plan_file, results, evaluation.stored_rows, changes, options), err=True)
            raise
        for line in endings.failures(plan_file, results, evaluation):
            click.echo(line, err=True)
        analysis = evaluation_report.compute(store, store.run(evaluation.experiment), book=book)
    _tell(analysis, as_json)
    click.echo(f"report: {evaluation_report.write(analysis, results / 'evaluation.html')[0]}", err=as_json)
    for line in endings.what_is_left(evaluation):
        click.echo(line, err=True)
    return 1 if evaluation.failed_rows or evaluation.empty_cells else 0


@command.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--name", help="Evaluation to report.  [default: the newest]")
@click.option("--value", help="Measured value to report.  [default: the evaluation's main one]")
@click.option("--level", type=RealRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Confidence level of all intervals.")  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path), help="HTML page to write.  [default: RESULTS/evaluation.html]"
)
@click.option(
    "--figures", type=click.Path(path_type=Path), help="Also write the figures to this directory (SVG, PNG, CSV)."
)
@click.option(
    "--within",
    "within_s",
    type=RealRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Print the cheapest configuration that meets this run time (with --json: to stderr).",
)
@prices_option("what the plan says of prices")
@json_option
def report(
    results: Path,
    name: str | None,
    value: str | None,
    level: float,
    output: Path | None,
    figures: Path | None,
    within_s: float | None,
    prices: Path | None,
    as_json: bool,
) -> None:
    """Report an evaluation or import in the directory RESULTS, from its raw samples.

    \b
    Examples:
      fairlead evaluate report results/published --name ICCSA
      fairlead evaluate report results/published --name ISCC --within 300
      fairlead evaluate report results/clouds --prices prices.toml
      fairlead evaluate report results/clouds --json > clouds.json
    """
    from fairlead.report.evaluation import cost_table, evaluation_report
    from fairlead.store import Store

    book = book_of(prices)
    with Store.read(results) as store:
        analysis = evaluation_report.load(store, name, value, level, book)
    written = evaluation_report.write(analysis, output or results / "evaluation.html", figures)
    _tell(analysis, as_json)
    if within_s is not None:
        for line in cost_table.cheapest(analysis, within_s):
            click.echo(line, err=as_json)
    for path in written:
        click.echo(path, err=as_json)


def _tell(analysis: "Analysis", as_json: bool) -> None:
    """Print findings and tables, or all figures as JSON."""
    from fairlead.display.terminal import console
    from fairlead.report.evaluation import evaluation_json, evaluation_report

    if as_json:
        click.echo(evaluation_json.of(analysis).to_json(), nl=False)
    else:
        evaluation_report.show(analysis, console())


@command.command("plan")
@click.argument("plan_file", metavar="PLAN.toml", type=ExampleFile())
@click.option("--all", "everything", is_flag=True, help="List every row in the order of execution.")
@click.option("--prices", type=click.Path(path_type=Path),
              help="Price book: also show what the rows will cost.  [default: the plan's]")  # fmt: skip
@settings_option('class=W, \'program=["is","ft"]\', replications.count=3')
def plan(plan_file: Path, everything: bool, prices: Path | None, changes: "tuple[ConfigChange, ...]") -> None:
    """Show what a plan will run, how long it takes, what it costs and how much memory it needs; run nothing.

    The exit code is 2 if rows cannot run as planned; the message says why, and how to fix it.

    \b
    Examples:
      fairlead evaluate plan examples/evaluate/small.toml
      fairlead evaluate plan examples/evaluate/small.toml --all
      fairlead evaluate plan examples/evaluate/802.3ad.toml --set class=D
      fairlead evaluate plan clouds.toml --prices prices.toml
    """
    from fairlead.experiment.plans import (
        design,
        plan_cost,
        plan_words,
        price_checks,
        row_checks,
        row_needs,
        row_transports,
    )
    from fairlead.experiment.plans import plan_file as plan_files

    read = plan_files.with_prices(plan_files.read(plan_file, changes), prices)
    for line in (*plan_words.summary(read), *row_transports.summary(read), *row_needs.summary(read)):
        click.echo(line)
    if everything:
        for row in design.planned_rows(read):
            click.echo(plan_words.row(row))
    row_checks.findings(read, plan_file).require_none()
    book = price_checks.book_of(read.evaluation.prices, [read])
    if book is not None:
        click.echo(f"  {plan_cost.of_plan(read, book)}")


@command.command("import")
@click.argument("file", metavar="FILE.csv", type=ExampleFile())
@click.option(
    "--columns",
    "map_file",
    metavar="MAP.toml",
    required=True,
    type=ExampleFile(),
    help="TOML file that maps columns to factors and values; examples/published/example.toml is one.",
)
@results_option
def import_(file: Path, map_file: Path, results: Path) -> None:
    """Read results from a CSV file into the store.

    Everything is checked first; a file that is refused leaves the results directory unchanged.

    \b
    Example:
      fairlead evaluate import examples/published/example.csv --columns examples/published/example.toml
    """
    from fairlead import config
    from fairlead.published.columns import ColumnMap, MapSource, prepare, put
    from fairlead.store import Store

    columns = config.load(map_file, ColumnMap)
    prepared = prepare(file, columns, MapSource(str(map_file), map_file.read_text(encoding="utf-8-sig")))
    with Store.open(results) as store:
        found = put(store, prepared)
    for line in found.describe(columns.dataset.name, results):
        click.echo(line)


@command.command("check")
@click.argument("file", metavar="CLAIMS.json", type=ExampleFile())
@click.option(
    "--reading",
    "reading_file",
    metavar="FILE.toml",
    type=click.Path(path_type=Path, dir_okay=False),
    help="TOML file that says what each stated figure is computed from.  [default: fairlead's own]",
)
@click.option("--all", "show_all", is_flag=True, help="List the claims that hold, too.")
@json_option
@results_option
def check(file: Path, reading_file: Path | None, show_all: bool, as_json: bool, results: Path) -> int:
    """Recompute stated figures from imported data, and report which follow from it.

    A claim that cannot be read is reported with file, line and key; the others are checked. The exit code is 1 if a
    claim does not follow, 2 if one cannot be read. A claim that the data cannot decide is no failure.

    \b
    Example:
      fairlead evaluate check examples/published/example_claims.json
    """
    from fairlead.display.terminal import console, rich_table
    from fairlead.published import claims
    from fairlead.published.check import FAILS, read_and_check
    from fairlead.report.evaluation import claims_report
    from fairlead.store import Store

    stated = claims.load(file)
    readings = claims.readings(reading_file)
    with Store.read(results) as store:
        result: CheckedClaims = read_and_check(store, stated, readings)
    code = 2 if result.mistakes else 1 if result.count(FAILS) else 0
    if as_json:
        click.echo(json.dumps(claims_report.to_json(result), indent=1))
        return code
    terminal = console()
    terminal.print(rich_table(claims_report.table_of(result, everything=show_all), claims_report.title(result)))
    for text in (*result.findings, *claims_report.disagreements(result)):
        click.echo(text)
    for text in claims_report.mistakes(result):
        click.echo(text, err=True)
    click.echo(claims_report.totals(result))
    return code
