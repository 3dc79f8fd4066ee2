"""The thread for a library that hangs: one at a time, a fresh one when it has come back, few where none ever does."""

import threading
from types import SimpleNamespace

import pytest

from fairlead.cloud import worker as worker_module
from fairlead.cloud.worker import Worker
from fairlead.errors import CloudError


class Library:
    """Sessions hang in each question while ``hangs`` is set."""

    def __init__(self) -> None:
        self.opened = 0
        self.asked = threading.Event()
        self.answer = threading.Event()
        self.hangs = True

    def open(self) -> "Library":
        self.opened += 1
        return self

    def ask(self) -> int:
        if self.hangs:
            self.asked.set()
            self.answer.wait(30)
        return self.opened


def threads(name: str) -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == name]


def test_one_that_hangs_is_not_asked_again_before_it_has_come_back() -> None:
    library = Library()
    worker = Worker("hanging library", library.open, ())
    with pytest.raises(CloudError, match=r"^hanging library did not answer within 0\.05 s$"):
        worker.ask(0.05, lambda session: session.ask())
    for _ in range(5):
        with pytest.raises(CloudError, match=r"^hanging library still does not answer$"):
            worker.ask(30, lambda session: session.ask())
    assert len(threads("hanging library")) == 1 and library.opened == 1
    library.hangs = False
    library.answer.set()
    for thread in threads("hanging library"):
        thread.join(10)
    assert worker.ask(10, lambda session: session.ask()) == 2  # the late answer, 1, is nobody's


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What the worker has for the time, in seconds; it stands still."""
    clock = SimpleNamespace(now_s=1000.0)
    monkeypatch.setattr(worker_module, "time", SimpleNamespace(monotonic=lambda: clock.now_s))
    return clock


def test_a_question_that_never_comes_back_is_left_and_another_thread_asks(clock: SimpleNamespace) -> None:
    """As to a server that loses power under an open connection, and is started again."""
    library = Library()
    worker = Worker("lost library", library.open, ())
    with pytest.raises(CloudError, match="did not answer within"):
        worker.ask(0.05, lambda session: session.ask())
    assert library.asked.wait(10)
    library.hangs = False  # for whoever asks anew
    clock.now_s += 119
    with pytest.raises(CloudError, match="still does not answer"):
        worker.ask(10, lambda session: session.ask())
    clock.now_s += 1
    assert [worker.ask(10, lambda session: session.ask()) for _ in range(3)] == [2, 2, 2]
    assert len(threads("lost library")) == 2 and library.opened == 2
    library.answer.set()


def test_few_hang_however_long_nothing_comes_back(clock: SimpleNamespace) -> None:
    library = Library()
    worker = Worker("dead library", library.open, ())
    asked_s = []
    for _ in range(24 * 60):
        before = len(threads("dead library"))
        with pytest.raises(CloudError):
            worker.ask(0.05, lambda session: session.ask())
        if len(threads("dead library")) > before:
            asked_s.append(clock.now_s - 1000)
        clock.now_s += 60
    # 2 min later, then 4, 8...
    assert asked_s == [120 * (2**n - 1) for n in range(10)]
    assert len(threads("dead library")) == 10
    library.hangs = False
    library.answer.set()
    for thread in threads("dead library"):
        thread.join(10)
    assert worker.ask(10, lambda session: session.ask()) == 11
