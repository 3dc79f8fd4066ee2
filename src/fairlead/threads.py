"""Threads count to the processes that a user may have: where that limit is reached, none can be started any more."""

import threading

from fairlead.errors import MORE_PROCESSES, HostError


def refused(error: BaseException) -> bool:
    """Whether it says that no thread could be started. Python has no class of its own for that."""
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


def no_thread() -> HostError:
    """The error for that."""
    return HostError(
        "this machine: no further thread can be started: the limit of processes is reached", hint=MORE_PROCESSES
    )


def start(thread: threading.Thread) -> None:
    """Start a thread.

    Raises:
        HostError: the limit of processes is reached.
    """
    try:
        thread.start()
    except RuntimeError as error:
        if not refused(error):
            raise
        raise no_thread() from error
