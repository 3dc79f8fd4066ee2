"""Whose leftovers are removed, when, and what is told of it."""

import signal
import threading
import time
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote import end_limit
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import run_on
from fairlead.errors import AgentError, HostError
from fairlead.manage.lost_planes import LostPlanes
from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

DEVICE = {"job": "0a0b0c0d", "kind": "device", "name": "fl-0a0b0c0d", "removed": True}
RULE = {"job": "0a0b0c0d", "kind": "rule", "name": "30100", "removed": True}


def told_of(*events: tuple[int, str], left: dict[int, list[dict[str, Any]]]) -> list[tuple[int, AgentEvent]]:
    """What is reported when these events come and the guardians left these things.

    Host 9 is not reached; what cleans host 8 has a mistake.
    """
    told: list[tuple[int, AgentEvent]] = []

    def clean(host: int) -> list[dict[str, Any]]:
        if host == 9:
            raise HostError("h9: ssh could not reach the host")
        if host == 8:
            raise KeyError("something of ours")
        return left.pop(host, [])

    with LostPlanes(clean, lambda host, event: told.append((host, event))) as planes:
        for host, kind in events:
            planes(host, event(kind, source=host, destination=3, relay=4, reason=""))
    return told


def test_what_a_dead_guardian_left_is_removed() -> None:
    assert told_of((2, "rerouted"), (1, "plane_lost"), left={1: [DEVICE], 2: [DEVICE]}) == [
        (1, event("plane_cleaned", removed=[DEVICE]))
    ]


def test_after_an_agents_death_the_host_is_looked_at_once_more() -> None:
    assert told_of((1, "died"), left={}) == []
    assert told_of((1, "died"), left={1: [RULE]}) == [(1, event("plane_cleaned", removed=[RULE]))]


def test_an_agent_that_dies_while_the_end_begins_does_not_hide_why_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    planes = LostPlanes(lambda host: [], lambda *each: None)
    submit = planes._pool.submit

    def another_dies(work: Any, host: int) -> Any:
        planes(host + 1, event("died"))
        return submit(work, host)

    monkeypatch.setattr(planes._pool, "submit", another_dies)
    with pytest.raises(HostError, match="h3: no agent"), planes:
        planes(1, event("died"))
        raise HostError("h3: no agent")


@pytest.mark.parametrize(
    ("host", "problem"), [(9, "h9: ssh could not reach the host"), (8, "KeyError('something of ours')")]
)
def test_a_failure_is_told_at_first_and_with_the_way_out_at_the_end(host: int, problem: str) -> None:
    during, after = (
        (host, f"what its guardian left is still there{when}: {problem}")
        for when in ("", " after the run (`fairlead clean` removes it)")
    )
    for kind in ("plane_lost", "died"):
        told = told_of((host, kind), left={})
        *earlier, last = [(where, each.reason) for where, each in told if isinstance(each, events.Error)]
        assert last == after
        assert earlier in ([], [during])  # the run may be over before it was tried


def test_a_host_that_is_not_reached_is_tried_again_while_the_run_goes_on() -> None:
    """Its detours are watched by nobody, and lead nowhere once the relays' agents have ended."""
    told: list[tuple[int, AgentEvent]] = []
    tries: list[int] = []
    cleaned = threading.Event()

    def clean(host: int) -> list[dict[str, Any]]:
        tries.append(host)
        if len(tries) < 4:
            raise HostError("h1: ssh could not reach the host")
        cleaned.set()
        return [DEVICE]

    with LostPlanes(clean, lambda *each: told.append(each), patience_s=0.01, again_s=[0.01, 0.02]) as planes:
        planes(1, event("plane_lost"))
        assert cleaned.wait(30)
        time.sleep(0.05)
        assert tries == [1] * 4
    (first, said), (second, removed) = told
    assert (first, second) == (1, 1)
    assert isinstance(said, events.Error) and said.reason.endswith("still there: h1: ssh could not reach the host")
    assert removed == event("plane_cleaned", removed=[DEVICE])


def test_ctrl_c_gives_up_hosts_that_do_not_answer() -> None:
    """Neither the end of the run nor the interpreter's waits for them then."""
    local = executor_of(Cluster("c", "local", (Host("h1", "127.0.0.1", interface="lo"),)))
    told: list[tuple[int, AgentEvent]] = []

    def clean(host: int) -> list[dict[str, Any]]:
        threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        run_on(local, "h1", ["sleep", "60"])
        return []

    planes = LostPlanes(clean, lambda *each: told.append(each))
    begin_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt), planes:
        planes(1, event("died"))
    while not told and time.monotonic() - begin_s < 20:  # Python takes a thread for ended whose join was interrupted
        time.sleep(0.01)
    ((host, said),) = told
    assert host == 1 and isinstance(said, events.Error)
    assert said.reason.endswith("(`fairlead clean` removes it): h1: does not answer, and is not waited for any more")


@pytest.mark.parametrize("answer", [{"kind": "device"}, "removed", {**DEVICE, "removed": "yes"}])
def test_an_answer_that_is_not_understood_is_told(answer: Any) -> None:
    ((host, said),) = told_of((1, "plane_lost"), left={1: [answer]})
    assert host == 1 and isinstance(said, events.Error)
    assert said.reason.startswith("removed what its guardian left, but ") and repr(answer) in said.reason


@pytest.mark.parametrize("lost", [0, 1, 2], ids=["source", "destination", "relay"])
def test_a_host_is_cleaned_when_its_detours_have_returned(lost: int) -> None:
    order: list[str] = []
    with LostPlanes(lambda _: order.append("cleaned") or [], lambda *_: None, patience_s=30) as planes:
        planes(0, event("rerouted", relay=2))
        planes(0, event("rerouted", destination=3, relay=4))  # has nothing to do with the host
        if lost == 0:
            planes(0, event("restored", destination=3))
        planes(lost, event("plane_lost"))
        time.sleep(0.05)
        order.append("restored")
        planes(0, event("restored"))
    assert order == ["restored", "cleaned"]


def test_a_source_that_died_is_not_waited_for() -> None:
    cleaned = threading.Event()
    with LostPlanes(lambda host: [cleaned.set()][:0], lambda *_: None, patience_s=60) as planes:
        planes(0, event("rerouted", relay=2))
        planes(2, event("plane_lost"))
        planes(0, event("died"))
        assert cleaned.wait(30)


def test_a_source_that_is_silent_is_not_waited_for_long() -> None:
    cleaned = threading.Event()
    with LostPlanes(lambda host: [cleaned.set()][:0], lambda *_: None, patience_s=0.05) as planes:
        planes(3, event("rerouted", source=3, destination=2, relay=1))
        planes(2, event("plane_lost"))
        assert cleaned.wait(30)


def renewed_after(*kinds: str) -> list[tuple[int, str]]:
    """Which agents are renewed when these events come from host 1, and that of its death while it is cleaned."""
    renewed: list[tuple[int, str]] = []
    heard = threading.Event()

    def clean(host: int) -> list[dict[str, Any]]:
        heard.wait(30)
        return []

    with LostPlanes(clean, lambda *_: None, patience_s=0.01) as planes:
        planes.renew_by(lambda *each: renewed.append(each))
        for kind in kinds:
            planes(1, event(kind))
        heard.set()
    return renewed


def test_an_agent_whose_guardian_is_gone_before_all_have_started_is_replaced_then() -> None:
    """Others may take half a minute to start, or not to."""
    renewed: list[tuple[int, str]] = []
    with LostPlanes(lambda host: [], lambda *_: None, patience_s=0.01) as planes:
        for host in (1, 2):
            planes(host, event("plane_lost"))
        planes(2, event("died"))
        while len(planes._owed) < 2:
            time.sleep(0.01)
        planes.renew_by(lambda *each: renewed.append(each))
    assert renewed == [(1, "its guardian is gone, and it starts again with a new one")]


def test_an_agent_without_a_guardian_is_replaced_once_its_host_is_clean() -> None:
    ((host, why),) = renewed_after("plane_lost")
    assert (host, why) == (1, "its guardian is gone, and it starts again with a new one")
    assert renewed_after("plane_lost", "died") == []  # another takes its place already
    assert renewed_after("died") == []


def test_an_agent_whose_host_could_not_be_cleaned_stays_and_the_end_of_all_agents_is_no_trouble() -> None:
    def clean(host: int) -> list[dict[str, Any]]:
        raise HostError("h1: ssh could not reach the host")

    def renew(host: int, why: str) -> None:
        renewed.append(host)
        raise AgentError("the agents were stopped")

    renewed: list[int] = []
    for cleans in (clean, lambda host: []):
        with LostPlanes(cleans, lambda *_: None, patience_s=0.01) as planes:
            planes.renew_by(renew)
            planes(1, event("plane_lost"))
    assert renewed == [1]


@pytest.mark.parametrize("kind", ["plane_lost", "died"])
def test_where_somebody_wants_the_end_a_host_that_does_not_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Also while it is being cleaned. It is told once, by who tells of all that was given up."""
    monkeypatch.setattr(end_limit, "LEAST_S", 0.3)
    here = executor_of(Cluster("c", "local", (Host("here", "127.0.0.1"),)))
    asked, limit = threading.Event(), EndLimit()
    told: list[tuple[int, AgentEvent]] = []
    given_up: list[int] = []

    def clean(host: int) -> list[dict[str, Any]]:
        asked.set()
        run_on(here, "here", ["sleep", "60"], timeout_s=60)
        return []

    def give_up(host: int) -> bool:
        given_up.append(host)
        return True

    with LostPlanes(clean, lambda *each: told.append(each), patience_s=0.01, limit=limit, given_up=give_up) as planes:
        planes(1, event(kind))
        if kind == "plane_lost":
            assert asked.wait(30)
        limit.begin(0.3)
        ends_s = time.monotonic()
    assert time.monotonic() - ends_s < 20
    assert asked.is_set()
    assert (given_up, told) == ([1], [])


def test_ctrl_c_while_hosts_are_cleaned_at_the_end_gives_them_up(monkeypatch: pytest.MonkeyPatch) -> None:
    here = executor_of(Cluster("c", "local", (Host("here", "127.0.0.1"),)))
    asked = threading.Event()
    told: list[tuple[int, AgentEvent]] = []

    def clean(host: int) -> list[dict[str, Any]]:
        asked.set()
        run_on(here, "here", ["sleep", "60"], timeout_s=60)
        return []

    def interrupt(**how: bool) -> None:
        if how:
            return shutdown(**how)
        assert asked.wait(30)
        raise KeyboardInterrupt

    planes = LostPlanes(clean, lambda *each: told.append(each))
    shutdown = planes._pool.shutdown
    monkeypatch.setattr(planes._pool, "shutdown", interrupt)
    begin_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt), planes:
        planes(1, event("died"))
    shutdown()  # as the interpreter's end does
    assert time.monotonic() - begin_s < 20
    ((host, said),) = told
    assert host == 1 and isinstance(said, events.Error)
    assert said.reason.endswith("(`fairlead clean` removes it): here: does not answer, and is not waited for any more")
