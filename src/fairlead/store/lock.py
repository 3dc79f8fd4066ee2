"""One writer at a time: an advisory lock beside the store, which the kernel drops when its holder dies.

The locks are those of open file descriptions (fcntl), not of flock: a file server's own processes and its NFS clients
see each other's, whichever of them holds one.
"""

import fcntl
import json
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any

from fairlead.errors import StoreError, StoreHeldError, reason_of

PATIENCE_S = 5.0
"""How long a writer waits for another one, which may only be taking in what runs have recorded."""

_FLOCK = "hhqqi4x"  # struct flock: type, whence, start, length (0: to the end), process


class WriterLock:
    """Holds ``path`` locked from construction to `release`.

    Raises:
        StoreHeldError: another process (or another object of this one) writes; the message names host and pid.
        StoreError: the file system supports no locks.
    """

    def __init__(self, path: Path, session: str, patience_s: float = PATIENCE_S) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if not acquire(self._descriptor, path, patience_s):
                raise StoreHeldError(
                    f"{path.parent}: results are being written by {_describe(path)}",
                    hint="wait until it ends, or use another results directory",
                )
            note = {"host": socket.gethostname(), "pid": os.getpid(), "session": session}
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps(note).encode(), 0)
        except BaseException:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would race with the next writer."""
        os.close(self._descriptor)


def acquire(descriptor: int, path: Path, patience_s: float) -> bool:
    """Lock an open file; it is given back when the descriptor is closed. False: others hold it for that long.

    Raises:
        StoreError: the file system supports no locks.
    """
    deadline_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            return True
        except BlockingIOError:
            if time.monotonic() > deadline_s:
                return False
        except OSError as error:
            raise StoreError(
                f"{path}: the file system supports no locks ({reason_of(error)})",
                hint="put the results directory on another file system",
            ) from error
        time.sleep(0.02)


def holder_session(path: Path) -> str | None:
    """Session id of the writer that lives now, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        asked = struct.pack(_FLOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
        held = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked))[0] != fcntl.F_UNLCK
    except OSError:  # no locks there: nobody can write
        held = False
    finally:
        os.close(descriptor)
    session = _note(path).get("session") if held else None
    return str(session) if session else None


def _note(path: Path) -> dict[str, Any]:
    """What the holder wrote; empty in the instant between its locking and its writing."""
    try:
        note = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return note if isinstance(note, dict) else {}


def _describe(path: Path) -> str:
    note = _note(path)
    if "pid" not in note:
        return "another process"
    return f"process {note['pid']} on {note['host']}"
