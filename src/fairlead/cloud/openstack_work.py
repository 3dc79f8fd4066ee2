"""What Nova does at its own pace, and is asked about: what migrations and creations have in common."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from fairlead.cloud.driver import Progress, no_answer
from fairlead.cloud.ending import end_work
from fairlead.cloud.openstack_session import OpenstackSession
from fairlead.errors import CloudError

POLL_S = 0.5
"""Between two looks, however often it is asked for: each is some questions to the cloud."""
BEGIN_S = 30.0
"""Within this time after its yes Nova must have begun, or said why not; so long it is looked for after no answer."""
CLOSE_S = 10.0

_Answer = TypeVar("_Answer")
_Outcome = TypeVar("_Outcome")
Ask = Callable[[Callable[[OpenstackSession], _Answer]], _Answer]


class OpenstackWork(ABC, Generic[_Outcome]):
    """A `CloudWork`. An error is its end when ``_over`` is set, and else a missing answer."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._asked = self._aborted = self._over = False
        self._begin_s = self._looked_s = float("-inf")
        self._last: _Outcome | Progress = Progress("starting")

    def poll(self) -> _Outcome | Progress:
        if not self._asked:
            self._begin()
        if time.monotonic() >= self._looked_s + POLL_S:
            try:
                self._last = self._look()
            except CloudError as error:
                if self._over:
                    raise
                self._last = no_answer(error)
            self._looked_s = time.monotonic()
        return self._last

    def abort(self) -> None:
        self._aborted = True
        with suppress(CloudError):  # asked again with the next look
            self._ask_end()

    def close(self) -> None:
        """Nova goes on with what cannot be aborted any more."""
        if self._asked and not self._over and not self._aborted:
            with suppress(CloudError):  # nobody waits for the outcome any more
                end_work(self, CLOSE_S, "")

    def _begun(self) -> None:
        """An interrupt on the way to Nova does not keep it from taking what is asked for."""
        self._asked = True
        self._begin_s = time.monotonic()

    def _late(self) -> str | None:
        """How late it is, in words, if Nova should have begun by now."""
        return f"{BEGIN_S:g} s" if time.monotonic() > self._begin_s + BEGIN_S else None

    @abstractmethod
    def _begin(self) -> None:
        """Ask for it, unless it is aborted already."""

    @abstractmethod
    def _look(self) -> _Outcome | Progress:
        """What has become of it."""

    @abstractmethod
    def _ask_end(self) -> None:
        """Ask for its end, if Nova has begun."""
