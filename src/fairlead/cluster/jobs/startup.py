"""Looks after a job while it starts: whether ranks are there on every host, and whether it lasts too long."""

import logging
import subprocess
import threading
import time
from collections.abc import Callable

from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.cluster.remote.execute import Calls, not_asked, on_all
from fairlead.errors import FairleadError, HostError, LaunchError

_log = logging.getLogger(__name__)
TIMEOUT_S = 60.0
POLL_S = 0.5
LAST_LOOK_S = 1.0  # for a look that goes on when the job has ended: a host that is cut off answers late


class StartupTimeout(LaunchError):
    """Ranks did not appear on every host in time."""


class StartWatch:
    """A thread that ends a job which does not start, or lasts too long. ``failure`` says that it did.

    A host that cannot be asked is not one without ranks: nothing is ended for it.

    Args:
        startup_timeout_s: ends the job if a host has no rank by then; None: that is no reason.
        timeout_s: for the whole job, or None.
        on_late: told instead, once of a host, where there is no limit and it has no rank after `TIMEOUT_S`.
    """

    def __init__(
        self,
        running: RunningJob,
        *,
        startup_timeout_s: float | None,
        timeout_s: float | None,
        on_late: Callable[[str], None] | None = None,
    ) -> None:
        self.failure: LaunchError | None = None
        self._running = running
        self._begin_s = time.monotonic()
        self._limit_s = startup_timeout_s
        self._late_s = TIMEOUT_S if startup_timeout_s is None else startup_timeout_s
        self._timeout_s = timeout_s
        self._on_late = on_late
        looked_for = startup_timeout_s is not None or on_late is not None
        self._waiting_for = set(running.job.ranks_on()) if looked_for else set()
        self._unasked: dict[str, FairleadError] = {}  # of those, at the last look
        self._told_unasked: set[str] = set()
        self._over = threading.Event()
        self._calls = Calls()
        self._thread = threading.Thread(target=self._watch, name="launch-watch", daemon=True)

    def __enter__(self) -> "StartWatch":
        if self._waiting_for or self._timeout_s is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.ident is None:
            return
        self._thread.join(0.0 if self._running.told_to_end else LAST_LOOK_S)
        if self._thread.is_alive():  # the interpreter would wait for its look at its own end, however long that takes
            self._calls.give_up()
            self._thread.join(LAST_LOOK_S)

    def _watch(self) -> None:
        while self._waiting_for or self._timeout_s is not None:
            if self._over.wait(POLL_S):
                return
            self._look_for_ranks()
            if self._over.is_set():
                return
            self.failure = self._overdue()
            if self.failure:
                try:
                    self._running.stop()
                except (FairleadError, OSError, subprocess.SubprocessError) as error:  # the end is told by `failure`
                    _log.warning("what job %s left behind could not be removed: %s", self._running.job.id, error)
                return

    def _look_for_ranks(self) -> None:
        if self._waiting_for:
            try:
                seen = on_all(self._waiting_for, self._ranks_of, calls=self._calls)
            except HostError:
                if self._calls.given_up:
                    return
                raise
            self._waiting_for -= {host for host, pids in seen.items() if isinstance(pids, list) and pids}
            self._unasked = {host: error for host, error in seen.items() if isinstance(error, FairleadError)}

    def _ranks_of(self, host: str) -> list[int] | FairleadError:
        try:
            return self._running.ranks_of(host)
        except FairleadError as error:
            return error
        except OSError as error:  # no descriptor is free, for example
            return not_asked(host, error)

    def _overdue(self) -> LaunchError | None:
        elapsed_s = time.monotonic() - self._begin_s
        if self._waiting_for and elapsed_s > self._late_s:
            without = self._waiting_for - self._unasked.keys()
            self._waiting_for -= without  # who could not be asked is asked again: nothing is known of it yet
            if without and self._limit_s is not None:
                return StartupTimeout(
                    f"no rank was seen on {', '.join(sorted(without))} within {self._limit_s:g} s; the job was ended",
                    hint="`fairlead doctor CLUSTER` looks for the cause",
                )
            self._tell_late(without)
        if self._timeout_s is not None and elapsed_s > self._timeout_s:
            return LaunchError(f"the job was not done within {self._timeout_s:g} s and was ended")
        return None

    def _tell_late(self, without: set[str]) -> None:
        for host, error in sorted(self._unasked.items()):
            if host not in self._told_unasked:
                self._told_unasked.add(host)
                _log.warning("cannot tell whether ranks run on %s: %s", host, error)
        if without and self._on_late is not None:
            hosts = ", ".join(sorted(without))
            self._on_late(f"no rank was seen on {hosts} within {self._late_s:g} s; the program is left alone")
