"""How long hosts are waited for once somebody wants the end, and what is told of those that do not answer.

What a run's end consists of waits for hosts one step after the other. For a host that is cut off each step would take
its full time. So they share a limit, and a host that one step has given up holds up none that follows.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

TIDY_S = 4.5  # from the program's end: for agents, of which one may have to give up its guardian, and what remains
LEAST_S = 1.5  # a step has so long, however late it comes: hosts that answer do so in less
AGAIN_S = 0.05  # for a host that was given up before


class EndLimit:
    """The limit of all steps of one end together. Before `begin` each has its usual time. For any thread."""

    def __init__(self) -> None:
        self._guard = threading.RLock()  # signal handlers call it, too
        self._until_s: float | None = None
        self._program_ended = False
        self._silent: set[str] = set()
        self._left: dict[str, list[str]] = {}  # by host, what remains there

    @property
    def begun(self) -> bool:
        """Whether somebody wants the end."""
        return self._until_s is not None

    def begin(self, within_s: float) -> None:
        """The end is wanted: hosts are given up that have not answered so long from now on.

        Once more: all of it is tried again, and hosts may answer that did not.
        """
        with self._guard:
            self._begin(within_s)
            self._left.clear()

    def _begin(self, within_s: float) -> None:
        self._until_s = time.monotonic() + within_s
        self._program_ended = False
        self._silent.clear()

    def program_ended(self) -> None:
        """Where the end is wanted, the others have `TIDY_S` from now on, however much time the program took."""
        with self._guard:
            if self._until_s is not None and not self._program_ended:
                self._until_s, self._program_ended = time.monotonic() + TIDY_S, True

    @contextmanager
    def begun_by_interrupts(self) -> Iterator[None]:
        """Within: Ctrl-C, as an exception, is a wish for the end."""
        try:
            yield
        except KeyboardInterrupt:
            with self._guard:  # what remains on hosts that were given up stays known: not all of it is tried again
                self._begin(TIDY_S)
            raise

    def left_s(self, usual_s: float, host: str | None = None) -> float:
        """How long an answer may be waited for now.

        Args:
            usual_s: without a limit.
            host: whose answer; None: those of several.
        """
        with self._guard:
            if self._until_s is None:
                return usual_s
            if host in self._silent:
                return min(usual_s, AGAIN_S)
            return min(usual_s, max(LEAST_S, self._until_s - time.monotonic()))

    def gave_up(self, host: str) -> bool:
        """Whether a host did not answer once the end was wanted."""
        with self._guard:
            return host in self._silent

    def give_up(self, host: str, remains: str, *, silent: bool = True) -> bool:
        """Something on a host did not answer in time.

        Args:
            remains: what is left there, and how it ends.
            silent: nothing else will answer there: it was asked by a command of its own.

        Returns:
            Whether `words` tell that; False: the end is not wanted, and whoever waited tells it.
        """
        with self._guard:
            if self._until_s is None:
                return False
            if silent:
                self._silent.add(host)
            said = self._left.setdefault(host, [])
            if remains not in said:
                said.append(remains)
            return True

    def words(self) -> list[str]:
        """A line for each host that was given up."""
        with self._guard:
            return [
                f"{host}: does not answer, and is not waited for any more: {'; '.join(remains)}"
                for host, remains in self._left.items()
            ]
