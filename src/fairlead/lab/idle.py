"""What lets the ranks of a lab wait asleep: a library that is loaded into them (native/lab/idle.cpp)."""

from pathlib import Path

from fairlead import native

VARIABLE = "LD_PRELOAD"


def library() -> Path:
    """Its absolute path.

    Raises:
        MissingToolError: it was not built.
    """
    return native.library("libfairlead-idle.so")
