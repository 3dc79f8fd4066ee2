"""The agents of one job: one process a host, started through the executor, spoken to in JSON lines.

The protocol is docs/design.md, "The agent". An agent lives as long as its standard input: when this process dies in
any way the pipe closes, and the agent withdraws what it did and ends.
"""

import asyncio
import json
import os
import random
import secrets
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from fairlead.errors import AgentError, HostError

Message = dict[str, Any]
EventCallback = Callable[[int, Message], None]

START_TIMEOUT_S = 20.0
COMMAND_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 5.0
PORT_ATTEMPTS = 8
LINE_LIMIT_B = 1 << 26
STDERR_LINES = 8


class Host(Protocol):
    """What the group needs to know of a host."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> str: ...


HostT = TypeVar("HostT", bound=Host)


@dataclass(frozen=True)
class JobOptions:
    """What all agents of a job are told.

    Attributes:
        guardian: command line of the guardian on the hosts; None: no moves.
        uid: whose traffic is moved; None: that of the user that the agent runs as on its host.
        manage: by host index, the decision tables of that host; empty: the agents measure on request only.
        rings: directory on the hosts where ranks write the ends of their messages; None: they do not.
        clock_test: by host index, an offset and drift put on that agent's clock (tests).
    """

    guardian: Sequence[str] | None = None
    uid: int | None = None
    manage: Mapping[int, Message] = field(default_factory=dict)
    rings: str | None = None
    clock_test: Mapping[int, Message] = field(default_factory=dict)


class PortBusyError(AgentError):
    """The port drawn for the job is taken on a host; another one will do."""


class Agent:
    """One agent process: commands and their answers, events, its end."""

    def __init__(self, index: int, host: Host, argv: Sequence[str], on_event: EventCallback) -> None:
        self.index = index
        self.host = host
        self._argv = list(argv)
        self._on_event = on_event
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._ready: asyncio.Future[Message] | None = None
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._next_id = 1
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """Process id of what the executor started here (on a remote host: of its local end)."""
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self, config: Message, timeout_s: float) -> Message:
        """Start the process, hand it ``config`` and wait for its `ready`, which is returned.

        Raises:
            HostError: the host could not be reached or could not start the program.
            AgentError: the agent said why it cannot work, or said nothing in time.
            PortBusyError: its port is taken.
        """
        self._ready = asyncio.get_running_loop().create_future()
        try:
            # A session of its own: Ctrl-C is for the supervisor, which stops the agents in order.
            self._process = await asyncio.create_subprocess_exec(
                *self._argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LINE_LIMIT_B,
                start_new_session=True,
            )
        except OSError as error:
            raise HostError(f"{self.host.name}: cannot start the agent: {error}", hint=_DOCTOR) from error
        self._tasks = [asyncio.create_task(self._read_stderr()), asyncio.create_task(self._read_stdout())]
        with suppress(AgentError, HostError):  # it ended early: `_ready` will tell why
            await self._write(config)
        try:
            return await asyncio.wait_for(asyncio.shield(self._ready), timeout_s)
        except TimeoutError as error:
            raise HostError(
                f"{self.host.name}: the agent was not ready within {timeout_s:g} s{self._stderr_tail()}", hint=_DOCTOR
            ) from error

    async def command(self, message: Message, timeout_s: float) -> Message:
        """Send a command and wait for the answer with its id.

        Raises:
            AgentError: the agent refused, died, or did not answer in time.
        """
        if not self.alive or self._stopping:
            raise self._death()
        identity, self._next_id = self._next_id, self._next_id + 1
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._answers[identity] = answer
        try:
            await self._write({**message, "id": identity})
            reply = await asyncio.wait_for(answer, timeout_s)
        except TimeoutError as error:
            raise AgentError(
                f"{self.host.name}: the agent did not answer `{message['type']}` within {timeout_s:g} s"
                f"{self._stderr_tail()}",
                hint="the host may be overloaded or cut off; " + _DOCTOR,
            ) from error
        finally:
            self._answers.pop(identity, None)
        if reply["type"] == "failed":
            raise AgentError(f"{self.host.name}: `{message['type']}` failed: {reply.get('reason', 'no reason given')}")
        return reply

    async def stop(self, timeout_s: float) -> None:
        """End the agent: asked first, by end of input next, by signal in the end. Never raises for a dead agent."""
        self._stopping = True
        if self._process is None:
            return
        with suppress(AgentError, HostError):
            await self._write({"type": "stop", "id": 0})
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), timeout_s)
        except TimeoutError:
            await self._kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _kill(self) -> None:
        # The executor's program may have children (nsenter --fork): they are all in the session started above.
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _write(self, message: Message) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            await self._process.wait()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            raise self._death() from error

    async def _read_stdout(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        problem: AgentError | None = None
        try:
            async for line in self._process.stdout:
                self._dispatch(line)
        except (ValueError, KeyError, TypeError) as error:
            problem = AgentError(f"{self.host.name}: the agent said something that is not its protocol: {error}")
            await self._kill()
        await self._process.wait()
        await asyncio.gather(self._tasks[0], return_exceptions=True)
        self._finish(problem or self._death())

    def _dispatch(self, line: bytes) -> None:
        message: Message = json.loads(line)
        kind: str = message["type"]
        assert self._ready is not None
        if kind in ("ready", "error") and not self._ready.done():
            if kind == "ready":
                self._ready.set_result(message)
            else:
                self._ready.set_exception(self._refusal(str(message.get("reason", "no reason given"))))
        elif "id" in message:
            answer = self._answers.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message)
        elif kind != "stopped":
            self._on_event(self.index, message)

    def _refusal(self, reason: str) -> AgentError:
        text = f"{self.host.name}: the agent cannot work: {reason}"
        if "in use" in reason:
            return PortBusyError(text)
        return AgentError(text, hint=_DOCTOR)

    def _finish(self, problem: AgentError | HostError) -> None:
        assert self._ready is not None
        waiting = [self._ready, *self._answers.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(problem)
                future.exception()  # looked at here: nobody may be waiting for it any more
        if not self._stopping and self._ready.exception() is None:
            self._on_event(self.index, {"type": "died", "reason": str(problem)})

    def _death(self) -> AgentError | HostError:
        """The error that tells how the agent ended. Before `ready` it is the host that did not start it."""
        code = self._process.returncode if self._process else None
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        was_ready = self._ready is not None and self._ready.done() and self._ready.exception() is None
        if was_ready:
            return AgentError(f"{self.host.name}: the agent {how}{self._stderr_tail()}", hint=_DOCTOR)
        return HostError(
            f"{self.host.name}: the agent could not be started: it {how}{self._stderr_tail()}", hint=_DOCTOR
        )

    async def _read_stderr(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        async for line in self._process.stderr:
            text = line.decode(errors="replace").strip()
            if text:
                self._stderr.append(text)

    def _stderr_tail(self) -> str:
        return ": " + " | ".join(self._stderr) if self._stderr else ""


_DOCTOR = "`fairlead doctor CLUSTER` says what is wrong with a host"


class AgentGroup:
    """The agents of one job, as an asynchronous context manager.

    ::

        async with AgentGroup(cluster.hosts, executor.command, ports=(47000, 47999)) as group:
            answer = await group.command(0, {"type": "probe", "peers": [1], "count": 5, "interval_s": 0.02})

    Events that agents send by themselves go to every callback given to `on_event`; none is kept. An agent that dies is
    told as the event ``{"type": "died", "reason": ...}``; commands to it raise.
    """

    def __init__(
        self,
        hosts: Sequence[HostT],
        command_line: Callable[[HostT, list[str]], Sequence[str]],
        *,
        program: str,
        ports: tuple[int, int],
        options: JobOptions | None = None,
        job: str | None = None,
        start_timeout_s: float = START_TIMEOUT_S,
    ) -> None:
        """
        Args:
            hosts: hosts of the cluster; their order gives the indices.
            command_line: how to run something on a host (an executor's ``command``).
            program: path of ``fairlead-agent`` on the hosts.
            ports: first and last port (inclusive) that the job may draw its port from.
            options: what the agents are told beyond who they are.
            job: its id, 8 hexadecimal digits; None: one is drawn.
        """
        self._hosts = list(hosts)
        self._command_line = command_line
        self._program = program
        self._ports = ports
        self._options = options or JobOptions()
        self._start_timeout_s = start_timeout_s
        self._callbacks: list[EventCallback] = []
        self._agents: list[Agent] = []
        self.job = job or secrets.token_hex(4)
        self.ready: list[Message] = []

    def __len__(self) -> int:
        return len(self._hosts)

    @property
    def pids(self) -> list[int | None]:
        """By host index, the process that the executor started here for the agent."""
        return [agent.pid for agent in self._agents]

    def on_event(self, callback: EventCallback) -> None:
        """Have ``callback(host_index, event)`` called for every event."""
        self._callbacks.append(callback)

    async def command(self, host_index: int, message: Message, timeout_s: float = COMMAND_TIMEOUT_S) -> Message:
        """Have one agent do something; returns its answer.

        Raises:
            AgentError: it refused, died or did not answer within ``timeout_s``.
        """
        return await self._agents[host_index].command(message, timeout_s)

    async def __aenter__(self) -> Self:
        if len(self._hosts) < 2:
            raise AgentError(
                "the cluster has a single host, so there are no paths between hosts to measure or manage",
                hint="add hosts to the cluster file",
            )
        drawn = random.sample(range(self._ports[0], self._ports[1] + 1), k=self._attempts())
        for port in drawn:
            try:
                await self._start(port)
            except PortBusyError as error:
                busy = error
                await self._stop()
                continue
            except BaseException:
                await self._stop()
                raise
            return self
        raise AgentError(
            f"no free port found after {len(drawn)} attempts in {self._ports[0]}-{self._ports[1]}; last: {busy}",
            hint="widen the port range of the cluster file",
        )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    def _attempts(self) -> int:
        return min(PORT_ATTEMPTS, self._ports[1] - self._ports[0] + 1)

    async def _start(self, port: int) -> None:
        secret = secrets.token_hex(32)
        self._agents = [
            Agent(index, host, self._command_line(host, [self._program]), self._dispatch)
            for index, host in enumerate(self._hosts)
        ]
        starts = [agent.start(self._config(agent.index, port, secret), self._start_timeout_s) for agent in self._agents]
        outcomes = await asyncio.gather(*starts, return_exceptions=True)
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if failures:
            raise next((each for each in failures if not isinstance(each, PortBusyError)), failures[0])
        self.ready = [outcome for outcome in outcomes if isinstance(outcome, dict)]

    def _config(self, index: int, port: int, secret: str) -> Message:
        hosts = [{"name": host.name, "address": host.address, "port": port} for host in self._hosts]
        options = self._options
        return {
            "type": "config",
            "job": self.job,
            "secret": secret,
            "self": index,
            "hosts": hosts,
            "guardian": list(options.guardian) if options.guardian is not None else None,
            "uid": options.uid,
            "clock_test": options.clock_test.get(index, {"offset_s": 0.0, "drift": 0.0}),
            "manage": options.manage.get(index),
            "rings": options.rings,
        }

    def _dispatch(self, index: int, event: Message) -> None:
        for callback in self._callbacks:
            callback(index, event)

    async def _stop(self) -> None:
        # Shielded: a second Ctrl-C must not leave agents behind.
        await asyncio.shield(asyncio.gather(*(agent.stop(STOP_TIMEOUT_S) for agent in self._agents)))
