"""A directory of records that processes left, as a profile."""

import sys
from contextlib import suppress
from pathlib import Path

from fairlead.profile import profile, record
from fairlead.profile.profile import Profile
from fairlead.profile.record import Record

_FILES = "**/*.record"


def are_in(directory: Path) -> bool:
    """Whether there are any, in folders too."""
    return directory.is_dir() and any(directory.glob(_FILES))


def read(directory: Path) -> Profile:
    """The profile of the records in a directory and its folders. Hosts are called as they call themselves.

    Raises:
        MeasurementError: a file is no record, or none is of a rank.
    """
    records = [parse(record.content(path), source=str(path)) for path in sorted(directory.glob(_FILES))]
    # Hosts that share a directory with each other but not with who fetched it gave each file several times.
    once = {(each.host, each.pid, each.opened): each for each in records if each is not None}
    return profile.of(list(once.values()))


def parse(data: bytes, *, source: str) -> Record | None:
    """The record in a file. Where there is nothing in it yet that is said, for the others tell of the run all the same.

    Raises:
        MeasurementError: the file is no record.
    """
    try:
        return record.parse(data, source=source)
    except record.NothingYet as error:
        with suppress(OSError):  # the terminal is gone
            print(f"fairlead: {error}; it is left out", file=sys.stderr)
        return None
