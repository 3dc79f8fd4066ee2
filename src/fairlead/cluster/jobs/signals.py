"""Signals to this process while a job runs: they are the job's."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from fairlead import interrupts
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.errors import FairleadError

if TYPE_CHECKING:
    from fairlead.cluster.launchers import Launcher

_log = logging.getLogger(__name__)
FORWARDED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)

SignalCallback = Callable[[RunningJob, signal.Signals], object]


def pass_on(running: RunningJob, number: signal.Signals) -> bool:
    """Give the job the signal that came, and say whether it got it: what `launch.run` does unless told otherwise.

    One that cannot be delivered is said and the job goes on: an exception here would come out of waiting for it.
    """
    try:
        return running.signal(number)
    except FairleadError as error:
        _log.warning("%s was not delivered to job %s, which continues: %s", number.name, running.job.id, error)
        return False


class NotedSignals:
    """An ``on_signal`` that passes signals on and remembers those delivered, to tell how the program ended.

    Args:
        ending: sees to it that a signal that ends programs ends this one; None: that is mpirun's business alone.
    """

    def __init__(self, ending: Ending | None = None) -> None:
        self._delivered: list[signal.Signals] = []
        self._ending = ending

    def __call__(self, running: RunningJob, number: signal.Signals) -> None:
        if self._ending is not None and number in interrupts.ENDING and running.poll() is None:
            self._ending.begin(running, number)  # first: a launching host that is cut off answers late, or never
        if pass_on(running, number):
            self._delivered.append(number)

    def ended_by(self) -> signal.Signals | None:
        """The first signal that ends a program, if the job got one."""
        if self._ending is not None and self._ending.insisted_on is not None:
            return self._ending.insisted_on
        return next((number for number in self._delivered if number in interrupts.ENDING), None)

    def exit_code(self, code: int, launcher: "Launcher") -> int:
        """The program's exit code. What mpirun says when a signal ended it is its own (Open MPI 4: always 1)."""
        number = self.ended_by()
        return 128 + number if number and code and launcher.family is not None else code


@contextmanager
def forwarding(on_signal: SignalCallback | None) -> Iterator[Callable[[RunningJob], None]]:
    """Within: signals go to ``on_signal`` instead. Only the main thread can have it so; others do nothing.

    Gives what has to be called with the job: signals that came before it was there are for it, too. Without a job they
    take their usual way at the end. What the caller told us to ignore (nohup) stays ignored.
    """
    if on_signal is None or threading.current_thread() is not threading.main_thread():
        yield lambda running: None
        return
    jobs: list[RunningJob] = []
    early: list[signal.Signals] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        if jobs:
            on_signal(jobs[0], signal.Signals(number))
        else:
            early.append(signal.Signals(number))

    def forward_to(running: RunningJob) -> None:
        jobs.append(running)
        while early:
            on_signal(running, early.pop(0))

    wanted = [number for number in FORWARDED if signal.getsignal(number) is not signal.SIG_IGN]
    with interrupts.held():  # an exception half-way would leave some of them to nobody
        before = {number: signal.signal(number, forward) for number in wanted}
        if (first := interrupts.taken()) is not None:
            early.append(first)
    try:
        yield forward_to
    finally:
        with interrupts.held():
            for number, handler in before.items():
                signal.signal(number, handler)
        for number in early:
            signal.raise_signal(number)
