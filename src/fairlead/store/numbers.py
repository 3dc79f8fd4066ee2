"""Run numbers: all stores of a results directory draw theirs from one counter, so that a number stays a run's own.

A number is drawn before its run is committed: of a process that is killed in between, nobody ever has it.
"""

import os
from pathlib import Path

from fairlead.errors import StoreError, of_system
from fairlead.store.lock import acquire

FILE_NAME = "results.numbers"

_PATIENCE_S = 10.0  # whoever holds the counter gives it back at once
_WIDTH = 20  # of the number in the file: it is replaced by one write


def draw(results: Path, above: int) -> int:
    """A number for a run: greater than ``above``, and than every number drawn there before.

    Raises:
        StoreError: the counter cannot be read or written.
    """
    path = results / FILE_NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if not acquire(descriptor, path, _PATIENCE_S):
                raise StoreError(f"{path}: locked by another process for {_PATIENCE_S:.0f} s")
            number = max(_last(descriptor), above) + 1
            os.pwrite(descriptor, f"{number:0{_WIDTH}}\n".encode(), 0)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise of_system(error, path, doing="cannot be written", kind=StoreError) from error
    return number


def any_drawn(results: Path) -> bool:
    """Whether the counter knows of the runs that are there."""
    try:
        descriptor = os.open(results / FILE_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return _last(descriptor) > 0
    finally:
        os.close(descriptor)


def _last(descriptor: int) -> int:
    text = os.pread(descriptor, _WIDTH, 0)
    return int(text) if text.isdigit() else 0
