"""Machines that libvirt makes, in its thread; tests/libvirt has a real one."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from fairlead.cloud import Created, Progress
from fairlead.cloud.libvirt_creation import LibvirtCreation
from fairlead.errors import CloudError, CreationRefusedError

from .test_cloud_libvirt import Error, Libvirt


@pytest.fixture(autouse=True)
def _libvirt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libvirt", Libvirt())


class Server:
    """Makes a volume, then waits until it is let go on, then starts the machine."""

    def __init__(self, start: Exception | None = None) -> None:
        self.copied, self.go_on = threading.Event(), threading.Event()
        self.there: list[str] = []
        self.silent = False
        self._start = start

    def create(
        self, definition: str, name: str, undo: list[Callable[[], object]], at: Callable[[str], None], *, lasting: bool
    ) -> None:
        assert (definition, lasting) == ("<domain/>", True)
        at("copying disk vda")
        self.there.append("volume")
        undo.append(lambda: self.there.remove("volume"))
        self.copied.set()
        assert self.go_on.wait(10)
        at("starting")
        self.there.append(name)
        undo.append(lambda: self.there.remove(name))
        if self._start is not None:
            raise self._start
        at("running")

    def ask(self, question: Any) -> str:
        if self.silent:
            raise CloudError("s0 did not answer within 10 s")
        return "s0"


def creation_on(server: Server) -> LibvirtCreation:
    def open_session() -> Any:
        return server

    return LibvirtCreation(open_session, server.ask, "node9", "s0", "<domain/>", lasting=True)


def finish(creation: LibvirtCreation) -> Created:
    while isinstance(now := creation.poll(), Progress):
        time.sleep(0.005)
    return now


def test_it_is_made_step_by_step() -> None:
    server = Server()
    creation = creation_on(server)
    assert server.there == [], "it begins when it is polled"
    creation.poll()
    assert server.copied.wait(10)
    assert creation.poll() == Progress("copying disk vda")
    server.go_on.set()
    assert finish(creation).server == "s0"
    creation.close()
    assert server.there == ["volume", "node9"]


def test_a_server_that_goes_silent_on_the_way_is_told() -> None:
    server = Server()
    creation = creation_on(server)
    creation.poll()
    server.silent = True
    assert creation.poll() == Progress("the cloud does not answer: s0 did not answer within 10 s", answered=False)
    server.silent = False
    server.go_on.set()
    finish(creation)


def test_given_up_it_goes_when_the_copy_has_ended() -> None:
    server = Server()
    creation = creation_on(server)
    creation.poll()
    assert server.copied.wait(10)
    creation.abort()
    assert creation.poll() == Progress("copying disk vda, to be removed again")
    server.go_on.set()
    with pytest.raises(CloudError, match=r"^node9 was cancelled: it is removed again$"):
        finish(creation)
    assert server.there == []


def test_one_that_does_not_start_leaves_nothing() -> None:
    server = Server(Error("no such bridge"))
    server.go_on.set()
    with pytest.raises(CreationRefusedError, match=r"^node9 cannot be made on s0: internal error: no such bridge$"):
        finish(creation_on(server))
    assert server.there == []


def test_what_cannot_be_taken_away_is_told() -> None:
    server = Server(Error("no such bridge"))
    server.go_on.set()

    class Stubborn(list[str]):
        def remove(self, what: str) -> None:
            if what == "volume":
                raise Error("volume is in use")
            super().remove(what)

    server.there = Stubborn()
    with pytest.raises(CreationRefusedError, match=r"no such bridge; left over: internal error: volume is in use$"):
        finish(creation_on(server))
    assert server.there == ["volume"]
