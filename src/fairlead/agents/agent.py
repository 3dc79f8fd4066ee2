"""One agent: its process, started through the executor and spoken to in JSON lines.

The protocol is docs/reference/agent-protocol.md; its messages are in `fairlead.protocol`. An agent lives as long as its
standard input: when this process dies in any way the pipe closes, and the agent withdraws what it did and ends.
"""

import asyncio
import json
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol, cast

from fairlead import threads
from fairlead.cluster.remote import awaited, executed
from fairlead.errors import AgentError, HostError, reason_of
from fairlead.protocol import answers, commands, events, numbers, reading
from fairlead.protocol.messages import AgentEvent, Answer, AnswerT, Command, Order
from fairlead.runtime import Process, child_runs

EventCallback = Callable[[int, AgentEvent], None]

STOP_TIMEOUT_S = 5.0
UNREADY_STOP_S = 1.0  # for one that has not said yet that it is ready: most often its host is not reached
LAST_WORDS_S = 1.0  # for which the standard error of one that has ended is read on, where another holds it open
STDERR_LINES = 8
STDERR_LINE = 500  # characters of each
UNREAD_B = 1 << 10  # of what is written and does not fit into the pipe; then nothing is added that has no answer


class AgentHost(Protocol):
    """What the group needs to know of a host."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> str: ...


class PortBusyError(AgentError):
    """The port drawn for this host is taken there; another one will do."""


class Agent:
    """One agent process: commands and their answers, events, its end."""

    def __init__(self, index: int, host: AgentHost, argv: Sequence[str], on_event: EventCallback) -> None:
        self.index = index
        self.host = host
        self._argv = list(argv)
        self._on_event = on_event
        self._process: asyncio.subprocess.Process | None = None
        self._noted: Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._waiting: dict[int, tuple[type[Answer], asyncio.Future[Answer]]] = {}  # by the command's id
        self._ready: asyncio.Future[answers.Ready] | None = None
        self._errors: asyncio.StreamReader | None = None
        self._errors_pipe: asyncio.ReadTransport | None = None
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._next_id = 1
        self._stopping = False
        self._ended_for: str | None = None

    @property
    def pid(self) -> int | None:
        """Process id of what the executor started here (on a remote host: of its local end)."""
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self, config: commands.Config, timeout_s: float) -> answers.Ready:
        """Start the process, hand it ``config`` and wait for its `ready`, which is returned.

        Raises:
            HostError: the host could not be reached or could not start the program.
            AgentError: the agent said why it cannot work, or said nothing in time.
            PortBusyError: its port is taken.
        """
        self._ready = asyncio.get_running_loop().create_future()
        executed.tell(self._argv)
        try:
            stderr = await self._open_stderr()
            try:
                # A session of its own: Ctrl-C is for the supervisor, which stops the agents in order.
                self._process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=stderr,
                    limit=numbers.ANSWER_LINE_B,
                    start_new_session=True,
                )
            finally:
                os.close(stderr)
        except (OSError, RuntimeError) as error:
            if self._errors_pipe is not None:
                self._errors_pipe.close()
            if threads.refused(error):  # asyncio waits for a process's end in a thread
                raise threads.no_thread() from error
            if not isinstance(error, OSError):
                raise
            raise HostError(f"{self.host.name}: cannot start the agent: {reason_of(error)}", hint=_DOCTOR) from error
        with suppress(OSError):  # it has ended, or no descriptor is free
            self._noted = Process.of(self._process.pid)
        self._tasks = [asyncio.create_task(self._read_stderr()), asyncio.create_task(self._read_stdout())]
        try:
            with awaited.awaited(self.host.name):
                async with asyncio.timeout(timeout_s):  # of both: a log-in that hangs does not empty its pipe
                    with suppress(AgentError, HostError):  # it ended early: `_ready` will tell why
                        await self._write(config.to_json())
                    return await asyncio.shield(self._ready)
        except TimeoutError as error:
            raise HostError(
                f"{self.host.name}: the agent was not ready within {timeout_s:g} s{self._stderr_tail()}", hint=_DOCTOR
            ) from error

    async def _open_stderr(self) -> int:
        """The end of a pipe to write to. The other is read, and can be closed while somebody holds this one open."""
        reading, writing = os.pipe()
        errors = self._errors = asyncio.StreamReader()
        self._errors_pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(errors), os.fdopen(reading, "rb", buffering=0)
        )
        return writing

    async def command(self, command: Command[AnswerT], timeout_s: float) -> AnswerT:
        """Send a command and wait for the answer with its id.

        Raises:
            AgentError: the agent refused, died, or did not answer in time.
        """
        if not self.alive or self._stopping:
            raise self._death()
        identity, self._next_id = self._next_id, self._next_id + 1
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[identity] = command.ANSWER, answer
        try:
            async with asyncio.timeout(timeout_s):  # of both: a stopped agent does not empty its pipe
                await self._write({**command.to_json(), "id": identity})
                reply = await answer
        except TimeoutError as error:
            raise AgentError(
                f"{self.host.name}: the agent did not answer `{command.TYPE}` within {timeout_s:g} s"
                f"{self._stderr_tail()}",
                hint="the host may be overloaded or cut off; " + _DOCTOR,
            ) from error
        finally:
            self._waiting.pop(identity, None)
        if isinstance(reply, answers.Failed):
            raise AgentError(f"{self.host.name}: `{command.TYPE}` failed: {reply.reason}")
        return cast(AnswerT, reply)

    def say(self, order: Order) -> None:
        """Write something that has no answer; nothing happens if the agent has ended or does not read."""
        if not self.alive or self._stopping:
            return
        assert self._process is not None and self._process.stdin is not None
        pipe = self._process.stdin
        if not pipe.is_closing() and pipe.transport.get_write_buffer_size() < UNREAD_B:
            pipe.write(_line(order.to_json()))

    async def stop(self, timeout_s: float) -> bool:
        """End the agent: asked first, by end of input next, by signal in the end. Never raises for a dead agent.

        Returns:
            Whether it has ended; False: it did not answer, and what stood for it here was killed.
        """
        self._stopping = True
        if self._process is None:
            return True
        assert self._process.stdin is not None and self._ready is not None
        if not self._ready.done():
            timeout_s = min(timeout_s, UNREADY_STOP_S)
        try:
            async with asyncio.timeout(timeout_s):
                with suppress(AgentError, HostError):
                    await self._write(commands.Stop().to_json())
                self._process.stdin.close()
                await self._process.wait()
            answered = True
        except TimeoutError:
            answered = False
            await self._kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return answered

    async def end(self, why: str, timeout_s: float) -> None:
        """End it so that another takes its place: told as its death, of which ``why`` is the reason."""
        if not self.alive or self._stopping:
            return
        assert self._process is not None and self._process.stdin is not None
        self._ended_for = why
        self._process.stdin.close()
        try:
            async with asyncio.timeout(timeout_s):
                await self._process.wait()
        except TimeoutError:
            await self._kill()

    async def _kill(self) -> None:
        # The executor's program may have children (nsenter --fork): they are all in the session started above.
        # As long as its first process lives, the number means this session.
        assert self._process is not None
        with suppress(OSError):  # it is gone
            if self._noted.is_alive() if self._noted else child_runs(self._process.pid):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _write(self, message: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(_line(message))
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            await self._process.wait()
            await asyncio.wait(self._tasks)  # not gathered: a time-out here must not end them
            raise self._death() from error

    async def _read_stdout(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        problem: AgentError | None = None
        try:
            async for line in self._process.stdout:
                self._dispatch(line)
        except (ValueError, KeyError, TypeError) as error:
            problem = AgentError(f"{self.host.name}: the agent sent an invalid message: {error}")
            await self._kill()
        await self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(BrokenPipeError, ConnectionResetError):  # else asyncio tells it as an error that nobody saw
            await self._process.stdin.wait_closed()
        assert self._errors_pipe is not None
        await asyncio.wait(self._tasks[:1], timeout=LAST_WORDS_S)
        self._errors_pipe.close()  # a guardian that is stopped holds its other end open
        await asyncio.wait(self._tasks[:1])
        self._finish(problem or self._death())

    def _dispatch(self, line: bytes) -> None:
        message = json.loads(line)
        kind: str = message["type"]
        assert self._ready is not None
        if "id" in message:
            self._answer(kind, message)
        elif self._ready.done():
            if kind != answers.Stopped.TYPE:
                self._on_event(self.index, reading.event_of(kind, message))
        elif kind == answers.Ready.TYPE:
            self._ready.set_result(answers.Ready.read(reading.line_fields(message, kind)))
        elif kind == answers.Error.TYPE:
            self._ready.set_exception(self._refusal(answers.Error.read(reading.line_fields(message, kind)).reason))
        else:
            self._on_event(self.index, reading.event_of(kind, message))

    def _answer(self, kind: str, message: dict[str, Any]) -> None:
        wanted, answer = self._waiting.get(message["id"], (None, None))
        if wanted is None or answer is None or answer.done():  # nobody waits for it any more
            return
        if kind not in (wanted.TYPE, answers.Failed.TYPE):
            raise ValueError(f"it answers {kind!r}, and was asked for {wanted.TYPE!r}")
        answer.set_result(reading.answer_of(wanted if kind == wanted.TYPE else answers.Failed, message))

    def _refusal(self, reason: str) -> AgentError:
        text = f"{self.host.name}: the agent cannot work: {reason}"
        if "in use" in reason:
            return PortBusyError(text)
        return AgentError(text, hint=_DOCTOR)

    def _finish(self, problem: AgentError | HostError) -> None:
        assert self._ready is not None
        waiting: list[asyncio.Future[Any]] = [self._ready, *(answer for _, answer in self._waiting.values())]
        for future in waiting:
            if not future.done():
                future.set_exception(problem)
                future.exception()  # looked at here: nobody may be waiting for it any more
        if not self._stopping and self._ready.exception() is None:
            self._on_event(self.index, events.Died(reason=str(problem)))

    def _death(self) -> AgentError | HostError:
        """The error that tells how the agent ended. Before `ready` it is the host that did not start it."""
        code = self._process.returncode if self._process else None
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
        if self._ended_for is not None:
            how = f"was ended: {self._ended_for}"
        was_ready = self._ready is not None and self._ready.done() and self._ready.exception() is None
        if was_ready:
            return AgentError(f"{self.host.name}: the agent {how}{self._stderr_tail()}", hint=_DOCTOR)
        return HostError(
            f"{self.host.name}: the agent could not be started: it {how}{self._stderr_tail()}", hint=_DOCTOR
        )

    async def _read_stderr(self) -> None:
        assert self._errors is not None
        goes_on = False  # a line of which the beginning is kept
        while part := await _line_or_part(self._errors):
            text = part.decode(errors="replace").strip()
            if text and not goes_on:
                self._stderr.append(text[:STDERR_LINE])
            goes_on = not part.endswith(b"\n")

    def _stderr_tail(self) -> str:
        return ": " + " | ".join(self._stderr) if self._stderr else ""


async def _line_or_part(reader: asyncio.StreamReader) -> bytes:
    """The next line, or as much of it as the reader takes together; nothing at the end."""
    try:
        return await reader.readuntil()
    except asyncio.IncompleteReadError as end:
        return end.partial
    except asyncio.LimitOverrunError as long:
        return await reader.readexactly(long.consumed)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


_DOCTOR = "`fairlead doctor CLUSTER` shows what is wrong with a host"
