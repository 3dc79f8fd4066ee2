"""Paths that options name."""

import os
from typing import Any

import click

NOTHING_NAMED = "the name is missing: -- ends the options"


class NamedPath(click.Path):
    """A path as an option's value. `--` is none: the name before it is missing."""

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.Path.convert`."""
        if value == "--":
            self.fail(NOTHING_NAMED, param, ctx)
        return super().convert(value, param, ctx)
