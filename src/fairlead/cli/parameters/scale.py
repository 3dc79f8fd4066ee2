"""The option that scales a lab's rates."""

from typing import Any

import click

from fairlead.real_range import RealRange

LEAST, MOST = 0.001, 10.0


def number(context: click.Context, option: click.Parameter, value: Any) -> float | None:
    """A scale, as an option's callback."""
    if value is None:
        return None
    found: float = RealRange(min=LEAST, max=MOST).convert(value, option, context)
    return found


def number_or_auto(context: click.Context, option: click.Parameter, value: Any) -> float | str | None:
    """The same, or auto."""
    return "auto" if value == "auto" else number(context, option, value)
