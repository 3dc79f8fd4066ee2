"""``fairlead report``."""

from pathlib import Path

import click


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--experiment", type=int, help="The comparison to report, by its run number.  [default: the newest]")
@click.option("--characterization", type=int, help="Report this characterization, by its run number, instead.")
@click.option("--output", type=click.Path(path_type=Path), help="The page.  [default: RESULTS/report.html]")
@click.option("--figures", type=click.Path(path_type=Path), help="Also write the figures there (SVG, PNG, CSV).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level of all intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print summary.json instead of tables.")
def command(
    results: Path,
    experiment: int | None,
    characterization: int | None,
    output: Path | None,
    figures: Path | None,
    level: float,
    as_json: bool,
) -> None:
    """Make the report of the results in directory RESULTS again; everything is computed from the raw samples.

    It is the report of the newest comparison, or, where none was made, of the newest characterization. A comparison's
    summary.json is written beside the page.

    \b
    Examples:
      fairlead report results/demo
      fairlead report results/demo --experiment 3 --output /tmp/report.html --figures /tmp/figures
    """
    from fairlead.report import make
    from fairlead.store import Store

    if experiment is not None and characterization is not None:
        raise click.UsageError("--experiment and --characterization exclude each other")
    target = output or results / "report.html"
    with Store.read(results) as store:
        if characterization is not None or (experiment is None and make.only_characterized(store)):
            made = make.characterization(store, characterization, target, figures=figures)
        else:
            made = make.comparison(store, experiment, target, figures=figures, level=level, as_json=as_json)
    for path in made:
        click.echo(path, err=as_json)
