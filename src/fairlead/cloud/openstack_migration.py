"""A migration by Nova, which carries it out by itself; here it is only asked how far it is."""

import time

from fairlead.cloud.driver import Moved, Progress
from fairlead.cloud.ending import EndUnknownError
from fairlead.cloud.openstack_work import Ask, OpenstackWork
from fairlead.errors import CloudError, MigrationRefusedError

_MIB = 2**20


class OpenstackMigration(OpenstackWork[Moved]):
    """See `fairlead.cloud.driver.Migration`."""

    def __init__(self, ask: Ask, vm: str, instance: str, source: str, target: str) -> None:
        super().__init__(ask)
        self._vm, self._instance = vm, instance
        self._source, self._target = source, target
        newest = ask(lambda session: session.record(instance, 0))
        self._after = 0 if newest is None else newest.id
        self._number: int | None = None
        self._request: str | None = None  # Nova's number of it; None as long as Nova has not said that it took it
        self._unanswered = "fairlead did not wait for its answer"
        self._copying = False
        self._abort_taken = False

    def _look(self) -> Moved | Progress:
        record = self._ask(lambda session: session.record(self._instance, self._after))
        if record is None:
            return self._not_begun()
        self._number = record.id
        self._copying = self._copying or record.status in ("running", "post-migrating", "completed")
        if record.status == "completed":
            return self._arrived()
        if record.status in ("error", "failed", "cancelled"):
            raise self._failure(None if record.status == "cancelled" else f"the migration is in state {record.status}")
        if self._aborted and not self._abort_taken:  # it could not be aborted when we were asked
            self._ask_end()
        return self._progress(record.id, record.status)

    def _begin(self) -> None:
        if self._aborted:
            raise self._failure(None)
        self._begun()
        try:
            self._request, refusal = self._ask(lambda session: session.migrate(self._instance, self._target))
        except CloudError as error:  # the next looks may tell whether Nova took it
            self._unanswered = str(error)
            return
        if refusal is not None:
            self._over = True
            raise type(refusal)(f"{self._vm} cannot go to {self._target}: {refusal}")

    def _ask_end(self) -> None:
        number = self._number
        if number is not None:
            self._abort_taken = self._ask(lambda session: session.abort(self._instance, number))

    def _not_begun(self) -> Progress:
        if self._request is None:  # Nova may come to it late, however idle the machine is now
            if late := self._late():
                raise self._never_seen(late)
            return Progress(f"not known to have begun: {self._unanswered}")
        why = self._why()
        if why is not None:
            raise self._failure(why)
        if late := self._late():
            raise self._failure(f"Nova has not begun within {late}")
        return Progress("starting")

    def _never_seen(self, late: str) -> EndUnknownError:
        """Of a request whose answer was lost: what is known of it."""
        instance = self._ask(lambda session: session.instance(self._instance))
        self._over = True
        busy = f" (busy: {instance.task})" if instance.task else ""
        return EndUnknownError(
            f"Nova did not confirm the migration of {self._vm} ({self._unanswered}): {late} later no migration was "
            f"seen and it was on {instance.host}{busy}, but one may still begin"
        )

    def _arrived(self) -> Moved:
        """Nova has said that it is done, and is believed where it cannot be looked at now."""
        moved = Moved(time.monotonic() - self._begin_s, None, None)
        self._over = True
        try:
            instance = self._ask(lambda session: session.instance(self._instance))
        except CloudError:
            return moved
        if instance.host != self._target or instance.status == "ERROR":
            raise self._failure("Nova calls the migration completed")
        return moved

    def _progress(self, number: int, status: str) -> Progress:
        seen = self._ask(lambda session: session.copied(self._instance, number))
        if seen is None or not seen.done_B or seen.left_B is None:
            return Progress(status)
        done_B, left_B = seen.done_B + (seen.disk_done_B or 0), seen.left_B + (seen.disk_left_B or 0)
        self._copying = True
        return Progress(f"{done_B / _MIB:.0f} MiB copied, {left_B / _MIB:.0f} MiB left")

    def _why(self) -> str | None:
        request = self._request
        return self._ask(lambda session: session.why(self._instance, request)) if request else None

    def _failure(self, problem: str | None) -> CloudError:
        """What went wrong, and where the machine is. None: it was cancelled."""
        self._over = True
        try:
            told = "the migration was aborted" if problem is None else self._why() or problem
            instance = self._ask(lambda session: session.instance(self._instance))
        except CloudError as unknown:
            return CloudError(f"{self._vm}: {problem or 'aborted'}; where it runs is not known: {unknown}")
        text = " ".join(told.split())
        if instance.status == "ERROR":
            return CloudError(f"{self._vm}: {text}; it is on {instance.host} in state ERROR, which needs its owner")
        if problem and instance.host == self._source and not self._copying and not self._aborted:
            return MigrationRefusedError(f"{self._target} does not take {self._vm}: {text}")
        return CloudError(f"{self._vm}: {text}; it runs on {instance.host}")
