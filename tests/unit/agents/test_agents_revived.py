"""Agents that end are started again, and hear from their supervisor whatever else it is busy with."""

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairlead.agents import agent, events, revival
from fairlead.agents import group as groups
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.errors import AgentError, LabError
from fairlead.protocol import answers, commands
from fairlead.protocol import events as protocol
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event
from ..cluster.test_runtime import no_descriptor_free
from ..fake_commands import Die, Echo, SayEvent
from .test_agents import MANAGE, events_of, gone, group_of, run

REVIVED = JobOptions(manage={1: MANAGE}, revived=True)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(revival, "PAUSES_S", (0.05, 0.05, 0.05))
    yield


def config_of(pid_file: Path) -> dict[str, Any]:
    """What the host's agent that was started last was told at its start."""
    config: dict[str, Any] = json.loads(pid_file.read_text().splitlines()[1])
    return config


async def told(queue: "asyncio.Queue[tuple[int, AgentEvent]]", kind: str) -> Any:
    index, event = await asyncio.wait_for(queue.get(), 10)
    assert (index, event.TYPE) == (1, kind), event
    return event


async def die(group: AgentGroup) -> None:
    with pytest.raises(AgentError, match="killed by signal 9"):
        await group.command(1, Die())


def test_an_agent_that_ended_is_started_again_with_what_it_had(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good", options=REVIVED) as group:
            queue = events_of(group)
            first = config_of(tmp_path / "h1")
            for attempt in (1, 2):
                await die(group)
                await told(queue, "died")
                assert (await told(queue, "restarted")).attempt == attempt
                assert (await group.command(1, Echo(7))).value == 7
                again = config_of(tmp_path / "h1")
                assert again["boot_id"] == first["boot_id"] + attempt
                assert again | {"boot_id": 0} == first | {"boot_id": 0}
            pids = [pid for pid in group.pids if pid is not None]
        assert all(gone(pid) for pid in pids)

    run(body)


def test_an_agent_that_is_being_started_again_is_not_among_the_living(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revival, "LATER_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", "mortal", options=REVIVED) as group:
            queue = events_of(group)
            first = group.living()
            assert first == dict(enumerate(group.pids))
            await die(group)
            await told(queue, "died")
            await told(queue, "given_up")
            assert group.living() == {0: first[0]}
            (tmp_path / "h1.cured").touch()
            await told(queue, "restarted")
            await asyncio.sleep(0)
            assert group.living() == dict(enumerate(group.pids)) != first

    run(body)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (LabError("no lab is called x"), "no lab is called x (2 starts)"),
        (RuntimeError("can't start new thread"), 'RuntimeError("can\'t start new thread") (2 starts)'),
    ],
)
def test_an_agent_that_could_not_be_started_for_whatever_reason_is_tried_again(error: Exception, why: str) -> None:
    seen: list[AgentEvent] = []

    async def start(host: int) -> answers.Ready | None:
        if not any(isinstance(event, protocol.GivenUp) for event in seen):
            raise error
        return None

    async def body() -> None:
        revived = revival.Revival(start, lambda host, event: seen.append(event), (0.01, 0.01))
        revived.died(0)
        while revived.revives(0):
            await asyncio.sleep(0.01)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(revival, "LATER_S", 0.01)
        run(body)
    assert [event.TYPE for event in seen] == ["given_up", "restarted"]
    assert isinstance(seen[0], protocol.GivenUp) and seen[0].reason == why


def test_after_a_row_of_starts_it_is_given_up_and_tried_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revival, "LATER_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", "mortal", options=REVIVED) as group:
            queue = events_of(group)
            await die(group)
            await told(queue, "died")
            reason = (await told(queue, "given_up")).reason
            assert reason.endswith("it ended with exit code 3: cannot open the device (3 starts)")
            assert (await group.command(0, Echo(1))).value == 1
            (tmp_path / "h1.cured").touch()
            assert (await told(queue, "restarted")).attempt > 3  # and it was given up once only

    run(body)


def test_one_that_was_steady_has_all_its_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revival, "STEADY_S", 0.0)

    async def body() -> None:
        async with group_of(tmp_path, "good", "good", options=REVIVED) as group:
            queue = events_of(group)
            for _ in range(5):  # more than there are pauses
                await die(group)
                await told(queue, "died")
                assert (await told(queue, "restarted")).attempt == 1

    run(body)


def test_none_is_started_once_the_job_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revival, "PAUSES_S", (60.0,))

    async def body() -> None:
        outside = asyncio.all_tasks()
        async with group_of(tmp_path, "good", "good", options=REVIVED) as group:
            queue = events_of(group)
            await die(group)
            await told(queue, "died")
            waiting = [task for task in asyncio.all_tasks() if "_revive" in repr(task.get_coro())]
            assert len(waiting) == 1  # to start another one
        assert asyncio.all_tasks() == outside

    run(body)


def test_a_lease_is_kept_while_events_are_looked_at_slowly(tmp_path: Path) -> None:
    looked: list[str] = []
    slow = threading.Event()

    def look(_host: int, event: AgentEvent) -> None:
        slow.wait(10)
        looked.append(event.TYPE)

    def make_group() -> AgentGroup:
        return group_of(tmp_path, "good", "good", options=JobOptions(lease_s=0.5))

    with EventThread(look) as told, AgentThread(make_group, told) as agents:
        for _ in range(3):
            agents.command(1, SayEvent())
        time.sleep(1.0)  # nothing was looked at, and this thread waits as for a program
        assert looked == []
        renewed = [float(line) for line in (tmp_path / "h1.leases").read_text().split()]
        slow.set()
    assert config_of(tmp_path / "h1")["lease_s"] == 0.5
    assert len(renewed) >= 5
    assert looked == ["level_changed"] * 3  # at the end all were handed on


def test_what_the_agents_loop_takes_and_never_comes_to_keeps_nobody_waiting(tmp_path: Path) -> None:
    """As when it is being closed: what cleans up after a guardian then would keep the run from its end."""
    agents = AgentThread(lambda: group_of(tmp_path, "good", "good"), EventThread(lambda host, event: None))
    agents._loop = asyncio.new_event_loop()  # it does nothing, and the thread is not there
    said: list[str] = []

    def ask() -> None:
        try:
            agents._do(asyncio.sleep(0))
        except AgentError as error:
            said.append(error.message)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(10)
    assert said == ["the agents were stopped"]
    agents._loop.close()


class SlowLook:
    """Sees events; nothing more after the first one until it is told to go on."""

    def __init__(self) -> None:
        self.seen: list[AgentEvent] = []
        self.first, self.go_on = threading.Event(), threading.Event()

    def __call__(self, _host: int, event: AgentEvent) -> None:
        self.seen.append(event)
        self.first.set()
        self.go_on.wait(10)


@pytest.mark.parametrize("mode", ["good", "stubborn"])
def test_an_agent_is_renewed_on_request_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", mode, options=REVIVED) as group:
            queue = events_of(group)
            first = config_of(tmp_path / "h1")
            pid = int((tmp_path / "h1").read_text().split()[0])
            await group.renew(1, "its guardian is gone")
            assert gone(pid)
            died = await told(queue, "died")
            assert died.reason.startswith("h1: the agent was ended: its guardian is gone")
            assert (await told(queue, "restarted")).attempt == 1
            assert config_of(tmp_path / "h1")["boot_id"] > first["boot_id"]
            assert (await group.command(1, Echo("x"))).value == "x"

    run(body)


def test_an_agent_that_is_started_again_while_others_look_for_ports_knows_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", "good", options=JobOptions(revived=True))
        async with group:
            start, told = agent.Agent.start, []

            async def move(one: agent.Agent, config: Any, timeout_s: float) -> Any:
                told.append(config.hosts[0].port)
                ready = await start(one, config, timeout_s)
                group._drawn[0] = told[0] + 1
                return ready

            await group._agents[1].stop(1.0)
            monkeypatch.setattr(agent.Agent, "start", move)
            await group._start_again(1)
            assert told == [told[0], told[0] + 1]
            assert group._agents[1].alive

    run(body)


def test_an_agent_that_nobody_starts_again_is_not_ended(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            await group.renew(1, "its guardian is gone")
            assert (await group.command(1, Echo("x"))).value == "x"

    run(body)


def test_events_without_end_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_WAITING", 3)
    look = SlowLook()
    with EventThread(look) as thread:
        thread.put(0, event("died", reason="a"))
        assert look.first.wait(10)
        for _ in range(5):
            thread.put(0, event("died", reason="b"))
        look.go_on.set()
        while len(look.seen) < 4:
            time.sleep(0.01)
        thread.put(0, event("died", reason="c"))
    reasons = [each.reason for each in look.seen]
    assert [*reasons[:4], reasons[5]] == ["a", "b", "b", "b", "c"]
    assert look.seen[4].TYPE == "error" and reasons[4].startswith("2 events were left out")


def test_events_left_out_at_the_end_are_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_WAITING", 1)
    look = SlowLook()
    with EventThread(look) as thread:
        thread.put(0, event("died", reason="a"))
        assert look.first.wait(10)
        for _ in range(3):
            thread.put(1, event("died", reason="b"))
        threading.Timer(0.1, look.go_on.set).start()
    assert [each.reason for each in look.seen[:2]] == ["a", "b"]
    assert look.seen[2].TYPE == "error" and look.seen[2].reason.startswith("2 events were left out")


def test_an_error_in_who_looks_at_events_is_told_once_and_events_go_on(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[AgentEvent] = []

    def look(_host: int, said: AgentEvent) -> None:
        if said.reason == "b":
            raise KeyError("nothing")
        seen.append(said)

    with EventThread(look) as thread:
        for kind in "abbc":
            thread.put(0, event("died", reason=kind))
    assert [each.reason for each in seen] == ["a", "c"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [KeyError]


LONG = Echo("x" * 200_000)  # does not fit into a pipe


def test_an_agent_that_reads_nothing_is_given_up_in_time_and_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            pid = int((tmp_path / "h1").read_text().split()[0])
            os.kill(pid, signal.SIGSTOP)
            with pytest.raises(AgentError, match=r"did not answer `echo` within 0\.2 s"):
                await group.command(1, LONG, 0.2)
        assert gone(pid)

    run(body)


def test_leases_of_an_agent_that_reads_nothing_do_not_pile_up(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            pid = int((tmp_path / "h1").read_text().split()[0])
            os.kill(pid, signal.SIGSTOP)
            spoken_to = group._agents[1]
            for _ in range(20_000):
                spoken_to.say(commands.Lease())
            assert spoken_to._process is not None and spoken_to._process.stdin is not None
            assert spoken_to._process.stdin.transport.get_write_buffer_size() < 2 * agent.UNREAD_B
            os.kill(pid, signal.SIGCONT)

    run(body)


def test_an_agent_is_killed_where_no_descriptor_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", "stubborn") as group:
            pid = int((tmp_path / "h1").read_text().split()[0])
            with no_descriptor_free():
                await group._stop()
        assert gone(pid)

    run(body)
