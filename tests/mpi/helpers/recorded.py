"""Programs under libfairlead, and the records that their ranks leave."""

import subprocess
from pathlib import Path

import mpi_libraries
from mpi_libraries import Mpi

from fairlead import native
from fairlead.profile import record
from fairlead.profile.record import Record


def environment(directory: Path, messages: object = 1000) -> dict[str, str]:
    """Of ranks that leave records in a directory, with so many ends of messages each."""
    return {
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_PROFILE": str(directory),
        "FAIRLEAD_PROFILE_MESSAGES": str(messages),
    }


def read(directory: Path) -> list[Record]:
    """In rank order."""
    return sorted((record.read(path) for path in directory.glob("*.record")), key=lambda each: each.rank or 0)


def run(mpi: Mpi, source: Path, ranks: int, directory: Path, messages: int = 1000) -> list[Record]:
    """What the ranks of a C program recorded, in rank order."""
    program = mpi.compile(source, directory / source.stem)
    with mpi_libraries.no_leftovers():
        subprocess.run(mpi.command(ranks, [str(program)], environment(directory, messages)), check=True, timeout=100)
    return read(directory)
