"""Starts and stops congestion at the times that a replication's episodes say, beside the program."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self

from fairlead.errors import FairleadError, LabError
from fairlead.experiment.factors.congestion import Episode

CHECK_S = 1.0


class RunningCongestion(Protocol):
    """What congests while it runs."""

    def check(self) -> None:
        """Raises LabError if it, or a part of it, does not run any more."""


# Makes the congestion at a bottleneck; entering it starts the traffic, leaving it ends the traffic.
MakeCongestion = Callable[[int], AbstractContextManager[RunningCongestion]]


@dataclass(frozen=True)
class Occurrence:
    """Congestion that really was: seconds since the epoch when its traffic flowed and when it was stopped."""

    bottleneck: int
    began_s: float
    ended_s: float


class CongestionSchedule:
    """A context manager around the program's run: a thread that goes from episode to episode.

    An episode at time 0 is under way when ``__enter__`` returns. The clock of the episodes starts then.

    Raises on exit:
        FairleadError: congestion could not be started, or ended before its time; the run does not count.
    """

    def __init__(self, episodes: Sequence[Episode], make: MakeCongestion) -> None:
        self._episodes = list(episodes)
        self._make = make
        self._over = threading.Event()
        self._first = threading.Event()
        self._failure: FairleadError | None = None
        self._thread = threading.Thread(target=self._main, name="congestion", daemon=True)
        self.occurrences: list[Occurrence] = []

    def __enter__(self) -> Self:
        self._begin_s = time.monotonic()
        self._thread.start()
        if self._episodes and self._episodes[0].start_s <= 0:
            try:
                self._first.wait()
            except BaseException:  # Ctrl-C: nobody would end the traffic
                self._end()
                raise
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._end()
        if self._failure is not None and error is None:
            raise self._failure

    def _end(self) -> None:
        self._over.set()
        self._thread.join()

    def _main(self) -> None:
        try:
            for number, episode in enumerate(self._episodes):
                if self._over.wait(self._left_s(episode.start_s)):
                    return
                with self._make(episode.bottleneck) as traffic:
                    began_s = time.time()
                    if number == 0 and episode.start_s <= 0:  # what waits for it starts the program now
                        self._begin_s = time.monotonic()
                    self._first.set()
                    later = self._episodes[number + 1 :]
                    self._watch(traffic, later[0].start_s if later else math.inf)
                    self.occurrences.append(Occurrence(episode.bottleneck, began_s, time.time()))
        except FairleadError as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001  # whatever it is, the run was not congested as planned
            self._failure = LabError(f"congestion: {error}")
            self._failure.__cause__ = error
        finally:
            self._first.set()

    def _watch(self, traffic: RunningCongestion, until_s: float) -> None:
        """See that traffic goes on until a time on the episodes' clock, or until the run is over."""
        over = False
        while not over and self._left_s(until_s):
            over = self._over.wait(min(CHECK_S, self._left_s(until_s)))
            traffic.check()

    def _left_s(self, moment_s: float) -> float:
        return max(0.0, self._begin_s + moment_s - time.monotonic())
