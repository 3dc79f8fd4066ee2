"""Where running labs are noted: ``RUNTIME/labs/NAME/``, private to the user.

A lab is running while its holder is: the process of the noted number with the noted start time. Everything in the
directory may be lost without harm to the lab's end, and what a dead lab left here is removed by the next start.
"""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict

from fairlead import runtime
from fairlead.errors import LabError, NoSuchLabError, reason_of
from fairlead.runtime import Process


class NotedProcess(TypedDict):
    """A `Process`."""

    pid: int
    start_ticks: int


class Pinned(TypedDict):
    """The congestion control of a lab's hosts, and what pins it there: ``sysctl`` or ``route``."""

    name: str
    by: str


class Owner(TypedDict):
    """The process that a lab is for alone, and the file where it notes what it has running."""

    process: NotedProcess
    ledger: str


class LabRecord(TypedDict):
    """What ``lab.json`` notes of a lab, and ``lab show --json`` prints.

    Attributes:
        pid_namespace: inode of its PID namespace.
        plan: a `ResolvedLab`.
        qdiscs: by host or switch, as tc(8) tells them.
        bonds: how they are made; None: it has none.
        enter: path of ``fairlead-enter``.
        owner: None: the lab stays until somebody ends it.
    """

    name: str
    holder: NotedProcess
    pid_namespace: int
    congestion_control: Pinned
    plan: dict[str, Any]
    qdiscs: dict[str, Any]
    bonds: str | None
    user_namespace: bool
    enter: str
    owner: Owner | None


def note(process: Process) -> NotedProcess:
    return {"pid": process.pid, "start_ticks": process.start_ticks}


def labs_directory() -> Path:
    return runtime.directory("labs")


def lab_directory(name: str) -> Path:
    if "/" in name or name.startswith("."):
        raise NoSuchLabError(f"{name!r} is not the name of a lab")
    return labs_directory() / name


def read(directory: Path) -> LabRecord | None:
    """What is noted about a lab, or None if nothing is."""
    try:
        data: LabRecord = json.loads((directory / "lab.json").read_text(encoding="utf-8"))
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
    holder = Process(**data["holder"]) if data else None
    return holder if holder and holder.is_alive() else None


@contextmanager
def claiming() -> Iterator[None]:
    """Within: no other process makes a lab's directory, or removes one for its being stale."""
    with (runtime.directory() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove(directory: Path) -> None:
    """Forget a lab."""
    while directory.exists():
        with suppress(FileNotFoundError):  # congestion that ends at the same time removes files of its own
            shutil.rmtree(directory)


def stale() -> list[Path]:
    """Directories of labs that ended without being taken down. To be called while `claiming`.

    One whose note cannot be read may be of a lab that runs: it stays, and `unreadable` tells of it.
    """
    found = []
    for directory in sorted(labs_directory().iterdir()):
        with suppress(LabError):
            # In this order: a lab that comes up stops starting once its holder is noted.
            if directory.is_dir() and not _is_starting(directory) and holder_of(directory) is None:
                found.append(directory)
    return found


def unreadable() -> list[str]:
    """Why notes of labs cannot be read, each with the way out."""
    complaints = []
    for directory in filter(Path.is_dir, sorted(labs_directory().iterdir())):
        try:
            read(directory)
        except LabError as error:
            complaints.append(str(error))
    return complaints


def remove_stale() -> list[str]:
    """Remove what labs left that ended without being taken down; returns their names. To be called while `claiming`."""
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
