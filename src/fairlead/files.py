"""Files that people asked for: written whole or not at all, and an error that names the file."""

import os
import tempfile
from contextlib import suppress
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
    data = content.encode() if isinstance(content, str) else content
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True)
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)  # through a symbolic link, not in its place
    except OSError as error:
        raise FairleadError(f"{path}: cannot be written: {_reason(error, path)}", hint=hint) from error
    return path


def _reason(error: OSError, path: Path) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{path.parent} is no directory"
    return error.strerror or str(error)


def _replace(path: Path, data: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def _umask() -> int:
    # There is no call that only reads it.
    current = os.umask(0o077)
    os.umask(current)
    return current
