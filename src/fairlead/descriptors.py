"""How many files this process may have open, and waiting for one: agents of many hosts need more than a shell gives."""

import math
import resource
import select
import shutil
from typing import Protocol

OF_A_HOST = 12
"""Streams of its agent and of those that keep directories there, and what tells of their ends."""

_FEW = 256  # beside those that are asked for

_LONGEST_MS = 2**31 - 1  # poll(2) takes an int
_before: int | None = None


class HasFileno(Protocol):
    """A file, or what else has a descriptor."""

    def fileno(self) -> int: ...


def make_room(count: int) -> None:
    """This process can have so many files open, and some, as far as its hard limit lets it.

    The highest count of several calls holds: it is not a sum.
    Programs that it starts inherit the limit: see `as_before`.
    """
    global _before  # a process has one limit
    needed = count + _FEW
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed or shutil.which("prlimit") is None:
        return
    raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if raised > soft:
        _before = _before or soft
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))


def as_before() -> list[str]:
    """Words before a command line that give a program the limit that this process was started with.

    Programs that use select(2) fail with more than 1024.
    """
    return [] if _before is None else ["prlimit", f"--nofile={_before}:"]


def readable(file: int | HasFileno, timeout_s: float) -> bool:
    """Wait until there is something to read, or the end. Whether there is; unlike select(2) for any descriptor."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(min(max(math.ceil(timeout_s * 1e3), 0), _LONGEST_MS)))
