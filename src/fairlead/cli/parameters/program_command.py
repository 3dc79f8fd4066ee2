"""Commands that run a program: what stands behind ``--`` is the program's."""

import shlex

import click


class ProgramCommand(click.Command):
    """A command whose last argument, ``argv``, is PROGRAM with its own arguments.

    An option that it does not know, behind PROGRAM, is most likely the program's, where ``--`` was left out. Where
    PROGRAM is missing though words stand behind ``--``, it is an argument before it that was left out.
    """

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        given = list(args)  # click takes words out of the list that it parses
        try:
            return super().parse_args(context, args)
        except click.MissingParameter as error:
            if isinstance(error.param, click.Argument) and "--" in given[:-1]:
                before = [each for each in self.params if isinstance(each, click.Argument) and each is not error.param]
                if before:
                    name = before[0].human_readable_name
                    raise click.UsageError(f"Missing argument '{name}': it goes before --.", context) from error
            raise
        except click.NoSuchOption as error:
            start = self._program(context, given, error.option_name)
            if start is None:
                raise
            line = shlex.join([*given[:start], "--", *given[start:]])
            raise click.UsageError(
                f"{error.option_name} is not an option of `{context.command_path}`. If it is the program's, put -- "
                f"before the program:\n  {context.command_path} {line}",
                context,
            ) from error

    def _program(self, context: click.Context, given: list[str], option: str) -> int | None:
        """Place of PROGRAM among the words; None if it does not stand before the option."""
        for end, word in enumerate(given):
            if word.startswith(option):
                return None
            try:
                values, _, _ = self.make_parser(context).parse_args(given[: end + 1])
            except click.UsageError:  # the option that ends here has its value in the next word
                continue
            if isinstance(values.get("argv"), tuple) and values["argv"]:  # else what click has for no value
                return end
        return None
