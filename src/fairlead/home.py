"""The user's home directory, and what lies below it (XDG Base Directory specification)."""

import os
from pathlib import Path

from fairlead.errors import FairleadError


def directory(variable: str, default: str) -> Path:
    """The directory that an environment variable names, else ``default``, which may begin with ``~``.

    Raises:
        FairleadError: see `expand`.
    """
    return expand(Path(os.environ.get(variable) or default))


def expand(path: Path) -> Path:
    """A path with ``~`` as the home directory.

    Raises:
        FairleadError: nobody knows where that is: HOME is not set, and the user has no account here.
    """
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise FairleadError(f"{path}: no home directory is known", hint="set HOME to a directory of yours") from error
