"""A thread for a library whose calls may never return, and whose objects may block even when they are freed.

The library's objects stay in the thread; questions go in, and plain data come out. A thread that hangs is left behind
with all it holds. Whoever was asked gets time to come back; but what has lost its answer for good (a server that was
switched off under an open connection) never ends, so another thread asks then, each with twice the patience: few hang,
however long it lasts.
"""

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from fairlead.errors import CloudError

RETRY_S = 120.0
"""After this time another thread asks although one still hangs; twice as long for every further one that does."""

_Session = TypeVar("_Session")
_Answer = TypeVar("_Answer")


class Worker(Generic[_Session]):
    """Asks a session, which is made in a thread when it is first needed, and anew after it failed or hung.

    Args:
        name: who is asked, for messages.
        open_session: makes the session; called in the thread.
        refusals: exceptions that are the library's answers, told as a `CloudError`; any other is a mistake of ours.
        describe: the text of such an exception.
    """

    def __init__(
        self,
        name: str,
        open_session: Callable[[], _Session],
        refusals: tuple[type[Exception], ...],
        describe: Callable[[Exception], str] = str,
    ) -> None:
        self._name = name
        self._serves = (name, open_session, (*refusals, CloudError), describe)
        self._questions: _Questions | None = None
        self._thread: threading.Thread | None = None
        self._hung: list[threading.Thread] = []
        self._hung_s = float("-inf")

    def __del__(self) -> None:
        self._end()

    def ask(self, timeout_s: float, question: Callable[[_Session], _Answer]) -> _Answer:
        """The answer to ``question``, which must not hold on to the session.

        Raises:
            CloudError: the library refused, did not answer in time, or has not come back from a question before.
        """
        if time.monotonic() < self._patient_until_s():
            raise CloudError(f"{self._name} still does not answer")
        if self._questions is None:
            self._questions = queue.SimpleQueue()
            # A daemon: what hangs in it must not keep the program from ending.
            arguments = (self._questions, *self._serves)
            self._thread = threading.Thread(target=_serve, args=arguments, name=self._name, daemon=True)
            self._thread.start()
        answers: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()
        self._questions.put((question, answers))
        try:
            answer, error = answers.get(timeout=timeout_s)
        except queue.Empty:
            self._leave()
            answer, error = None, CloudError(f"{self._name} did not answer within {timeout_s:g} s")
        if error is not None:
            self._end()
            raise error
        result: _Answer = answer
        return result

    def _patient_until_s(self) -> float:
        """When it may be asked: at once if the question that hung last has come back."""
        if not self._hung or not self._hung[-1].is_alive():
            return float("-inf")
        return self._hung_s + RETRY_S * 2 ** (sum(each.is_alive() for each in self._hung) - 1)

    def _leave(self) -> None:
        assert self._thread is not None
        self._hung = [*(each for each in self._hung if each.is_alive()), self._thread]
        self._hung_s = time.monotonic()

    def _end(self) -> None:
        """The thread ends when it has done what it is doing, and frees the session."""
        if self._questions is not None:
            self._questions.put(None)
            self._questions = None


_Questions = queue.SimpleQueue[Any]


def _serve(
    questions: _Questions,
    name: str,
    open_session: Callable[[], _Session],
    refusals: tuple[type[Exception], ...],
    describe: Callable[[Exception], str],
) -> None:
    session: _Session | None = None
    while (asked := questions.get()) is not None:
        question, answers = asked
        try:
            if session is None:
                session = open_session()
            answers.put((question(session), None))
        except refusals as error:
            answers.put((None, CloudError(f"{name}: {describe(error)}")))
        except Exception as error:  # noqa: BLE001  # raised where it was asked, without frames that hold the session
            answers.put((None, error.with_traceback(None)))
