"""Signals that end fairlead itself: each becomes an exception, so that whatever was started is ended on the way out."""

import signal
import sys
from types import FrameType

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """One of `ENDING` came, as ``signal``."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.signal = number


def become_exceptions() -> None:
    """From now on the first of `ENDING` raises `Interrupted` in the main thread; later ones wait for its clean-up.

    What the caller told us to ignore (nohup) stays ignored.
    """
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise_once)


def exit_code(error: BaseException | None) -> int:
    """What a shell expects of a process that ended so: 128 and the signal's number; Ctrl-C's if none is known."""
    return 128 + (error.signal if isinstance(error, Interrupted) else signal.SIGINT)


def _raise_once(number: int, _frame: FrameType | None) -> None:
    for each in ENDING:
        if signal.getsignal(each) is _raise_once:
            signal.signal(each, _say_patience)
    raise Interrupted(signal.Signals(number))


def _say_patience(_number: int, _frame: FrameType | None) -> None:
    print("fairlead: already ending; what was started is being removed", file=sys.stderr)
