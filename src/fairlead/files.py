"""Files written whole or not at all: those that people asked for, and those that other processes read."""

import os
import secrets
from pathlib import Path

from fairlead.errors import FairleadError


def write(path: Path, content: str | bytes, *, hint: str = "") -> Path:
    """Write a file, and the directories above it; text as UTF-8. What was there before stays until all is written.

    Args:
        hint: the way out when it cannot be written.

    Returns:
        ``path``.

    Raises:
        FairleadError: it cannot be written.
    """
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True)
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        else:
            replace(Path(os.path.realpath(path)), content)  # through a symbolic link, not in its place
    except OSError as error:
        raise FairleadError(f"{path}: cannot be written: {_reason(error, path)}", hint=hint) from error
    return path


def replace(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Put a new file in a path's place; readers see the old or the new one, never half of one.

    Args:
        mode: its permissions; None: those of the file that was there, else what the umask leaves.

    Raises:
        OSError: as the system says; what was there is still there.
    """
    if mode is None and path.exists():
        mode = path.stat().st_mode & 0o777
    partial = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with partial.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content.encode() if isinstance(content, str) else content)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _reason(error: OSError, path: Path) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{path.parent} is no directory"
    return error.strerror or str(error)
