"""Files kept under ~/.cache/fairlead, named by what is in them, so that a name never changes its content."""

import hashlib
from pathlib import Path

from fairlead import files, home


def local_cache() -> Path:
    """This user's cache directory (XDG Base Directory specification), not necessarily there yet."""
    return home.directory("XDG_CACHE_HOME", "~/.cache") / "fairlead"


def write_once(directory: Path, name: str, content: bytes) -> Path:
    """Write a program to ``directory/name-<hash>`` unless it is there; others never see half of it.

    Returns:
        The file's path.
    """
    path = directory / f"{name}-{hashlib.sha256(content).hexdigest()[:16]}"
    if path.is_file() and path.read_bytes() == content:
        return path
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.replace(path, content, mode=0o700)
    return path
