"""Says which hosts a command waits for, while it has nothing else to say."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fairlead.cluster.remote import awaited

LOOK_S = 0.5
AGAIN_S = 4.0


@contextmanager
def told(tell: Callable[[str], None], *, after_s: float | None = None) -> Iterator[Callable[[], None]]:
    """Within: hosts that have not answered for ``after_s`` (default: see `silent`) are named, again every `AGAIN_S`.

    Yields what ends this before: who called then waits for something else.
    """
    over = threading.Event()

    def watch() -> None:
        passed_s = AGAIN_S
        while not over.wait(LOOK_S):
            passed_s += LOOK_S
            if passed_s >= AGAIN_S and (hosts := awaited.silent(after_s)):
                tell(awaited.words(hosts))
                passed_s = 0.0

    thread = threading.Thread(target=watch, name="silent hosts", daemon=True)
    thread.start()
    try:
        yield over.set
    finally:
        over.set()
        thread.join()
