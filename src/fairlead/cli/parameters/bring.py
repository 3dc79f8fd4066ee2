"""``--bring FILE``: files of the user's own that hosts get."""

from collections.abc import Callable
from pathlib import Path

import click

from fairlead.cli.parameters.command_type import CommandT
from fairlead.cli.parameters.named_path import NamedPath


def bring_option(command: CommandT) -> CommandT:
    """The option, as decorator."""
    return click.option(
        "--bring",
        multiple=True,
        metavar="FILE",
        type=NamedPath(path_type=Path),
        help="Copy FILE to the hosts that lack it, and use the copy where the command names FILE: its program, or an "
        "argument. Repeatable.",
    )(command)
