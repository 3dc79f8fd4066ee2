"""Commands on hosts that end with who started them, also behind ssh, which passes on no signal, and after a kill -9."""

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Self

# The look-out keeps nothing open that readers of the command's output wait for.
_SCRIPT = """
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
{ read -r end <&3; kill "$command"; } >/dev/null 2>&1 &
lookout=$!
exec 3<&-
wait "$command"
code=$?
kill "$lookout" 2>/dev/null
exit "$code"
"""


class Leash:
    """Commands made by `command` that have `stdin` as their standard input get SIGTERM when this context is left."""

    def __init__(self) -> None:
        self.stdin, self._held = os.pipe()

    def command(self, argv: Sequence[str]) -> list[str]:
        """The command, on the leash; it reads nothing, and its exit code is its own."""
        return ["sh", "-c", _SCRIPT, "sh", *argv]

    def let_go(self) -> None:
        """End what still runs; nothing happens the second time."""
        for fd in (self._held, self.stdin):
            if fd >= 0:
                os.close(fd)
        self.stdin = self._held = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go()
