"""What starts and ends a supervised program, where that is a process around us: lines by our stdin and stdout."""

import os
from contextlib import suppress
from itertools import pairwise

from fairlead import interrupts


class Caller:
    """A `beside.Starter` behind two descriptors.

    Args:
        orders: where it is told ``set NAME=VALUE`` and ``ready``.
        answers: where it says ``exit CODE``, and whose end is the program's.

    Attributes:
        began: it was told that the program may start.
    """

    def __init__(self, orders: int, answers: int) -> None:
        self.began = False
        self._orders = orders
        self._answers = answers

    @classmethod
    def on_standard_streams(cls) -> "Caller":
        """The caller behind stdin and stdout. From here on, what is printed to stdout goes to stderr.

        Other descriptors that we have from the caller are closed: an srun's connections must end with it.
        """
        kept = [2, *sorted(interrupts.own_descriptors()), os.sysconf("SC_OPEN_MAX")]
        for before, after in pairwise(kept):
            os.closerange(before + 1, after)
        orders = os.dup(1)
        os.dup2(2, 1)
        return cls(orders, 0)

    def begin(self, env: dict[str, str]) -> None:
        """See `beside.Starter`. From here on a terminal's Ctrl-C is the program's alone."""
        with suppress(PermissionError):  # it is a session's leader already
            os.setsid()
        self.began = True
        lines = [*(f"set {name}={value}" for name, value in env.items()), "ready"]
        with suppress(BrokenPipeError):  # it is gone, as `wait` will see
            os.write(self._orders, "".join(f"{line}\n" for line in lines).encode())

    def wait(self) -> int | None:
        """See `beside.Starter`."""
        said = b""
        with suppress(ConnectionResetError):  # so ends a socket of one that was killed before it read what we said
            while part := os.read(self._answers, 4096):
                said += part
        return exit_code(said.decode(errors="replace"))


def exit_code(said: str) -> int | None:
    """The code of the last ``exit CODE`` line; None where there is none."""
    last = said.split()[-2:]
    return int(last[1]) if len(last) == 2 and last[0] == "exit" and last[1].isdigit() else None
