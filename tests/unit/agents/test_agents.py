"""AgentGroup against a fake agent: answers, events, failures that name the host, nothing left behind."""

import asyncio
import errno
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairlead.agents import agent as agent_module
from fairlead.agents import agent_thread, urgent_thread
from fairlead.agents import group as groups
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.cluster.remote import awaited, end_limit
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import AgentError, HostError
from fairlead.manage import narrator
from fairlead.protocol import commands
from fairlead.protocol import events as protocol
from fairlead.protocol.enums import CongestionLevel
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import Base, Manage

from ..fake_commands import Die, Echo, Refuse, SayEvent, Silence

MANAGE = Manage(base=Base(age_s=1.0, sizes_B=(), latency_s=[], rate_bps=[]), shares=[])
FAKE = Path(__file__).parent / "fake_agent.py"


@dataclass(frozen=True)
class FakeHost:
    name: str
    address: str
    mode: str
    pid_file: Path


def group_of(directory: Path, *modes: str, **options: Any) -> AgentGroup:
    hosts = [FakeHost(f"h{k}", f"10.0.0.{k + 1}", mode, directory / f"h{k}") for k, mode in enumerate(modes)]

    def command_line(host: FakeHost, argv: list[str]) -> list[str]:
        return [sys.executable, *argv, host.mode, str(host.pid_file)]

    return AgentGroup(hosts, command_line, program=str(FAKE), **{"ports": (47000, 47999), **options})


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # reaped before, or while it was read
        return True
    return state == "Z"


def wait_gone(pid: int, limit_s: float = 5.0) -> bool:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if gone(pid):
            return True
        time.sleep(0.02)
    return False


def run(body: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(body(), 30))


def test_answers_go_to_their_questions(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good", "good") as group:
            questions = [group.command(k % 3, Echo(k)) for k in range(60)]
            assert [reply.value for reply in await asyncio.gather(*questions)] == list(range(60))
            pids = [int((tmp_path / f"h{k}").read_text().split()[0]) for k in range(3)]
            assert pids == [ready.pid for ready in group.ready if ready]
        assert all(gone(pid) for pid in pids)

    run(body)


def test_the_secret_is_common_and_only_on_standard_input(tmp_path: Path) -> None:
    async def body() -> None:
        options = JobOptions(guardian=["sudo", "g"], uid=12, manage={1: MANAGE})
        async with group_of(tmp_path, "good", "good", options=options) as group:
            files = [(tmp_path / f"h{k}").read_text().split("\n", 2) for k in range(2)]
            first, second = (json.loads(lines[1]) for lines in files)
            assert len(bytes.fromhex(first["secret"])) == 32
            assert first["secret"] == second["secret"] and first["job"] == group.job
            assert (first["self"], second["self"]) == (0, 1)
            assert first["hosts"][1] == {"name": "h1", "address": "10.0.0.2", "port": first["hosts"][0]["port"]}
            assert 47000 <= first["hosts"][0]["port"] <= 47999
            assert (first["guardian"], first["uid"]) == (["sudo", "g"], 12)
            assert first["manage"] is None and second["manage"] == MANAGE.to_json()
            assert first["relay"] is None
            assert all(first["secret"] not in lines[2] for lines in files), "arguments and environment can be read"

    run(body)


def test_agents_that_relay_are_told_where_ranks_find_them(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good", options=JobOptions(relay="/dev/shm/r")):
            first = json.loads((tmp_path / "h0").read_text().split("\n", 2)[1])
            assert (first["relay"], first["guardian"]) == ({"directory": "/dev/shm/r"}, None)

    run(body)


def events_of(group: AgentGroup) -> asyncio.Queue[tuple[int, AgentEvent]]:
    events: asyncio.Queue[tuple[int, AgentEvent]] = asyncio.Queue()
    group.on_event(lambda index, event: events.put_nowait((index, event)))
    return events


def test_events_reach_callbacks(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            first, second = events_of(group), events_of(group)
            await group.command(1, SayEvent())
            index, event = first.get_nowait()
            assert index == 1 and isinstance(event, protocol.LevelChanged)
            assert (event.source, event.congestion_level) == (1, CongestionLevel.HIGH)
            assert second.get_nowait() == (index, event)

    run(body)


def test_a_refusal_names_host_and_reason(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            with pytest.raises(AgentError, match=r"h1: `refuse` failed: no such peer"):
                await group.command(1, Refuse())
            assert (await group.command(1, Echo(1))).value == 1

    run(body)


def test_death_fails_what_waits_and_is_told(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            events = events_of(group)
            with pytest.raises(AgentError, match=r"h1: the agent was killed by signal 9: last words"):
                await group.command(1, Die())
            index, event = await asyncio.wait_for(events.get(), 20)
            assert index == 1 and isinstance(event, protocol.Died)
            with pytest.raises(AgentError, match="h1: the agent was killed"):
                await group.command(1, Echo(1))
            assert (await group.command(0, Echo(1))).value == 1

    run(body)


def test_what_is_said_to_a_dead_agent_leaves_no_error_behind(tmp_path: Path) -> None:
    unseen: list[dict[str, Any]] = []

    async def body() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))
        async with group_of(tmp_path, "good", "good") as group:
            pid = int((tmp_path / "h0").read_text().splitlines()[0])
            os.kill(pid, signal.SIGKILL)
            assert wait_gone(pid)  # while nobody here reads: its pipe is found broken by writing
            group._agents[0].say(commands.Lease())
            with pytest.raises(AgentError, match="killed by signal 9"):
                await group.command(0, Echo(1))
        del group
        gc.collect()

    run(body)
    gc.collect()
    assert unseen == []


def test_no_answer_is_an_error_with_the_time(tmp_path: Path) -> None:
    async def body() -> None:
        async with group_of(tmp_path, "good", "good") as group:
            with pytest.raises(AgentError, match=r"h0: the agent did not answer `silence` within 0.1 s"):
                await group.command(0, Silence(), timeout_s=0.1)

    run(body)


def test_nonsense_ends_the_agent(tmp_path: Path) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", "garbage")
        events = events_of(group)  # before it starts: the agent is gone as soon as it is ready
        async with group:
            index, event = await asyncio.wait_for(events.get(), 20)
            assert index == 1 and "h1: the agent sent an invalid message" in event.reason
            assert gone(int((tmp_path / "h1").read_text().split()[0]))

    run(body)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("crash", r"h1: the agent could not be started: it ended with exit code 3: cannot open the device"),
        ("mute", r"h1: the agent was not ready within 4 s: waiting for nothing"),
    ],
)
def test_a_host_that_does_not_start_is_named(tmp_path: Path, mode: str, message: str) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", mode, start_timeout_s=4)  # the good one, too, is a Python that starts
        with pytest.raises(HostError, match=message):
            async with group:
                pass
        for pid in group.pids:
            assert pid is not None and gone(pid)

    # The program that cannot be told apart from a slow host is killed at the end of the wait for it to stop.
    original, groups.STOP_TIMEOUT_S = groups.STOP_TIMEOUT_S, 0.2
    try:
        run(body)
    finally:
        groups.STOP_TIMEOUT_S = original


def test_a_host_that_does_not_even_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its log-in hangs, and what it is to do does not fit into a pipe."""
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 0.2)
    monkeypatch.setattr(agent_module, "_line", lambda message: json.dumps(message).encode() + b" " * 400_000 + b"\n")

    async def body() -> None:
        group = group_of(tmp_path, "good", "deaf", start_timeout_s=4)
        async with asyncio.timeout(20):
            with pytest.raises(HostError, match=r"h1: the agent was not ready within 4 s"):
                async with group:
                    pass
        for pid in group.pids:
            assert pid is not None and gone(pid)

    run(body)


def test_an_agent_has_ended_though_another_process_holds_its_standard_error(tmp_path: Path) -> None:
    async def body() -> None:
        async with asyncio.timeout(10):
            async with group_of(tmp_path, "good", "heir") as group:
                heir = int((tmp_path / "h1.heir").read_text())
        try:
            assert all(pid is not None and gone(pid) for pid in group.pids)
        finally:
            os.kill(heir, signal.SIGKILL)

    run(body)


def test_of_several_hosts_that_do_not_start_the_first_is_told_and_the_others_named(tmp_path: Path) -> None:
    async def body() -> None:
        with pytest.raises(HostError, match=r"^h1: .*: cannot open the device \(also failed: h2, h3\)"):
            async with group_of(tmp_path, "good", "crash", "crash", "crash"):
                pass

    run(body)


def test_who_is_interrupted_does_not_wait_for_an_agent_that_never_spoke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 60.0)
    monkeypatch.setattr(agent_module, "UNREADY_STOP_S", 0.2)

    async def body() -> None:
        group = group_of(tmp_path, "good", "mute", start_timeout_s=60.0)
        entering = asyncio.create_task(group.__aenter__())
        while awaited.silent(0) != ["h1"]:
            await asyncio.sleep(0.05)
        entering.cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(entering, return_exceptions=True)
        for pid in group.pids:
            assert pid is not None and gone(pid)

    run(body)


def test_a_run_goes_on_without_a_host_that_does_not_start(tmp_path: Path) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", "crash", "good", options=JobOptions(revived=True))
        events = events_of(group)
        async with group:
            assert [ready is not None for ready in group.ready] == [True, False, True]
            index, event = events.get_nowait()
            assert (index, event.TYPE) == (1, "not_started")
            assert event.reason.startswith("h1: the agent could not be started: it ended with exit code 3")
            assert narrator.sentence(["h0", "h1"], index, event) == (
                f"the agent of h1 did not start; the run continues without it, and fairlead retries: {event.reason}"
            )
            assert (await group.command(2, Echo(7))).value == 7
            with pytest.raises(HostError, match="h1: the agent could not be started"):
                await group.command(1, Echo(1))

    run(body)


def test_one_host_that_starts_is_no_run(tmp_path: Path) -> None:
    async def body() -> None:
        with pytest.raises(HostError, match="h1: the agent could not be started"):
            async with group_of(tmp_path, "good", "crash", "crash", options=JobOptions(revived=True)):
                pass

    run(body)


def test_not_all_agents_start_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "STARTS_AT_ONCE", 2)
    most = 0

    async def body() -> None:
        nonlocal most
        group = group_of(tmp_path, *["good"] * 5)
        config = group._config

        def started(index: int) -> commands.Config:
            nonlocal most
            most = max(most, sum(agent.pid is not None for agent in group._agents))
            return config(index)

        monkeypatch.setattr(group, "_config", started)
        async with group:
            assert None not in group.ready
        assert most <= 4, "those that are ready, and one more"

    run(body)


def test_a_host_whose_port_is_taken_has_another_and_all_know_it(tmp_path: Path) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", "busy", "good", "busy")
        events = events_of(group)
        async with group:
            assert len(group.ready) == 4
            configs = [json.loads((tmp_path / f"h{k}").read_text().split("\n")[1]) for k in range(4)]
        ports = [host["port"] for host in configs[0]["hosts"]]
        assert all([host["port"] for host in config["hosts"]] == ports for config in configs)
        taken = int((tmp_path / "h1.port").read_text())
        assert ports[0] == ports[2] == taken and ports[1] == ports[3] != taken
        told = [events.get_nowait(), events.get_nowait()]
        assert [(index, event.TYPE, event.taken, event.port) for index, event in told] == [
            (1, "port", (taken,), ports[1]),
            (3, "port", (taken,), ports[3]),
        ]
        assert narrator.sentence(["h0", "h1"], 1, told[0][1]) == (
            f"h1: port {taken} is in use there; its agent listens on {ports[1]}"
        )

    run(body)


def test_only_agents_that_were_told_a_taken_port_are_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that begin later are told the right one at once."""
    monkeypatch.setattr(groups, "STARTS_AT_ONCE", 2)
    start, refused = agent_module.Agent.start, asyncio.Event()

    async def slowly(agent: agent_module.Agent, config: commands.Config, timeout_s: float) -> Any:
        try:
            ready = await start(agent, config, timeout_s)
        except agent_module.PortBusyError:
            refused.set()
            raise
        if agent.index == 0:  # the third host's turn comes when the second one has another port
            await refused.wait()
        return ready

    async def body() -> None:
        group = group_of(tmp_path, "good", "busy", "good", "good", "good", "good")
        monkeypatch.setattr(agent_module.Agent, "start", slowly)
        async with group:
            configs = [json.loads((tmp_path / f"h{k}").read_text().split("\n")[1]) for k in range(6)]
            assert None not in group.ready and all(pid is not None for pid in group.pids)
            assert group._starts == [2, 2, 1, 1, 1, 1]
        ports = [host["port"] for host in configs[0]["hosts"]]
        assert all([host["port"] for host in config["hosts"]] == ports for config in configs)
        assert len({config["secret"] for config in configs}) == 1
        assert [config["boot_id"] - group._first_boot_id for config in configs] == [1, 1, 0, 0, 0, 0]

    run(body)


def test_a_host_that_finds_the_last_port_free_does_not_start_others_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tries one port after the other alone; the others are told the last one."""

    async def body() -> None:
        group = group_of(tmp_path, "good", "busy", "good")
        refused: list[int] = []
        start = agent_module.Agent.start

        async def refuse(agent: agent_module.Agent, config: commands.Config, timeout_s: float) -> Any:
            port = config.hosts[1].port
            if agent.index == 1 and len(refused) < 3:
                refused.append(port)
                await asyncio.sleep(0.2)  # the others are told it meanwhile
                raise agent_module.PortBusyError(f"h1: port {port} is in use")
            return await start(agent, config, timeout_s)

        monkeypatch.setattr(agent_module.Agent, "start", refuse)
        (tmp_path / "h1.port").write_text("none")
        events = events_of(group)
        async with group:
            assert [group._starts[k] for k in range(3)] == [2, 4, 2]
        index, event = events.get_nowait()
        assert (index, event.taken, len(set(refused))) == (1, tuple(refused), 3)

    run(body)


def test_a_host_without_a_free_port_is_named(tmp_path: Path) -> None:
    async def body() -> None:
        group = group_of(tmp_path, "good", "busy", ports=(47000, 47000))
        with pytest.raises(AgentError, match=r"no free port found after 1 attempts in 47000-47000.*h1"):
            async with group:
                pass
        assert all(pid is not None and gone(pid) for pid in group.pids)

    run(body)


def test_one_host_is_no_group(tmp_path: Path) -> None:
    async def body() -> None:
        with pytest.raises(AgentError, match="single host"):
            async with group_of(tmp_path, "good"):
                pass

    run(body)


def test_a_missing_executor_program_names_the_host() -> None:
    async def body() -> None:
        hosts = [FakeHost(f"h{k}", "10.0.0.1", "good", Path("x")) for k in range(2)]
        group = AgentGroup(hosts, lambda host, argv: ["/nonexistent/ssh"], program="x", ports=(47000, 47999))
        with pytest.raises(HostError, match="h0: cannot start the agent"):
            async with group:
                pass

    run(body)


def test_a_long_line_hides_no_reason(tmp_path: Path) -> None:
    """One that is longer than asyncio takes together; it is told as far as it is of use."""

    async def body() -> None:
        with pytest.raises(HostError, match=r"exit code 3: x{500} \| cannot open the device\n"):
            await group_of(tmp_path, "good", "talkative").__aenter__()

    run(body)


def test_what_ignores_every_request_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 0.3)

    async def body() -> None:
        async with group_of(tmp_path, "good", "stubborn") as group:
            pids = [pid for pid in group.pids if pid is not None]
        assert len(pids) == 2 and all(gone(pid) for pid in pids)

    run(body)


def test_where_somebody_wants_the_end_one_that_does_not_answer_has_the_common_time_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "STOP_TIMEOUT_S", 60.0)
    monkeypatch.setattr(end_limit, "LEAST_S", 0.3)
    limit = EndLimit()

    async def body() -> None:
        async with group_of(tmp_path, "good", "stubborn", limit=limit) as group:
            limit.begin(0.3)
            pids = [pid for pid in group.pids if pid is not None]
        assert len(pids) == 2 and all(gone(pid) for pid in pids)

    run(body)
    assert limit.words() == [
        "h1: does not answer, and is not waited for any more: its agent takes back what it did and ends by itself, "
        "10 s after it was cut off"
    ]


def test_ctrl_c_while_agents_start_begins_the_common_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = EndLimit()
    with EventThread(lambda host, event: None) as told:
        agents = AgentThread(lambda: group_of(tmp_path, "good", "mute", start_timeout_s=60.0, limit=limit), told, limit)

        def interrupt() -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(agents._started, "result", interrupt)
        with pytest.raises(KeyboardInterrupt):
            agents.__enter__()
    assert limit.begun


def test_agents_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from pathlib import Path
from tests.unit.agents.test_agents import group_of

async def body():
    async with group_of(Path({str(tmp_path)!r}), "good", "good"):
        print("up", flush=True)
        await asyncio.sleep(60)

asyncio.run(body())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None and supervisor.stdout.readline() == "up\n"
        pids = [int((tmp_path / f"h{k}").read_text().split()[0]) for k in range(2)]
        os.kill(supervisor.pid, signal.SIGKILL)
        assert all(wait_gone(pid) for pid in pids)


def test_two_groups_do_not_disturb_each_other(tmp_path: Path) -> None:
    async def body() -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        async with group_of(tmp_path / "a", "good", "good") as one, group_of(tmp_path / "b", "good", "good") as two:
            assert one.job != two.job
            answers = await asyncio.gather(
                *(group.command(1, Echo(name)) for group, name in ((one, "one"), (two, "two")))
            )
            assert [answer.value for answer in answers] == ["one", "two"]

    run(body)


def test_the_agents_thread_goes_before_others_where_it_may() -> None:
    found: list[int] = []

    def go() -> None:
        urgent_thread.go_first()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    before = os.getpriority(os.PRIO_PROCESS, 0)
    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    assert found == [urgent_thread.NICE if os.geteuid() == 0 else before]
    assert os.getpriority(os.PRIO_PROCESS, threading.main_thread().native_id or 0) == before


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS])
def test_where_it_may_not_it_goes_on(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's filter of system calls may answer with any number."""

    def refuse(*_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "setpriority", refuse)
    urgent_thread.go_first()


def test_an_agents_thread_that_fails_at_once_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("no luck")

    monkeypatch.setattr(agent_thread, "go_first", fail)
    with EventThread(lambda host, event: None) as told, pytest.raises(ValueError, match="no luck"):
        AgentThread(lambda: pytest.fail("it has no loop"), told).__enter__()


def test_a_limit_of_processes_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until Python 3.12, asyncio waits for each process's end in a thread."""

    async def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)

    async def body() -> None:
        with pytest.raises(HostError, match=r"no further thread can be started.*\n.*ulimit -u"):
            await group_of(tmp_path, "good", "good").__aenter__()

    run(body)
