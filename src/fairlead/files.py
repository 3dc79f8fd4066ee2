"""Files written whole or not at all: those that people asked for, and those that other processes read."""

import difflib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from fairlead.errors import FileError, of_system


def write(path: Path, content: str | bytes, *, hint: str = "") -> Path:
    """Write a file, and the directories above it; text as UTF-8. What was there before stays until all is written.

    Args:
        hint: the way out when it cannot be written.

    Returns:
        ``path``.

    Raises:
        FileError: it cannot be written.
    """
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True)
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe
            path.write_bytes(_bytes(content))
        else:
            replace(Path(os.path.realpath(path)), content)  # through a symbolic link, not in its place
    except OSError as error:
        if isinstance(error, FileExistsError | NotADirectoryError):
            raise FileError(f"{path}: cannot be written: {path.parent} is not a directory", hint=hint) from error
        raise of_system(error, path, doing="cannot be written", hint=hint) from error
    return path


def _bytes(content: str | bytes) -> bytes:
    """As UTF-8. File names and command lines may hold bytes that are none: these are written as \\udcff."""
    return content.encode(errors="backslashreplace") if isinstance(content, str) else content


def did_you_mean(path: Path) -> str:
    """For a file that is not there, a hint: the one beside it with nearly the same name; empty where there is none."""
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"did you mean {path.with_name(near[0])}?" if near else ""


def replace(path: Path, content: str | bytes, *, mode: int | None = None, durable: bool = False) -> None:
    """Put a new file in a path's place; readers see the old or the new one, never half of one.

    Args:
        mode: its permissions; None: those of the file that was there, else what the umask leaves.
        durable: on return it is on the disk, whatever becomes of the machine. Else a power failure may leave an empty
            one.

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
            file.write(_bytes(content))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        partial.replace(path)
        if durable:
            _sync_directory(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _sync_directory(directory: Path) -> None:
    """Names in it are on the disk then, where its file system can be told so."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
