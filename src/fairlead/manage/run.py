"""``fairlead run`` as a function: one program, managed, recorded; returns its exit code."""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fairlead import native, programs
from fairlead.agents.agent_thread import AgentThread
from fairlead.characterize import coverage
from fairlead.cluster import run_facts
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch, preload
from fairlead.cluster.jobs.ending import GRACE_S, Ending
from fairlead.cluster.jobs.launch import Course
from fairlead.cluster.jobs.signals import NotedSignals
from fairlead.cluster.launchers import Launcher
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import ConfigError, FairleadError, MissingToolError, of_system
from fairlead.manage import message_files, silent_hosts
from fairlead.manage.agent_settings import settings_for
from fairlead.manage.chosen_plane import AUTO, choose_at_start
from fairlead.manage.components import Components
from fairlead.manage.data_planes import PLANES
from fairlead.manage.joined_ranks import joined
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.manage.manual_reroutes import ManualReroutes, Reroute, asked_for
from fairlead.manage.message_files import MessageFiles
from fairlead.manage.migration import movers
from fairlead.manage.monitor import unasked
from fairlead.manage.recording import record_outcome, recorded, with_earlier
from fairlead.manage.say import say
from fairlead.manage.supervisor import Outcome, supervise, timed
from fairlead.placement.json_form import Placement
from fairlead.programs.launch_request import LaunchRequest
from fairlead.programs.linkage import Linkage
from fairlead.protocol.recorded_events import EventRecorder
from fairlead.protocol.settings import Number, describe, ways_in
from fairlead.store import Store
from fairlead.store.records import Label

BYPASSED = "the MPI library chooses its transport (--transport tcp)"


def run(
    cluster_file: Path,
    request: LaunchRequest,
    *,
    results: Path,
    components: Components,
    watch_unasked: bool = False,
    reroutes: Sequence[Reroute] = (),
    settings: Mapping[str, Number] | None = None,
    plane: str = AUTO,
    messages: Path | None = None,
    start_limit_s: float | None = None,
    grace_s: float = GRACE_S,
    dry_run: bool = False,
    quiet: bool = False,
) -> int:
    """Run a program on a cluster and record the run.

    Args:
        watch_unasked: messages are watched, too, where that harms no program; where it is not done that is said.
        reroutes: made by hand before the program starts.
        settings: of agents, in place of the cluster's (docs/reference/agent-settings.md).
        plane: how what is rerouted travels: a name of `fairlead.manage.data_planes`, or ``auto`` (see `choose`).
        messages: directory that each process writes all its messages to; None: none does.
        start_limit_s: the program is ended if a host that answers has no rank by then; None: it is left alone.
        grace_s: how long the program has to end by itself after a signal that ends programs.
        dry_run: of migrations it is only said what would be done.

    Returns:
        The program's exit code, also when the run could not be recorded to its end: that is said.

    Raises:
        FairleadError: nothing was started.
    """
    request.check()
    argv, own_mpirun = request.argv, request.own_mpirun
    cluster = load_cluster(cluster_file)
    watched = components.monitor or messages is not None or (plane in PLANES and PLANES.get(plane).in_ranks)
    with silent_hosts.told(partial(say, quiet=quiet)):
        ready = _prepared(cluster, request, messages, watched, quiet)
        facts = _facts(ready.cluster, request, settings or {})
    cluster, labels = ready.cluster, ready.labels
    ending = Ending(grace_s, tell=partial(say, quiet=False), announce=partial(say, quiet=quiet))
    signals = NotedSignals(ending)
    launch_it = _launching(cluster, ready.launcher, signals, start_limit_s, partial(say, quiet=quiet))

    def managed(store: Store, identity: int) -> Outcome:
        with with_earlier(results, store) as earlier:
            management = _management(cluster, components, earlier, settings, argv, labels, reroutes, dry_run, quiet)
        if management is not None:
            if watch_unasked:
                management = _watching(ready, management, own_mpirun, quiet)
            management = choose_at_start(plane, cluster, management, ready.unseen or _not_preloaded(own_mpirun))
        return execute(cluster, ready.job, store, identity, launch_it, management, reroutes, ending, quiet)

    outcome, _ = recorded(
        managed,
        lambda store, identity, outcome: _record(store, identity, outcome, signals.ended_by()),
        results=results,
        argv=argv,
        labels=labels,
        facts=facts,
        interrupted="interrupted ({}) while the program was not running",
        quiet=quiet,
    )
    _fetch(ready.kept, ending.limit, quiet)
    return outcome.exit_code


@dataclass(frozen=True)
class _Prepared:
    """A program that can be launched.

    Attributes:
        cluster: with the transport of MPI's messages.
        labels: what the run is found by.
        kept: where its processes write their messages; None: nowhere.
        unseen: why libfairlead would not see or carry its messages, in words; None: nothing is known against it.
        linkages: by host, what its program runs with; nothing for a launch line of the user's own.
        bypassed: between hosts the MPI library may use something else than connections.
    """

    cluster: Cluster
    launcher: Launcher
    job: Job
    labels: dict[str, Label]
    kept: MessageFiles | None
    unseen: str | None
    linkages: Mapping[str, Linkage]
    bypassed: bool


def _prepared(cluster: Cluster, request: LaunchRequest, messages: Path | None, watched: bool, quiet: bool) -> _Prepared:
    """The job on its hosts, its program looked at, the directory for its messages made. Arguments are as for `run`.

    Args:
        watched: see `_looked_at`.
    """
    tell = partial(say, quiet=quiet)
    cluster, bypassed = request.cluster_for(cluster)
    if bypassed:
        tell(bypassed)
    launcher, job = request.prepare(cluster, tell)
    job = request.with_brought(cluster, job, tell)
    job, linkages, unseen = _looked_at(cluster, job, launcher, watched)
    if bypassed and unseen is None:
        unseen = BYPASSED
    kept = message_files.prepare(cluster, messages) if messages is not None else None
    job = kept.of(job) if kept is not None else job
    return _Prepared(cluster, launcher, job, _labels(cluster, request, job), kept, unseen, linkages, bool(bypassed))


def _launching(
    cluster: Cluster,
    launcher: Launcher,
    signals: NotedSignals,
    start_limit_s: float | None,
    late: Callable[[str], None],
) -> Callable[[Job, Course], int]:
    """What launches a job and returns the exit code that the program has for the user; see `Launch`."""

    def launch_it(job: Job, course: Course) -> int:
        code = launch.run(
            cluster, launcher, job, startup_timeout_s=start_limit_s, on_signal=signals, course=course, on_late=late
        )
        return signals.exit_code(code, launcher)

    return launch_it


def _looked_at(
    cluster: Cluster, job: Job, launcher: Launcher, watched: bool
) -> tuple[Job, Mapping[str, Linkage], str | None]:
    """The job by what its program is linked with, that by host, and why libfairlead is not for it; None: it is.

    Args:
        watched: its calls are wanted: where they cannot be seen that is said.
    """
    job, linkages = programs.looked_at(cluster, job, launcher.family)
    unseen = programs.unseen(job.argv[0], linkages)
    if watched and unseen:
        say(f"{unseen}: none of its MPI calls can be seen", quiet=False)
    return job, linkages, unseen or programs.sanitized(job.argv[0], linkages)


def _watching(ready: _Prepared, management: Management, own_mpirun: bool, quiet: bool) -> Management:
    """The management with the message monitor, though nobody asked for it, where that harms nothing."""
    why_not = BYPASSED if ready.bypassed else None
    if own_mpirun:
        why_not = "your own launch line may not pass libfairlead on to all ranks (--monitor if it does)"
    tell = partial(say, quiet=quiet)
    return unasked(ready.cluster, ready.job, ready.linkages, management, tell, why_not=why_not)


def _facts(cluster: Cluster, request: LaunchRequest, settings: Mapping[str, Number]) -> dict[str, Any]:
    """What the run's record says of the hosts, the software, where ranks run, and what agents decide with."""
    facts: dict[str, Any] = {"transport": cluster.transport} if not request.own_mpirun else {}
    facts |= run_facts.collect(cluster, None if request.own_mpirun else cluster.mpirun) | coverage.facts(cluster)
    if request.placement is not None:
        facts["placement"] = Placement.read(request.placement).model_dump(mode="json", by_alias=True)
    if differing := settings_for(cluster, settings):
        facts["settings"] = differing
    return facts


def _labels(cluster: Cluster, request: LaunchRequest, job: Job) -> dict[str, Label]:
    """What the run is found by. Of a launch line of the user's own, ranks are known only if asked for."""
    labels: dict[str, Label] = {"program": Path(request.argv[0]).name, "cluster": cluster.name}
    ranks = request.ranks if request.own_mpirun else job.ranks
    if ranks is not None:
        labels["ranks"] = ranks
    if request.placement is not None:
        labels["placement"] = request.placement.name
    return labels


def _not_preloaded(own_mpirun: bool) -> str | None:
    """Why libfairlead would not be in every rank, in words; None where it would."""
    if own_mpirun:
        return "your own launch line may not pass libfairlead on to all ranks (use --plane relay if it does)"
    return not_built()


def not_built() -> str | None:
    """Why there is no libfairlead to be loaded into ranks, in words; None where there is."""
    try:
        for name in preload.LIBRARIES:
            native.library(name)
    except MissingToolError as error:
        return f"{error.message} ({error.hint})"
    return None


def _fetch(kept: MessageFiles | None, limit: EndLimit, quiet: bool) -> None:
    """Bring the messages here; where that fails, the program's exit code still counts."""
    if kept is None:
        return
    try:
        kept.fetch(limit)
    except FairleadError as error:
        say(str(error), quiet=False)
    except OSError as error:  # no temporary file can be made, for example
        say(f"{kept.path}: messages were not fetched: {of_system(error)}", quiet=False)
    else:
        say(f"messages are in {kept.path}; as tables: fairlead export {kept.path}", quiet)


def _management(
    cluster: Cluster,
    components: Components,
    store: Store,
    settings: Mapping[str, Number] | None,
    argv: Sequence[str],
    labels: Mapping[str, Label],
    reroutes: Sequence[Reroute],
    dry_run: bool,
    quiet: bool,
) -> Management | None:
    """How the run is managed; None where it is not."""
    nothing = cluster.nothing_to_manage(ways_in(settings_for(cluster, settings or {})))
    if nothing and components.agents:
        say(nothing, quiet)
    if not components.agents or len(cluster.managed_hosts()) < 2:
        if reroutes:
            raise ConfigError(
                "--reroute needs agents, and a cluster of at least three hosts, or of two with equal-cost paths"
            )
        return None
    management = asked_for(management_for(cluster, components, store, settings, quiet=quiet), reroutes)
    if management.settings and components.detection:
        say(f"agents decide with {describe(management.settings)}", quiet)
    if management.components.migration:
        management = replace(management, mover=movers.maker(cluster, usual_time_s(store, argv, labels), dry_run))
    return management


def usual_time_s(store: Store, argv: Sequence[str], labels: Mapping[str, Label]) -> float | None:
    """Shortest time of earlier runs that were alike: program, ranks, placement, cluster; None where none ended well."""
    alike = [run for run in store.runs("run") if run.plan == list(argv) and run.labels == labels]
    times = [series.scalar() for run in alike for series in store.series(run.id, "time_s")]
    return min(times, default=None)


def execute(
    cluster: Cluster,
    job: Job,
    store: Store,
    identity: int,
    launch_it: Callable[[Job, Course], int],
    management: Management | None,
    reroutes: Sequence[Reroute],
    ending: Ending,
    quiet: bool,
    *,
    ends_together_s: float | None = None,
) -> Outcome:
    """Run a program by ``launch_it``, managed where there is a management, with what its plane and monitor need.

    Args:
        launch_it: starts the job and waits for it; see `Launch`.
        identity: the run in the store, to which agents' events go.
        ends_together_s: see `supervise`.

    Raises:
        FairleadError: the program was not started.
    """
    begin = partial(_execute, cluster, job, store, identity, launch_it, reroutes, ending, quiet, ends_together_s)
    try:
        return timed(partial(launch_it, job)) if management is None else begin(management)
    except OtherPlaneError as other:
        return begin(other.management)
    finally:
        for line in ending.limit.words():
            say(line, quiet=False)


def _execute(
    cluster: Cluster,
    job: Job,
    store: Store,
    identity: int,
    launch_it: Callable[[Job, Course], int],
    reroutes: Sequence[Reroute],
    ending: Ending,
    quiet: bool,
    ends_together_s: float | None,
    management: Management,
) -> Outcome:
    """`execute`, managed.

    Raises:
        OtherPlaneError: see `supervise`.
    """
    recorder = EventRecorder(store, identity, cluster.managed_names())
    with joined(cluster, job, management, ending.limit) as (ready, management):
        manual = ManualReroutes(cluster, reroutes, partial(say, quiet=quiet), management.ways)

        def prepare(agents: AgentThread) -> None:
            ending.release_by(agents.stop)
            manual.make(agents)

        outcome = supervise(
            cluster,
            management,
            partial(launch_it, ready),
            argv=job.argv,
            sinks=[lambda host, event: recorder(host, event, time.time()), manual],
            quiet=quiet,
            with_agents=prepare,
            ends_together_s=ends_together_s,
            limit=ending.limit,
        )
    return _finished(recorder, outcome)


def _finished(recorder: EventRecorder, outcome: Outcome) -> Outcome:
    """The outcome, when all events are recorded; where they cannot be, the program has ended as it has."""
    try:
        recorder.finish(time.time())
    except FairleadError as error:
        say(f"the record of this run has gaps: {error}", quiet=False)
        outcome.problems.append(error)
    return outcome


def _record(store: Store, identity: int, outcome: Outcome, ended_by: signal.Signals | None) -> None:
    aborted = f"interrupted ({ended_by.name})" if ended_by else None
    record_outcome(store, identity, outcome, outcome.exit_code, aborted)
