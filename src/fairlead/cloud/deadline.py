"""Calls of a cloud's library, which may never return."""

import threading
from collections.abc import Callable
from typing import TypeVar

from fairlead.errors import CloudError

_Result = TypeVar("_Result")


def within(timeout_s: float, what: str, function: Callable[[], _Result]) -> _Result:
    """What ``function`` returns or raises; it goes on in a thread of its own if it takes too long.

    Args:
        what: who was asked, for the message.

    Raises:
        CloudError: it did not end in time.
    """
    results: list[_Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
            errors.append(error)

    # A daemon: what hangs in it must not keep the program from ending.
    thread = threading.Thread(target=call, name=what, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise CloudError(f"{what} did not answer within {timeout_s:g} s")
    if errors:
        raise errors[0]
    return results[0]
