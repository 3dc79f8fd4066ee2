"""One lock a site: of all controllers of this machine, one at a time moves something, and the others know when.

The time of the last move is in a file of its own, which is replaced whole: readers do not hold the lock.
"""

import fcntl
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlead import files
from fairlead.errors import CloudError, of_system


class SiteLock:
    """The lock of a site, as a file of this user. It goes with its holder, however that ends.

    Args:
        directory: where the user's locks are.
        site: `Driver.site`.
    """

    def __init__(self, directory: Path, site: str) -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", site):
            raise CloudError(f"{site!r} cannot name a site's lock")
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = directory / f"{site}.lock"
        self._moved_path = directory / f"{site}.moved"

    @contextmanager
    def hold(self) -> Iterator[bool]:
        """Whether it was got, for the length of the block."""
        with self._path.open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def last_move_s(self) -> float | None:
        """When a controller moved something last, by `time.monotonic`; None if none has since the boot.

        Raises:
            CloudError: the file does not hold a time.
        """
        try:
            text = self._moved_path.read_text()
        except FileNotFoundError:
            return None
        try:
            boot, moved_s = text.split()
            return float(moved_s) if boot == _boot() else None
        except ValueError as error:
            raise CloudError(f"{self._moved_path} does not hold a time: {text!r}", hint="remove it") from error

    def note_move(self) -> None:
        """A machine has just been moved, by who holds the lock or by a migration that nobody waits for any more.

        Raises:
            CloudError: it cannot be noted.
        """
        try:
            files.replace(self._moved_path, f"{_boot()} {time.monotonic()}")
        except OSError as error:
            raise of_system(error, self._moved_path, doing="cannot be written", kind=CloudError) from error


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
