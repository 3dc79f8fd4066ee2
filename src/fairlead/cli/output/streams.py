"""stdout and stderr of the command line: closed or not, in any encoding, with readers that may go away."""

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# What an encoding may not have, and what is read as the same. A number must not lose its sign.
_PLAIN = str.maketrans(
    {"→": "->", "−": "-", "–": "-", "×": "x", "±": "+/-", "·": ".", "∞": "inf", "µ": "u", "█": "#", "░": "."}
    | dict.fromkeys("\u00a0\u2009", " ")
)


class _Raw(io.FileIO):
    """Where a stream ends. Who reads it may be gone (`| head`): what is left for him goes nowhere, and is no error."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """See `io.FileIO.write`.

        Raises:
            OSError: stdout cannot be written, as on a full disk. It is said once: what comes later goes nowhere. Of
                stderr there is nowhere to say it.
        """
        if not memoryview(data).nbytes:  # click asks so whether bytes can be written
            return 0
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if isinstance(error, BrokenPipeError) or self.fileno() == 2:
                return memoryview(data).nbytes
            raise OSError(error.errno, error.strerror, "standard output") from error


def prepare() -> None:
    """Make stdout and stderr such that writing to them raises nothing but errors of what they are written to.

    Descriptors that the caller closed are opened on /dev/null: else the next file that is opened would get such a
    number, and a program that we start would write into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free
    codecs.register_error("fairlead.plain", _in_plain_characters)
    if _is_on(sys.stdout, 1):
        sys.stdout = _stream(sys.stdout, 1)
    if _is_on(sys.stderr, 2):
        sys.stderr = _stream(sys.stderr, 2)


def flush() -> None:
    """Write what was kept back, so that an error of that is ours to tell.

    Raises:
        OSError: it cannot be written.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _is_on(stream: TextIO | None, number: int) -> bool:
    """Whether a stream is that descriptor's, or there is none; who calls us from Python may have put his own there."""
    try:
        return stream is None or stream.fileno() == number
    except OSError:
        return False


def _stream(before: TextIO | None, number: int) -> TextIO:
    """A stream on that descriptor, as Python made it with its encoding and buffering (None: it was closed)."""
    raw = _Raw(number, "w", closefd=False)
    if not isinstance(before, io.TextIOWrapper):
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")
    before.flush()
    return io.TextIOWrapper(
        raw if before.write_through else io.BufferedWriter(raw),  # as Python does where it is unbuffered
        encoding=before.encoding,
        errors="fairlead.plain",
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )


def _in_plain_characters(error: UnicodeError) -> tuple[str | bytes, int]:
    """An error handler of `codecs`: what an encoding does not have is written in characters that all have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return text.encode("ascii", "backslashreplace").decode(), error.end
