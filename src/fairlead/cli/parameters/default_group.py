"""Commands of commands, one of which is meant when none is named."""

import difflib
import shutil
from collections.abc import Iterable
from pathlib import Path

import click


class DefaultGroup(click.Group):
    """A group whose first command is meant when the first word is none of its commands."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in context.help_option_names:
            default = next(iter(self.commands))
            if not Path(args[0]).exists() and shutil.which(args[0]) is None:
                refuse_misspelt(context, args[0], self.commands, meant=f"{context.command_path} {default} {args[0]}")
            args = [default, *args]
        return super().parse_args(context, args)


def refuse_misspelt(context: click.Context, word: str, names: Iterable[str], meant: str = "") -> None:
    """Refuse a word that is nearly the name of a command.

    Args:
        meant: how to write that the word is no command's name, where it can be something else.

    Raises:
        click.UsageError: it is so; a word that is like no name, or is one, is let pass.
    """
    near = [] if word in names else difflib.get_close_matches(word, names, n=1)
    if near:
        other = f" (if not: {meant})" if meant else ""
        raise click.UsageError(f"there is no command {word!r}: did you mean {near[0]!r}?{other}", context)
