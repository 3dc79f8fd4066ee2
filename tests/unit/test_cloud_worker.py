"""The thread for a library that hangs: never more than one, and a fresh one when it has come back."""

import threading

import pytest

from fairlead.cloud.worker import Worker
from fairlead.errors import CloudError


class Library:
    """Sessions hang in each question while ``hangs`` is set."""

    def __init__(self) -> None:
        self.opened = 0
        self.answer = threading.Event()
        self.hangs = True

    def open(self) -> "Library":
        self.opened += 1
        return self

    def ask(self) -> int:
        if self.hangs:
            self.answer.wait(30)
        return self.opened


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "hanging library"]


def test_one_that_hangs_is_not_asked_again_before_it_has_come_back() -> None:
    library = Library()
    worker = Worker("hanging library", library.open, ())
    with pytest.raises(CloudError, match=r"^hanging library did not answer within 0\.05 s$"):
        worker.ask(0.05, lambda session: session.ask())
    for _ in range(5):
        with pytest.raises(CloudError, match=r"^hanging library still does not answer$"):
            worker.ask(30, lambda session: session.ask())
    assert len(threads()) == 1 and library.opened == 1
    library.hangs = False
    library.answer.set()
    for thread in threads():
        thread.join(10)
    assert worker.ask(10, lambda session: session.ask()) == 2  # the late answer, 1, is nobody's
