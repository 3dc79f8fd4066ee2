"""File systems: room, and whether files there may be written and executed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of


def free_bytes(path: str) -> int | None:
    """Room left in a file system, or None if there is no such directory."""
    try:
        state = os.statvfs(path)
    except OSError:
        return None
    return state.f_bavail * state.f_frsize


def parse_mounts(text: str) -> dict[str, tuple[str, str]]:
    """Mount point -> type and options, from /proc/self/mounts; the last one mounted on a point is seen."""
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 4:
            point = fields[1].encode().decode("unicode_escape")  # \040 is a space
            found[point] = (fields[2], fields[3])
    return found


def mount_of(path: str, mounts: dict[str, tuple[str, str]]) -> str:
    """Mount point of a path."""
    candidates = [str(parent) for parent in [Path(path), *Path(path).parents]]
    return next((candidate for candidate in candidates if candidate in mounts), "/")


def write_error(path: str) -> str | None:
    """Why a file cannot be written there, or None. A quota and another host's root are seen only so."""
    try:
        with tempfile.NamedTemporaryFile(dir=path, prefix=".fairlead-doctor-") as file:
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    return None


def place(path: str, mounts: dict[str, tuple[str, str]], *, write: bool = False) -> dict[str, Any] | None:
    """What may be done in a directory, or None if it is not there. Only where ``write`` says so a file is tried."""
    directory = Path(path)
    if not directory.is_dir():
        return None
    point = mount_of(str(directory.resolve()), mounts)
    kind, options = mounts.get(point, ("", ""))
    words = options.split(",")
    state = os.statvfs(path)
    return {
        "path": path,
        "mount": point,
        "type": kind,
        "free_B": state.f_bavail * state.f_frsize,
        "free_inodes": state.f_favail if state.f_files else None,
        "read_only": "ro" in words,
        "noexec": "noexec" in words,
        "nosuid": "nosuid" in words,
        "write_error": write_error(path) if write else None,
    }


def places(programs: list[str]) -> dict[str, dict[str, Any] | None]:
    """The home directory, /tmp, and where fairlead's programs are."""
    mounts = parse_mounts(content_of("/proc/self/mounts") or "")
    home = os.path.expanduser("~")  # noqa: PTH111 (Path.home() raises where there is none)
    found = {"home": place(home, mounts, write=True), "tmp": place("/tmp", mounts, write=True)}
    for name in programs:
        parent = str(Path(name).parent)
        if name.startswith("/"):
            found[f"program {Path(name).name}"] = place(parent, mounts)
    return found
