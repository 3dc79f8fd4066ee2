"""A directory of records that processes left, as a profile."""

from pathlib import Path

from fairlead.profile import profile, record
from fairlead.profile.profile import Profile

_FILES = "**/*.record"


def are_in(directory: Path) -> bool:
    """Whether there are any, in folders too."""
    return directory.is_dir() and any(directory.glob(_FILES))


def read(directory: Path) -> Profile:
    """The profile of the records in a directory and its folders. Hosts are called as they call themselves.

    Raises:
        MeasurementError: a file is no record, or none is of a rank.
    """
    records = [record.read(path) for path in sorted(directory.glob(_FILES))]
    # Hosts that share a directory with each other but not with who fetched it gave each file several times.
    once = {(each.host, each.pid, each.opened): each for each in records}
    return profile.of(list(once.values()))
