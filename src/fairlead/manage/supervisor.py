"""Supervises one run: agents first, then the program, then the agents' orderly end.

The program is started by the caller's function in the main thread, so that signals and its exit code are its own.
Agents end in every case: their standard input closes with this process, however it dies. A dead agent never ends the
program.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fairlead import native
from fairlead.cluster import executors
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import FairleadError
from fairlead.manage import registry
from fairlead.manage.agents import AgentGroup, JobOptions, Message
from fairlead.manage.components import Components
from fairlead.manage.crew import Crew
from fairlead.manage.narrator import Narrator, pair

EventSink = Callable[[int, Message], None]


@dataclass
class Outcome:
    """What a supervised run ended with.

    Attributes:
        exit_code: the program's.
        time_s: wall time of the program, launcher included.
        started_s: when it was started, seconds since the epoch.
        moves: number of detours taken.
        events: every event of every agent as (host index, event), in order of arrival.
    """

    exit_code: int
    time_s: float
    started_s: float
    moves: int = 0
    events: list[tuple[int, Message]] = field(default_factory=list)


@dataclass(frozen=True)
class Management:
    """How a run is managed.

    Attributes:
        components: what is switched on.
        tables: by host index, the decision tables (`Characterization.manage_tables`).
        programs: paths of ``fairlead-agent`` and ``fairlead-guardian`` on the hosts.
        uid: whose traffic is moved.
        by_hand: moves are made by hand: guardians are needed even without detours of fairlead's own.
    """

    components: Components
    tables: Mapping[int, Message]
    agent: str
    guardian: Sequence[str]
    uid: int = field(default_factory=os.getuid)
    by_hand: bool = False

    def job_options(self) -> JobOptions:
        """What the agents are told for these components."""
        return JobOptions(
            guardian=self.guardian if self.components.detours or self.by_hand else None,
            uid=self.uid,
            manage=self.tables if self.components.detection else {},
        )


class _Watch:
    """Everything that looks at events: narrator, registry, sinks. Runs in the agents' thread."""

    def __init__(
        self, names: Sequence[str], narrator: Narrator, registration: registry.Registration, sinks: Sequence[EventSink]
    ) -> None:
        self._names = names
        self._narrator = narrator
        self._registration = registration
        self._sinks = sinks
        self.events: list[tuple[int, Message]] = []

    def __call__(self, host: int, event: Message) -> None:
        self.events.append((host, event))
        self._narrator(host, event)
        self._register(host, event)
        for sink in self._sinks:
            sink(host, event)

    def _register(self, host: int, event: Message) -> None:
        if event["type"] not in ("zone", "moved", "returned"):
            return
        state = self._registration.state
        path = pair(self._names, event.get("source", host), event["destination"])
        if event["type"] == "moved":
            state.detours[path] = self._names[event["relay"]]
        elif event["type"] == "returned":
            state.detours.pop(path, None)
        elif event["zone"] == "low":
            state.zones.pop(path, None)
        else:
            state.zones[path] = event["zone"]
        self._registration.write()


def supervise(
    cluster: Cluster,
    management: Management,
    launch: Callable[[], int],
    *,
    argv: Sequence[str],
    sinks: Sequence[EventSink] = (),
    quiet: bool = False,
    with_crew: Callable[[Crew], None] | None = None,
) -> Outcome:
    """Run a program with its traffic managed.

    Args:
        launch: starts the program, waits for it, returns its exit code; called in this thread.
        argv: the program, for `fairlead status`.
        sinks: further receivers of (host index, event), called in the agents' thread.
        with_crew: called once the agents are ready and before the program starts (moves by hand).

    Raises:
        AgentError, HostError: an agent could not be started; the program was not.
    """
    hosts = cluster.managed_hosts()
    names = [host.name for host in hosts]
    narrator = Narrator(names, sys.stderr, quiet=quiet)
    executor = executors.of(cluster)

    def command_line(host: Host, command: list[str]) -> list[str]:
        return executor.command(host.name, command)

    def make_group() -> AgentGroup:
        return AgentGroup(
            hosts, command_line, program=management.agent, ports=cluster.ports, options=management.job_options()
        )

    registration = registry.Registration(_state(cluster, argv))
    watch = _Watch(names, narrator, registration, sinks)
    with ExitStack() as stack:
        crew = stack.enter_context(Crew(make_group, watch))
        registration.state.job = crew.group.job
        stack.enter_context(registration)
        _say_planes(narrator, names, crew.group.ready, management.components)
        if with_crew is not None:
            with_crew(crew)
        outcome = timed(launch)
    outcome.events = watch.events
    outcome.moves = sum(event["type"] == "moved" for _, event in watch.events)
    narrator.say(_summary(outcome))
    return outcome


def timed(launch: Callable[[], int]) -> Outcome:
    """Run a program by itself and take its time."""
    started_s, begin = time.time(), time.monotonic()
    exit_code = launch()
    return Outcome(exit_code, time.monotonic() - begin, started_s)


def local_programs() -> tuple[str, list[str]]:
    """Paths of the agent and guardian where hosts see this machine's files."""
    return str(native.program("fairlead-agent")), [str(native.program("fairlead-guardian"))]


def _state(cluster: Cluster, argv: Sequence[str]) -> registry.RunState:
    ticks = registry.process_started_ticks(os.getpid())
    if ticks is None:
        raise FairleadError("/proc is not mounted or not readable", hint="fairlead needs the proc file system")
    source = str(Path(cluster.source).absolute())
    return registry.RunState("", source, list(argv), os.getpid(), ticks, time.time())


def _say_planes(narrator: Narrator, names: Sequence[str], ready: Sequence[Message], components: Components) -> None:
    if not components.detours:
        return
    without = [
        (names[index], each.get("plane_reason", "")) for index, each in enumerate(ready) if each["plane"] == "none"
    ]
    if without:
        host, reason = without[0]
        narrator.say(f"{len(without)} of {len(names)} hosts cannot move traffic (first: {host}: {reason})")


def _summary(outcome: Outcome) -> str:
    how = "ended" if outcome.exit_code == 0 else f"ended with exit code {outcome.exit_code}"
    return f"program {how} after {outcome.time_s:.2f} s; {outcome.moves} moves"
