"""Sees to it that a job that was told to end does end, also where its traffic is stuck.

mpirun tells its daemons by TCP and waits for them: where the job's traffic does not get through, for ever. After the
grace time what steers the traffic lets go of it, and the job's processes are ended by the job's mark: TERM, then KILL.
A later signal takes the grace time away.
"""

import logging
import signal
import subprocess
import threading
import time
from collections.abc import Callable

from fairlead import threads
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import FairleadError, HostError

_log = logging.getLogger(__name__)
GRACE_S = 2.0  # from the signal to the end of patience; Open MPI gives its ranks 1 s from TERM to KILL
RELEASE_S = 0.8  # at most so long the job's traffic is let go of before its processes are ended
INSIST_S = 0.8  # from TERM to KILL of what carries the job's mark
ANSWER_S = 1.0  # after that for hosts that have not answered: threads that wait for them keep fairlead from ending
AFTER_S = RELEASE_S + INSIST_S + ANSWER_S  # hosts have so long beyond the grace time, whatever is asked of them
LAST_S = 0.5  # after that for mpirun, which may be behind an ssh that waits for a host that is cut off
IMPATIENT_S = 1.0  # what comes sooner after the first signal is the same wish: systemd sends HUP right after TERM
POLL_S = 0.02
TELL_S = 0.2  # for a word to the user: whoever reads it may stand still, and nothing here may wait for that


class Ending:
    """The steps to a job's end, in a thread of its own: the main thread waits for mpirun.

    A launch line of the user's own may do with a signal what it likes, for as long as it likes: the job's traffic is
    let go of after the grace time, and its processes are ended only after a second signal, `IMPATIENT_S` later or more.

    Args:
        grace_s: from the first signal to the end of patience.
        tell: says to the user what is done by force.
        announce: says to the user, at the first signal, what comes now.

    Attributes:
        insisted_on: the first signal, once the job was ended for it here.
        limit: of all that a run's end consists of, from the first signal on.
    """

    def __init__(
        self,
        grace_s: float = GRACE_S,
        tell: Callable[[str], None] = _log.warning,
        announce: Callable[[str], None] = _log.info,
    ) -> None:
        self._grace_s = grace_s
        self._tell = tell
        self._announce = announce
        self._release: Callable[[], None] | None = None
        self._thread: threading.Thread | None = None
        self._begin_s = 0.0
        self._hurry = threading.Event()
        self.insisted_on: signal.Signals | None = None
        self.limit = EndLimit()

    def release_by(self, release: Callable[[], None]) -> None:
        """Have this done before processes are ended: it lets go of the job's traffic and may take its time."""
        self._release = release

    def begin(self, running: RunningJob, number: signal.Signals) -> None:
        """A signal that ends programs came. Those that come `IMPATIENT_S` after the first end the patience."""
        now_s = time.monotonic()
        if self._thread is not None:
            if now_s - self._begin_s >= IMPATIENT_S:
                self._hurry.set()
            return
        self._begin_s = now_s
        self.limit.begin(self._grace_s + AFTER_S)
        running.told_to_end, running.limit = True, self.limit
        self._thread = threading.Thread(target=self._end, args=(running, number), name="ending", daemon=True)
        try:
            threads.start(self._thread)
        except HostError as error:  # the job gets the signal nevertheless; the next one is tried again
            self._thread = None
            _log.warning("the program is not ended by force if it goes on after %s: %s", number.name, error)
            return
        _say(self._announce, self._asked(running, number))

    def _asked(self, running: RunningJob, number: signal.Signals) -> str:
        again = "Ctrl-C again" if number is signal.SIGINT else "a second signal"
        if running.launcher_known:
            return (
                f"{number.name}: the program has {self._grace_s:g} s to end (--grace), {again} ends it. MPI "
                "errors reported from here on are a consequence"
            )
        return f"{number.name} was passed on to the launch line; {again} ends everything it started"

    def _end(self, running: RunningJob, number: signal.Signals) -> None:
        if self._ended(running, self._grace_s, self._hurry):
            return
        if running.launcher_known:
            self.insisted_on = number
            waited_s = time.monotonic() - self._begin_s
            _say(self._tell, f"the program is still running {waited_s:.1f} s after {number.name}: killing it")
        self._let_go(running)
        if not running.launcher_known:
            while not self._hurry.wait(POLL_S):
                if running.ended():
                    return
            self.insisted_on = number
            _say(self._tell, "second signal: killing everything the launch line started")
        self._insist(running)

    def _let_go(self, running: RunningJob) -> None:
        if self._release is not None and (releasing := _beside("release", self._release)) is not None:
            releasing.join(RELEASE_S)

    def _insist(self, running: RunningJob) -> None:
        self.limit.begin(INSIST_S + ANSWER_S)
        sweeping = _beside("sweep", _sweep, running)
        if not self._ended(running, INSIST_S + LAST_S):
            running.kill_here()
        if sweeping is not None:
            sweeping.join()

    @staticmethod
    def _ended(running: RunningJob, limit_s: float, hurry: threading.Event | None = None) -> bool:
        """Whether mpirun ends within a time, which ``hurry`` cuts short."""
        deadline_s = time.monotonic() + limit_s
        while not running.ended():
            if time.monotonic() >= deadline_s or (hurry is not None and hurry.is_set()):
                return False
            time.sleep(POLL_S)
        return True


def _say(tell: Callable[[str], None], text: str) -> None:
    if (telling := _beside("telling", tell, text)) is not None:
        telling.join(TELL_S)


def _beside(name: str, function: Callable[..., None], *arguments: object) -> threading.Thread | None:
    """A thread that does this; None: the limit of processes is reached. The end goes on without it."""
    thread = threading.Thread(target=function, args=arguments, name=name, daemon=True)
    try:
        threads.start(thread)
    except HostError as error:
        _log.info("%s: %s", name, error)
        return None
    return thread


def _sweep(running: RunningJob) -> None:
    try:
        running.end_leftovers(INSIST_S, INSIST_S + ANSWER_S)
    except (
        FairleadError,
        OSError,
        subprocess.SubprocessError,
    ) as error:  # said again, and tried again, when mpirun is gone
        _log.info("job %s: %s", running.job.id, error)
