"""``fairlead characterize`` as functions: agents up, survey, samples stored, and what came of it."""

import asyncio
import time
from collections.abc import Callable

from fairlead.agents.group import AgentGroup
from fairlead.characterize import budget, characterization, left_out, sample_store
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.survey import Commander, Survey, SurveySettings
from fairlead.cluster.description import Cluster
from fairlead.cluster.host_binaries import bring_everywhere
from fairlead.errors import ConfigError
from fairlead.progress import Progress
from fairlead.store import Store
from fairlead.store.ending import ended


def characterize(
    cluster: Cluster,
    store: Store,
    settings: SurveySettings,
    progress: Progress,
    began: Callable[[int], None] | None = None,
    *,
    anew: bool = False,
    since_s: float = 0.0,
) -> Characterization:
    """Measure a cluster's network. The samples are in the store as soon as they are taken.

    One that had no time for everything is continued: what it has is not measured again.

    Args:
        began: called with the number of the run in the store, before anything is measured.
        anew: everything is measured, whatever there is.
        since_s: what was measured before the network was there, seconds since the epoch, is not continued.

    Raises:
        ConfigError: the cluster has a single host, or the budget is too short for anything.
        HostError, AgentError, MeasurementError: see `AgentGroup` and `Survey`; the run is kept, marked failed.
        Interrupted: Ctrl-C; the run is kept, marked aborted.
    """
    hosts = cluster.managed_hosts()
    if len(hosts) < 2:
        raise ConfigError(
            f"{cluster.source}: {cluster.name} has a single host, so there are no paths between hosts to characterize",
            hint="list at least two hosts with role compute or relay",
        )
    earlier = None if anew else characterization.unfinished(store, cluster, since_s=since_s)
    _refuse_short(cluster, settings, earlier is not None and sample_store.grouped(store, earlier.id))
    progress("reaching the hosts", 0, 1)
    binaries = bring_everywhere(cluster)
    progress("reaching the hosts", 1, 1)
    group = AgentGroup.of_cluster(cluster, binaries.agent)
    run = characterization.begin(store, cluster, settings, None if earlier is None else earlier.id)
    if began is not None:
        began(run)
    with ended(store, run) as ending:
        survey = survey_of(group, store, run, settings, progress)
        asyncio.run(_measure(group, survey, progress))
        ending.aborted_because = keep_left_out(store, run, survey)
    progress("computing the matrices", 0, 1)
    found = Characterization.read(store, store.run(run))
    progress("computing the matrices", 1, 1)
    return found


def survey_of(agents: Commander, store: Store, run: int, settings: SurveySettings, progress: Progress) -> Survey:
    """The survey whose samples go into a run of the store, after those that it continues."""
    earlier = sample_store.samples_of(store, run, len(agents))
    return Survey(agents, settings, StoreSink(store, run), progress, earlier)


def keep_left_out(store: Store, run: int, survey: Survey) -> str:
    """Record what there was no time for; returns why there is too little for runs, or nothing."""
    if not survey.left_out:
        return ""
    store.add_event(run, time.time(), left_out.EVENT, {"parts": [part.to_json() for part in survey.left_out]})
    if LatencyMatrix.of_samples(survey.samples).whole_sizes():
        return ""
    return left_out.no_time_for(survey.left_out)


def _refuse_short(cluster: Cluster, settings: SurveySettings, grouped: bool) -> None:
    hosts = len(cluster.managed_hosts())
    least_s = budget.least_s(hosts, settings.idle_windows, settings.seed, grouped=grouped)
    if settings.budget_s is not None and settings.budget_s < least_s:
        what = "seeing the quiet network" if grouped else "seeing the quiet network and which hosts are alike"
        raise ConfigError(
            f"a budget of {settings.budget_s:g} s is too short: {what} takes about {least_s:.1f} s on {hosts} hosts",
            hint="more time shows more; without --budget everything is measured",
        )


async def _measure(group: AgentGroup, survey: Survey, progress: Progress) -> None:
    progress("starting the agents", 0, 1)
    async with group:
        progress("starting the agents", 1, 1)
        await survey.run()
