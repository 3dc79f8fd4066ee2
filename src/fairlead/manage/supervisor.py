"""Supervises one run: agents first, then the program, then the agents' orderly end.

The program is started by the caller's function in the main thread, so that signals and its exit code are its own.
Agents end in every case: their standard input closes with this process, however it dies. A dead agent never ends the
program.
"""

import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairlead.agents.agent import EventCallback
from fairlead.agents.agent_thread import AgentThread
from fairlead.agents.events import EventThread
from fairlead.agents.group import AgentGroup
from fairlead.cluster.description import Cluster
from fairlead.cluster.jobs import launch as launching
from fairlead.cluster.jobs.launch import Course
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.display import words
from fairlead.errors import SilentHostError
from fairlead.manage import live_runs, silent_hosts
from fairlead.manage.audience import Audience
from fairlead.manage.benefit.check import BenefitCheck
from fairlead.manage.clean import clean_host
from fairlead.manage.common_end import CommonEnd
from fairlead.manage.data_planes import PLANES
from fairlead.manage.limits import tell_limits
from fairlead.manage.lost_planes import LostPlanes
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.manage.migration.moving import Mover
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.narrator import Narrator
from fairlead.manage.preflight import check_interfaces, check_reachable, check_versions
from fairlead.manage.user_mitigation import UserMitigation
from fairlead.mitigation import other_placement
from fairlead.mitigation.evidence import Evidence
from fairlead.mitigation.own_traffic import OwnTraffic
from fairlead.protocol import answers
from fairlead.runtime import Process

GUARDIAN_REMAINS = "what its guardian left in the kernel stays until `fairlead clean`"
Launch = Callable[[Course], int]
"""Starts a program, tells the course, waits for it, tidies up, and returns its exit code. A program whose end it does
not tell ends when it returns."""


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
    problems: list[BaseException] = field(default_factory=list)


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
    limit: EndLimit | None = None,
) -> Outcome:
    """Run a program with its traffic managed.

    Args:
        launch: starts the program and waits for it; called in this thread.
        argv: the program, for `fairlead status`.
        sinks: further receivers of (host index, event), called in the events' thread.
        with_agents: called once the agents are ready and before the program starts (manual reroutes).
        ends_together_s: agents may be ended with the program, so long before its end is known here (`CommonEnd`); None:
            nobody but us ends them in order.
        limit: of the end that somebody wants, shared with what comes after this; None: each step has its own time,
            unless Ctrl-C ends it.

    Raises:
        AgentError, HostError, ConfigError: an agent could not be started or reached, or the cluster file is wrong
            about a host; the program was not started.
        OtherPlaneError: likewise, since the agents have to be started in another way.

    What fails after the program has ended is among the outcome's problems.
    """
    names = cluster.managed_names()
    limit = limit or EndLimit()
    narrator = Narrator(names, sys.stderr, quiet=quiet)
    job = secrets.token_hex(4)
    registration = live_runs.Registration(_state(cluster, management, argv, job))
    audience = Audience(names, narrator, registration, sinks)
    common_end = CommonEnd(audience, ends_together_s) if ends_together_s is not None else None
    make_group = partial(
        AgentGroup.of_cluster, cluster, management.binaries.agent, management.job_options(), job, limit
    )
    outcome: Outcome | None = None
    try:
        with (
            registration,
            _told(cluster, management, job, audience, common_end or audience, limit) as (told, lost_planes),
            silent_hosts.told(narrator.say) as answered,
            AgentThread(make_group, told, limit) as agents,
            limit.begun_by_interrupts(),
        ):
            answered()
            if lost_planes is not None:
                lost_planes.renew_by(agents.renew)
            management = _decided(management, agents.group.ready, told)
            _check(cluster, agents)
            tell_limits(management, narrator, names, agents.group.ready, told.put)
            if with_agents is not None:
                with_agents(agents)
            with _beside_program(management, names, agents, audience, told.put) as benefit:
                outcome = timed(launch, narrator.program_started)
                narrator.program_ended()
                if limit.begun:  # what asks them from now on waits for none that is cut off
                    agents.begin_stop()
                if benefit is not None:
                    benefit.end()
                if common_end is not None:
                    common_end.program_ended()
            if benefit is not None and (said := benefit.summary()) is not None:
                narrator.say(said)
    except (Exception, KeyboardInterrupt) as error:
        if outcome is None:
            raise
        audience.problem(error)  # how the program ended stands
    outcome.reroutes, outcome.migrations, outcome.problems = audience.reroutes, audience.migrations, audience.problems
    outcome.relayed = sum(audience.relayed.values()) if PLANES.get(management.plane).by_agents else None
    narrator.say(_summary(outcome))
    return outcome


@contextmanager
def _told(
    cluster: Cluster, management: Management, job: str, audience: Audience, on_event: EventCallback, limit: EndLimit
) -> Iterator[tuple[EventThread, LostPlanes | None]]:
    """Within: events are handed on, also to what answers them by events of its own, which joins the audience.

    Yields who hands them on, and who cleans up after guardians, where there are any.

    Args:
        on_event: called in the events' thread; hands them to the audience.
    """
    names = cluster.managed_names()
    told = EventThread(on_event, held=management.decide is not None)
    lost_planes: LostPlanes | None = None
    if management.reroutes:  # else there are no guardians, and the one on a host may be unable to clean
        lost_planes = LostPlanes(
            lambda host: _clean(cluster, names[host], management, job, limit),
            told.put,
            limit=limit,
            given_up=lambda host: limit.give_up(names[host], GUARDIAN_REMAINS),
        )
        audience.add(lost_planes)
    mitigation = _mitigation(cluster, management, names, told.put)
    if mitigation is not None:
        audience.add(mitigation)
    with ExitStack() as stack:
        stack.callback(_advise, mitigation, audience)  # when all events were handed on
        stack.enter_context(told)
        stack.enter_context(lost_planes or nullcontext())
        yield told, lost_planes


def _clean(cluster: Cluster, host: str, management: Management, job: str, limit: EndLimit) -> list[dict[str, Any]]:
    """See `clean_host`. Raises SilentHostError at once where the run's end has given up the host already."""
    if limit.gave_up(host):
        raise SilentHostError(f"{host}: does not answer, and is not waited for any more")
    return clean_host(cluster, host, management.binaries.guardian, job=job)


def _check(cluster: Cluster, agents: AgentThread) -> None:
    """That agents are of our version, and the cluster file's interfaces and addresses those of their hosts.

    Raises:
        AgentError, HostError, ConfigError: they are not, or a host does not reach another.
    """
    ready = agents.group.ready
    check_versions(cluster, ready)
    check_interfaces(cluster, ready)
    check_reachable(cluster, agents, [index for index, each in enumerate(ready) if each is not None])


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
    """Run a program by itself and take its time, as `fairlead.cluster.jobs.launch.timed`.

    Args:
        begins: called with the time of its start, seconds since the epoch, once it has been started.
    """
    started_s = [time.time()]

    def noted(course: Course) -> int:
        def ready() -> None:
            course.ready()
            started_s.append(time.time())

        return launch(replace(course, ready=ready))

    exit_code, time_s = launching.timed(noted, lambda: begins(started_s[-1]))
    return Outcome(exit_code, time_s, started_s[-1])


def _state(cluster: Cluster, management: Management, argv: Sequence[str], job: str) -> live_runs.RunState:
    own = Process.own()
    source = str(Path(cluster.source).absolute())
    return live_runs.RunState(
        job, source, list(argv), own.pid, own.start_ticks, time.time(), guardians=management.reroutes
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


@contextmanager
def _beside_program(
    management: Management, names: Sequence[str], agents: AgentThread, audience: Audience, tell: EventCallback
) -> Iterator[BenefitCheck | None]:
    """Within: virtual machines are moved, and what reroutes give is measured, as far as that is wanted.

    Yields what measures it; None where nothing does.

    Args:
        tell: takes events of what is done.
    """
    mover = _mover(management, names, agents, tell)
    benefit = _benefit(management, len(names), agents, tell)
    for each in (mover, benefit):
        if each is not None:
            audience.add(each)
    with mover or nullcontext(), benefit or nullcontext():
        yield benefit


def _mover(management: Management, names: Sequence[str], agents: AgentThread, tell: EventCallback) -> Mover | None:
    """What moves virtual machines beside the program; None where nothing does."""
    if management.mover is None:
        return None
    probing = Probing(agents, names, management.base_s, management.settings)
    return management.mover(names, tell, probing, Sharing(agents, names, management.sharing))


def _benefit(management: Management, hosts: int, agents: AgentThread, tell: EventCallback) -> BenefitCheck | None:
    """What measures what reroutes give; None where there are none, or ranks would have to change over for a pause."""
    components = management.components
    if not (components.detours and components.benefit) or PLANES.get(management.plane).by_agents:
        return None
    return BenefitCheck(agents, hosts, tell)


def _summary(outcome: Outcome) -> str:
    code = outcome.exit_code
    by = f" ({signal.Signals(code - 128).name})" if code - 128 in set(signal.Signals) else ""
    how = "ended" if code == 0 else f"ended with exit code {code}{by}"
    migrations = f", {words.count(outcome.migrations, 'migration')}" if outcome.migrations else ""
    relayed = f", {words.count(outcome.relayed, 'message')} relayed" if outcome.relayed is not None else ""
    reroutes = words.count(outcome.reroutes, "reroute")
    return f"program {how} after {outcome.time_s:.2f} s; {reroutes}{migrations}{relayed}"
