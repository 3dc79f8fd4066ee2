"""Where running labs are noted: ``RUNTIME/labs/NAME/``, private to the user.

A lab is running while its holder is: the process of the noted number with the noted start time. Everything in the
directory may be lost without harm to the lab's end, and what a dead lab left here is removed by the next start.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlead.errors import LabError


@dataclass(frozen=True)
class Process:
    """A process by its number and its start time in clock ticks since boot (proc(5), field 22).

    Both together never come to mean another process, as the number alone does.
    """

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> "Process":
        """Raises ProcessLookupError if there is no such process."""
        return cls(pid, start_ticks(pid))

    def is_alive(self) -> bool:
        try:
            return start_ticks(self.pid) == self.start_ticks
        except ProcessLookupError:
            return False

    def send(self, number: signal.Signals) -> None:
        """Send a signal; nothing happens if it is gone. Raises LabError if it belongs to somebody else."""
        with self._descriptor() as descriptor:
            if descriptor is not None:
                try:
                    signal.pidfd_send_signal(descriptor, number)
                except PermissionError as error:
                    raise LabError(f"process {self.pid} is not yours to end") from error

    def wait(self, timeout_s: float) -> None:
        """Wait until it is gone. Raises LabError if it is not in time."""
        with self._descriptor() as descriptor:
            if descriptor is not None and not select.select([descriptor], [], [], timeout_s)[0]:
                raise LabError(f"process {self.pid} did not end within {timeout_s:g} s")

    @contextlib.contextmanager
    def _descriptor(self) -> Iterator[int | None]:
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            yield None
            return
        try:
            # Checked after opening: the descriptor cannot come to mean another process.
            yield descriptor if self.is_alive() else None
        finally:
            os.close(descriptor)


def start_ticks(pid: int) -> int:
    """Start time of a living process. Raises ProcessLookupError also for one that is dead but not yet reaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError(pid) from None
    fields = text[text.rindex(")") + 2 :].split()  # the name before may hold spaces and brackets
    if fields[0] in "ZX":
        raise ProcessLookupError(pid)
    return int(fields[19])


def runtime_directory() -> Path:
    """``$XDG_RUNTIME_DIR/fairlead``, else ``/tmp/fairlead-UID``; made with mode 0700.

    Raises:
        LabError: it belongs to somebody else, or others may write to it.
    """
    base = os.environ.get("XDG_RUNTIME_DIR")
    path = Path(base) / "fairlead" if base else Path(f"/tmp/fairlead-{os.getuid()}")
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise LabError(f"{path} is not a private directory of yours", hint=f"remove it, or chmod 700 {path}")
    return path


def labs_directory() -> Path:
    path = runtime_directory() / "labs"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def lab_directory(name: str) -> Path:
    if "/" in name or name.startswith("."):
        raise LabError(f"{name!r} is not the name of a lab")
    return labs_directory() / name


def read(directory: Path) -> dict[str, Any] | None:
    """What is noted about a lab, or None if nothing is."""
    try:
        data = json.loads((directory / "lab.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LabError(f"{directory}/lab.json cannot be read: {error}", hint=f"remove {directory}") from error
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


def remove_stale() -> list[str]:
    """Remove what labs left that ended without being taken down; returns their names."""
    names = []
    for directory in sorted(labs_directory().iterdir()):
        if directory.is_dir() and holder_of(directory) is None and not _is_starting(directory):
            remove(directory)
            names.append(directory.name)
    return names


def _is_starting(directory: Path) -> bool:
    """Whether a living process is making this lab (it notes itself in ``starter``)."""
    try:
        pid, ticks = map(int, (directory / "starter").read_text().split())
    except (FileNotFoundError, ValueError):
        return False
    return Process(pid, ticks).is_alive()
