"""The agents of a run, kept in a thread of their own while the main thread waits for the program.

The main thread must stay free for the program: signals reach it there, and its exit code is the run's. The agents'
thread must not wait for anything either, or their lease runs out: who looks at their events has a thread of his own.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from typing import Any, Self, TypeVar

from fairlead import threads
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup
from fairlead.agents.urgent_thread import go_first
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import AgentError, FairleadError
from fairlead.protocol.messages import AnswerT, Command

LOOK_S = 0.5  # whether the agents' thread still lives, for who waits for an answer of it

Result = TypeVar("Result")


class AgentThread:
    """Starts an `AgentGroup` in a thread, hands its events on, and stops it. A context manager.

    Args:
        make_group: makes the group; called in the thread, for it belongs to that thread's event loop.
        told: takes the agents' events; it has begun, and goes on when the agents have ended.
        limit: of the end of which theirs is a part; Ctrl-C while they start begins it.
    """

    def __init__(self, make_group: Callable[[], AgentGroup], told: EventThread, limit: EndLimit | None = None) -> None:
        self._make_group = make_group
        self._told = told
        self._limit = limit or EndLimit()
        self._started: Future[AgentGroup] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._unwanted = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="agents", daemon=True)

    def __enter__(self) -> Self:
        """Returns when every agent is ready.

        Raises:
            AgentError, HostError: one could not be started; none is left.
        """
        threads.start(self._thread)
        try:
            with self._limit.begun_by_interrupts():
                self.group = self._started.result()
        except BaseException:
            self.stop()
            self._told.drain()  # as at the end: also what was held back
            raise
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self.stop()
        self._told.drain()  # who comes next has heard all that they said
        if self._failure is not None and error is None:
            raise AgentError(f"the agents could not be stopped cleanly: {self._failure}") from self._failure

    def stop(self) -> None:
        """Stop the agents, from any thread, and wait until they have taken back what they did. Commands raise then."""
        self.begin_stop()
        self._thread.join()

    def begin_stop(self) -> None:
        """The same without waiting: commands raise once the agent that they are for has ended, or was given up."""
        self._unwanted = True  # before the loop is looked at: a thread that has none yet will see it
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # it was closed just now
                self._loop.call_soon_threadsafe(self._stop.set)

    def command(self, host_index: int, command: Command[AnswerT], timeout_s: float = 10.0) -> AnswerT:
        """Have one agent do something, from any thread; returns its answer.

        Raises:
            AgentError: it refused, died or did not answer in time.
        """
        return self._do(self.group.command(host_index, command, timeout_s))

    def renew(self, host_index: int, why: str) -> None:
        """See `AgentGroup.renew`.

        Raises:
            AgentError: the agents were stopped.
        """
        self._do(self.group.renew(host_index, why))

    def living(self) -> dict[int, int | None]:
        """See `AgentGroup.living`."""
        return self.group.living()

    def command_each(
        self, commands: Mapping[int, Command[AnswerT]], timeout_s: float = 10.0
    ) -> dict[int, AnswerT | BaseException]:
        """As `command`, of several agents at the same time, by host index; errors are among the answers."""

        async def ask_all() -> list[AnswerT | BaseException]:
            asked = (self.group.command(host, each, timeout_s) for host, each in commands.items())
            return await asyncio.gather(*asked, return_exceptions=True)

        return dict(zip(commands, self._do(ask_all()), strict=True))

    def _do(self, what: Coroutine[Any, Any, Result]) -> Result:
        """Done in the agents' thread, from any other."""
        assert self._loop is not None
        try:
            answer = asyncio.run_coroutine_threadsafe(what, self._loop)
            lives = True
            while lives and wait((answer,), LOOK_S).not_done:
                lives = self._thread.is_alive()
            if not answer.done():  # the loop took it while it was being closed, and never comes to it
                raise CancelledError
            return answer.result()
        except (RuntimeError, CancelledError) as error:  # the loop is closed, or was while this was under way
            what.close()
            raise AgentError("the agents were stopped") from error

    def _main(self) -> None:
        try:
            go_first()
            asyncio.run(self._live())
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            if self._started.done():
                self._failure = error
            else:
                self._started.set_exception(error)

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        if self._unwanted:
            self._stop.set()
        group = self._make_group()
        group.on_event(self._told.put)
        entering = asyncio.create_task(group.__aenter__())
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({entering, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not entering.done():  # interrupted while the agents start
            entering.cancel()
            await asyncio.gather(entering, return_exceptions=True)
            raise FairleadError("interrupted while the agents were starting")
        await entering
        try:
            self._started.set_result(group)
            await stopping
        finally:
            await group.__aexit__(None, None, None)
