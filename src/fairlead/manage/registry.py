"""Which managed runs live on this machine: one small file a run, so that `status` and `clean` can see them.

A file names the supervisor's process and its start time; a run whose supervisor is gone is dead whatever its file says.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fairlead import files


@dataclass
class RunState:
    """What a supervisor tells others about its run.

    Attributes:
        job: job id, 8 hexadecimal digits.
        cluster_file: absolute path of the cluster file.
        argv: the program and its arguments.
        pid: the supervisor's process id; ``started_ticks`` its start time in clock ticks since boot.
        detours: (source host, destination host) joined by "→", to the relay's name.
        zones: the same keys, to "low", "medium" or "high"; only paths that are not low.
    """

    job: str
    cluster_file: str
    argv: list[str]
    pid: int
    started_ticks: int
    started_at_s: float
    detours: dict[str, str] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        """Whether the supervisor that wrote this still runs."""
        return process_started_ticks(self.pid) == self.started_ticks


def runtime_directory() -> Path:
    """The user's directory for state that must not outlive the boot, made with mode 0700."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    root = Path(base) / "fairlead" if base else Path(tempfile.gettempdir()) / f"fairlead-{os.getuid()}"
    path = root / "runs"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def process_started_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot (proc(5), field 22), or None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[19])


class Registration:
    """The file of one run; a context manager that removes it at the end."""

    def __init__(self, state: RunState, directory: Path | None = None) -> None:
        self.state = state
        self._directory = directory or runtime_directory()

    def __enter__(self) -> "Registration":
        self.write()
        return self

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._directory / f"{self.state.job}.json"

    def write(self) -> None:
        """Publish the current state."""
        files.replace(self._path, json.dumps(asdict(self.state)))


def runs(directory: Path | None = None) -> Iterator[RunState]:
    """All registered runs of this user, living and dead."""
    for path in sorted((directory or runtime_directory()).glob("*.json")):
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue  # it ended between the listing and the reading
        yield RunState(**json.loads(text))


def forget(job: str, directory: Path | None = None) -> None:
    """Remove the file of a dead run."""
    ((directory or runtime_directory()) / f"{job}.json").unlink(missing_ok=True)
