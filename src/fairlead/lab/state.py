"""Where running labs are noted: ``RUNTIME/labs/NAME/``, private to the user.

A lab is running while its holder is: the process of the noted number with the noted start time. Everything in the
directory may be lost without harm to the lab's end, and what a dead lab left here is removed by the next start.
"""

import json
import shutil
from pathlib import Path
from typing import Any

from fairlead import runtime
from fairlead.errors import LabError, NoSuchLabError, reason_of
from fairlead.runtime import Process


def labs_directory() -> Path:
    return runtime.directory("labs")


def lab_directory(name: str) -> Path:
    if "/" in name or name.startswith("."):
        raise NoSuchLabError(f"{name!r} is not the name of a lab")
    return labs_directory() / name


def read(directory: Path) -> dict[str, Any] | None:
    """What is noted about a lab, or None if nothing is."""
    try:
        data = json.loads((directory / "lab.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LabError(
            f"{directory}/lab.json cannot be read: {reason_of(error)}",
            hint=f"remove {directory}",
        ) from error
    assert isinstance(data, dict)
    return data


def holder_of(directory: Path) -> Process | None:
    """The living holder of the lab noted in ``directory``, if any."""
    data = read(directory)
    holder = Process(data["holder"]["pid"], data["holder"]["start_ticks"]) if data else None
    return holder if holder and holder.is_alive() else None


def remove(directory: Path) -> None:
    """Forget a lab."""
    shutil.rmtree(directory, ignore_errors=False)


def stale() -> list[Path]:
    """Directories of labs that ended without being taken down."""
    return [
        directory
        for directory in sorted(labs_directory().iterdir())
        if directory.is_dir() and holder_of(directory) is None and not _is_starting(directory)
    ]


def remove_stale() -> list[str]:
    """Remove what labs left that ended without being taken down; returns their names."""
    found = stale()
    for directory in found:
        remove(directory)
    return [directory.name for directory in found]


def _is_starting(directory: Path) -> bool:
    """Whether a living process is making this lab (it notes itself in ``starter``)."""
    try:
        pid, ticks = map(int, (directory / "starter").read_text().split())
    except (FileNotFoundError, ValueError):
        return False
    return Process(pid, ticks).is_alive()
