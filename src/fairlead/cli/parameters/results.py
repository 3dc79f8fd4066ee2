"""``--results DIRECTORY``: where a command keeps or finds results."""

from pathlib import Path

import click

from fairlead.cli.parameters.named_path import NamedPath

results_option = click.option(
    "--results", default="results", show_default=True, type=NamedPath(path_type=Path), help="Results directory."
)
