"""Commands of commands, one of which is meant when none is named."""

import click


class DefaultGroup(click.Group):
    """A group whose first command is meant when the first word is none of its commands."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in context.help_option_names:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(context, args)
