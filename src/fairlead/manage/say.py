"""What a command that manages a program tells the user."""

import sys
from contextlib import suppress


def say(text: str, quiet: bool) -> None:
    """Write one line of our own to stderr."""
    if not quiet:
        with suppress(OSError):  # the terminal is gone; the program's exit code still counts
            print(f"fairlead: {text}", file=sys.stderr)
