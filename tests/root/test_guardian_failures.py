"""Requests in which one call fails, each in its turn: nothing of them may be left in the kernel."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from .guardian_lab import (
    REROUTE,
    RESTORE,
    TRY,
    Guardian,
    Host,
    Mesh,
    encode_setup,
    header,
    rerouted_routes,
    status,
    tried_routes,
)

pytestmark = pytest.mark.root

ANOTHER_RELAY = "10.77.9.2"  # of the job, and not there
SOURCE = Path(__file__).with_name("failing_calls.cpp")


@pytest.fixture(scope="module")
def failing_calls(tmp_path_factory: pytest.TempPathFactory) -> str:
    library = tmp_path_factory.mktemp("preload") / "failing_calls.so"
    subprocess.run(["g++", "-std=c++20", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return str(library)


FIRST_TO_FAIL = 1_000_000  # the id of a request says which call in it fails


class Failing:
    """A guardian in which the n-th call of a kind fails, as often as it is asked for it."""

    def __init__(self, host: Host, command: list[str], log: Path) -> None:
        self.host, self.command, self.log = host, command, log
        self.start()

    def start(self) -> None:
        *prefix, binary = self.command
        self.guardian = Guardian(binary, self.host, prefix=prefix)

    def set_up(self, mesh: Mesh, number: int = 0) -> bool:
        """Whether it worked; False also if the guardian ended. `number`: of the call that fails; 0: none."""
        hosts = [*(host.address for host in mesh.hosts), ANOTHER_RELAY]
        return self.answered(
            encode_setup(self_index=self.host.index, addresses=hosts, ways=1, request_id=FIRST_TO_FAIL + number)
        )

    def ask(self, number: int, kind: int, *fields: int) -> bool:
        """The same of a later request."""
        return self.answered(header(kind, FIRST_TO_FAIL + number) + struct.pack(f"={len(fields)}I", *fields))

    def answered(self, request: bytes) -> bool:
        self.failures = self.log.stat().st_size
        self.guardian.socket.send(request)
        try:
            answer = self.guardian.socket.recv(4096)
        except ConnectionResetError:
            answer = b""
        if not answer:
            self.guardian.close()
            assert self.guardian.wait() == 0
            self.start()
            self.reason = "the guardian ended"
            return False
        error, self.reason = struct.unpack("=i", answer[12:16])[0], answer[16:].rstrip(b"\0").decode()
        assert (error == 0) == (self.reason == "")
        return bool(error == 0)

    def failed(self) -> bool:
        """Whether a call failed in the last request; else it had fewer."""
        return self.log.stat().st_size > self.failures

    def close(self) -> None:
        self.guardian.close()
        assert self.guardian.wait() == 0


@pytest.fixture
def failing(
    host: Host, binary: str, failing_calls: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Failing]:
    log = tmp_path / "failed"
    log.touch()
    settings = [f"LD_PRELOAD={failing_calls}", f"FAILING_CALLS={request.param}", f"FAILED_CALLS={log}"]
    failing = Failing(host, ["env", *settings, binary], log)
    yield failing
    failing.close()


@pytest.mark.parametrize(
    ("failing", "least"),
    [
        ("send", 25),
        pytest.param("receive", 40, marks=pytest.mark.slow),
        pytest.param("new", 100, marks=pytest.mark.slow),
    ],
    indirect=["failing"],
)
def test_whatever_fails_in_a_setup_it_takes_back_what_it_made(
    mesh: Mesh, host: Host, binary: str, failing: Failing, least: int
) -> None:
    for number in count(1):
        works = failing.set_up(mesh, number)
        assert works or failing.failed(), f"call {number}: {failing.reason}"
        if not failing.failed():
            break
        if works:  # nothing depended on that call
            assert failing.guardian.tear_down().error == 0
        assert status(host, binary) == [], f"left by the failure of call {number}"
        assert host.sysctl("conf.eth0.rp_filter") == 1, f"after the failure of call {number}"
    assert number > least
    # No call failed in the last one, and what it made works.
    assert failing.guardian.reroute(destination=1, relay=2).error == 0
    assert len(rerouted_routes(host)) == 1


def relays(routes: list[dict[str, object]]) -> list[object]:
    return [route["gateway"] for route in routes]


KINDS_AFTER_SETUP = pytest.mark.parametrize("failing", ["send", "receive", "new"], indirect=True)


def numbers(failing: Failing, mesh: Mesh) -> Iterator[int]:
    """Of the calls of a request that is made of a guardian which is set up, as long as one fails in it."""
    assert failing.set_up(mesh)
    for number in count(1):
        yield number
        if not failing.failed():
            assert number > 2
            return
        if not status(failing.host, failing.command[-1]):  # it had no memory for the answer, and ended
            assert failing.set_up(mesh)


@KINDS_AFTER_SETUP
@pytest.mark.parametrize("before", [[], [2]])
def test_a_reroute_that_fails_leaves_what_was_there_before(
    mesh: Mesh, host: Host, failing: Failing, before: list[int]
) -> None:
    works = False
    was = [mesh.hosts[relay].address for relay in before]
    for number in numbers(failing, mesh):
        for relay in before:
            assert failing.guardian.reroute(1, relay).error == 0
        works = failing.ask(number, REROUTE, 1, 3, 0, 0)
        ended = not status(host, failing.command[-1])
        expected = [ANOTHER_RELAY] if works else [] if ended else was
        assert relays(rerouted_routes(host)) == expected, f"after the failure of call {number}"
        if not ended:
            assert failing.guardian.give_back(1).error == 0
            assert rerouted_routes(host) == []
    assert works


@KINDS_AFTER_SETUP
def test_a_trial_that_fails_leaves_none(mesh: Mesh, host: Host, failing: Failing) -> None:
    works = False
    for number in numbers(failing, mesh):
        works = failing.ask(number, TRY, 1, 2, 0, 0)
        assert relays(tried_routes(host)) == ([mesh.hosts[2].address] if works else []), f"call {number}"
    assert works


@KINDS_AFTER_SETUP
def test_a_return_that_fails_can_be_asked_for_again_and_a_trial_is_not_in_its_way(
    mesh: Mesh, host: Host, failing: Failing
) -> None:
    works = False
    for number in numbers(failing, mesh):
        assert failing.guardian.reroute(1, 2).error == 0
        assert failing.guardian.attempt(1, 3).error == 0
        works = failing.ask(number, RESTORE, 1)
        if not works and status(host, failing.command[-1]):
            assert failing.guardian.give_back(1).error == 0
        assert rerouted_routes(host) == [], f"after the failure of call {number}"
    assert works
