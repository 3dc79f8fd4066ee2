"""What a program that runs on a host says, for a limited time.

The end of its streams is no sign to wait for alone: as long as the host does not end the program, ssh's shared
connection holds them open, whatever became of the process here.
"""

import math
import os
import subprocess
import threading
import time
from collections.abc import Iterator

from fairlead.cluster.remote.execute import LAST_WORDS_S, end_session
from fairlead.descriptors import HasFileno, readable

LOOK_S = 0.5  # in which a limit that another thread has shortened is seen
PIECE_B = 1 << 16


class TimedOutput:
    """The lines that a process prints, and its exit code. A process that is not done in time is ended.

    Args:
        process: in a session of its own, with pipes from its streams, which nobody else reads.

    Attributes:
        said: why it was ended here; empty: it was not.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._guard = threading.Lock()
        self._until_s, self._limit_s = math.inf, math.inf
        self._last = False
        self.said = ""

    def limit(self, limit_s: float) -> None:
        """It has so long from now on; nothing once `hurry` was called."""
        with self._guard:
            if not self._last:
                self._until_s, self._limit_s = time.monotonic() + limit_s, limit_s

    def hurry(self, limit_s: float) -> None:
        """It has no more than that from now on, whatever is said later. From any thread."""
        with self._guard:
            if time.monotonic() + limit_s < self._until_s:
                self._until_s, self._limit_s = time.monotonic() + limit_s, limit_s
            self._last = True

    def lines(self) -> Iterator[str]:
        """Each line without its end, until there is none any more."""
        assert self._process.stdout is not None
        pieces: list[bytes] = []
        while (piece := self._piece(self._process.stdout)) is not None:
            *whole, begun = piece.split(b"\n")
            for line in whole:
                yield b"".join([*pieces, line]).decode(errors="replace")
                pieces = []
            pieces.append(begun)
        if rest := b"".join(pieces):
            yield rest.decode(errors="replace")

    def exit_code(self) -> int:
        """Once the process has ended: at the latest when its time is over."""
        try:
            return self._process.wait(min(self._left_s(), threading.TIMEOUT_MAX))
        except subprocess.TimeoutExpired:
            self._end()
            return self._process.wait()

    def last_words(self) -> str:
        """What it has said on stderr; its end is waited for a moment only."""
        assert self._process.stderr is not None
        until_s = time.monotonic() + LAST_WORDS_S
        pieces: list[bytes] = []
        while readable(self._process.stderr, until_s - time.monotonic()):
            piece = os.read(self._process.stderr.fileno(), PIECE_B)
            if not piece:
                break
            pieces.append(piece)
        return b"".join(pieces).decode(errors="replace").strip()

    def _piece(self, stream: HasFileno) -> bytes | None:
        """What comes next; None: nothing does."""
        while not readable(stream, min(max(self._left_s(), 0.0), LOOK_S)):
            if self._left_s() <= 0.0:
                self._end()
                return None
        if self._left_s() <= 0.0:  # what it has printed already is kept
            self._end()
        return os.read(stream.fileno(), PIECE_B) or None

    def _left_s(self) -> float:
        with self._guard:
            return self._until_s - time.monotonic()

    def _end(self) -> None:
        if self._process.poll() is None:
            self.said = f"it was not done within {self._limit_s:g} s"
            end_session(self._process)
