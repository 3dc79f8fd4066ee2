"""Another machine like one that there is, made by libvirt."""

import threading
import time
from collections.abc import Callable

from fairlead.cloud.driver import Created, Progress, no_answer
from fairlead.cloud.ending import end_work
from fairlead.cloud.libvirt_session import LibvirtSession, api, describe
from fairlead.errors import CloudError, CreationRefusedError

CLOSE_S = 10.0


class LibvirtCreation:
    """See `fairlead.cloud.driver.Creation`. Disks take as long as their copies, so it has a thread.

    Args:
        open_session: a new connection to the server.
        ask: asks the server by another one; see `Worker.ask`.
        definition: of the machine that the new one is to be like, as libvirt keeps it.
        lasting: whether libvirt is to know the new machine when it is switched off, too.
    """

    def __init__(
        self,
        open_session: Callable[[], LibvirtSession],
        ask: Callable[[Callable[[LibvirtSession], str]], str],
        name: str,
        server: str,
        definition: str,
        *,
        lasting: bool,
    ) -> None:
        self._open_session, self._ask = open_session, ask
        self._name, self._server = name, server
        self._definition, self._lasting = definition, lasting
        self._step = "starting"
        self._problem: str | None = "it was not carried out"
        self._begun = self._aborted = False
        self._over = threading.Event()
        self._begin_s = self._end_s = float("-inf")
        self._thread = threading.Thread(target=self._carry_out, name=f"create {name}", daemon=True)

    def poll(self) -> Created | Progress:
        if not self._begun:
            self._begun = True
            self._begin_s = time.monotonic()
            self._over.set() if self._aborted else self._thread.start()
        if not self._over.is_set():
            return self._progress()
        if self._problem is None:
            return Created(self._server, self._end_s - self._begin_s)
        if self._aborted:
            raise CloudError(f"{self._name} was cancelled: {self._problem}")
        raise CreationRefusedError(f"{self._name} cannot be made on {self._server}: {self._problem}")

    def abort(self) -> None:
        """A copy of a disk that goes on is finished first; then all is taken away again."""
        self._aborted = True

    def close(self) -> None:
        if self._begun and not self._over.is_set() and not self._aborted:
            try:
                end_work(self, CLOSE_S, self._name)
            except CloudError:  # nobody waits for the outcome any more
                return

    def _progress(self) -> Progress:
        """libvirt does not tell how far it is; whether the server is still there it does."""
        try:
            self._ask(lambda session: session.name())
        except CloudError as error:
            return no_answer(error)
        return Progress(f"{self._step}, to be removed again" if self._aborted else self._step)

    def _carry_out(self) -> None:
        undo: list[Callable[[], object]] = []
        try:
            session = self._open_session()
            session.create(self._definition, self._name, undo, self._at, lasting=self._lasting)
            self._problem = None
        except (api().libvirtError, CloudError) as error:
            self._problem = describe(error) + _undone(undo)
        finally:
            self._end_s = time.monotonic()
            self._over.set()

    def _at(self, step: str) -> None:
        """Between two steps."""
        if self._aborted:
            raise CloudError("it is removed again")
        self._step = step


def _undone(undo: list[Callable[[], object]]) -> str:
    """Take away what was made, the newest first; what could not be, in words."""
    left = []
    for each in reversed(undo):
        try:
            each()
        except api().libvirtError as error:
            left.append(describe(error))
    return f"; left over: {'; '.join(left)}" if left else ""
