"""``--bring FILE``: files of the user's own that hosts get."""

from collections.abc import Callable
from pathlib import Path

import click

from fairlead.cli.parameters.command_type import CommandT
from fairlead.cli.parameters.named_path import NamedPath


def bring_option(command_line: str) -> Callable[[CommandT], CommandT]:
    """The option of what starts programs; ``command_line`` says in words what names the files."""
    return click.option(
        "--bring",
        multiple=True,
        metavar="FILE",
        type=NamedPath(path_type=Path),
        help=f"Copy FILE to the hosts that lack it, and use the copy where {command_line} names FILE: its program, or "
        "an argument. Repeatable.",
    )
