"""Threads of the supervisor that go before what else its machine does."""

import os
import threading
from contextlib import suppress

NICE = -10
"""Of the threads that speak to agents and hand on their events. They do little, and on a machine that is busy for ten
seconds all leases would run out. Both: one waits while the other holds the interpreter."""


def go_first() -> None:
    """Put the calling thread first, where that is allowed (CAP_SYS_NICE, and no filter of system calls)."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
