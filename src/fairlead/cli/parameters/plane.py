"""``--plane``: what carries rerouted traffic."""

from collections.abc import Callable

import click

from fairlead.cli.parameters.command_type import CommandT
from fairlead.manage.data_planes import PLANES


def plane_option(meaning: str) -> Callable[[CommandT], CommandT]:
    """The option; ``meaning`` says what the command does with the plane."""
    return click.option(
        "--plane", type=click.Choice(["auto", *PLANES.names()]), default="auto", show_default=True, help=meaning
    )
