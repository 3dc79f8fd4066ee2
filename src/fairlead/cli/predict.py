"""``fairlead predict``: what detours would gain for a program, from its profile and a characterization."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlead.cli.parameters.results import results_option

if TYPE_CHECKING:
    from fairlead.profile.json_form import Summary


@click.command("predict")
@click.argument("profile_file", metavar="PROFILE", type=click.Path(path_type=Path, dir_okay=False))
@results_option
@click.option(
    "--characterization",
    "run",
    type=int,
    help="Run number of the characterization.  [default: the newest complete one]",
)
@click.option(
    "--prices",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Price book: also show what detours would save of a run's price.  [default: the profile's own]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the pairs as JSON instead, which have no price.")
def command(profile_file: Path, results: Path, run: int | None, prices: Path | None, as_json: bool) -> None:
    """Predict what detours would gain for a program, without running it.

    PROFILE is a file written by `fairlead profile --json`. Its messages between hosts, those of collective calls too
    (estimated or measured), are multiplied by the latency of such messages on the direct path and over the best third
    host, from a characterization. To predict the gain under congestion, characterize while it lasts.

    \b
    Examples:
      fairlead profile --cluster mesh8.cluster.toml -n 8 --json cg.json -- cg --class A
      fairlead characterize mesh8.cluster.toml --from-profile cg.json
      fairlead predict cg.json
      fairlead predict cg.json --results congested --prices prices.toml
    """
    from fairlead.characterize.characterization import Characterization, chosen_run
    from fairlead.display.terminal import console
    from fairlead.prediction import saving
    from fairlead.prediction.predict import predict
    from fairlead.profile import findings, priced
    from fairlead.report.network import prediction_table
    from fairlead.store import Store

    if prices is not None and as_json:
        raise click.UsageError("--prices: --json lists pairs, which have no price; omit one of them")
    profile = _profile(profile_file, prices)
    with Store.read(results) as store:
        network = Characterization.read(store, chosen_run(store, run))
    if not network.complete:
        click.echo(f"run {network.run} is incomplete: {network.incomplete_because}", err=True)
    pairs = predict(profile.hosts, profile.all_host_messages, profile.all_host_bytes_B, network.hosts, network.latency)
    if as_json:
        click.echo(json.dumps([{**asdict(each), "gain": each.gain} for each in pairs], indent=1))
        return
    click.echo(f"{network.cluster}, run {network.run}, {network.age_words()}")
    prediction_table.show(pairs, console())
    for text in findings.collectives_counted(profile):
        click.echo(text)
    if (cost := priced.kept(profile)) is not None:
        click.echo(saving.of(pairs, cost).describe())


def _profile(file: Path, prices: Path | None) -> "Summary":
    """A stored profile, with its cost by a book where there is one."""
    from fairlead.prices.book import load_prices
    from fairlead.profile import priced
    from fairlead.profile.json_form import Summary

    profile = Summary.read(file)
    return profile if prices is None else priced.with_prices(profile, load_prices(prices))
