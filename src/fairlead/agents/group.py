"""The agents of one job: one process a host. All are there, or none."""

import asyncio
import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeVar

from fairlead.agents.agent import STOP_TIMEOUT_S, Agent, EventCallback, Host, Message, PortBusyError
from fairlead.errors import AgentError

START_TIMEOUT_S = 20.0
COMMAND_TIMEOUT_S = 30.0
PORT_ATTEMPTS = 8

HostT = TypeVar("HostT", bound=Host)


@dataclass(frozen=True)
class JobOptions:
    """What all agents of a job are told.

    Attributes:
        guardian: command line of the guardian on the hosts; None: no moves.
        uid: whose traffic is moved; None: that of the user that the agent runs as on its host.
        manage: by host index, the decision tables of that host; empty: the agents measure on request only.
        rings: directory on the hosts where ranks write the ends of their messages; None: they do not.
        relay: directory on the hosts where ranks find the agent that relays their frames; None: agents relay none.
        clock_test: by host index, an offset and drift put on that agent's clock (tests).
    """

    guardian: Sequence[str] | None = None
    uid: int | None = None
    manage: Mapping[int, Message] = field(default_factory=dict)
    rings: str | None = None
    relay: str | None = None
    clock_test: Mapping[int, Message] = field(default_factory=dict)


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
            "relay": {"directory": options.relay} if options.relay is not None else None,
        }

    def _dispatch(self, index: int, event: Message) -> None:
        for callback in self._callbacks:
            callback(index, event)

    async def _stop(self) -> None:
        # Shielded: a second Ctrl-C must not leave agents behind.
        await asyncio.shield(asyncio.gather(*(agent.stop(STOP_TIMEOUT_S) for agent in self._agents)))
