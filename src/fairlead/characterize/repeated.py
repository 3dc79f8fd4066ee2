"""Characterizing again and again: how a network changes over an hour or a day (DMCBM 4.7.1, figure 4.3)."""

import time
from collections.abc import Callable, Iterator


def starts(
    period_s: float, times: int, wait: Callable[[int, float], None], clock: Callable[[], float] = time.monotonic
) -> Iterator[int]:
    """Numbers 1 to ``times``, each when it is due: ``period_s`` seconds after the one before was due.

    One that is late, because the one before took longer than the period, begins at once, and those after it keep to
    the first one's times, so that lateness does not add up. ``wait(number, pause_s)`` sleeps.
    """
    begun_s = clock()
    for number in range(1, times + 1):
        pause_s = begun_s + (number - 1) * period_s - clock()
        if pause_s > 0:
            wait(number, pause_s)
        yield number
