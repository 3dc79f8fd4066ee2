"""Supervises one run: agents first, then the program, then the agents' orderly end.

The program is started by the caller's function in the main thread, so that signals and its exit code are its own.
Agents end in every case: their standard input closes with this process, however it dies. A dead agent never ends the
program.
"""

import secrets
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from fairlead.agents.agent import EventCallback
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import LEASE_S, AgentGroup, JobOptions
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.cluster import executors
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.display import words
from fairlead.errors import FairleadError, of_system
from fairlead.manage import registry
from fairlead.manage.clean import clean_host
from fairlead.manage.common_end import CommonEnd
from fairlead.manage.components import Components
from fairlead.manage.data_planes import PLANES
from fairlead.manage.lost_planes import LostPlanes
from fairlead.manage.migration.probing import Path as HostPath
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.narrator import Narrator, pair, pair_from
from fairlead.manage.preflight import check_interfaces, check_reachable
from fairlead.manage.user_mitigation import UserMitigation
from fairlead.mitigation import other_placement
from fairlead.mitigation.evidence import Evidence
from fairlead.mitigation.own_traffic import OwnTraffic
from fairlead.protocol import answers, enums, events
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import Manage
from fairlead.runtime import Process


class Mover(AbstractContextManager[object], Protocol):
    """What moves virtual machines beside a program; `fairlead.manage.migration.mover.Mover` is it."""

    def __call__(self, host: int, event: AgentEvent) -> None: ...


MakeMover = Callable[[Sequence[str], EventCallback, Probing, Sharing], Mover]
"""(names of the agents' hosts, where it reports, what measures paths, what tells what they share) -> a mover."""

Launch = Callable[[Callable[[], None]], int]
"""Starts a program, waits for it, calls its argument when it has ended, tidies up, and returns its exit code. What
never calls it ends when it returns."""


@dataclass
class Outcome:
    """What a supervised run ended with.

    Attributes:
        exit_code: the program's.
        time_s: wall time of the program, launcher included.
        started_s: when it was started, seconds since the epoch.
        reroutes: number of detours taken.
        migrations: number of virtual machines moved.
        relayed: messages that agents carried; None without the relay plane.
        problems: why something that looks at events could not do its work (a full disk), or what was begun for the
            program could not be ended in order. The program is not concerned.
    """

    exit_code: int
    time_s: float
    started_s: float
    reroutes: int = 0
    migrations: int = 0
    relayed: int | None = None
    problems: list[Exception] = field(default_factory=list)


class OtherPlaneError(FairleadError):
    """The agents' first answers ask for agents that are started in another way.

    Attributes:
        management: the run's management with its plane.
    """

    def __init__(self, management: "Management") -> None:
        super().__init__(f"agents were started for another plane than {management.plane}")
        self.management = management


@dataclass(frozen=True)
class Management:
    """How a run is managed.

    Attributes:
        components: what is switched on.
        tables: by host index, the decision tables (`Characterization.manage_tables`).
        parts: agent and guardian on the hosts.
        manual: reroutes are made by hand: guardians are needed even without detours of fairlead's own.
        remarks: what the user should know before the program starts.
        rings: where the program's ranks write the ends of their messages; None: they do not.
        plane: how what is rerouted travels: a name of `fairlead.manage.data_planes`.
        relay: where ranks find the agents that relay their messages; None: they do not.
        mover: makes what moves virtual machines; None: nothing does.
        base_s: latency in seconds of small messages by (source, destination), as characterized.
        sharing: which injections hurt which paths, as characterized; None: that is not known.
        decide: the management with its plane, by the agents' first answers (by host index; None: one did not start);
            None: the plane is decided.
        characterized: all of the characterization; None: there is none.
    """

    components: Components
    tables: Mapping[int, Manage]
    binaries: HostBinaries
    manual: bool = False
    remarks: Sequence[str] = ()
    rings: str | None = None
    plane: str = "route"
    relay: str | None = None
    mover: MakeMover | None = None
    base_s: Mapping[HostPath, float] = field(default_factory=dict)
    sharing: SharedBottlenecks | None = None
    decide: "Callable[[Sequence[answers.Ready | None]], Management] | None" = None
    characterized: Characterization | None = None

    @property
    def reroutes(self) -> bool:
        """Whether guardians are needed."""
        return not PLANES.get(self.plane).by_agents and (self.components.detours or self.manual)

    def decided(self, ready: Sequence[answers.Ready | None]) -> "Management":
        """With its plane decided, where it was not.

        Raises:
            OtherPlaneError: that needs agents that are started in another way.
        """
        if self.decide is None:
            return self
        other = self.decide(ready)
        if (other.plane, other.reroutes) != (self.plane, self.reroutes):
            raise OtherPlaneError(other)
        return replace(self, remarks=other.remarks, decide=None)

    def job_options(self) -> JobOptions:
        """What the agents are told for these components."""
        return JobOptions(
            guardian=self.binaries.guardian if self.reroutes else None,
            manage=self.tables if self.components.detection else {},
            rings=self.rings,
            acknowledge=self.components.acknowledge,
            relay=self.relay,
            lease_s=LEASE_S,
            revived=True,
        )


class _Audience:
    """Everything that looks at events: narrator, registry, sinks. Runs in the events' thread.

    One that fails is told once and asked again with the next event: traffic is managed whether it is recorded or not.
    """

    def __init__(
        self,
        names: Sequence[str],
        narrator: Narrator,
        registration: registry.Registration,
        sinks: Sequence[EventCallback],
    ) -> None:
        self._names = names
        self._narrator = narrator
        self._registration = registration
        self._observers: list[EventCallback] = [narrator, self._register, *sinks]
        self._failed: set[int] = set()  # observers, by place
        self.reroutes = 0
        self.migrations = 0
        self.relayed: dict[int, int] = {}  # by host index, messages; of hosts that have the relay plane
        self.problems: list[Exception] = []

    def __call__(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Rerouted():
                self.reroutes += 1
            case events.Migration(action=enums.MigrationAction.MOVED):
                self.migrations += 1
            case events.Stats() if event.relay is not None:
                # Ranks count; an agent that was started again knows of none until they have joined it.
                self.relayed[host] = max(self.relayed.get(host, 0), event.relay.ranks.relayed)
        for place, observer in enumerate(self._observers):
            try:
                observer(host, event)
            except Exception as error:  # noqa: BLE001  # whatever one does wrong, the others are told
                self._note(place, error)

    def add(self, observer: EventCallback) -> None:
        """Have another one told."""
        self._observers.append(observer)

    def _note(self, place: int, error: Exception) -> None:
        if place in self._failed:
            return
        self._failed.add(place)
        self.problems.append(error)
        self._narrator.say(f"the program continues, but its record has gaps: {_in_words(error)}")

    def problem(self, error: Exception) -> None:
        """Something that was begun for the program could not be ended in order after it."""
        self.problems.append(error)
        self._narrator.say(f"the program has ended, but not all that was beside it: {_in_words(error)}")

    def _register(self, host: int, event: AgentEvent) -> None:
        self._follow(host, event)
        self._registration.publish()

    def _follow(self, host: int, event: AgentEvent) -> None:
        state = self._registration.state
        match event:
            case events.Died():  # its guardian takes the routes back, and nobody looks at its paths
                for told in (state.detours, state.levels):
                    for path in [path for path in told if path.startswith(pair_from(self._names, host))]:
                        del told[path]
            case events.Mitigation():
                state.advice = event.reason
            case events.Rerouted():
                state.detours[pair(self._names, event.source, event.destination)] = self._names[event.relay]
            case events.Restored():
                state.detours.pop(pair(self._names, event.source, event.destination), None)
            case events.LevelChanged(congestion_level=enums.CongestionLevel.LOW):
                state.levels.pop(pair(self._names, event.source, event.destination), None)
            case events.LevelChanged():
                state.levels[pair(self._names, event.source, event.destination)] = event.congestion_level
            case _:
                return
        self._registration.change()


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        error = of_system(error)
    return str(error) if isinstance(error, FairleadError) else repr(error)


def supervise(
    cluster: Cluster,
    management: Management,
    launch: Launch,
    *,
    argv: Sequence[str],
    sinks: Sequence[EventCallback] = (),
    quiet: bool = False,
    with_agents: Callable[[AgentThread], None] | None = None,
    ends_together_s: float | None = None,
) -> Outcome:
    """Run a program with its traffic managed.

    Args:
        launch: starts the program and waits for it; called in this thread.
        argv: the program, for `fairlead status`.
        sinks: further receivers of (host index, event), called in the events' thread.
        with_agents: called once the agents are ready and before the program starts (manual reroutes).
        ends_together_s: agents may be ended with the program, so long before its end is known here (`CommonEnd`); None:
            nobody but us ends them in order.

    Raises:
        AgentError, HostError, ConfigError: an agent could not be started or reached, or the cluster file is wrong
            about a host; the program was not started.
        OtherPlaneError: likewise, since the agents have to be started in another way.

    What fails after the program has ended is among the outcome's problems.
    """
    names = [host.name for host in cluster.managed_hosts()]
    narrator = Narrator(names, sys.stderr, quiet=quiet)
    job = secrets.token_hex(4)
    registration = registry.Registration(_state(cluster, argv, job))
    lost_planes = LostPlanes(
        lambda host: clean_host(cluster, names[host], management.binaries.guardian, job=job),
        lambda host, event: told.put(host, event),
    )
    watch = _Audience(names, narrator, registration, [*sinks, lost_planes])
    mitigation = _mitigation(cluster, management, names, lambda host, event: told.put(host, event))
    if mitigation is not None:
        watch.add(mitigation)
    common_end = CommonEnd(watch, ends_together_s) if ends_together_s is not None else None
    told = EventThread(common_end or watch, held=management.decide is not None)
    outcome: Outcome | None = None
    try:
        with ExitStack() as stack:
            stack.enter_context(registration)
            stack.callback(_advise, mitigation, watch)  # when all events were handed on
            stack.enter_context(told)
            stack.enter_context(lost_planes)
            agents = stack.enter_context(AgentThread(_group_maker(cluster, management, job), told))
            ready = agents.group.ready
            management = _decided(management, ready, told)
            check_interfaces(cluster, ready)
            check_reachable(cluster, agents, [index for index, each in enumerate(ready) if each is not None])
            _tell_limits(management, narrator, names, ready, told.put)
            if with_agents is not None:
                with_agents(agents)
            if (mover := _mover(management, names, agents, told.put)) is not None:
                watch.add(mover)
                stack.enter_context(mover)
            outcome = timed(launch, narrator.program_started)
            narrator.program_ended()
            if common_end is not None:
                common_end.program_ended()
    except Exception as error:
        if outcome is None:
            raise
        watch.problem(error)  # how the program ended stands
    outcome.reroutes, outcome.migrations, outcome.problems = watch.reroutes, watch.migrations, watch.problems
    outcome.relayed = sum(watch.relayed.values()) if PLANES.get(management.plane).by_agents else None
    narrator.say(_summary(outcome))
    return outcome


def _decided(management: Management, ready: Sequence[answers.Ready | None], told: EventThread) -> Management:
    """See `Management.decided`. What agents said that have to be started in another way is of no run."""
    try:
        decided = management.decided(ready)
    except OtherPlaneError:
        told.discard()
        raise
    told.release()
    return decided


def timed(launch: Launch, begins: Callable[[float], None] = lambda started_s: None) -> Outcome:
    """Run a program by itself and take its time, to its end: tidying up after it is not its time.

    Args:
        begins: called with the time of its start, seconds since the epoch.
    """
    ends_s: list[float] = []
    started_s, begin_s = time.time(), time.monotonic()
    begins(started_s)
    exit_code = launch(lambda: ends_s.append(time.monotonic()))
    end_s = ends_s[-1] if ends_s else time.monotonic()
    return Outcome(exit_code, end_s - begin_s, started_s)


def _state(cluster: Cluster, argv: Sequence[str], job: str) -> registry.RunState:
    own = Process.own()
    source = str(Path(cluster.source).absolute())
    return registry.RunState(job, source, list(argv), own.pid, own.start_ticks, time.time())


def _group_maker(cluster: Cluster, management: Management, job: str) -> Callable[[], AgentGroup]:
    """What starts the agents of a job on all managed hosts."""
    executor = executors.executor_of(cluster)

    def command_line(host: Host, command: list[str]) -> list[str]:
        return executor.lasting(host.name, command)

    return lambda: AgentGroup(
        cluster.managed_hosts(),
        command_line,
        program=management.binaries.agent,
        ports=cluster.ports,
        options=management.job_options(),
        job=job,
    )


def _mitigation(
    cluster: Cluster, management: Management, names: Sequence[str], report: EventCallback
) -> UserMitigation | None:
    """What advises the user; None where messages are not watched, or nobody knows which paths are congested."""
    if not (management.components.monitor and management.components.detection):
        return None
    found = management.characterized
    return UserMitigation(names, Evidence(OwnTraffic(found)), other_placement.finder(cluster, found), report)


def _advise(mitigation: UserMitigation | None, watch: EventCallback) -> None:
    """Tell and record what the whole run says."""
    if mitigation is not None and (last := mitigation.at_end()) is not None:
        watch(*last)


def _mover(management: Management, names: Sequence[str], agents: AgentThread, tell: EventCallback) -> Mover | None:
    """What moves virtual machines beside the program; None where nothing does."""
    if management.mover is None:
        return None
    hurts = management.sharing.dense() if management.sharing is not None else None
    probing = Probing(agents, names, management.base_s)
    return management.mover(names, tell, probing, Sharing(agents, names, hurts))


def _tell_limits(
    management: Management,
    narrator: Narrator,
    names: Sequence[str],
    ready: Sequence[answers.Ready | None],
    watch: EventCallback,
) -> None:
    """What management cannot do on these hosts, or what others of them can do to its traffic."""
    for remark in management.remarks:
        narrator.say(remark)
    if management.reroutes:
        _tell_planes(narrator, names, ready, watch)
        _tell_low_ports(narrator, names, ready)


def _tell_planes(
    narrator: Narrator, names: Sequence[str], ready: Sequence[answers.Ready | None], watch: EventCallback
) -> None:
    """Hosts that cannot reroute traffic: said once, and recorded one by one."""
    without = {index: each.plane_reason for index, each in enumerate(ready) if each and each.plane == "none"}
    for index, reason in without.items():
        watch(index, events.Plane(plane="none", reason=reason))
    if without:
        first, reason = next(iter(without.items()))
        narrator.say(
            f"{len(without)} of {len(names)} hosts cannot reroute traffic (first: {names[first]}: {reason}); the "
            "program runs, and congestion is reported. `fairlead doctor` shows how to give the guardian its privilege"
        )


def _tell_low_ports(narrator: Narrator, names: Sequence[str], ready: Sequence[answers.Ready | None]) -> None:
    """Hosts where every user can have the ports that outer packets leave from. Each host only knows its own value."""
    told = {
        name: each.low_port
        for name, each in zip(names, ready, strict=True)
        if each and each.plane == "route" and each.low_port is not None
    }
    if unknown := [name for name, first in told.items() if first == "not known"]:
        narrator.say(
            f"{', '.join(unknown)}: net.ipv4.ip_unprivileged_port_start cannot be read, so every user there may be "
            "able to inject packets into rerouted traffic"
        )
    if open_to_all := [f"{name} (first port {first})" for name, first in told.items() if name not in unknown]:
        narrator.say(
            f"every user of {', '.join(open_to_all)} can inject packets into rerouted traffic; to prevent it, "
            "there, as root: sysctl -w net.ipv4.ip_unprivileged_port_start=1024"
        )


def _summary(outcome: Outcome) -> str:
    code = outcome.exit_code
    by = f" ({signal.Signals(code - 128).name})" if code - 128 in set(signal.Signals) else ""
    how = "ended" if code == 0 else f"ended with exit code {code}{by}"
    migrations = f", {words.count(outcome.migrations, 'migration')}" if outcome.migrations else ""
    relayed = f", {words.count(outcome.relayed, 'message')} relayed" if outcome.relayed is not None else ""
    reroutes = words.count(outcome.reroutes, "reroute")
    return f"program {how} after {outcome.time_s:.2f} s; {reroutes}{migrations}{relayed}"
