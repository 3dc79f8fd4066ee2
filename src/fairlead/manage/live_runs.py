"""Which managed runs live on this machine: one small file a run, so that `status` and `clean` can see them.

A file names the supervisor's process; a run whose supervisor is gone is dead whatever its file says.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from fairlead import files, runtime
from fairlead.errors import reason_of
from fairlead.runtime import Process


@dataclass
class RunState:
    """What a supervisor tells others about its run.

    Attributes:
        job: job id, 8 hexadecimal digits.
        cluster_file: absolute path of the cluster file.
        argv: the program and its arguments.
        pid: the supervisor's process id; ``started_ticks`` its start time in clock ticks since boot.
        guardians: guardians were asked for, and may have left something on the hosts; records of earlier versions do
            not say so.
        detours: (source host, destination host) joined by "→", to the relay's name, or "another equal-cost path".
        levels: the same keys, to "low", "medium" or "high"; only paths that are not low.
        advice: what the user was advised; empty: nothing.
    """

    job: str
    cluster_file: str
    argv: list[str]
    pid: int
    started_ticks: int
    started_at_s: float
    guardians: bool = True
    detours: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    advice: str = ""

    @property
    def alive(self) -> bool:
        """Whether the supervisor that wrote this still runs."""
        return Process(self.pid, self.started_ticks).is_alive()


_IDENTITY = tuple(each.name for each in fields(RunState) if each.default is MISSING and each.default_factory is MISSING)

WRITTEN_EVERY_S = 0.5
"""Least time between two writes of one file: agents on many hosts report hundreds of changes a second."""


class Registration:
    """The file of one run; a context manager that removes it at the end."""

    def __init__(self, state: RunState, directory: Path | None = None) -> None:
        self.state = state
        self._path = (directory or _directory()) / f"{state.job}.json"
        self._changed = False
        self._written_s = -WRITTEN_EVERY_S
        self._one_by_one = threading.Lock()
        self._over = False

    def __enter__(self) -> "Registration":
        self.write()
        return self

    def __exit__(self, *_: object) -> None:
        with self._one_by_one:
            self._over = True
            self._path.unlink(missing_ok=True)

    def change(self) -> None:
        """Note that the state was changed."""
        self._changed = True

    def publish(self) -> None:
        """Write what was changed, once `WRITTEN_EVERY_S` has passed since the last time. Call it with every event."""
        if self._changed and time.monotonic() - self._written_s >= WRITTEN_EVERY_S:
            self.write()

    def write(self) -> None:
        """Write the current state at once; nothing after the end, where some thread may still tell of an event."""
        with self._one_by_one:
            if self._over:
                return
            self._changed = False
            self._written_s = time.monotonic()
            files.replace(self._path, json.dumps(asdict(self.state)))


@dataclass(frozen=True)
class Registered:
    """What is registered.

    Attributes:
        runs: of this user, living and dead.
        unreadable: files that tell of no run, with the reason.
    """

    runs: list[RunState]
    unreadable: dict[Path, str]

    def complaints(self) -> list[str]:
        """A line for each file that cannot be read, with the way out."""
        return [
            f"{path}: is not a record of a run ({why}); once nothing of yours runs, remove the file"
            for path, why in self.unreadable.items()
        ]


def look() -> Registered:
    """All that is registered, also by other versions of fairlead: of fields that they name otherwise there is nothing.

    Raises:
        FairleadError: see `fairlead.runtime.directory`.
    """
    found = Registered([], {})
    for path in sorted(_directory().glob("*.json")):
        try:
            found.runs.append(_state(json.loads(path.read_text(encoding="utf-8"))))
        except FileNotFoundError:
            continue  # it ended between the listing and the reading
        except (OSError, ValueError) as error:
            found.unreadable[path] = reason_of(error)
    return found


def _state(data: object) -> RunState:
    """From what is in a file. Raises ValueError where that does not say which run it is of, or is something else."""
    known = data if isinstance(data, dict) else {}
    if missing := [name for name in _IDENTITY if name not in known]:
        raise ValueError(f"no {', '.join(missing)}")
    said = {each.name: known[each.name] for each in fields(RunState) if each.name in known}
    for name, value in said.items():
        if not _KINDS[name](value):
            raise ValueError(f"{name} cannot be {value!r}")
    return RunState(**said)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


_KINDS: dict[str, Callable[[Any], bool]] = {
    "job": _is_text,
    "cluster_file": _is_text,
    "argv": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "pid": _is_whole,
    "started_ticks": _is_whole,
    "started_at_s": lambda value: _is_whole(value) or isinstance(value, float),
    "guardians": lambda value: isinstance(value, bool),
    "detours": _is_texts,
    "levels": _is_texts,
    "advice": _is_text,
}
"""By field of `RunState`, whether a value of JSON can be its."""


def forget(job: str) -> None:
    """Remove the file of a dead run."""
    (_directory() / f"{job}.json").unlink(missing_ok=True)


def _directory() -> Path:
    return runtime.directory("runs")
