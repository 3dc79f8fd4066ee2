"""Signals that end fairlead itself: each becomes an exception, so that whatever was started is ended on the way out."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
WAKING = signal.SIGURG  # nobody sends it to us, and where no handler is installed it does nothing
AGAIN_S = 0.02


class _Hold:
    """Of the main thread: how many `held` blocks it is in, and the signal that came meanwhile."""

    depth = 0
    waiting: int | None = None


_hold = _Hold()
_pipe: tuple[int, ...] = ()  # both ends of what tells `_wake_main_thread` of signals


class Interrupted(KeyboardInterrupt):
    """One of `ENDING` came, as ``signal``."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.signal = number


def become_exceptions() -> None:
    """From now on the first of `ENDING` raises `Interrupted` in the main thread; later ones wait for its clean-up.

    What the caller told us to ignore (nohup) stays ignored.
    """
    _reach_blocking_calls()
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise_once)


def own_descriptors() -> tuple[int, ...]:
    """Which are open for signals. Who closes what is open must leave them: the kernel would go on to write each
    signal's number into whatever file has the number next.
    """
    return _pipe


def become(program: str | Path, line: list[str]) -> NoReturn:
    """This process becomes another program, with the signals that a shell would have given it.

    Python ignores SIGPIPE and SIGXFSZ, and a program inherits what is ignored: `yes` would not end with its reader.

    Raises:
        OSError: it cannot be executed.
    """
    sys.stdout.flush()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, line)


@contextmanager
def held() -> Iterator[None]:
    """Within, in the main thread: a signal that ends fairlead takes effect at the block's end. For blocks that are
    short and must not end half-way.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _hold.depth += 1
    try:
        yield
    finally:
        _hold.depth -= 1
        if not _hold.depth and _hold.waiting is not None:
            number, _hold.waiting = _hold.waiting, None
            _raise_once(number, None)


def taken() -> signal.Signals | None:
    """In a `held` block: the signal that waits for its end, if one came. It is the caller's then, without effect."""
    number, _hold.waiting = _hold.waiting, None
    return None if number is None else signal.Signals(number)


def exit_code(error: BaseException | None) -> int:
    """What a shell expects of a process that ended so: 128 and the signal's number; Ctrl-C's if none is known."""
    return 128 + (error.signal if isinstance(error, Interrupted) else signal.SIGINT)


def _reach_blocking_calls() -> None:
    """Handlers of all signals run at once, also while the main thread waits in a system call.

    CPython runs handlers in the main thread, once a signal has interrupted the call that it waits in. A signal that
    comes after CPython has looked for one and before the call begins interrupts nothing, nor does one that the kernel
    gives to another thread: without this it would wait for the call to return, in a run for the program's end.
    """
    global _pipe  # a process has one
    _pipe = arrivals, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    ran = threading.Event()
    signal.signal(WAKING, lambda _number, _frame: ran.set())
    threading.Thread(target=_wake_main_thread, args=(arrivals, ran), name="signals", daemon=True).start()


def _wake_main_thread(arrivals: int, ran: threading.Event) -> None:
    """For each signal, interrupt the main thread's calls until it has run handlers; it runs all that are due."""
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    while numbers := os.read(arrivals, 64):
        if set(numbers) == {WAKING}:
            continue
        ran.clear()
        signal.pthread_kill(main_thread, WAKING)
        while not ran.wait(AGAIN_S):
            signal.pthread_kill(main_thread, WAKING)


def _raise_once(number: int, _frame: FrameType | None) -> None:
    if _hold.depth:
        _hold.waiting = _hold.waiting or number
        return
    _hold.waiting = None  # one that came between a block's end and its signal's turn: there is one exception
    for each in ENDING:
        if signal.getsignal(each) is _raise_once:
            signal.signal(each, _say_patience)
    raise Interrupted(signal.Signals(number))


def _say_patience(_number: int, _frame: FrameType | None) -> None:
    # Not by `print`: the clean-up may be writing just now, and its terminal may be gone. Neither may end it.
    with suppress(OSError, ValueError, AttributeError):  # it may be closed, or never have been there
        os.write(sys.stderr.fileno(), b"fairlead: already stopping: cleaning up what was started\n")
