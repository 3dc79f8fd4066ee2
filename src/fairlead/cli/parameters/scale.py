"""The option that scales a lab's rates."""

import math
from typing import Any

import click

LEAST, MOST = 0.001, 10.0


def number(context: click.Context, option: click.Parameter, value: Any) -> float | None:
    """A scale, as an option's callback."""
    if value is None:
        return None
    found = click.FloatRange(min=LEAST, max=MOST).convert(value, option, context)
    if math.isnan(found):
        raise click.BadParameter(f"{value!r} is not a number", context, option)
    return found


def number_or_auto(context: click.Context, option: click.Parameter, value: Any) -> float | str | None:
    """The same, or auto."""
    return "auto" if value == "auto" else number(context, option, value)
