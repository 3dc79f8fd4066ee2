"""``--prices FILE``: what an hour of the hosts costs."""

from collections.abc import Callable
from pathlib import Path

import click

from fairlead.cli.parameters.command_type import CommandT


def prices_option(default: str) -> Callable[[CommandT], CommandT]:
    """The option of what runs programs or reports such runs; ``default`` says in words what counts without it."""
    return click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help=f"Price book: the report also shows what runs cost.  [default: {default}]",
    )
