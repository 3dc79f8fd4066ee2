"""``fairlead report``."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fairlead.cli.output.progress import EVERY_S, lines_on
from fairlead.cli.parameters.given import given_besides
from fairlead.cli.parameters.prices import book_of
from fairlead.real_range import RealRange

if TYPE_CHECKING:
    from fairlead.prices.book import Book
    from fairlead.progress import Progress
    from fairlead.store import Store


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path), nargs=-1, default=("results",))
@click.option("--experiment", type=int, help="Report this comparison (run number).")
@click.option(
    "--run",
    "runs",
    type=int,
    multiple=True,
    help="Report this run of `fairlead run` (number), or these of `fairlead measure` (repeatable).",
)
@click.option("--characterization", type=int, help="Report this characterization (run number).")
@click.option("--benchmarks", is_flag=True, help="Report the benchmarks of `fairlead measure` in all RESULTS.")
@click.option("--baseline", metavar="SYSTEM", help="With several RESULTS: compare with this one  [default: the first].")
@click.option("--prices", type=click.Path(path_type=Path),
              help="Price book: also show what runs cost  [default: the plan's], or benchmarks per price.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path),
              help="HTML page to write.  [default: RESULTS/report.html; evaluations: evaluation.html]")  # fmt: skip
@click.option(
    "--figures", type=click.Path(path_type=Path), help="Also write the figures to this directory (SVG, PNG, CSV)."
)
@click.option("--level", type=RealRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Confidence level (comparisons, evaluations).")  # fmt: skip
@click.option("--list", "list_", is_flag=True, help="List the stored results by run number.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON: a comparison's summary, an evaluation's or a run's figures, a characterization's network, the "
    "tables of benchmarks, or the list.",
)
@click.pass_context
def command(
    context: click.Context,
    results: tuple[Path, ...],
    experiment: int | None,
    runs: tuple[int, ...],
    characterization: int | None,
    benchmarks: bool,
    baseline: str | None,
    prices: Path | None,
    output: Path | None,
    figures: Path | None,
    level: float,
    list_: bool,
    as_json: bool,
) -> None:
    """Print and write the report of the results in directory RESULTS (default: results), from the raw samples.

    By default it covers the newest comparison, evaluation or run; without any, the newest characterization, or the
    benchmarks if they are all there is, or all that --prices can price. --list lists all of them. A comparison also
    writes summary.json beside the page.

    Several directories are several systems: their benchmarks (`fairlead measure`) are compared in the same figures.

    \b
    Examples:
      fairlead report results/demo
      fairlead report results --list
      fairlead report results --run 12
      fairlead report results --run 12 --json
      fairlead report results --run 12 --prices prices.toml
      fairlead report results/demo --experiment 3 --output /tmp/report.html --figures /tmp/figures
      fairlead report results --benchmarks
      fairlead report results --benchmarks --json
      fairlead report results --run 3 --run 7
      fairlead report old new --baseline old --prices prices.toml
    """
    if list_:
        if len(results) > 1 or given_besides(context, "results", "list_", "as_json"):
            raise click.UsageError("--list takes one directory, and no option but --json")
        _list(results[0], as_json)
        return
    of_benchmarks = runs if len(results) == 1 and _are_benchmarks(results[0], runs) else ()
    if len(runs) > 1 and not of_benchmarks:
        raise click.UsageError("--run: only benchmarks of one directory can be reported together")
    asked = _asked(experiment, runs[0] if runs and not of_benchmarks else None, characterization)
    book = book_of(prices)
    several = benchmarks or of_benchmarks or baseline or len(results) > 1
    if several or (not asked and _benchmarks_by_default(results[0], as_json, priced=book is not None)):
        if asked:
            raise click.UsageError("--experiment, --run and --characterization exclude benchmarks")
        _refuse_level(context, "benchmarks")
        made = _benchmarks(
            results, of_benchmarks, output, baseline=baseline, prices=prices, figures=figures, as_json=as_json
        )
    else:
        with lines_on(sys.stderr, after_s=EVERY_S) as progress:
            progress("computing and drawing the report", 0, 1)
            made = _one_result(
                context,
                results[0],
                asked,
                output,
                progress,
                figures=figures,
                level=level,
                book=book,
                as_json=as_json,
            )
    for path in made:
        click.echo(path, err=as_json)


def _asked(experiment: int | None, run: int | None, characterization: int | None) -> tuple[str, int] | None:
    """The kind of the one result that is asked for and its run number; None: no one is.

    Raises:
        click.UsageError: several are.
    """
    count = sum(number is not None for number in (experiment, run, characterization))
    if not count:
        return None
    if count > 1:
        raise click.UsageError("--experiment, --run and --characterization exclude each other")
    from fairlead.analysis.comparison import KIND as COMPARISON
    from fairlead.report.run.run_report import KIND as RUN

    numbers = {COMPARISON: experiment, RUN: run, "characterization": characterization}
    return next((kind, number) for kind, number in numbers.items() if number is not None)


def _benchmarks(
    directories: tuple[Path, ...],
    numbers: tuple[int, ...],
    output: Path | None,
    *,
    baseline: str | None,
    prices: Path | None,
    figures: Path | None,
    as_json: bool,
) -> list[Path]:
    """The files of the report of benchmarks. ``numbers``: only these runs; empty: all."""
    from fairlead.benchmarks.page import report

    page = output or directories[0] / "benchmarks.html"
    with lines_on(sys.stderr, after_s=EVERY_S) as progress:
        progress("computing and drawing the report", 0, 1)
        return report.make(
            directories, page, numbers=numbers, baseline=baseline, prices=prices, figures=figures, as_json=as_json
        )


def _one_result(
    context: click.Context,
    directory: Path,
    asked: tuple[str, int] | None,
    output: Path | None,
    progress: "Progress",
    *,
    figures: Path | None,
    level: float,
    book: "Book | None",
    as_json: bool,
) -> list[Path]:
    """The files of one report. ``asked``: the kind of result and its run number; None: the newest result."""
    from fairlead.analysis import comparison
    from fairlead.analysis.evaluations.dataset import KIND as EVALUATION
    from fairlead.report import make
    from fairlead.report.run import run_report
    from fairlead.store import Store

    with Store.read(directory) as store:
        kind, number = asked or _newest(store, as_json)
        target = output or directory / ("evaluation.html" if kind == EVALUATION else "report.html")
        if kind not in (comparison.KIND, EVALUATION):
            _refuse_level(context, f"a {kind}")
        if kind == run_report.KIND and number is not None:
            return make.run(store, number, target, figures=figures, book=book, as_json=as_json)
        if kind == comparison.KIND:
            return make.comparison(store, number, target, figures=figures, level=level, book=book, as_json=as_json)
        if kind == EVALUATION:
            return make.evaluation(store, target, figures=figures, level=level, book=book, as_json=as_json)
        if book is not None:
            raise click.UsageError("--prices: a characterization has no price; name a result that has times")
        return make.characterization(store, number, target, figures=figures, as_json=as_json, progress=progress)


def _newest(store: "Store", as_json: bool) -> tuple[str, int | None]:
    """Kind and number of what is reported where nobody says.

    As JSON a comparison goes before runs and characterizations, also newer ones; it chooses itself.
    """
    from fairlead.analysis import comparison
    from fairlead.analysis.evaluations.dataset import KIND as EVALUATION
    from fairlead.report import make

    chosen = make.newest(store)
    first = as_json and (chosen is None or chosen.kind != EVALUATION) and bool(store.runs(comparison.KIND))
    if chosen is None or first:
        return comparison.KIND, None
    return chosen.kind, chosen.id


def _list(directory: Path, as_json: bool) -> None:
    from fairlead.display.terminal import console, rich_table
    from fairlead.report import contents
    from fairlead.store import Store

    with Store.read(directory) as store:
        if as_json:
            click.echo(json.dumps(contents.to_json(store), indent=1))
        else:
            console().print(rich_table(contents.of(store), str(directory)))


def _refuse_level(context: click.Context, what: str) -> None:
    if context.get_parameter_source("level") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--level: only for comparisons and evaluations; the intervals of {what} are at 95 %")


def _benchmarks_by_default(directory: Path, as_json: bool, *, priced: bool) -> bool:
    """Whether benchmarks are reported where nobody says what: they are all that there is or, with prices, all that has
    one. Says on stderr what prices are of where the directory has more."""
    from fairlead.analysis.comparison import KIND as COMPARISON
    from fairlead.benchmarks.measuring import records
    from fairlead.characterize.characterization import KIND as CHARACTERIZATION
    from fairlead.report import make
    from fairlead.store import Store

    with Store.read(directory) as store:
        newest, measured = make.newest(store), bool(records.runs(store))
        other, number = _newest(store, as_json)
    if newest is None or not measured:
        return measured
    if not priced:
        return False
    if other == CHARACTERIZATION:
        shown = f"`--characterization {number}` without --prices shows the characterization, which has none"
        click.echo(f"prices are of the benchmarks; {shown}", err=True)
        return True
    name = "comparison" if other == COMPARISON else other
    which = f"{name} {number}" if number is not None else f"the newest {name}"
    click.echo(f"prices are of {which}; `--benchmarks` shows the benchmarks per price", err=True)
    return False


def _are_benchmarks(directory: Path, numbers: tuple[int, ...]) -> bool:
    """Whether all of these runs are of `fairlead measure`."""
    from fairlead.benchmarks.measuring import records
    from fairlead.store import Store

    if not numbers:
        return False
    with Store.read(directory) as store:
        return all(store.run(number).kind == records.KIND for number in numbers)
