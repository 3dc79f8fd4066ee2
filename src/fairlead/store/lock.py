"""One writer at a time: an advisory lock beside the store, which the kernel drops when its holder dies."""

import fcntl
import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from fairlead.errors import StoreError, reason_of

_PATIENCE_S = 0.3  # a reader that asks `holder` takes the lock for an instant; a writer must not trip over that


class WriterLock:
    """Holds ``path`` locked from construction to `release`.

    Raises:
        StoreError: another process (or another object of this one) writes; the message names host and pid.
    """

    def __init__(self, path: Path, session: str) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self._acquire()
        except BaseException:
            os.close(self._descriptor)
            raise
        note = {"host": socket.gethostname(), "pid": os.getpid(), "session": session}
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(note).encode(), 0)

    def _acquire(self) -> None:
        deadline_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if time.monotonic() > deadline_s:
                    raise StoreError(
                        f"{self._path.parent}: results are being written by {_describe(self._path)}",
                        hint="wait until it ends, or use another results directory",
                    ) from error
            except OSError as error:
                raise StoreError(
                    f"{self._path}: the file system gives no locks ({reason_of(error)})",
                    hint="put the results directory on another file system",
                ) from error
            time.sleep(0.02)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would race with the next writer."""
        os.close(self._descriptor)


def holder_session(path: Path) -> str | None:
    """Session id of the writer that lives now, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        session = _note(path).get("session")
        return str(session) if session else None
    finally:
        os.close(descriptor)
    return None


def _note(path: Path) -> dict[str, Any]:
    """What the holder wrote; empty in the instant between its locking and its writing."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        note = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return note if isinstance(note, dict) else {}


def _describe(path: Path) -> str:
    note = _note(path)
    if "pid" not in note:
        return "another process"
    return f"process {note['pid']} on {note['host']}"
