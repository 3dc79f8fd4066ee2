"""Which journal suits the file system that a directory is on.

SQLite's write-ahead log needs memory shared between its users, which network file systems do not give
(sqlite.org, "Write-Ahead Logging", section 1).
"""

import os
import re
from pathlib import Path
from typing import Literal

LOCAL_TYPES = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "reiserfs", "rootfs", "tmpfs"}
    | {"xfs", "zfs"}
)


def type_of(path: Path, mountinfo: str | None = None) -> str:
    """Type of the file system that holds ``path``, as ``/proc/self/mountinfo`` names it ("ext4", "nfs4", ...).

    Args:
        mountinfo: content to read instead of the kernel's file (for tests).
    """
    text = os.fsdecode(Path("/proc/self/mountinfo").read_bytes()) if mountinfo is None else mountinfo
    target = os.path.realpath(path)
    best, best_length = "unknown", -1
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        point = _unescape(before.split()[4])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best_length:  # later mounts on the same point hide earlier ones
            best, best_length = after.split()[0], len(point)
    return best


def journal_mode(filesystem_type: str) -> Literal["WAL", "DELETE"]:
    """WAL on file systems known to be local; DELETE on network ones and on every type not known here."""
    return "WAL" if filesystem_type in LOCAL_TYPES else "DELETE"


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), text)
