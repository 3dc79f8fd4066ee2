"""``fairlead report``."""

from pathlib import Path

import click


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--experiment", type=int, help="Report this comparison, by its run number.  [default: the newest]")
@click.option("--run", "run", type=int, help="Report this run of `fairlead run`, by its number.")
@click.option("--characterization", type=int, help="Report this characterization, by its run number.")
@click.option("--output", type=click.Path(path_type=Path), help="The page.  [default: RESULTS/report.html]")
@click.option("--figures", type=click.Path(path_type=Path), help="Also write the figures there (SVG, PNG, CSV).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level of all intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print a comparison's summary.json instead of tables.")
def command(
    results: Path,
    experiment: int | None,
    run: int | None,
    characterization: int | None,
    output: Path | None,
    figures: Path | None,
    level: float,
    as_json: bool,
) -> None:
    """Make the report of the results in directory RESULTS again; everything is computed from the raw samples.

    It is the report of the newest comparison, evaluation or run, whichever is latest, or, where there is none, of the
    newest characterization. A comparison's summary.json is written beside the page.

    \b
    Examples:
      fairlead report results/demo
      fairlead report results --run 12
      fairlead report results/demo --experiment 3 --output /tmp/report.html --figures /tmp/figures
    """
    from fairlead.report import comparison, make, run_report
    from fairlead.store import Store

    if sum(number is not None for number in (experiment, run, characterization)) > 1:
        raise click.UsageError("--experiment, --run and --characterization exclude each other")
    target = output or results / "report.html"
    with Store.read(results) as store:
        if experiment is None and run is None and characterization is None:
            chosen = make.newest(store)
            kind = comparison.KIND if chosen is None or as_json else chosen.kind
            number = chosen.id if chosen is not None and not as_json else None
        elif experiment is not None:
            kind, number = comparison.KIND, experiment
        else:
            kind, number = (run_report.KIND, run) if run is not None else ("characterization", characterization)
        if kind == run_report.KIND and number is not None:
            made = make.run(store, number, target, figures=figures)
        elif kind == comparison.KIND:
            made = make.comparison(store, number, target, figures=figures, level=level, as_json=as_json)
        elif kind == "evaluation":
            made = make.evaluation(store, target, figures=figures, level=level)
        else:
            made = make.characterization(store, number, target, figures=figures)
    for path in made:
        click.echo(path, err=as_json)
