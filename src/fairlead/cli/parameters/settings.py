"""``--set KEY=VALUE``: another value for a key of a plan."""

from collections.abc import Callable

import click

from fairlead.cli.parameters.command_type import CommandT
from fairlead.config_changes import ConfigChange


def _changes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[ConfigChange, ...]:
    return tuple(ConfigChange.parse(value) for value in values)


def settings_option(example: str) -> Callable[[CommandT], CommandT]:
    """The option; ``example`` is of the command's own plans."""
    return click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_changes,
        help=f"Override a factor's levels or a key of the plan: {example}. Repeatable.",
    )
