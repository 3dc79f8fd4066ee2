"""Files of plans and labs as arguments: also the examples that come with fairlead, by name."""

import os
from pathlib import Path
from typing import Any

import click

from fairlead import example_files
from fairlead.errors import ConfigError


class ExampleFile(click.Path):
    """A path. Where it does not exist and is the name of an example, it is that example's."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.Path.convert`."""
        example = None if Path(value).exists() else example_files.find(str(value))
        if example is not None:
            click.echo(f"{value}: taken from fairlead's examples, {example}", err=True)
        elif not Path(value).exists() and (near := example_files.similar(str(value))):
            raise ConfigError(f"{value}: no such file", hint=f"did you mean {near}, which comes with fairlead?")
        return super().convert(example or value, param, ctx)
