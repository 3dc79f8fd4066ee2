"""Which parameters of a command the user gave."""

import click
from click.core import ParameterSource


def given_besides(context: click.Context, *names: str) -> list[str]:
    """Parameters other than these ``names`` that are on the command line, as the user writes them."""
    return [
        parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        for parameter in context.command.params
        if parameter.name not in names
        and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    ]
