"""``--set NAME=VALUE``: a setting of the agents."""

import tomllib

import click
from click.shell_completion import CompletionItem

from fairlead.protocol.setting_table import SETTINGS
from fairlead.protocol.settings import Number, checked


def parse_settings(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Number]:
    """Callback of the option; the last value of a setting counts.

    Raises:
        click.BadParameter: it is of another form, or there is no such setting, or it may not have this value.
    """
    try:
        return checked(dict(_pair(value) for value in values))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _pair(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text}: must be NAME=VALUE, for example detour.dwell_s=1")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        raise ValueError(f"{name.strip()} must be a number") from None


def complete_settings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of settings, with their defaults."""
    return [
        CompletionItem(f"{name}=", help=f"default {setting.default:g}")
        for name, setting in SETTINGS.items()
        if name.startswith(incomplete)
    ]
