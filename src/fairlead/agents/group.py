"""The agents of one job: one process a host."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

from fairlead import descriptors
from fairlead.agents import revival
from fairlead.agents.agent import STOP_TIMEOUT_S, Agent, AgentHost, EventCallback, PortBusyError
from fairlead.agents.revival import Revival
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.cluster.remote.execute import with_others
from fairlead.errors import AgentError, HostError
from fairlead.protocol import answers, commands, enums, events, numbers
from fairlead.protocol.messages import AgentEvent, AnswerT, Command
from fairlead.protocol.objects import ClockError, Manage, ManagedHost, RelayOptions

START_TIMEOUT_S = 20.0
COMMAND_TIMEOUT_S = 30.0
# Different ports within a job, too: each is exempt from reroutes (native/guardian/protocol/protocol.hpp).
PORT_ATTEMPTS = 8
LEASE_S = numbers.LEASE_S
STARTS_AT_ONCE = 32
"""Agents that are being started at the same time: more would only wait for this machine's processors."""
FEWEST_STARTED = 2
"""Hosts between which there is a path to manage."""
REMAINS = f"its agent takes back what it did and ends by itself, {LEASE_S:g} s after it was cut off"
RENEWALS = 10  # of a lease, before it would run out

HostT = TypeVar("HostT", bound=AgentHost)


@dataclass(frozen=True)
class JobOptions:
    """What all agents of a job are told.

    Attributes:
        guardian: command line of the guardian on the hosts; None: no reroutes.
        uid: whose traffic is rerouted; None: that of the user that the agent runs as on its host.
        manage: by host index, the decision tables of that host; empty: the agents measure on request only.
        rings: directory on the hosts where ranks write the ends of their messages; None: they do not.
        acknowledge: which of them lead to notices where they took long.
        relay: directory on the hosts where ranks find the agent that relays their frames; None: agents relay none.
        clock_test: by host index, an offset and drift put on that agent's clock (tests).
        lease_s: agents that hear nothing for so long take back what they did, and end; None: they wait for ever.
        revived: agents that end are started again, and so are those that a host does not start. Otherwise all start, or
            none.
    """

    guardian: Sequence[str] | None = None
    uid: int | None = None
    manage: Mapping[int, Manage] = field(default_factory=dict)
    rings: str | None = None
    acknowledge: enums.Acknowledge = enums.Acknowledge.WAITED
    relay: str | None = None
    clock_test: Mapping[int, ClockError] = field(default_factory=dict)
    lease_s: float | None = None
    revived: bool = False


class AgentGroup:
    """The agents of one job, as an asynchronous context manager.

    ::

        async with AgentGroup(cluster.hosts, executor.command, ports=(19600, 19699)) as group:
            answer = await group.command(0, commands.Probe(peers=(1,), count=5, interval_s=0.02))

    Events that agents send by themselves go to every callback given to `on_event`; none is kept. An agent that dies is
    told as the event `Died`; commands to it raise. `JobOptions.revived`: see `Revival`; a host that does not start its
    agent is then told as `NotStarted`, and the others begin without it, if they are two or more.
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
        limit: EndLimit | None = None,
    ) -> None:
        """
        Args:
            hosts: hosts of the cluster; their order gives the indices.
            command_line: how to run something on a host (an executor's ``command``).
            program: path of ``fairlead-agent`` on the hosts.
            ports: first and last port (inclusive) that the job may draw its ports from: one that all hosts have, and
                others for hosts on which it is taken.
            options: what the agents are told beyond who they are.
            job: its id, 8 hexadecimal digits; None: one is drawn.
            limit: of the end of which theirs is a part; None: they have their own time.
        """
        self._hosts = list(hosts)
        self._command_line = command_line
        self._program = program
        self._ports = ports
        self._options = options or JobOptions()
        self._start_timeout_s = start_timeout_s
        self._limit = limit or EndLimit()
        self._callbacks: list[EventCallback] = []
        self._agents: list[Agent] = []
        self._drawn: list[int] = []  # by host index, the agents' ports
        self._told: list[tuple[int, ...]] = [()] * len(self._hosts)  # by host index, the ports that its agent knows
        self._secret = ""
        self._first_boot_id = time.time_ns()
        self._starts = [0] * len(self._hosts)
        self._missing: dict[int, HostError] = {}  # by host index, why an agent did not start
        self._revival: Revival | None = None
        self._lease: asyncio.Task[None] | None = None
        self.job = job or secrets.token_hex(4)
        self.ready: list[answers.Ready | None] = []
        """By host index, the agents' first answers; None: it did not start."""

    @staticmethod
    def of_cluster(
        cluster: Cluster,
        program: str,
        options: JobOptions | None = None,
        job: str | None = None,
        limit: EndLimit | None = None,
    ) -> "AgentGroup":
        """The agents on a cluster's managed hosts, which its executor starts."""
        executor = executor_of(cluster)

        def command_line(host: Host, argv: list[str]) -> list[str]:
            return executor.lasting(host.name, argv)

        return AgentGroup(
            cluster.managed_hosts(),
            command_line,
            program=program,
            ports=cluster.ports,
            options=options,
            job=job,
            limit=limit,
        )

    def __len__(self) -> int:
        return len(self._hosts)

    @property
    def pids(self) -> list[int | None]:
        """By host index, the process that the executor started here for the agent."""
        return [agent.pid for agent in self._agents]

    def living(self) -> dict[int, int | None]:
        """Of the hosts, by index, whose agent works (it began and has not ended): as `pids`."""
        return {
            index: agent.pid
            for index, agent in enumerate(self._agents)
            if agent.alive and not (self._revival is not None and self._revival.revives(index))
        }

    def on_event(self, callback: EventCallback) -> None:
        """Have ``callback(host_index, event)`` called for every event."""
        self._callbacks.append(callback)

    async def command(
        self, host_index: int, command: Command[AnswerT], timeout_s: float = COMMAND_TIMEOUT_S
    ) -> AnswerT:
        """Have one agent do something; returns its answer.

        Raises:
            AgentError: it refused, died or did not answer within ``timeout_s``.
        """
        return await self._agents[host_index].command(command, timeout_s)

    async def renew(self, host_index: int, why: str) -> None:
        """End one agent in order, so that it is started again (`JobOptions.revived`); ``why`` is told with its end."""
        if self._revival is not None:
            await self._agents[host_index].end(why, STOP_TIMEOUT_S)

    async def __aenter__(self) -> Self:
        if len(self._hosts) < 2:
            raise AgentError(
                "the cluster has a single host, so there are no paths between hosts to measure or manage",
                hint="add hosts to the cluster file",
            )
        descriptors.make_room(descriptors.OF_A_HOST * len(self._hosts))
        drawn = random.sample(range(self._ports[0], self._ports[1] + 1), k=self._attempts())
        await self._start(drawn)
        for index, missing in self._missing.items():
            self._dispatch(index, events.NotStarted(t_s=time.time(), reason=str(missing.args[0])))
        for index, port in enumerate(self._drawn):
            if taken := tuple(drawn[: drawn.index(port)]):
                self._dispatch(index, events.Port(t_s=time.time(), taken=taken, port=port))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    def _attempts(self) -> int:
        return min(PORT_ATTEMPTS, self._ports[1] - self._ports[0] + 1)

    async def _start(self, ports: Sequence[int]) -> None:
        """Start all agents, each with a port of its own: the first of these that is free on its host."""
        self._drawn, self._secret = [ports[0]] * len(self._hosts), secrets.token_hex(32)
        self._agents = [self._agent(index) for index in range(len(self._hosts))]
        if self._options.revived:
            self._revival = Revival(self._start_again, self._dispatch, revival.PAUSES_S)
        if self._options.lease_s is not None:  # from here on: one that is ready at once may wait long for the others
            self._lease = asyncio.create_task(self._renew(self._options.lease_s / RENEWALS))
        try:
            outcomes = await self._start_each(ports)
            self._missing = {i: each for i, each in enumerate(outcomes) if isinstance(each, HostError)}
            enough = self._options.revived and len(outcomes) - len(self._missing) >= FEWEST_STARTED
            for index, outcome in enumerate(outcomes):
                tolerable = enough and isinstance(outcome, HostError)
                if isinstance(outcome, HostError) and not tolerable:
                    raise with_others(outcome, [self._hosts[each].name for each in self._missing if each != index])
                if isinstance(outcome, BaseException) and not tolerable:
                    raise outcome
            await asyncio.gather(*(self._agents[index].stop(STOP_TIMEOUT_S) for index in self._missing))
        except BaseException:
            await self._stop()
            raise
        self.ready = [outcome if isinstance(outcome, answers.Ready) else None for outcome in outcomes]

    async def _start_each(self, ports: Sequence[int]) -> list[answers.Ready | BaseException]:
        """By host index, an agent's first answer, or why there is none.

        An agent is told all hosts' ports once, when it begins, and takes nothing from others. So those that were told
        one that turned out to be taken are started again; hosts whose turn comes later are told the right one at once.
        """
        turns = asyncio.Semaphore(STARTS_AT_ONCE)
        outcomes: dict[int, answers.Ready | BaseException] = {}

        async def start(index: int) -> answers.Ready:
            async with turns:
                return await self._start_on_free_port(index, ports)

        starting = list(range(len(self._hosts)))
        while starting:
            started = await asyncio.gather(*map(start, starting), return_exceptions=True)
            outcomes.update(zip(starting, started, strict=True))
            if not all(isinstance(each, answers.Ready | HostError) for each in outcomes.values()):
                break
            starting = [
                index for index, each in outcomes.items() if not isinstance(each, HostError) and self._misled(index)
            ]
            await asyncio.gather(*(self._agents[index].stop(STOP_TIMEOUT_S) for index in starting))
            for index in starting:
                self._agents[index] = self._agent(index)
        return [outcomes[index] for index in range(len(self._hosts))]

    async def _start_on_free_port(self, index: int, ports: Sequence[int]) -> answers.Ready:
        while True:
            try:
                return await self._agents[index].start(self._config(index), self._start_timeout_s)
            except PortBusyError as error:
                after = ports.index(self._drawn[index]) + 1
                if after == len(ports):
                    raise AgentError(
                        f"no free port found after {len(ports)} attempts in {self._ports[0]}-{self._ports[1]}; "
                        f"last: {error}",
                        hint="widen the port range of the cluster file",
                    ) from error
                self._drawn[index] = ports[after]  # whoever begins from now on is told that one
                await self._agents[index].stop(STOP_TIMEOUT_S)
                self._agents[index] = self._agent(index)

    def _misled(self, index: int) -> bool:
        """Whether an agent was told another port of some host than that has now, and nobody starts it again."""
        reviving = self._revival is not None and self._revival.revives(index)
        return self._told[index] != tuple(self._drawn) and not reviving

    async def _start_again(self, index: int) -> answers.Ready | None:
        """Another agent for a host, in the place of one that has ended: with the same port, tables and secret.

        Returns:
            Its `ready`, where it was to have a plane.
        """
        self._told[index] = ()
        while self._told[index] != tuple(self._drawn):  # while others still look for a free port
            agent = self._agents[index] = self._agent(index)
            try:
                ready = await agent.start(self._config(index), self._start_timeout_s)
            except BaseException:
                await asyncio.shield(agent.stop(STOP_TIMEOUT_S))
                raise
            if self._told[index] != tuple(self._drawn):
                await asyncio.shield(agent.stop(STOP_TIMEOUT_S))
        planes = self._options.guardian is not None or self._options.relay is not None
        if self.ready:  # else others are still starting for the first time
            self.ready[index] = ready
        return ready if planes else None

    def _agent(self, index: int) -> Agent:
        host = self._hosts[index]
        return Agent(index, host, self._command_line(host, [self._program]), self._dispatch)

    async def _renew(self, period_s: float) -> None:
        while True:
            for agent in self._agents:
                agent.say(commands.Lease())
            await asyncio.sleep(period_s)

    def _config(self, index: int) -> commands.Config:
        """The first line for an agent. Each start of a host's has a boot id of its own, greater than those before."""
        hosts = tuple(
            ManagedHost(name=host.name, address=host.address, port=port)
            for host, port in zip(self._hosts, self._drawn, strict=True)
        )
        self._told[index] = tuple(self._drawn)
        boot_id = self._first_boot_id + self._starts[index]
        self._starts[index] += 1
        options = self._options
        return commands.Config(
            job=self.job,
            secret=self._secret,
            boot_id=boot_id,
            self_=index,
            hosts=hosts,
            guardian=tuple(options.guardian) if options.guardian is not None else None,
            uid=options.uid,
            clock_test=options.clock_test.get(index),
            manage=options.manage.get(index),
            rings=options.rings,
            acknowledge=options.acknowledge if options.rings is not None else None,
            relay=RelayOptions(directory=options.relay) if options.relay is not None else None,
            lease_s=options.lease_s,
        )

    def _dispatch(self, index: int, event: AgentEvent) -> None:
        if isinstance(event, events.Died | events.NotStarted) and self._revival is not None:
            self._revival.died(index)
        for callback in self._callbacks:
            callback(index, event)

    async def _stop(self) -> None:
        # Shielded: a second Ctrl-C must not leave agents behind.
        await asyncio.shield(self._stop_all())

    async def _stop_all(self) -> None:
        if self._revival is not None:
            await self._revival.stop()
        await asyncio.gather(*map(self._stop_one, self._agents))
        if self._lease is not None:  # until now, for what is slow to stop
            self._lease.cancel()

    async def _stop_one(self, agent: Agent) -> None:
        host = agent.host.name
        if not await agent.stop(self._limit.left_s(STOP_TIMEOUT_S, host)):
            self._limit.give_up(host, REMAINS, silent=False)  # it may be stopped, on a host that answers
