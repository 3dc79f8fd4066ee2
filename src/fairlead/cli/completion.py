"""``fairlead completion``."""

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    Example:
      fairlead completion bash > ~/.local/share/bash-completion/completions/fairlead
    """
    from fairlead.cli.main import command as root

    completion = get_completion_class(shell)
    assert completion is not None  # click knows the three names that the argument admits
    click.echo(completion(root, {}, "fairlead", "_FAIRLEAD_COMPLETE").source())
