"""``fairlead status``."""

import json
import time
from dataclasses import asdict

import click


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--watch", is_flag=True, help="Refresh every second until Ctrl-C.")
def command(as_json: bool, watch: bool) -> None:
    """Show your managed runs on this machine: congested paths, reroutes, and advice on the program.

    \b
    Examples:
      fairlead status
      fairlead status --watch
      fairlead status --json | jq '.[].detours'
    """
    while True:
        if watch and not as_json:
            click.clear()
        show(as_json)
        if not watch:
            return
        time.sleep(1)


def show(as_json: bool) -> None:
    """Print every registered run once."""
    from fairlead.manage import live_runs

    registered = live_runs.look()
    for complaint in registered.complaints():
        click.echo(complaint, err=True)
    states = registered.runs
    if as_json:
        click.echo(json.dumps([{**asdict(state), "alive": state.alive} for state in states], indent=2))
        return
    if not states:
        click.echo("no managed runs")
    for state in states:
        age_s = time.time() - state.started_at_s
        click.echo(f"job {state.job}  {' '.join(state.argv)}  on {state.cluster_file}  for {age_s:.0f} s")
        if not state.alive:
            click.echo("  dead: its supervisor is gone; `fairlead clean` removes what it left")
        if state.advice:
            click.echo(f"  {state.advice}")
        for path, level in state.levels.items():
            click.echo(
                f"  {path}  {level}" + (f", rerouted over {state.detours[path]}" if path in state.detours else "")
            )
        for path, over in state.detours.items():
            if path not in state.levels:
                click.echo(f"  {path}  low, still rerouted over {over}")
