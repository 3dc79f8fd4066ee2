"""Real numbers on the command line."""

import math
from typing import Any

import click


class RealRange(click.FloatRange):
    """As `click.FloatRange`, without what Python also takes for a float: nan, which is within all limits, and inf."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.FloatRange.convert`."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return found
