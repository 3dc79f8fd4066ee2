"""Reads the rings that ranks leave (docs/reference/message-rings.md)."""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PAGE_B = 4096
RECORDS = 4096  # that a ring has room for
NO_NUMBER = 0xFFFFFF
HEAD = struct.Struct("<8s II iI Q 32x QQ 48x Q")
MESSAGE = np.dtype([
    ("communicator", "<u8"), ("size_B", "<u8"), ("begun", "<u8"), ("needed", "<u8"), ("computed", "<u8"),
    ("done", "<u8"), ("peer", "<i4"), ("tag", "<i4"), ("function", "<u2"), ("completed_by", "<u2"),
    ("end_and_number", "<u4"),
])  # fmt: skip
SEND, RECEIVE = 1, 2


def read(path: Path) -> tuple[int, int, NDArray[np.void]]:
    """A ring's rank, how many it dropped, and its records."""
    content = path.read_bytes()
    magic, version, pid, rank, _thread, _namespace, written, dropped, taken = HEAD.unpack_from(content)
    assert (magic, version, taken) == (b"FAIRLRNG", 2, 0)
    assert path.name == f"{pid}-0.ring"
    assert len(content) == PAGE_B + RECORDS * MESSAGE.itemsize
    return rank, dropped, np.frombuffer(content, MESSAGE, written, PAGE_B)


def of_ranks(directory: Path) -> list[NDArray[np.void]]:
    """The records of single threads, in rank order."""
    return [records for _, _, records in sorted(map(read, directory.glob("*.ring")), key=lambda each: each[0])]


def numbers(ends: NDArray[np.void], tag: int) -> list[int]:
    """Of the messages with one tag, in the order of completion."""
    return [int(number) >> 8 for number in ends["end_and_number"][ends["tag"] == tag]]
